"""The register of names: what people call every input and figure, and which choice supplies an input."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import Column
from memreport.catalogue.tables.prices import OWN_PRICES
from memreport.figures.registry import scopes, titles

ONE_REPLICA = "one replica"
_TYPES = ("bf16", "fp16", "fp8", "fp4", "int8", "fp32", "tf32")
_UPPER = ("kv", "mlp", "usd", "cuda", "flop", "id", "gpu", "qkv", "pue", *_TYPES)
_SPELLED = {word: word.upper() for word in _UPPER} | {
    "lora": "LoRA",
    "zero": "ZeRO",
    "kwh": "kWh",
    "nvme": "NVMe",
    "dtype": "data type",
    "num": "number of",
    "seqs": "sequences",
    "max": "longest",
}
INPUT_TITLES: Mapping[str, str] = {
    "capacity_bytes": "Capacity",
    "max_num_seqs": "Sequences at once",
    "max_num_batched_tokens": "Batched tokens",
    "max_model_len": "Longest context allowed",
    "count": "Accelerators",
    "per_node": "Accelerators per node",
    "model_flop_utilization_of": "Utilisation is of",
    "context_length": "Context length",
    "usd_per_accelerator_hour": "Rental price",
    "depreciation_years": "Useful life in years",
    "usd_per_accelerator": "Purchase price",
    "usd_per_kilowatt_hour": "Electricity tariff",
    "usd_per_kilowatt_month": "Colocation price",
}
"""What people call inputs whose names in plain words would not do; the titles of figures stand with them."""


def title_of(name: str) -> str:
    """A name in plain words: `kv_cache_dtype` is KV cache data type."""
    plain = name.rpartition(".")[2]
    of = scope_of(plain)
    scope = f", {of}" if of else ""
    title = titles().get(plain) or INPUT_TITLES.get(plain)
    if title:
        return f"{title}{scope}"
    words = [_SPELLED.get(word, word) for word in re.sub(r"_(bytes|usd|seconds|share)$", "", plain).split("_")]
    text = " ".join(words)
    return f"{text[:1].upper()}{text[1:]}{scope}"


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
    """What is one accelerator's own: its attributes and its prices.  A number in their place is of no other one."""
    return frozenset((*OWN_PRICES, *catalogue.tables["accelerators"].columns))


def supplied(fields: Mapping[str, Entry], catalogue: Catalogue) -> dict[str, tuple[Entry, Column]]:
    """Every input that a choice supplies, with the choice and the column."""
    return {
        name: (entry, catalogue.tables[entry.table].columns[column])
        for entry in fields.values()
        for name, column in attributes_of(entry, catalogue).items()
    }
