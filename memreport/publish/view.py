"""A computed scenario as publishers ask it: values, units, titles, symbols and texts by name and column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from memreport.catalogue import quantities
from memreport.catalogue.dictionary import Entry
from memreport.catalogue.quantities import GIB, display
from memreport.catalogue.records import Column, Source, Table
from memreport.catalogue.scenario import Scenario, dictionary
from memreport.compute import Computed
from memreport.formula.recording import Line
from memreport.resolve import Case, attributes_of

_UPPER = ("kv", "mlp", "usd", "cuda", "flop", "id", "gpu", "qkv", "bf16", "fp16", "fp8", "int8", "fp32", "tf32", "pue")
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
TITLES: Mapping[str, str] = {
    "peak_bytes": "Peak memory",
    "peak_bytes_low": "Peak, low end",
    "peak_bytes_high": "Peak, high end",
    "device_memory_used_bytes": "Shown by nvidia-smi",
    "device_memory_used_bytes_low": "Shown by nvidia-smi, low end",
    "device_memory_used_bytes_high": "Shown by nvidia-smi, high end",
    "usable_bytes": "Usable capacity",
    "capacity_bytes": "Capacity",
    "headroom_bytes": "Headroom",
    "headroom_share": "Headroom as a share",
    "host_headroom_bytes": "Headroom of the host",
    "parameters": "Parameters",
    "active_parameters": "Parameters active per token",
    "trainable_parameters": "Trainable parameters",
    "cost_total_usd": "Total cost",
    "cost_low_usd": "Total cost, low case",
    "cost_high_usd": "Total cost, high case",
    "cost_per_month_usd": "Cost per month",
    "cost_per_million_tokens_usd": "Cost per million tokens",
    "cost_per_accelerator_hour_usd": "Cost per accelerator-hour, all in",
    "energy_kwh": "Energy",
    "max_num_seqs": "Sequences at once",
    "max_num_batched_tokens": "Batched tokens",
    "max_model_len": "Longest context allowed",
    "max_concurrent_sequences": "Sequences that fit at once",
    "minimum_accelerators_weights": "Fewest cards, weights",
    "minimum_accelerators": "Fewest with allowance",
    "longest_context_tokens": "Longest context that fits",
    "kv_pool_tokens": "Tokens that the cache pool holds",
    "kv_cache_bytes": "KV cache",
    "kv_pool_bytes": "KV cache pool",
    "count": "Accelerators",
    "per_node": "Accelerators per node",
    "model_flop_utilization_of": "Utilisation is of",
    "whole_step_utilization": "Stated utilisation over the whole step",
    "pipeline_bubble_share": "Pipeline bubble",
    "step_seconds": "Time per step",
    "step_seconds_at_utilization": "Time per step, an estimate",
    "step_seconds_bound": "Time per step, a lower bound",
    "step_limit": "Time per step comes from",
    "tokens_per_second": "Tokens per second",
    "training_hours": "Training time",
    "context_length": "Context length",
    "weight_bytes": "Weights",
    "master_weight_bytes": "Master weights",
    "gradient_bytes": "Gradients",
    "optimizer_state_bytes": "Optimizer states",
    "activation_bytes": "Activations",
    "communication_buffer_bytes": "Communication buffers",
    "host_bytes_per_node": "Host memory of a node",
    "transient_bytes": "Activations and logits",
    "overhead_bytes": "All but weights and cache",
    "kv_bytes_per_token": "KV cache per token",
    "time_to_first_token_bound": "Time to first token, at best",
    "decode_tokens_per_second_bound": "Decoded tokens per second, at best",
    "peak_instant": "Instant of the peak",
    "carbon_kg": "Carbon dioxide",
    "wall_hours": "Hours by the clock",
    "billed_accelerator_hours": "Accelerator-hours billed",
    "list_rent_usd": "Rent at the list price",
    "extras_usd": "Extras on top of the rent",
    "hardware_usd": "Depreciation of hardware",
    "facility_usd": "Space or colocation",
    "storage_usd": "Storage and data transfer",
    "purchase_usd": "Purchase",
    "adders_usd": "Host, network and cabling",
    "freight_tax_usd": "Freight and import tax",
    "capital_usd": "Purchase, installed",
    "ordered_capital_usd": "Purchase order",
    "run_cost_usd": "The whole training, by the time of a step",
    "rule_run_cost_usd": "The whole training, by 6ND",
    "yearly_capital_usd": "Depreciation or annuity, a year",
    "yearly_operating_usd": "Running what is owned, a year",
    "yearly_owned_usd": "Owning, a year",
    "yearly_full_rent_usd": "Renting every hour, a year",
    "yearly_rent_usd": "Renting, a year",
    "rented_utilisation": "Share of the hours that rent is paid for",
    "break_even_utilisation": "Utilisation at which both cost the same",
    "break_even_months": "Months until buying is cheaper",
    "owned_present_value_usd": "Owning over the life, in today's money",
    "rented_present_value_usd": "Renting over the life, in today's money",
    "present_value_saving_usd": "Buying saves, in today's money",
    "usd_per_accelerator_hour": "Rental price",
    "agreed_usd_per_accelerator_hour": "Agreed rental price",
    "depreciation_years": "Useful life in years",
    "usd_per_accelerator": "Purchase price",
    "usd_per_kilowatt_hour": "Electricity tariff",
    "usd_per_kilowatt_month": "Colocation price",
}  # fmt: skip


class View:
    """Reads a computed scenario; `at` is a column, the first of which are the variants."""

    def __init__(self, computed: Computed) -> None:
        self.computed, self.resolved = computed, computed.resolved
        self.scenario: Scenario = self.resolved.loaded.scenario
        self.workload = self.resolved.workload
        self.variants: tuple[Case, ...] = self.resolved.variants

    @cached_property
    def fields(self) -> dict[str, Entry]:
        """The data dictionary of this workload; what is optional counts as an override of what a choice supplies."""
        return {name: entry for name, entry in dictionary(self.workload).items() if entry.kind != "optional"}

    @cached_property
    def lines(self) -> dict[str, Line]:
        """The lines of the calculation by name."""
        return {line.name: line for line in self.computed.lines}

    @cached_property
    def attributes(self) -> dict[str, tuple[Entry, Column]]:
        """Inputs that a choice supplies, with the choice and the column."""
        tables = self.resolved.catalogue.tables
        return {
            name: (entry, tables[entry.table].columns[column])
            for entry in self.fields.values()
            for name, column in attributes_of(entry, self.resolved.catalogue).items()
        }

    @cached_property
    def costs(self) -> tuple[float, ...]:
        """Total cost of each variant in USD; none without the prices that answer it."""
        columns = range(len(self.variants)) if "cost_total_usd" in self.lines else ()
        return tuple(self.value("cost_total_usd", at) for at in columns)

    def has(self, name: str) -> bool:
        """Whether anything of that name has a value."""
        return name in self.computed.values

    def value(self, name: str, at: int) -> float:
        """A figure or input in base units."""
        return float(self.computed.values[name][at])

    def unit(self, name: str) -> str:
        """Its unit in the words of `catalogue.quantities`; a share is `share`, a plain number `1`."""
        return quantities.unit_shown(name, self._plain_unit(name))

    def _plain_unit(self, name: str) -> str:
        if name in self.lines:
            return str(self.lines[name].figure.unit)
        if name in self.fields:
            return self.fields[name].unit
        return self.attributes[name][1].unit if name in self.attributes else ""

    def text(self, name: str, at: int) -> str:
        """The value as people read it: a label, a quantity with unit; memory in GiB, as on page 1, never in TiB."""
        labels = self.lines[name].figure.labels if name in self.lines else ()
        if labels:
            return labels[int(self.value(name, at)) - 1]
        value, unit = self.value(name, at), self.unit(name)
        return in_gib(value) if unit == "byte" and abs(value) >= 1024 * GIB else shown(value, unit)

    def meaning(self, name: str) -> str:
        """What it is, in one sentence without a full stop."""
        if name in self.lines:
            return self.lines[name].figure.meaning.rstrip(".")
        if name in self.fields:
            return self.fields[name].meaning
        return self.attributes[name][1].meaning if name in self.attributes else title_of(name)

    def setting(self, name: str, at: int) -> str:
        """A field's value in words: a choice by its title, a switch by yes or no, a number with its unit."""
        return self.worded(name, self.resolved.cases[at].settings[name], short=False)

    def worded(self, name: str, value: Any, short: bool = True) -> str:
        """Any value of a field in words; `short` names a choice by its id where that says enough."""
        entry = self.fields[name]
        if entry.kind == "choice":
            return str(value) if short and not isinstance(value, int) else self.choice_title(name, value)
        if entry.kind == "switch":
            return "yes" if value else "no"
        if entry.kind == "list":
            return ", ".join(map(str, value)) or "none"
        return shown(float(value), self.unit(name)) if entry.kind in ("number", "whole") else str(value)

    def table_of(self, name: str) -> Table:
        """The table from which a choice is made."""
        return self.resolved.catalogue.tables[self.fields[name].table]

    def choice_title(self, name: str, value: Any) -> str:
        """A choice as its table calls it."""
        table = self.table_of(name)
        return table.titles[table.row(value)] if value in table.ids else str(value)

    def source_of(self, name: str, at: int) -> Source:
        """The source of an attribute in a column: that of the row which is chosen there."""
        entry, column = self.attributes[name]
        return column.sources[int(self.resolved.codes[entry.name][at]) - 1]


def shown(value: float, unit: str) -> str:
    """A quantity as text, with a true minus sign."""
    return _true_minus(display(value, unit))


def in_gib(value: float) -> str:
    """Bytes in GiB, with a true minus sign."""
    return _true_minus(quantities.in_gib(value))


def counted(value: float, unit: str) -> str:
    """A quantity; round large counts in words, such as 70 billion."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if unit in ("1", "token") and value >= size and value % (size / 1000) == 0:
            return f"{shown(value / size, '1')} {word}{' tokens' if unit == 'token' else ''}"
    return shown(value, unit)


def pair_in_gib(first: float, second: float) -> tuple[str, str]:
    """Two sizes in GiB that read different where they are, with true minus signs."""
    one, other = quantities.pair_in_gib(first, second)
    return _true_minus(one), _true_minus(other)


def _true_minus(text: str) -> str:
    return text.replace("-", "−", 1) if text.startswith("-") else text


def in_sentence(title: str) -> str:
    """A title inside a sentence: its first letter small, unless it is an abbreviation."""
    return title if title[1:2].isupper() or title.startswith("ZeRO") else title[:1].lower() + title[1:]


def title_of(name: str) -> str:
    """A name in plain words: `kv_cache_dtype` is KV cache data type."""
    plain = name.rpartition(".")[2]
    if plain in TITLES:
        return TITLES[plain]
    words = [_SPELLED.get(word, word) for word in re.sub(r"_(bytes|usd|seconds|share)$", "", plain).split("_")]
    text = " ".join(words)
    return text[:1].upper() + text[1:]
