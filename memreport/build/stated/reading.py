"""A job of another program as a scenario: what is read of it, what is assumed with it, and what is not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memreport.build.stated.naming import model_of
from memreport.catalogue.load import Catalogue
from memreport.catalogue.programs.architecture import DESCRIBING
from memreport.catalogue.programs.job import StatedJob
from memreport.catalogue.programs.table import is_quiet
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.words.following import LENGTHS
from memreport.catalogue.words.names import FOLLOWED, in_program, nested, same_field, stated_instead
from memreport.catalogue.words.tables import meanings
from memreport.compute import Computed
from memreport.errors import InputError
from memreport.frame import computed_from
from memreport.frozen import frozen

DECIDES = {"method", "peft_type", "weight_dtype"}
"""What is trained or loaded: a job whose word for it is not known cannot be answered without."""
UNKNOWN = ("is not a field here", "no such ")
"""So begins what is said of a word that is not known: the option is left out, and that is said."""
NOT_SET = "holds a variable that is not set there"
PRECISION = ("precision", "bf16", "fp16", "fp32", "mixed_precision", "dtype", "torch_dtype", "pure_bf16", "fp8")
"""Options of which one says in what a model is trained."""
ADAPTED = ("lora", "qlora", "dora", "rslora", "lora+", "loraplus", "pissa", "loftq")
"""Methods that take a program's defaults for adapters."""
SHARES = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size", "data_parallel_size")
"""What GPUs are divided into; of a job that states no number of GPUs, all of them make it."""
REPLICAS, WITHIN_TENSOR = "data_parallel_size", ("enable_dp_attention",)
"""Ranks with attention of their own, where SGLang says so, are among those of tensor parallelism."""
CONTEXT, LONGEST = "max_model_len", "max_position_embeddings"
EPOCHS, OF_A_DATASET = "num_train_epochs", ("dataset_samples", "dataset_tokens", "max_steps", "training_tokens")
MOST_TRIES = 8
"""How often options that are not known are left out: each time, all that can be found at once."""


@frozen
class ReadJob:
    """A job that is computed, with the scenario that says it."""

    computed: Computed
    scenario: Mapping[str, Any]
    unread: Mapping[str, str]
    """Options that are left out, and why, where more is known than that they are not read."""
    assumed: Mapping[str, Any]
    """The program's own defaults, which it does not state."""


def read_job(job: StatedJob, model: str, accelerator: str, count: int, id_: str, catalogue: Catalogue) -> ReadJob:
    """The job, computed on these GPUs; 0 of them for as many as it says.  Raises InputError for what cannot be."""
    stated = {**job.options, **_blocks(job)}
    unread = {name: why for name, value in stated.items() if (why := _unread(job, name, value)) is not None}
    options = {_field(job, name): value for name, value in stated.items() if name not in unread}
    told = {name: why for name, why in unread.items() if why != NOT_SET or not is_quiet(name)}
    told = {name: why for name, why in told.items() if not (job.architecture and name in DESCRIBING)}
    named = {name: why for name, why in told.items() if why or not _changes_nothing(job, name)}
    named |= _of_no_dataset(job, options)
    assumed = dict(_assumed(job, options))
    head = _head(job, model or model_of(job, catalogue), accelerator, count or job.count or _product(job, options), id_)
    found = _without_unknown(job, head, options, assumed, named)
    if not job.unstated.own_context or CONTEXT in {_meaning(job, each) for each in options}:
        return found
    longest = {CONTEXT: int(found.computed.resolved.cases[0].card.values[LONGEST])}
    return _without_unknown(job, head, options, {**assumed, **longest}, named)


def _of_no_dataset(job: StatedJob, options: Mapping[str, Any]) -> dict[str, str]:
    """Passes over a dataset whose size no option states, by which the time is not multiplied."""
    meant = {_meaning(job, name): name for name in options}
    alone = EPOCHS in meant and meant.keys().isdisjoint(OF_A_DATASET)
    return {meant[EPOCHS]: "the size of its dataset is not stated: the time is of other tokens"} if alone else {}


def _without_unknown(
    job: StatedJob,
    head: Mapping[str, Any],
    options: Mapping[str, Any],
    assumed: Mapping[str, Any],
    named: Mapping[str, str],
) -> ReadJob:
    """The job without options whose words are not known."""
    kept, unread = dict(options), dict(named)
    for _ in range(MOST_TRIES):
        scenario = {**head, job.workload: {**kept, **assumed}}
        try:
            return ReadJob(computed_from(scenario), scenario, unread, assumed)
        except InputError as error:
            left_out = dict(_left_out(error, job, kept))
        unread |= left_out
        kept = {name: value for name, value in kept.items() if name not in left_out}
    return ReadJob(computed_from(scenario), scenario, unread, assumed)


def _blocks(job: StatedJob) -> dict[str, Any]:
    """Blocks that are read as such, without what is not known in them."""
    found = {}
    for name, block in job.options.items():
        if name in nested() and isinstance(block, Mapping):
            known = nested()[name]
            found[name] = {key: value for key, value in block.items() if key in known or _is_known(job, str(key))}
    return found


def _unread(job: StatedJob, name: str, value: object) -> str | None:
    """Why an option is not read, "" where nothing more is known; None where it is."""
    meant = _field(job, name)
    if not _is_known(job, meant) or (meant in nested() and not _may_be_block(job, meant, value)):
        return stated_instead().get(name.lower(), "")
    return NOT_SET if isinstance(value, str) and "$" in value else None


def _may_be_block(job: StatedJob, name: str, value: object) -> bool:
    words = {of for of, _ in meanings(job.workload)} | _fields(job.workload)
    return isinstance(value, Mapping) or name in words or (job.workload, name) in same_field()


def _field(job: StatedJob, name: str) -> str:
    """An option that is cut short, as command lines may, by the field that it can only mean."""
    if _is_known(job, name) and name not in nested():
        return name
    fields = {field: field for field in _fields(job.workload)}
    fields |= {word: field for (section, word), field in same_field().items() if section == job.workload}
    meant = {field for word, field in fields.items() if word.startswith(f"{name}_")}
    return meant.pop() if len(meant) == 1 and "_" in name and "." not in name else name


def _meaning(job: StatedJob, name: str) -> str:
    """The field that an option stands for, in its own program before all."""
    program = str(job.options.get("framework", job.options.get("engine", "")))
    return in_program().get((name, program), "") or same_field().get((job.workload, name), name)


def _is_known(job: StatedJob, name: str) -> bool:
    """Whether the name is a field here, or a word that some program has for one."""
    return is_known_word(job.workload, name, str(job.options.get("framework", job.options.get("engine", ""))))


def is_known_word(section: str, name: str, program: str = "") -> bool:
    """The same of a name in a section, as one program has it or any."""
    word = name.lower().replace("-", "_")
    known = word in _fields(section) or (section, word) in same_field() or (word, program) in in_program()
    return known or word in {of for of, _ in meanings(section)} or word in nested() or word in FOLLOWED[section]


def _fields(section: str) -> set[str]:
    """The fields of a workload's own section."""
    return {name for name, entry in dictionary(section).items() if entry.section == section}


def _changes_nothing(job: StatedJob, name: str) -> bool:
    """Whether an option, or the block in which it stands, changes neither memory nor time."""
    return is_quiet(name) or ("." in name and _is_known(job, name.partition(".")[0]))


def _assumed(job: StatedJob, options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The program's defaults for what no option says."""
    stated = {_meaning(job, name): value for name, value in options.items()}
    stated |= {"sequence_length": 0} if any(name in options for name in LENGTHS) else {}
    precise = any(name in PRECISION and options[name] not in (False, None) for name in options)
    method = str(stated.get("method", job.unstated.always.get("method", ""))).lower()
    adapters = job.unstated.with_adapters if method in ADAPTED else {}
    for name, value in {**job.unstated.always, **adapters}.items():
        if _meaning(job, name) not in stated and not (name in PRECISION and precise):
            yield name, value


def _product(job: StatedJob, options: Mapping[str, Any]) -> int:
    """The GPUs that the parts of a job need, where it does not say how many there are; one if it has no parts."""
    found = 1
    within = {REPLICAS} if any(options.get(name) is True for name in WITHIN_TENSOR) else set()
    for name, value in options.items():
        shares = _meaning(job, name) in {*SHARES} - within
        found *= value if shares and isinstance(value, int) and value > 0 else 1
    return found


def _head(job: StatedJob, model: str | Mapping[str, Any], accelerator: str, count: int, id_: str) -> dict[str, Any]:
    called = model.rpartition("/")[2] if isinstance(model, str) else "A model by its options"
    return {
        "schema": 1,
        "id": id_,
        "version": 1,
        "title": f"{called}, as {job.program} states it, on {count} x {accelerator}"[:160],
        "question": "Does it fit, and if not, what does?",
        "model": model,
        "hardware": {"accelerator": accelerator, "count": count},
        "workload": job.workload,
        "search": {"accelerator": [accelerator], "count": [count, count * 2, count * 4]},
    }


def _stands_for(job: StatedJob, name: str, field: str) -> bool:
    return field in (name, _meaning(job, name)) or field.startswith((f"{name}.", f"{name}["))


def _left_out(error: InputError, job: StatedJob, options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Options whose words are not known, where all that is wrong is of that kind."""
    for fault in error.faults:
        field = fault.field.removeprefix(f"{job.workload}.")
        name = next((name for name in options if _stands_for(job, name, field)), "")
        if not name or DECIDES & {field, _meaning(job, name)} or not fault.message.startswith(UNKNOWN):
            raise error
        yield name, f"{fault.message}{f', found {fault.found}' if fault.found else ''}"
