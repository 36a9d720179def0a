"""Files of settings that a command line, or a configuration, names and that are read with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memreport import strict_json
from memreport.catalogue.programs.options import MOST_OPTIONS, Options, flattened
from memreport.catalogue.words.names import OF_NAMES, nested
from memreport.catalogue.yaml import strict
from memreport.errors import Fault, InputError
from memreport.files import MOST_YAML, lies, read_text

TREES = (".yaml", ".yml", ".json", ".toml")
CONFIGURED, OF_DEEPSPEED = ("config", "config_file"), ("deepspeed", "deepspeed_config", "ds_config")
"""Options that name a file of the program's own options, and one of DeepSpeed."""
LAUNCHER, SHARED_BY = "accelerate", {"use_fsdp": "fsdp", "use_deepspeed": "deepspeed", "multi_gpu": "multi_gpu"}
"""Whose own options say how states are shared, and the switches among them.  Source: Accelerate, `launch --help`."""
SHIPPED = re.compile(r"(?:ds_)?(?:config_)?z(?:ero)?[_-]?[0-3](?:_[a-z0-9_]+)?\.json")
"""Files that programs bring with them under such names, which say the stage.

Source: Axolotl, deepspeed_configs; LLaMA-Factory, examples/deepspeed; transformers, tests/deepspeed; read 2026-11-27.
"""
LATER = "auto"
"""What DeepSpeed's file leaves to the program that calls it."""
Named = tuple[Options, tuple[str, ...]]
"""Options, and the files that they are read from."""


def tree_of(path: Path) -> Mapping[str, Any]:
    """A file of settings.  Raises InputError where it holds none."""
    if path.suffix == ".toml":
        import tomllib  # few jobs are stated in it

        try:
            tree: Any = tomllib.loads(read_text(path, MOST_YAML))
        except tomllib.TOMLDecodeError as error:
            raise InputError([Fault(f"is not TOML: {error}", str(path))]) from error
    else:
        tree = strict_json.read(path, MOST_YAML) if path.suffix == ".json" else strict.read(path).data
    if not isinstance(tree, dict):
        raise InputError([Fault("is no block of settings", str(path), found=type(tree).__name__)])
    return tree


def settings_in(tree: Mapping[str, Any], file: str) -> Options:
    """A tree as options, within bounds.  Raises InputError where there are too many."""
    return dict(_bounded(flattened(tree, {*nested(), *OF_NAMES}), file))


def _bounded(options: Iterable[tuple[str, Any]], file: str) -> Iterator[tuple[str, Any]]:
    for number, option in enumerate(options):
        if number >= MOST_OPTIONS:
            raise InputError([Fault(f"has more than {MOST_OPTIONS:,} settings", file)])
        yield option


def is_modelfile(text: str) -> bool:
    """Whether this names a file in which Ollama is told what to serve."""
    name = Path(text).name.lower()
    return (name.startswith("modelfile") or name.endswith(".modelfile")) and lies(Path(text))


def line_of_modelfile(file: Path) -> str:
    """What a Modelfile says, as a command: the model, and its parameters as options."""
    said_whole = re.sub(r'"""[\s\S]*?"""', "", read_text(file, MOST_YAML))  # texts, whose lines are no instructions
    lines = [line.split(None, 2) for line in said_whole.splitlines()]
    models = [shlex.quote(words[1]) for words in lines if len(words) > 1 and words[0].upper() == "FROM"]
    said = [words[1:] for words in lines if len(words) == 3 and words[0].upper() == "PARAMETER"]
    return " ".join(("ollama create", *models[-1:], *(f"--{name}={shlex.quote(value)}" for name, value in said)))


def with_own_files(alone: Iterable[str], options: Options, place: str) -> Named:
    """Options with those of the program's own files, over which what stands in the line wins."""
    files = [_beside(word, place) for word in alone if _is_file(word)]
    files += [_there(options[name], name, place) for name in CONFIGURED if _is_file(options.get(name))]
    read: Options = {}
    for file in files:
        read |= settings_in(tree_of(file), str(file))
    left = {name: value for name, value in options.items() if name not in CONFIGURED or not _is_file(value)}
    return {**read, **left} if files else options, tuple(map(str, files))


def launched(words: Sequence[str], options: Options, place: str) -> Named:
    """What Accelerate's own options and file say of how states are shared, of a script that it starts."""
    if LAUNCHER not in words:
        return {}, ()
    read, files = with_own_files((), options, place)
    shared = next((name for flag, name in SHARED_BY.items() if read.get(flag) in (True, "true")), "")
    others = {name: value for name, value in read.items() if name not in SHARED_BY}
    return {**({"distributed_type": shared} if shared else {}), **others}, files


def with_deepspeed(options: Options, place: str) -> Named:
    """Options with those of DeepSpeed's file where one is named and lies there, without what it leaves open."""
    named = {name: _beside(options[name], place) for name in OF_DEEPSPEED if _is_file(options.get(name))}
    there = {name: file for name, file in named.items() if not SHIPPED.fullmatch(file.name) or lies(file)}
    there = {name: _there(str(options[name]), name, place) for name in there}
    if not there:
        return options, ()
    read: Options = {OF_DEEPSPEED[0]: {"distributed_type": "deepspeed"}}
    for file in there.values():
        read |= settings_in({name: _switched(value) for name, value in _stated(tree_of(file)).items()}, str(file))
    own = {name: value for name, value in options.items() if name not in there}
    return {**read, **own}, tuple(map(str, there.values()))


def _stated(tree: Mapping[str, Any]) -> dict[str, Any]:
    """A tree without what is left to the calling program."""
    said = ((name, _stated(value) if isinstance(value, Mapping) else value) for name, value in tree.items())
    return {name: value for name, value in said if value != LATER}


def _switched(value: Any) -> Any:
    """Of a block that is switched on, the switch: what else stands in it are scales of losses."""
    return value["enabled"] if isinstance(value, Mapping) and "enabled" in value else value


def _is_file(value: object) -> bool:
    return isinstance(value, str) and value.endswith(TREES) and "$" not in value


def _there(name: str, option: str, place: str) -> Path:
    """A file that an option names.  Raises InputError where it is not there: what it says would be guessed."""
    file = _beside(name, place)
    if not lies(file):
        raise InputError([Fault(f"is named by {option} and is not there", name, expected="the file where it is run")])
    return file


def _beside(name: str, place: str) -> Path:
    """A file as a command names it, from where it runs, else beside the file in which the command stands."""
    near = Path(place).parent / name
    return near if not lies(Path(name)) and lies(Path(place)) and lies(near) else Path(name)
