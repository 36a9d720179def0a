"""How an input is spoilt: data by what is plausible, nearly right or hostile in each place, text by pieces."""

from __future__ import annotations

import copy
import random
from typing import Any

Data = Any
Path = tuple[Any, ...]

NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    0.5,
    1.5,
    1e-300,
    1e15,
    10**12,
    2**53,
    2**53 + 1,
    1e30,
    1e308,
    -1e30,
    99999999999973,
    10**6,
)
ODD: tuple[Any, ...] = (
    None, True, False, "", " ", "x", "null", "7", "1e9", "80 GB", "-3 GiB", "50 %", "12:30", "no", [], [1], ["x"], [[]],
    {}, {"a": 1}, {"value": 1}, [None], "=1+1", "../../x", "a/b", "x" * 300, "x" * 40_000,
    "\u202e", "\x1b[2J", "é" * 70,
    "none", "full", "bf16", "2026-02-30", "0", "nan", ".inf", "{{", "<b>", "_x0041_", 10**400,
)  # fmt: skip
WORDS = ("lora", "qlora", "full", "none", "every-k", "adafactor", "fp8", "int4", "eager", "megatron",
         "deepspeed", "buy", "cpu", "nvme", "h100-80gb-sxm", "b200", "l4", "mixtral-8x7b")  # fmt: skip
PIECES = ("\t", "\n", "  ", ":", "- ", "{", "}", "[", "]", '"', "'", "#", "&a ", "*a", "!!python/object ", "<<: ", "%",
          "\x00", "\udcff", "\u2028", "---\n", "...", "|\n", ">", "9" * 400, "[" * 100, "null", "~", ",")  # fmt: skip


def places(data: Data, at: Path = ()) -> list[Path]:
    """Every place of the data that holds a value."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [at, *(place for key, value in inner for place in places(value, (*at, key)))]


def mutated_data(data: Data, chance: random.Random) -> Data:
    """One to three changes, most of them of values deep inside."""
    made = copy.deepcopy(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        found = [place for place in places(made) if place]
        if not found:
            return copy.deepcopy(chance.choice(ODD))
        _change(made, chance.choice(found), chance)
    return made


def _change(data: Data, place: Path, chance: random.Random) -> None:
    *above, last = place
    holder = data
    for key in above:
        holder = holder[key]
    kind = chance.random()
    if kind < 0.12:
        del holder[last]
    elif kind < 0.2 and isinstance(holder, dict):
        name = str(last)  # a key that was changed before may be a number
        holder[chance.choice(("x", name.upper(), f"{name}s", "", "id", " ", 7, name * 200))] = holder.pop(last)
    elif kind < 0.28 and isinstance(holder, list):
        holder.extend(copy.deepcopy(holder[last]) for _ in range(chance.choice((1, 2, 50))))
    elif kind < 0.34:
        holder[last] = copy.deepcopy(_value(data, chance))
    else:
        holder[last] = _instead(holder[last], chance)


def _value(data: Data, chance: random.Random) -> Data:
    found = data
    for key in chance.choice(places(data)):
        found = found[key]
    return found if len(str(found)) < 10_000 else None


def _instead(value: Data, chance: random.Random) -> Data:
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    if number and chance.random() < 0.5:
        near = value * chance.choice((2, 3, 4, 8)), value // 2, value + 1
        return chance.choice((*near, value * chance.choice((0, -1, 0.5, 1000, 1e12)), chance.choice(NUMBERS)))
    if isinstance(value, str) and chance.random() < 0.3:
        return chance.choice(WORDS)
    if isinstance(value, bool) and chance.random() < 0.6:
        return not value
    return chance.choice(NUMBERS) if chance.random() < 0.3 else copy.deepcopy(chance.choice(ODD))


def mutated_text(text: str, chance: random.Random) -> str:
    """Characters lost, doubled, swapped or put in; now and then half of it gone."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice((0, 1, 1, 5, 200)))
        text = text[:at] + chance.choice((*PIECES, "", "", text[at:end] * 2)) + text[end:]
    return text[: len(text) // 2] if chance.random() < 0.05 else text
