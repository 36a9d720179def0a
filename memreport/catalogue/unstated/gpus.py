"""GPUs whose name leaves open which form is meant: `H100` is read as the one that most prices rent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import ANY_OF, BRAND, GPU
from memreport.catalogue.question.stated import block_of, variants_of
from memreport.catalogue.records import Table
from memreport.catalogue.words.meaning import Meaning, Read, WordRead
from memreport.catalogue.yaml.strict import Document
from memreport.errors import as_spelt, holding

FORM = "the form of it that most prices are for"
ALIKE, NEARLY_ALL = 0.05, 0.9
"""Memory of two forms that is the same, and the share of all prices that makes a form the one that is meant."""
COMMON_WORDS = frozenset(("tesla", "gpu", "hbm2", "hbm2e", "hbm3", "hbm3e", "tensor", "core"))
MEMORY_BEHIND = re.compile(r"[ -](?:with[ -])?\(?(\d+)[ -]?gi?b\)?$", re.IGNORECASE)
"""The memory of a GPU behind its name, which the catalogue names without it: `RTX 3090 24GB`."""
LOCAL = UNIFIED, PROCESSOR = ("apple", "cpu")
"""Architectures that the usual engine has no kernels for."""
SUFFIXES = ("ti", "super")
"""What another product than the one that is named has behind its number: an RTX 3060 8GB is no 3060 Ti."""
IN_A_VARIANT = "hardware.accelerator"
FIRST = "the first product of that name"
FIRST_GEFORCE = (("3060", "3060-12gb"), ("2060", "2060-12gb"), ("2070", "2070-super"))
FIRST_OF_ITS_NAME = {
    "h20": "h20-96gb",
    "rtxpro6000": "rtx-pro-6000-server",
    "pro6000": "rtx-pro-6000-server",
    **{f"{maker}{number}": f"rtx-{known}" for number, known in FIRST_GEFORCE for maker in ("rtx", "")},
}
"""Names that makers gave to one product alone, and later to another with more behind it, in letters and digits."""


FOR_GAMES = ("geforce", "radeon rx", "arc b")
"""What titles of GPUs say that are sold to play on."""


def is_of_brand(question: str, title: str) -> bool:
    """Whether a GPU by its title is of the makers and series that a question in small letters asks for, if of any."""
    asked = re.search(rf"\b{ANY_OF}{GPU}", question)
    words = re.findall(rf"\b(?:{BRAND})\b", asked[0]) if asked else ()
    own = {word: FOR_GAMES if word in ("consumer", "gaming") else (word,) for word in words}
    return all(any(part in title.lower() for part in parts) for parts in own.values())


def names_holding(name: str, known: Iterable[str], titles: Mapping[str, str] | None = None) -> list[str]:
    """The names that hold all of what was typed; the one that begins all others, where there is one."""
    found = holding(name, known, titles)
    return [key for key in found if all(each == key or each.startswith(f"{key}-") for each in found)] or found


def gpu_named(name: str, tables: Tables) -> str:
    """The GPU that a name means, or its form that most prices rent; nothing where it is unknown, or two are alike.

    A form is not taken where another has other memory and more than a few of the prices, as a100 and v100 have.
    """
    if first := _first(name):
        return first
    rented, held = _rented(tables), _forms(name, tables)
    most = max((rented[gpu] for gpu in held), default=0)
    likely = [gpu for gpu in held if rented[gpu] == most]
    return likely[0] if len(likely) == 1 and _same_memory(likely[0], held, rented, tables["accelerators"]) else ""


def gpu_meant(name: str, tables: Tables) -> str:
    """The same, or else the largest of the forms of one number that prices rent most, where their memory differs."""
    products = {gpu.partition("-")[0] for gpu in _forms(name, tables)}
    of_one = len(products) == 1 and any(map(str.isdigit, products.pop()))
    return gpu_named(name, tables) or (largest_form(name, tables) if of_one else "")


def largest_form(name: str, tables: Tables) -> str:
    """Of the forms of a GPU that prices rent most the one with most memory; nothing where the name is unknown."""
    table, rented, held = tables["accelerators"], _rented(tables), _forms(name, tables)
    most = max((rented[gpu] for gpu in held), default=0)
    memory = table.columns["capacity_bytes"].values
    first = [gpu for gpu in held if rented[gpu] == most]
    return max(first, key=lambda gpu: float(memory[table.row(gpu)]), default="")


def _rented(tables: Tables) -> Counter[str]:
    """How many rental prices are known of each GPU."""
    return Counter(tables["rental_prices"].texts["accelerator"])


def _forms(name: str, tables: Tables) -> list[str]:
    """The GPUs that a name may mean."""
    titles = tables["accelerators"].titles_by_id
    spelt = as_spelt(name, titles)
    held = [spelt] if spelt else names_holding(_without_common_words(name), titles, titles)
    said = MEMORY_BEHIND.search(name)
    if not said:
        return held
    others = [word for word in SUFFIXES if not re.search(rf"(?<![a-z]){word}\b", name.lower())]
    with_memory = _with_memory(_forms(name[: said.start()], tables), int(said[1]), tables)
    named = ([gpu for gpu in each if not any(f"-{word}" in gpu for word in others)] for each in (held, with_memory))
    return next(filter(None, named), [])


def _with_memory(gpus: Iterable[str], memory: int, tables: Tables) -> list[str]:
    """Those that are sold with so many GB."""
    table = tables["accelerators"]
    sold = table.columns["marketed_capacity_bytes"].values
    return [gpu for gpu in gpus if round(float(sold[table.row(gpu)]) / 10**9) == memory]


def _same_memory(gpu: str, held: Iterable[str], rented: Mapping[str, int], table: Table) -> bool:
    """Whether nearly all prices of the forms are for the memory that this one has."""
    bytes_of = {each: float(table.columns["capacity_bytes"].values[table.row(each)]) for each in held}
    alike = [each for each, size in bytes_of.items() if abs(size / bytes_of[gpu] - 1) < ALIKE]
    every = sum(rented[each] for each in bytes_of)
    return not every or sum(rented[each] for each in alike) >= NEARLY_ALL * every


def _without_common_words(name: str) -> str:
    """`NVIDIA H100 80GB HBM3` and `Tesla V100-SXM2-16GB`, as the driver says, without what no title has."""
    return " ".join(word for word in name.replace("-", " ").split() if word.lower() not in COMMON_WORDS) or name


def _first(name: str) -> str:
    return FIRST_OF_ITS_NAME.get("".join(filter(str.isalnum, name.lower())), "")


def with_gpu_forms(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The scenario with each GPU whose form is open as one form, and what is assumed with it."""
    data = document.data
    for place, name in _named(data):
        ids = tables()["accelerators"].ids
        if name in ids or not (gpu := gpu_named(name, tables())):
            continue
        data = _with(data, place, gpu)
        meaning = Meaning({"accelerator": gpu}, "", assumes=FIRST if _first(name) else FORM)
        words = (*words, WordRead("accelerator", name, meaning, place))
    return (document if data is document.data else replace(document, data=data)), words


def _named(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every place of a GPU, and its name: of the scenario, and of its variants."""
    blocks: dict[tuple[str, ...], Mapping[str, Any]] = {("hardware", "accelerator"): block_of(data, "hardware")}
    blocks |= {("variants", name, IN_A_VARIANT): block for name, block in variants_of(data).items()}
    for place, block in blocks.items():
        if isinstance(gpu := block.get(place[-1]), str):
            yield place, gpu


def _with(data: Mapping[str, Any], place: tuple[str, ...], value: str) -> dict[str, Any]:
    """The data with another value at a place, and without a change of the blocks that it is made of."""
    first, *rest = place
    return {**data, first: _with(data[first], tuple(rest), value) if rest else value}


def is_local(table: Table, gpu: str) -> bool:
    """Whether the usual engine has no kernels for it."""
    return table.text("architecture", gpu) in LOCAL
