"""What a report assumes, where each value came from, and the numbered list of sources."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.catalogue.fields.serving_memory import CACHE
from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.records import Source
from memreport.catalogue.scenario import dictionary
from memreport.figures.registry import shown_in
from memreport.report.records.report import Assumption, NumberedSource
from memreport.report.view import View, shown

HARDWARE_FACTS = ("capacity_bytes", "memory_bytes_per_second", "bf16_flop_per_second")
"""Facts of the GPU whose sources are always listed."""

SPREAD = "_parallel_size"
"""How names of fields end that decide where they are stated: how a job is spread over GPUs."""
PEAK_PARTS = "peak_parts"
"""What the parts of a peak are called in the data, so that a part is `peak_parts.weights`."""


def main_figures(view: View) -> tuple[str, ...]:
    """What a reader asks for first, and what the scenario's question asks for."""
    return tuple(dict.fromkeys([*shown_in("main", view.workload), *view.scenario.answers]))


class Sources:
    """Numbers sources in the order in which they are first needed; equal ones share a number."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], tuple[Source, dict[str, None]]] = {}

    def number(self, source: Source | None, purpose: str) -> int:
        """The number of a source; 0 where there is none."""
        if source is None or not source.title:
            return 0
        key = (source.title, source.address)
        self._used.setdefault(key, (source, {}))[1][purpose] = None
        return list(self._used).index(key) + 1

    def listed(self) -> tuple[NumberedSource, ...]:
        """All sources so far."""
        return tuple(
            NumberedSource(position, source.title, source.address, source.date, ", ".join(purposes))
            for position, (source, purposes) in enumerate(self._used.values(), 1)
        )


def assumptions(view: View, index: int, sources: Sources) -> tuple[Assumption, ...]:
    """The decisive inputs, then all others that are not defaults, then what a scenario overrides."""
    case = view.resolved.cases[index]
    cached = case.makes_tokens
    apart = ("model",) if view.scenario.cost else ("model", "cost")  # without a price, that of a search says nothing
    decisive = [name for name, entry in view.fields.items() if entry.decisive and (name != CACHE or cached)]
    given = [
        name
        for name, entry in view.fields.items()
        if name not in decisive and entry.section not in apart and case.origins[name].kind != "default"
    ]
    rows = [
        _model(view, index, sources),
        *(
            _assumption(view, name, index, sources, name in decisive or name.endswith(SPREAD))
            for name in [*decisive, *given]
        ),
    ]
    return (*rows, *_hardware(view, index, sources), *_overridden(view, index))


def _model(view: View, index: int, sources: Sources) -> Assumption:
    card = view.resolved.cases[index].card
    number = sources.number(card.source, "model")
    if card.published_source:
        sources.number(card.published_source, "published parameter count")
    return Assumption(
        "model", "Model", "the model card", card.title, "", f"model card {card.id}", number, decisive=True
    )


def _assumption(view: View, name: str, index: int, sources: Sources, decisive: bool) -> Assumption:
    entry, case = view.fields[name], view.resolved.cases[index]
    number = 0
    if entry.kind == "choice":
        number = sources.number(_source_of_choice(view, name, index), in_sentence(title_of(name)))
    elif entry.source and case.origins[name].kind == "default":
        number = sources.number(Source(entry.source), in_sentence(title_of(name)))
    text, origin = view.setting(name, index), case.origins[name]
    return Assumption(name, title_of(name), entry.meaning, text, entry.unit, str(origin), number, decisive, origin.kind)


def _source_of_choice(view: View, name: str, index: int) -> Source | None:
    table = view.table_of(name)
    columns = list(table.columns.values())
    return columns[0].sources[int(view.resolved.codes[name][index]) - 1] if columns else None


def _hardware(view: View, index: int, sources: Sources) -> Iterator[Assumption]:
    """Facts of the GPU as the catalogue has them; one that the scenario gives is listed as its own."""
    for name in (fact for fact in HARDWARE_FACTS if fact not in view.resolved.cases[index].overrides):
        entry, column = view.attributes[name]
        row = int(view.resolved.codes[entry.name][index]) - 1
        number = sources.number(column.sources[row], in_sentence(title_of(name)))
        origin = f"catalogue: {view.setting('accelerator', index)}, {column.bases[row]}"
        yield Assumption(
            name, title_of(name), column.meaning, view.text(name, index), column.unit, origin, number, decisive=False
        )


def _overridden(view: View, index: int) -> Iterator[Assumption]:
    """What the scenario gives in place of a choice's attribute, or of a computed figure, which page 1 has to say."""
    case = view.resolved.cases[index]
    for name, value in case.overrides.items():
        computed = name in view.lines and name not in dictionary(view.workload)
        title = f"{title_of(name)} (given, not computed)" if computed else title_of(name)
        text = shown(value, view.unit(name))
        yield Assumption(
            name, title, view.meaning(name), text, view.unit(name), str(case.origins[name]), 0, computed,
            case.origins[name].kind,
        )  # fmt: skip
