"""How a page reads configurations by itself: names and switches as data, rules as JavaScript."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memreport.catalogue.huggingface.card import (
    ACTIVATION_KEYS,
    KNOWN_ACTIVATIONS,
    NOTED,
    ONE_ACTIVATION,
    SAME_ACTIVATION,
)
from memreport.catalogue.huggingface.families import FAMILIES, SAME_AS
from memreport.catalogue.huggingface.family import (
    BOTH,
    DELTA_CHUNK,
    FOURFOLD,
    IMAGE_ROWS,
    IMAGE_TOKENS,
    NARROW_BYTES,
    OPT_OFFSET,
    POSITIONS_A_SECOND,
    THREE,
    WIDE_BYTES,
    Family,
)
from memreport.catalogue.huggingface.models.sparse.compressed import PAGED
from memreport.catalogue.huggingface.parts.language import INSIDE, TEXT_OF, WRAPPED
from memreport.catalogue.huggingface.parts.towers import TOWERS
from memreport.catalogue.huggingface.parts.usual import COLUMNS, TEXTS_USUAL
from memreport.catalogue.huggingface.quantization import BY_BITS, BY_EXPERTS, METHODS
from memreport.catalogue.huggingface.reader import IRRELEVANT, NEVER, OF_TRAINING
from memreport.formula.printing import to_javascript
from memreport.formula.units import COUNT
from memreport.formula.words import Ref, leaf

_NAMED = (
    BOTH, THREE, FOURFOLD, OPT_OFFSET, WIDE_BYTES, NARROW_BYTES, IMAGE_TOKENS, IMAGE_ROWS, POSITIONS_A_SECOND,
    DELTA_CHUNK, *PAGED,
)  # fmt: skip
CONSTANTS: Mapping[str, str] = {constant.name: f"{constant:g}" for constant in _NAMED}
READS = "whole,flag,counted,atStep,behind,firstFree,switched,summed,must"
"""What a rule may ask of a reader."""
PLAINEST = Family()
"""What families of the page's data leave out."""
READ = "r."
"""Before the name of a key that a rule reads; names without it are fields of the card that were read before."""


def plain_families() -> dict[str, Any]:
    """What is data of the model types, and which keys may be passed over."""
    return {
        "families": {name: _beyond_plainest(family) for name, family in FAMILIES.items()},
        "plainest": _family(PLAINEST),
        "sameAs": SAME_AS,
        "common": COLUMNS,
        "activationKeys": ACTIVATION_KEYS,
        "activations": sorted(KNOWN_ACTIVATIONS),
        "sameActivation": SAME_ACTIVATION,
        "inside": INSIDE,
        "wrapped": WRAPPED,
        "textOf": TEXT_OF,
        "usual": {name: _in_columns(row) for name, row in TEXTS_USUAL.items()},
        "towered": sorted(TOWERS),
        "formats": {"byBits": BY_BITS, "byRules": sorted(METHODS), "byExperts": BY_EXPERTS},
        "passedOver": sorted({*IRRELEVANT, *OF_TRAINING, *NOTED}),
    }


def _in_columns(row: Mapping[str, Any]) -> list[Any]:
    """A row of defaults as its values of the common fields, in their order, and what it has besides."""
    return [[row.get(name) for name in COLUMNS], {name: row[name] for name in row if name not in COLUMNS}]


def _beyond_plainest(family: Family) -> dict[str, Any]:
    plainest = _family(PLAINEST)
    return {name: value for name, value in _family(family).items() if value != plainest[name]}


def _family(family: Family) -> dict[str, Any]:
    return {
        "names": family.names,
        "constants": family.constants,
        "flags": family.flags,
        "copied": family.copied,
        "passed": family.passed,
        "tied": family.tied,
        "activation": family.activation,
        "doubt": f" Parameters are counted; {family.doubt}." if family.doubt else "",
        "oneActivation": family.activation in ONE_ACTIVATION,
    }


def family_rules() -> str:
    """Functions by model type: of the fields `f` that are read before and of a reader, the fields that a rule adds."""
    rules = (f"{json.dumps(name)}:{_function(family)}" for name, family in FAMILIES.items() if family.derived)
    return f"{{{','.join(rules)}}}"


def _function(family: Family) -> str:
    read = RecordingReader()
    assert family.derived is not None  # noqa: S101  # family_rules has looked
    derived = family.derived(read)  # type: ignore[arg-type]  # reads what a Reader reads, and records it
    fields = (f"{name}:{_script(value)}" for name, value in derived.items())
    lines, result = "".join(read.lines), ",".join(fields)
    used = ",".join(name for name in READS.split(",") if f"{name}(" in lines)
    return f"(f,{{{used}}})=>{{const r={{}};{lines}return{{{result}}}}}"


def _script(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return to_javascript(leaf(value), lambda name: CONSTANTS.get(name) or (name if READ in name else f"f.{name}"))


class RecordingReader:
    """Stands for a `Reader` while a rule is recorded: each key that is read becomes a line of JavaScript."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    width, layers, heads, key_value_heads, head_dim = (
        Ref(name, COUNT)
        for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim")
    )

    def whole(self, key: str, default: Any = NEVER, least: Any = 0) -> Any:
        """As `Reader.whole`."""
        missing = "undefined" if default is NEVER else _given(default)
        return self._read(key, f"whole({json.dumps(key)},{missing},{_given(least)})")

    def flag(self, key: str, default: bool) -> Any:  # as `Reader.flag` has it
        """As `Reader.flag`."""
        return self._read(key, f"flag({json.dumps(key)},{json.dumps(default)})")

    def counted(self, key: str, word: str | int, otherwise: Any) -> Any:
        """As `Reader.counted`."""
        return self._read(key, f"counted({json.dumps(key)},{json.dumps(word)},{_given(otherwise)})")

    def at_step(self, key: str, step: Any, layers: Any) -> Any:
        """As `Reader.at_step`."""
        return self._read(key, f"atStep({json.dumps(key)},{_script(step)},{_script(layers)})")

    def behind(self, key: str, word: str, other: str) -> Any:
        """As `Reader.behind`."""
        return self._read(key, f"behind({json.dumps(key)},{json.dumps(word)},{json.dumps(other)})")

    def first_free(self, key: str, step: Any, layers: Any) -> Any:
        """As `Reader.first_free`."""
        return self._read(key, f"firstFree({json.dumps(key)},{_script(step)},{_script(layers)})")

    def switched(self, key: str, path: str) -> Any:
        """As `Reader.switched`."""
        return self._read(key, f"switched({json.dumps(key)},{json.dumps(path)})")

    def summed(self, key: str, path: str, scale: Any = 1, step: int = 1) -> Any:
        """As `Reader.summed`."""
        return self._read(key, f"summed({json.dumps(key)},{json.dumps(path)},{_given(scale)},{step})")

    def must(self, key: str, expected: Any, message: str) -> None:
        """As `Reader.must`."""
        wanted = json.dumps(expected) if isinstance(expected, bool | str) else _given(expected)
        self.lines.append(f"must({json.dumps(key)},{wanted},{json.dumps(message)});")

    def _read(self, key: str, call: str) -> Ref:
        named = key.partition("|")[0].replace(".", "_")
        name = f"{READ}{named}{len(self.lines)}"  # a key may be read twice, for two words of its list
        self.lines.append(f"{name}={call};")
        return Ref(name, COUNT)


def _given(value: Any) -> str:
    """A number as it is, which needs no name where a key is lacking, or what is recorded."""
    return repr(value) if isinstance(value, int) else _script(value)
