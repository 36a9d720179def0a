"""One line in, the answer in a few: a scenario made of a model, a GPU and a number, which can be saved and built."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memreport.advise.candidates import Role
from memreport.advise.decide import decide
from memreport.advise.moves import fits_with_margin
from memreport.advise.rerun import Job, changed_each, job_of
from memreport.advise.search.space import fewer_bits
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.build.answers.saving import refuse_existing, save_scenario
from memreport.catalogue.cards import card_named, model_holding, models_holding, offered
from memreport.catalogue.huggingface.card import guessed_types
from memreport.catalogue.load import Catalogue, catalogue_for
from memreport.catalogue.quantities import brief
from memreport.catalogue.quotes.lowest import NO_PRICE
from memreport.catalogue.unstated.gpus import gpu_meant
from memreport.catalogue.unstated.run import ACCUMULATION, usual_accumulation
from memreport.compute import compute
from memreport.errors import DONE, FINDING, OR, Fault, InputError, as_spelt, holding, nearest
from memreport.files import MOST_CONFIG, read_bytes
from memreport.frozen import frozen
from memreport.paths import down_to
from memreport.publish.text.width import WIDTH, columns
from memreport.publish.text.wrapping import cut, first_sentence, whole_sentences
from memreport.report.answer.answered import answered
from memreport.report.records.decision import Answer, OptionRow
from memreport.resolve import resolve_given
from memreport.resolve.usual import usual_price

COUNT = re.compile(r"x?([1-9][0-9]{0,4})x?")
MOST_GPUS = 99_999
TRAINED_LENGTH, SERVED_LENGTH = 2048, 4096
"""Tokens of a sequence that is trained or served where nothing else is said, half of the latter in the prompt; a
shorter model's own limit wins."""
TRAINED_TOKENS, SERVED_SEQUENCES = 1_000_000_000, 32
"""How much is trained, and how many are served at once if they have room, where nothing else is said."""
MANY = 1_000_000
FAR = 2
"""How many times cheaper other GPUs are where they are named beside those that were asked for."""
MOST_NAMED = 4
"""Names that a message gives where what was typed may mean several."""
MORE = {False: (1, 2, 4), True: (1, 2, 4, 8)}
"""How many times the GPUs are tried, in case that these are too few, for training and for serving."""
ID = "fit"
LINES = 5
"""Lines of the answer; one more on a narrow terminal."""
NEXT = "  Next: --save job.yaml, then memreport build job.yaml"
A_STEP = "global_batch_size"
ASSUMED = {
    "engine": "{}", "micro_batch_size": "micro-batch {}", "sequence_length": "sequence {}", A_STEP: "{} a step",
    "training_tokens": "{} tokens", "tensor_parallel_size": "TP {}", "pipeline_parallel_size": "PP {}",
    "max_num_seqs": "{} at once", "prompt_tokens": "prompt {}", "context_length": "context {}",
}  # fmt: skip
"""Settings that the line does not state and the scenario has, in a few words each."""


@frozen
class Asked:
    """What the line says."""

    model: str
    accelerator: str
    count: int
    method: str


def fitted(model: str, accelerator: str, count: str, method: str, save: Path | None) -> tuple[str, int]:
    """The answer in a few lines, and 0, or 1 where it does not fit.  Raises InputError for what the line gets wrong."""
    catalogue = catalogue_here()
    table = catalogue.tables["accelerators"]
    gpus = table.titles_by_id
    gpu = gpu_meant(accelerator, catalogue.tables) or accelerator
    asked = Asked(_model(model, catalogue), gpu, count_of(count or "x1"), method)
    _check(asked, catalogue, gpus)
    refuse_existing(save)
    scenario = _priced(asked, save.stem if save else ID)
    decision = decide(compute([resolve_given(scenario)])[0], sensitivity=False)
    answer, card = answered(decision)[0], decision.computed.resolved.cases[0].card
    if save:
        save_scenario(save, scenario, "fit")
    taken = [gpus[asked.accelerator]] if not as_spelt(accelerator, gpus) else []
    said = ", ".join(filter(None, (*taken, card.counted_as, *guessed_types(card.doubts), _assumed(scenario))))
    return _text(answer, f"Assumed: {said}"), FINDING if answer.word == DOES_NOT_FIT else DONE


def known_gpu(typed: str, catalogue: Catalogue) -> str:
    """The GPU of the catalogue that is meant.  Raises InputError where none is."""
    gpus = catalogue.tables["accelerators"].titles_by_id
    if (found := gpu_meant(typed, catalogue.tables) or typed) not in gpus:
        raise InputError([_unknown_gpu(typed, gpus)])
    return found


def catalogue_here() -> Catalogue:
    """The packaged catalogue with what lies in the folder where the command runs, as a scenario saved there has it."""
    return catalogue_for(down_to(Path()))


def count_of(text: str) -> int:
    """A number of GPUs as it is typed: x8 or 8.  Raises InputError."""
    found = COUNT.fullmatch(text)
    if not found:
        many = text.strip("x").isdecimal() and text.strip("x0")
        said = "is more GPUs than are counted" if many else "is no number of GPUs"
        raise InputError([Fault(said, found=repr(text), expected=f"x1, x8, ... or 1, 8, ... up to {MOST_GPUS:,}")])
    return int(found[1])


def _model(typed: str, catalogue: Catalogue) -> str:
    """A name that the catalogue reads: the card's own, or what was typed or meant with what it says of the weights."""
    if ":" not in typed and (spelt := as_spelt(typed, catalogue.model_files)):
        return spelt
    known = catalogue.model_names
    return typed if card_named(typed, known) else model_holding(typed, known) or typed


def _check(asked: Asked, catalogue: Catalogue, gpus: Mapping[str, str]) -> None:
    """Names that the catalogue lacks, all of them at once."""
    faults = []
    if asked.model.endswith(".json"):
        read_bytes(Path(asked.model), MOST_CONFIG)  # says what is amiss with the path as it was typed
    elif asked.model not in catalogue.model_files and not card_named(asked.model, names := catalogue.model_names):
        close = nearest(asked.model.rpartition("/")[2], offered(names))
        where, held = "memreport list models, or a path to a config.json", models_holding(asked.model, names)
        faults.append(_unknown("model", asked.model, held, close, where))
    if asked.accelerator not in gpus:
        faults.append(_unknown_gpu(asked.accelerator, gpus))
    if faults:
        raise InputError(faults)


def _unknown_gpu(name: str, gpus: Mapping[str, str]) -> Fault:
    return _unknown("GPU", name, holding(name, gpus, gpus), nearest(name, gpus), "memreport list accelerators")


def _unknown(kind: str, name: str, held: Sequence[str], close: str, where: str) -> Fault:
    """A name that the catalogue lacks, or that several hold."""
    said = f"may mean several {kind}s of the catalogue" if len(held) > 1 else f"no {kind} of the catalogue is called so"
    return Fault(said, found=repr(name), expected=where, nearest=OR.join(held[:MOST_NAMED]) or close)


def _priced(asked: Asked, id_: str) -> dict[str, Any]:
    """The scenario, with the price at which its GPU is rented on demand where one is known."""
    job = _job(_scenario(asked, id_))
    plain = _scenario(asked, id_, int(job.value("max_position_embeddings")))
    if job.workload == "serving":
        own, fewer = job.case.settings["weight_dtype"], fewer_bits(job)
        plain["search"]["weight_dtype"] = [*dict.fromkeys((own, *fewer))]
        layout = _layout(job)
        plain["serving"] |= {**layout, "max_num_seqs": _sequences(job, layout)}
    prices = job.catalogue.tables["rental_prices"]
    price = usual_price(job.loaded.scenario, job.catalogue, prices, job.case.settings)
    return {**plain, "cost": {"basis": "rent", "price": price}} if price != NO_PRICE else plain


def _layout(job: Job) -> dict[str, int]:
    """The widest replica in one node that the model can be cut to and that starts; else stages over the nodes."""
    count, most = int(job.value("count")), int(job.value("accelerators_per_domain"))
    widths = [width for width in range(min(count, most), 0, -1) if count % width == 0]
    tries = [
        {"tensor_parallel_size": width, **({"pipeline_parallel_size": count // width} if staged else {})}
        for staged in (False, True)
        for width in widths
    ]
    cut = changed_each([(job, {f"serving.{name}": size for name, size in each.items()}) for each in tries])
    made = [(each, tried) for each, tried in zip(tries, cut, strict=True) if isinstance(tried, Job)]
    return next((each for each, tried in made if tried.value("fits")), made[0][0])


def _sequences(job: Job, layout: dict[str, int]) -> int:
    """How many sequences are assumed on each replica: as usual, or halved until all of them have room at once."""
    tries = [SERVED_SEQUENCES >> power for power in range(SERVED_SEQUENCES.bit_length())]
    changes = [{f"serving.{name}": size for name, size in (*layout.items(), ("max_num_seqs", each))} for each in tries]
    made = zip(tries, changed_each([(job, each) for each in changes]), strict=True)
    return next((each for each, tried in made if isinstance(tried, Job) and fits_with_margin(tried)), SERVED_SEQUENCES)


def _job(scenario: dict[str, Any]) -> Job:
    resolved = resolve_given(scenario)
    return job_of(resolved.loaded, resolved.catalogue)


def _scenario(asked: Asked, id_: str, longest: int = SERVED_LENGTH) -> dict[str, Any]:
    """The scenario as a file would state it, with sequences that are no longer than the model reads."""
    serves = asked.method == "serve"
    doing = "serving" if serves else {"full": "full fine-tune", "lora": "LoRA", "qlora": "QLoRA"}[asked.method]
    return {
        "schema": 1,
        "id": id_,
        "version": 1,
        "title": f"{asked.model}, {doing} on {asked.count} x {asked.accelerator}",
        "question": "Does it fit, and if not, what does?",
        "model": asked.model,
        "hardware": {"accelerator": asked.accelerator, "count": asked.count},
        "workload": "serving" if serves else "training",
        **({"serving": _serving(asked, longest)} if serves else {"training": _training(asked, longest)}),
        "search": {"accelerator": [asked.accelerator], "count": [asked.count * factor for factor in MORE[serves]]},
    }


def _training(asked: Asked, longest: int) -> dict[str, Any]:
    lengths = {"micro_batch_size": 1, "sequence_length": min(TRAINED_LENGTH, longest)}
    steps = usual_accumulation({"count": asked.count, "method": asked.method})
    return {"method": asked.method, **lengths, ACCUMULATION: steps, "training_tokens": TRAINED_TOKENS}


def _serving(asked: Asked, longest: int) -> dict[str, Any]:
    most = min(SERVED_LENGTH, longest)
    lengths = {"prompt_tokens": most // 2, "context_length": most, "max_model_len": most}
    apple = catalogue_here().tables["accelerators"].text("architecture", asked.accelerator) == "apple"
    tag = ":" in asked.model and "/" not in asked.model
    engine = {"engine": "llama.cpp"} if apple or tag else {}  # it has kernels for Apple, and runs inside Ollama
    return {**engine, "tensor_parallel_size": 1, "max_num_seqs": SERVED_SEQUENCES, **lengths}


def _text(answer: Answer, said: str) -> str:
    """The answer, what it needs, what was assumed; then, as far as there is room, what else there is and goes on.

    What was assumed takes a second line only where time and money have room beside it.
    """
    room = LINES + (columns() < WIDTH)
    headline = _lines(f"{answer.mark} {answer.headline}", 2)
    needed = len(whole_sentences(first_sentence(answer.detail), LINES))
    assumed = _lines(said, max(1, min(2, room - len(headline) - needed)))
    detail = whole_sentences(answer.detail, room - len(headline) - len(assumed))
    below = [f"  {line}" for line in (*headline[1:], *detail, *assumed)]
    lines = [headline[0], *below, *_otherwise(answer), NEXT]
    return "".join(f"{line}\n" for line in lines[:room])


def _otherwise(answer: Answer) -> list[str]:
    """What else there is, where the asked GPUs hold the job: what is far cheaper."""
    if answer.chosen.role not in (Role.AS_SUBMITTED, Role.RECOMMENDED):
        return []  # the headline says what they hold instead
    rows = (
        row
        for row in answer.options
        if row.role in (Role.CHEAPEST_NUMBER, Role.CHEAPEST_ELSEWHERE) and row.column != answer.chosen.column
    )
    return [_other(row) for row in rows if _far_cheaper(row, answer.chosen)]


def _far_cheaper(row: OptionRow, chosen: OptionRow) -> bool:
    paid = [each.takes.cost.amount.value if each.takes.cost else each.takes.accelerator_hours for each in (row, chosen)]
    return paid[0] * FAR < paid[1]


def _other(row: OptionRow) -> str:
    facts = [brief(each.amount.value, each.amount.unit) for each in (row.takes.time, row.takes.cost) if each]
    said = f"{row.role_words[:1].upper()}{row.role_words[1:]}"
    beside = ", ".join(setting for setting in row.changes.words if setting != row.gpus.hardware)
    return cut(f"  {said}: {row.gpus.hardware}, {' and '.join(facts)}{beside and f', with {beside}'}.", columns())


def _lines(text: str, most: int) -> list[str]:
    """A text on at most so many lines of a screen."""
    return textwrap.wrap(text, columns() - 2, max_lines=most, placeholder=" …", break_on_hyphens=False)


def _assumed(scenario: dict[str, Any]) -> str:
    """What the line did not say, in few words; the longest sequence that a server admits is what it is planned for."""
    section = dict(scenario[scenario["workload"]])
    if ACCUMULATION in section:
        section[A_STEP] = section[ACCUMULATION] * scenario["hardware"]["count"]
    stated = [words.format(_short(section[name])) for name, words in ASSUMED.items() if name in section]
    return f"{', '.join(stated)}; {scenario.get('cost', {}).get('price', 'no price known')}."


def _short(value: float | str) -> str:
    """A count as it may be typed: 2,048 for people, 1e9 where it is long; a name as it is."""
    if isinstance(value, str):
        return value
    return f"{value:,}" if value < MANY else f"{value:g}".replace("e+0", "e")
