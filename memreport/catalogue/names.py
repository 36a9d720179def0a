"""The register of names: what people call every input and figure, and which choice supplies an input."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import Column
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.catalogue.tables.words import SHOWN, TITLES
from memreport.figures.registry import figures_by_name, scopes, shown_in, titles
from memreport.formula.recording import Figure
from memreport.frozen import frozen

ONE_REPLICA = "one replica"
_TYPES = ("bf16", "fp16", "fp8", "fp4", "int8", "fp32", "tf32")
_UPPER = ("kv", "mlp", "usd", "cuda", "flop", "id", "gpu", "qkv", "pue", *_TYPES)
SPELLED = {word: word.upper() for word in _UPPER} | {
    "lora": "LoRA",
    "zero": "ZeRO",
    "kwh": "kWh",
    "nvme": "NVMe",
    "dtype": "data type",
    "accelerator": "GPU",
    "accelerators": "GPUs",
    "num": "number of",
    "seqs": "sequences",
    "max": "longest",
}


@lru_cache
def input_titles() -> Mapping[str, str]:
    """What people call inputs whose names in plain words would not do, by name."""
    return {**TITLES, **{entry.name: entry.title for entry in dictionary().values() if entry.title}}


def title_of(name: str) -> str:
    """A name in plain words: `kv_cache_dtype` is KV cache data type."""
    plain = name.rpartition(".")[2]
    of = scope_of(plain)
    scope = f", {of}" if of else ""
    title = titles().get(plain) or input_titles().get(plain)
    if title:
        return f"{title}{scope}"
    return f"{plain_title(name)}{scope}"


@lru_cache
def shown_with_inputs(place: str, workload: str) -> tuple[str, ...]:
    """Figures and inputs that are shown at a place, in the order of the calculation: inputs where first read."""
    shown = {*shown_in(place, workload), *(name for name, places in SHOWN.items() if place in places)}
    order = (name for figure in figures_by_name(workload).values() for name in (*figure.inputs, figure.name))
    return tuple(dict.fromkeys(name for name in order if name in shown))


def plain_title(name: str) -> str:
    """The last part of a name in words, without its unit: what needs no title of its own."""
    words = re.sub(r"_(bytes|usd|seconds|share)$", "", name.rpartition(".")[2]).split("_")
    text = " ".join(SPELLED.get(word, word) for word in words)
    return f"{text[:1].upper()}{text[1:]}"


def scope_of(name: str) -> str:
    """Of one replica or of all GPUs, where a name could be either; nothing for all others."""
    return ONE_REPLICA if name == "max_num_seqs" else scopes().get(name, "")


def in_sentence(title: str) -> str:
    """A title inside a sentence: its first letter small, unless it is an abbreviation."""
    return title if title[1:2].isupper() or title.startswith("ZeRO") else title[:1].lower() + title[1:]


def attributes_of(entry: Entry, catalogue: Catalogue) -> dict[str, str]:
    """Inputs that a choice supplies, with the column of its table that each is read from."""
    if entry.kind != "choice":
        return {}
    return entry.gives or {name: name for name in catalogue.tables[entry.table].columns}


def of_accelerator(catalogue: Catalogue) -> frozenset[str]:
    """What is one GPU's own: its attributes and its prices.  A number in their place is of no other one."""
    return frozenset((*OWN_PRICES, *catalogue.tables["accelerators"].columns))


def supplied(fields: Mapping[str, Entry], catalogue: Catalogue) -> dict[str, tuple[Entry, Column]]:
    """Every input that a choice supplies, with the choice and the column."""
    return {
        name: (entry, catalogue.tables[entry.table].columns[column])
        for entry in fields.values()
        for name, column in attributes_of(entry, catalogue).items()
    }


@frozen
class Register:
    """Every name that a calculation has: a figure, a field, or an attribute that a choice supplies."""

    figures: Mapping[str, Figure]
    fields: Mapping[str, Entry]
    catalogue: Catalogue

    @cached_property
    def attributes(self) -> dict[str, tuple[Entry, Column]]:
        """Inputs that a choice supplies, with the choice and the column."""
        return supplied(self.fields, self.catalogue)

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.figures, *self.fields, *self.attributes]

    def unit(self, name: str) -> str:
        """Its unit, that of its column where a choice supplies it; nothing for a name that is none."""
        if name in self.figures:
            return str(self.figures[name].unit)
        found = self.attributes[name][1] if name in self.attributes else self.fields.get(name)
        return found.unit if found else ""

    def meaning(self, name: str) -> str:
        """What it is, in a sentence; nothing for a name that is none."""
        found = self.figures.get(name) or self.fields.get(name) or self.attributes.get(name, (None, None))[1]
        return found.meaning if found else ""
