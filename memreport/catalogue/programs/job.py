"""A job as another program states it, in its own words: which program, model and GPUs, and all its options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memreport import strict_json
from memreport.catalogue.programs.architecture import architecture_of
from memreport.catalogue.programs.named_files import (
    LATER,
    TREES,
    is_modelfile,
    launched,
    line_of_modelfile,
    settings_in,
    tree_of,
    with_deepspeed,
    with_own_files,
)
from memreport.catalogue.programs.options import Options, flattened, options_of
from memreport.catalogue.programs.shell import ShellCommand, shell_commands
from memreport.catalogue.programs.table import (
    Defaults,
    Program,
    every_gpu_option,
    gpu_options,
    matches,
    model_options,
    programs,
    started,
)
from memreport.catalogue.words.names import nested
from memreport.errors import Fault, InputError
from memreport.files import MOST_CONFIG, MOST_YAML, lies, read_text
from memreport.frozen import frozen

SCRIPTS = (".sh", ".bash", ".txt", ".slurm", ".sbatch")
MOST_DIGITS = 8
OF_SCENARIOS = {"schema", "workload"}
"""What a scenario of this program states, and a configuration of another does not."""
ENVIRONMENT = ("NPROC_PER_NODE", "NNODES", "CUDA_VISIBLE_DEVICES", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
"""Variables that stand before a command and say what an option would."""


COMPONENT = re.compile(r"\w+\.models\.(\w+)\.(?:q?lora_)?\1(_\w+)")
CONTEXTS, LENGTHS = ("max_model_len", "context_length"), ("_len", "_length", "_tokens")
SHORT, THOUSANDS = re.compile(r"(\d+(?:\.\d+)?)([kKmM])"), {"k": 1000, "K": 1024, "m": 10**6, "M": 1024**2}
"""Source: vLLM, engine/arg_utils.py `human_readable_int`, read 2026-11-27."""


@frozen
class StatedJob:
    """What a file or a line says."""

    program: str
    workload: str
    models: tuple[str, ...]
    """What may be the model's name, the likeliest first."""
    count: int
    """GPUs; 0 where nothing says how many."""
    options: Mapping[str, Any]
    """By the names that they have here, where those differ."""
    unstated: Defaults
    """What the program takes where nothing is said."""
    architecture: Mapping[str, Any]
    """The model by its fields, where the options say them instead of a name."""
    place: str
    files: tuple[str, ...] = ()
    """Files that it names and that are read with it."""


def is_stated_job(text: str) -> bool:
    """Whether this names a file of another program, or is a command line, rather than the name of a model."""
    if is_modelfile(text):
        return True
    if _names_file(text, (*SCRIPTS, *TREES)):
        return not (text.endswith(".json") and (not Path(text).is_file() or _is_model(Path(text))))
    return " " in text and any(True for _ in _jobs_of_commands(text, text))


def _names_file(text: str, endings: tuple[str, ...]) -> bool:
    """Whether this is a path rather than a line, which may end with one, too."""
    return text.endswith(endings) and (" " not in text or lies(Path(text)))


def stated_job(text: str) -> StatedJob:
    """The job of a file or a command line.  Raises InputError where it is of no program that is read."""
    found = next(iter(_jobs(text)), None)
    if found is None and _is_scenario(text):
        raise InputError([Fault(f"is a scenario: memreport show {text}", text)])
    if found is None and _names_file(text, TREES) and "_class_name" in tree_of(Path(text)):
        raise InputError([Fault("is the configuration of a model of images or video, which are not counted", text)])
    if found is None:
        known = ", ".join(dict.fromkeys(program.name for program in programs()))
        raise InputError([Fault("is of no program whose words are read", text, expected=known)])
    return found


def _is_scenario(text: str) -> bool:
    return _names_file(text, TREES[:2]) and tree_of(Path(text)).keys() >= OF_SCENARIOS


def _is_model(path: Path) -> bool:
    tree = strict_json.read(path, MOST_CONFIG)
    return isinstance(tree, dict) and bool({"model_type", "architectures", "hidden_size"} & tree.keys())


def _jobs(text: str) -> Iterator[StatedJob]:
    """Every job that is stated there, the first of which counts."""
    if is_modelfile(text):
        yield from _jobs_of_commands(line_of_modelfile(Path(text)), text)
        return
    if not _names_file(text, TREES):
        script = read_text(Path(text), MOST_YAML) if _names_file(text, SCRIPTS) else text
        yield from _jobs_of_commands(script, text)
        return
    tree = tree_of(Path(text))
    yield from (job for line in _containers(tree) for job in _jobs_of_commands(line, text))
    options = settings_in(tree, text)
    yield from (_job(program, options, (), text) for program in _of_keys(tree, options))


def program_of(tree: Mapping[str, Any]) -> str:
    """The program whose configuration this is; "" where it is none that is read."""
    return next((program.name for program in _of_keys(tree, dict(flattened(tree, nested())))), "")


def _of_keys(tree: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Program]:
    whole = {**options, **dict.fromkeys(str(key).replace("-", "_") for key in tree)}
    found = (program for program in programs() if any({*keys} <= whole.keys() for keys in program.keys))
    return (program for program in found if _has(program, options))


def _containers(tree: object) -> Iterator[str]:
    """Every container of a Compose file or a manifest of Kubernetes as a line: its image, then what it is told."""
    if isinstance(tree, Mapping) and isinstance(tree.get("image"), str):
        told = [tree.get(name) or "" for name in ("image", "command", "args")]
        said = (" ".join(map(_quoted, each)) if isinstance(each, list) else str(each) for each in told)
        yield " ".join(said).replace("\n", " ")
    inner = tree.values() if isinstance(tree, Mapping) else tree if isinstance(tree, list) else ()
    for part in inner:
        yield from _containers(part)


def _quoted(word: object) -> str:
    return f"'{word}'" if isinstance(word, str) and set(word) & {*' {}"$'} else str(word)


def _jobs_of_commands(script: str, place: str) -> Iterator[StatedJob]:
    for command in shell_commands(script):
        for program in programs():
            if (at := started(command.words, program)) is None:
                continue
            (_, launcher), (alone, own) = options_of(command.words[: at[0]]), options_of(command.words[at[1] :])
            gpus = {name: value for name, value in launcher.items() if name in every_gpu_option()}
            own, files = with_own_files(alone, own, place) if program.workload == "training" else (own, ())
            how, others = launched(command.words[: at[0]], launcher, place)
            stated = {**_environment(command), **how, **gpus, **own}
            if _has(program, stated):
                yield _job(program, {**at[2], **stated}, alone, place, (*files, *others))
                break


def _environment(command: ShellCommand) -> Options:
    own = (word for name in ENVIRONMENT for word in command.words if word.startswith(f"{name}="))
    before = dict(word.split("=", 1) for word in own)
    return {name.lower(): value for name in ENVIRONMENT if (value := before.get(name, command.variables.get(name)))}


def _has(program: Program, options: Mapping[str, Any]) -> bool:
    said = (f"{name}={value}" if isinstance(value, str) else name for name, value in options.items())
    return not program.has or any(matches(each, [program.has]) for each in said)


def _job(program: Program, stated: Options, alone: Iterable[str], place: str, files: tuple[str, ...] = ()) -> StatedJob:
    stated, others = with_deepspeed(stated, place)
    _refuse_split_layers(program, stated, place)
    models = [*_tagged(program, alone)] if program.workload == "serving" else []
    models += [named_by(str(stated[name])) for name in model_options() if isinstance(stated.get(name), str)]
    implied = {name: value for row in program.implies for name, value in _implied(row, stated).items()}
    said = {**implied, **_named(program, stated), **program.settings}
    taken = {*model_options(), *every_gpu_option()}
    options = {name: value for name, value in said.items() if name not in taken and value is not None}
    return StatedJob(
        program.name,
        program.workload,
        tuple(dict.fromkeys(models)),
        _count(stated),
        options,
        program.defaults,
        architecture_of(stated),
        place,
        (*files, *others),
    )


def _refuse_split_layers(program: Program, stated: Options, place: str) -> None:
    """Raises InputError where one process sees several GPUs: a copy a GPU, which is counted, it is not."""
    started_each = any(name in stated for of in ("per_node", "all") for name in gpu_options(of))
    if program.splits_layers and not started_each and _count(stated) > 1:
        message = "spreads the layers of one copy over its GPUs (device_map), which is not counted"
        raise InputError(
            [Fault(message, place, found=f"{_count(stated)} GPUs", expected="NPROC_PER_NODE, a copy a GPU")]
        )


def _implied(row: Mapping[str, Any], stated: Options) -> Mapping[str, Any]:
    found: Mapping[str, Any] = row["sets"]
    return found if row["of"] in stated and matches(str(stated[row["of"]]).lower(), [row["like"]]) else {}


def _named(program: Program, stated: Options) -> Options:
    """Options by the names that they have here; of those that stand in blocks, some stand for themselves."""
    found: Options = {}
    for name, value in stated.items():
        if name in model_options():
            continue
        block, _, last = name.rpartition(".")
        own = program.names.get(name, last if block in program.beside else name)
        open_ = program.defaults.own_context and value == LATER and own in CONTEXTS
        found |= {own: counted(value) if own.endswith(LENGTHS) else value} if own and not open_ else {}
    return found


def _tagged(program: Program, alone: Iterable[str]) -> Iterator[str]:
    """What stands for itself, where a model has no tag with the one that it then means before it."""
    for word in alone:
        if program.defaults.tag and ":" not in word:
            yield f"{word}:{program.defaults.tag}"
        yield word


def named_by(value: str) -> str:
    """The name of a model; of a component by its path in Python what that says: `models.qwen2_5.qwen2_5_7b`."""
    found = COMPONENT.fullmatch(value)
    if not found:
        return value
    family, rest = found[1], found[2].replace("_", "-")
    return re.sub(r"(?<=\d)_(?=\d)", ".", family) + rest


def counted(value: Any) -> Any:
    """A number of tokens that is written short, as vLLM reads it: 128k is 128,000 of them, and 128K 131,072."""
    said = SHORT.fullmatch(value) if isinstance(value, str) else None
    return int(float(said[1]) * THOUSANDS[said[2]]) if said else value


def _count(stated: Options) -> int:
    """GPUs of all nodes; 0 where nothing is said."""
    every = [_number(stated, gpu_options(of)) for of in ("per_node", "nodes", "all")]
    listed = next((str(stated[name]) for name in gpu_options("listed") if name in stated), "")
    each = every[0] or (len([part for part in listed.split(",") if part.strip().isdigit()]))
    return each * max(every[1], 1) or every[2]


def _number(stated: Options, names: Iterable[str]) -> int:
    values = (str(stated.get(name)) for name in names)
    return next((int(value) for value in values if value.isdecimal() and len(value) < MOST_DIGITS), 0)
