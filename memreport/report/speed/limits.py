"""The rooflines of a report, and in plain words what limits each and what the times are: estimate or bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memreport.catalogue.quantities import brief, brief_alike
from memreport.catalogue.records import NO_UNITS
from memreport.figures.registry import PHASES, Phase
from memreport.report.records.amounts import Amount
from memreport.report.records.speed import OtherRoof, RoofKernel, Roofline
from memreport.report.view import View, shown

DATA_TYPES: Mapping[str, str] = {
    "bf16_flop_per_second": "BF16",
    "fp16_flop_per_second": "FP16",
    "fp8_flop_per_second": "FP8",
    "int8_flop_per_second": "INT8",
    "fp4_flop_per_second": "FP4",
    "tf32_flop_per_second": "TF32",
}
NETWORK = "network_bytes_per_second"
SPEED, OF_ONE, REQUESTS = "tokens_per_second", "sequence_tokens_per_second", "full_load_requests_per_second"
SOUND, READING = "sound_per_second", "prefill_tokens_per_second"
RATES = frozenset({SPEED, OF_ONE, REQUESTS, SOUND, READING})
LATENCIES = ("time_to_first_token_seconds", "time_per_output_token_seconds")
WIRES: Mapping[str, str] = {
    "link_bytes_per_second": "link",
    "host_link_bytes_per_second": "host link",
    NETWORK: "network",
}
TERA = 1e12
MEASURED, DECODE = "measured", "decode_step"
"""What the table of GPUs says of a GPU whose rates are its own."""
_LIMITS = {"memory": "memory bandwidth", "compute": "arithmetic"}


def rooflines(view: View, index: int) -> tuple[Roofline, ...]:
    """One roofline a phase of the workload; an encoder decodes nothing."""
    decodes = view.makes_tokens(index)
    return tuple(_roofline(view, phase, index) for phase in PHASES[view.workload] if decodes or phase.id != DECODE)


def speed_words(view: View, index: int) -> str:
    """How long a step, a prefill, a decode step take, each called what it is, and what the plan goes by."""
    return _training_words(view, index) if view.workload == "training" else _serving_words(view, index)


def _brief(view: View, name: str, index: int) -> str:
    return brief(view.value(name, index), view.unit(name))


def bound_words(view: View, index: int) -> str:
    """Where a step takes longer than the stated utilisation allows: what binds; nothing where the estimate holds."""
    estimate, bound = (view.value(name, index) for name in ("step_seconds_estimated", "step_seconds_bound"))
    if bound <= estimate:
        return ""
    return (
        f"The time per step is its lower bound, {_brief(view, 'step_seconds_bound', index)}, because that is longer "
        f"than the {_brief(view, 'step_seconds_estimated', index)} {_origin(view, index)}; what binds is "
        f"{view.text('step_limit', index)}."
    )


def _training_words(view: View, index: int) -> str:
    limit = bound_words(view, index)
    takes = f"A step takes {view.ranged('step_seconds', index)}"
    if limit:
        said = f"{takes}, {_origin(view, index)}. {limit} Rates, hours and cost are those of the bound."
    else:
        reached = _brief(view, "achieved_model_flop_utilization", index)
        least = brief(view.value("step_seconds_bound", index), "s", view.value("step_seconds", index))
        said = f"{takes}, {reached} of the peak, {_origin(view, index)}."
        said = f"{said} It cannot take less than {least}, the lower bound."
    return f"{said} {rescaled_words(view, index)}".rstrip()


def _origin(view: View, index: int) -> str:
    """Where the time of a step comes from: a stated utilisation, or the sum of its parts on a GPU known how well."""
    if view.value("model_flop_utilization", index) > 0:
        return f"at the stated utilisation of {view.text('model_flop_utilization', index)}"
    evidence = view.resolved.catalogue.tables["accelerators"].text(
        "efficiency_evidence", view.resolved.cases[index].settings["accelerator"]
    )
    wider = f"not measured on this GPU ({evidence}), so that the range is wider"
    known = "measured on this GPU" if evidence == MEASURED else wider
    return f"computed from its kernels, traffic and host, with rates {known}"


def rescaled_words(view: View, index: int) -> str:
    """By how much a run of one's own changes the computed times, as a sentence; nothing where there is none."""
    if (factor := view.value("measured_time_factor", index)) == 1:
        return ""
    return f"All times are {factor:.3g} of the computed ones, by the run or the utilisation that the scenario states."


def _serving_words(view: View, index: int) -> str:
    if not view.makes_tokens(index):
        alone, rate = (view.ranged(name, index) for name in ("prefill_seconds", "tokens_per_second"))
        said = f"A text takes {alone}; at full load {rate} are read, by measured errors."
        return f"{said} {rescaled_words(view, index)}".rstrip()
    first, token, user = (
        view.ranged(name, index)
        for name in ("time_to_first_token_seconds", "time_per_output_token_seconds", "sequence_tokens_per_second")
    )
    prefill, least = (_brief(view, name, index) for name in ("prefill_seconds", "decode_step_seconds_bound"))
    begins = f"At full load the first token comes after {first}"
    if view.scenario.demand is not None and view.value("meets_demand", index) > 0:
        waited = view.ranged("first_token_p95_seconds", index)
        begins = f"At the demanded peak the first token comes within {waited} for 95 in 100; at full load after {first}"
    return (
        f"{begins}, a prefill of {prefill} within; then a token takes {token}, "
        f"so that one user sees {user}; all ranges by measured errors. A decode step cannot take less than {least}, "
        f"the lower bound. {rescaled_words(view, index)}"
    ).rstrip()


def _roofline(view: View, phase: Phase, index: int) -> Roofline:
    peak, bandwidth, ridge = (
        view.value(name, index) for name in ("peak_flop_per_second", "memory_bytes_per_second", "ridge_flop_per_byte")
    )
    kernels = tuple(_kernels(view, phase, index))
    seconds = view.value(f"{phase.id}_seconds_at_roof", index)
    return Roofline(
        phase.id,
        phase.title,
        _rate(peak),
        Amount(bandwidth, "byte/s", shown(bandwidth, "byte/s")),
        Amount(ridge, "FLOP/byte", brief(ridge, "FLOP/byte")),
        seconds,
        kernels,
        main_type(view, index),
        other_roofs(view, index),
    )


def main_type(view: View, index: int) -> str:
    """The data types whose rate is the peak of the work: those that the GPU runs as fast, not by way of another."""
    peak = view.value("peak_flop_per_second", index)
    return ", ".join(title for title, rate in _rates(view, index) if rate == peak) or "arithmetic"


def shown_beside(view: View) -> dict[str, str]:
    """Inputs whose roofs are drawn beside the main one for any variant, with titles: the fastest data type first.

    What is equal in all variants is one line; then come the wires.
    """
    columns = range(len(view.variants))
    rates = [name for name in DATA_TYPES if any(_is_other(view, name, index) for index in columns)]
    wires = [name for name in WIRES if all(view.has(name) and view.value(name, index) > 0 for index in columns)]
    found: dict[tuple[float, ...], list[str]] = {}
    for name in (*sorted(rates, key=lambda name: -view.value(name, 0)), *wires):
        found.setdefault(tuple(view.value(name, index) for index in columns), []).append(name)
    return {names[0]: ", ".join({**DATA_TYPES, **WIRES}[name] for name in names) for names in found.values()}


def _is_other(view: View, name: str, index: int) -> bool:
    """Whether the GPU has the data type itself, at another rate than that of the work."""
    return _is_own(view, name, index) and view.value(name, index) != view.value("peak_flop_per_second", index)


def _is_own(view: View, name: str, index: int) -> bool:
    entry, column = view.attributes[name]
    return column.bases[int(view.resolved.codes[entry.name][index]) - 1] != NO_UNITS


def other_roofs(view: View, index: int) -> tuple[OtherRoof, ...]:
    """Rates of the GPU's other data types, then links and network that are slower than its memory."""
    peak, bandwidth = (view.value(name, index) for name in ("peak_flop_per_second", "memory_bytes_per_second"))
    rates = _joined((title, rate) for title, rate in _rates(view, index) if rate != peak)
    wires = _joined(pair for pair in _wires(view, index) if 0 < pair[1] < bandwidth)
    return (
        *(OtherRoof(titles, rate, _tera(rate), True) for rate, titles in rates.items()),
        *(OtherRoof(titles, rate, shown(rate, "byte/s"), False) for rate, titles in wires.items()),
    )


def _tera(rate: float) -> str:
    """A rate in the unit of the plot's axis."""
    return f"{brief(rate / TERA, '1')} TFLOP/s"


def _joined(pairs: Iterable[tuple[str, float]]) -> dict[float, str]:
    """Titles of equal values together, the largest value first."""
    found: dict[float, str] = {}
    for title, value in pairs:
        found[value] = f"{found[value]}, {title}" if value in found else title
    return dict(sorted(found.items(), reverse=True))


def _rates(view: View, index: int) -> Iterator[tuple[str, float]]:
    """Data types that the GPU has, with their rates; a type that runs as another one is left out."""
    for name, title in DATA_TYPES.items():
        if _is_own(view, name, index):
            yield title, view.value(name, index)


def _wires(view: View, index: int) -> Iterator[tuple[str, float]]:
    """What is slower than the GPU's memory; the network where the job spans domains of the link."""
    one_domain = view.value("accelerators", index) <= view.value("accelerators_per_domain", index)
    for name, title in WIRES.items():
        if view.has(name) and not (name == NETWORK and one_domain):
            yield title, view.value(name, index)


def _kernels(view: View, phase: Phase, index: int) -> Iterator[RoofKernel]:
    launched = [row for row in phase.kernels if view.value(f"seconds_at_roof.{row.id}", index) > 0]
    times, shares = (
        brief_alike([view.value(f"{name}.{row.id}", index) for row in launched], unit)
        for name, unit in (("seconds_at_roof", "s"), ("share_of_step", "share"))
    )
    for position, (row, time, part) in enumerate(zip(launched, times, shares, strict=True), 1):
        intensity, seconds, share = (
            view.value(f"{name}.{row.id}", index) for name in ("intensity", "seconds_at_roof", "share_of_step")
        )
        yield RoofKernel(
            position,
            row.id,
            row.title,
            Amount(intensity, "FLOP/byte", brief(intensity, "FLOP/byte")),
            _rate(view.value(f"attainable_flop_per_second.{row.id}", index)),
            _LIMITS[view.text(f"bound.{row.id}", index)],
            Amount(seconds, "s", time),
            Amount(share, "share", part),
            _rate(view.beside(f"reached_flop_per_second.{row.id}", index)),
        )


def _rate(rate: float) -> Amount:
    return Amount(rate, "FLOP/s", _tera(rate))


def speed_at_full_load(view: View, index: int, headline: str) -> str:
    """Tokens per second with as many sequences as run at once, and what one user of several sees; nothing twice."""
    fast, of_one = (speed_said(view, name, index) for name in (SPEED, OF_ONE))
    if view.hears(index):
        return f"At full load it hears {speed_said(view, SOUND, index)}, as {fast}."
    if not view.makes_tokens(index):
        read = view.beside("encoded_tokens_per_second", index)
        return f"At full load it encodes {fast}, {brief(read, view.unit(SPEED))}."
    most = min(view.value(name, index) for name in ("max_concurrent_sequences", "max_num_seqs"))
    if most > 1 or (most == 1 and view.value("sharding_size", index) > 1):
        at_once = running_at_once(view, index)
        if fast in headline:
            return f"That is with {at_once}; each user sees {of_one}."
        return f"At full load, {at_once}, it gives {fast}, {of_one.replace(' tokens/s', '')} to each user."
    prompt, first = (brief(view.value(name, index), view.unit(name)) for name in ("prompt_tokens", LATENCIES[0]))
    return f"The first token of an answer to {prompt} comes after {first}; the others at {of_one}."


def running_at_once(view: View, index: int) -> str:
    """How many sequences run at once, on each replica where there are several: the speed is that of all."""
    running, replicas = (view.value(name, index) for name in ("running_sequences", "sharding_size"))
    return f"{running:,.0f} at once{f' on each of {replicas:,.0f} replicas' if replicas > 1 else ''}"


def speed_said(view: View, name: str, index: int) -> str:
    """A speed with its ends, the unit of a rate said once: `2,030 tokens/s (1,420 to 2,910)`."""
    if name == REQUESTS:
        return f"{brief(view.value(name, index), '1')} requests/s"
    if name == READING:
        return f"{brief(view.value(name, index), view.unit(name))} of prompts"
    said = view.ranged(name, index)
    if name == SOUND:
        return said.replace(" (", " times real time (")
    return said.replace(f" {view.text(name, index).partition(' ')[2]})", ")") if "/s" in view.unit(name) else said
