"""Hardware that a question names, of a scenario that does not state it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.changes import without_more
from memreport.catalogue.question.hardware import (
    OF_ITS_MACHINE,
    OF_NO_GPU,
    WHICH_GPU,
    Gpus,
    gpus_said,
    mac_said,
    memory_alone,
    memory_said,
    processor_said,
    without_mac,
)
from memreport.catalogue.question.numbers import Said
from memreport.catalogue.question.run import pretraining_asked
from memreport.catalogue.question.stated import block_of, question_of
from memreport.catalogue.question.workload import method_asked
from memreport.catalogue.records import Table
from memreport.catalogue.unstated.gpus import LOCAL, PROCESSOR, UNIFIED, gpu_named, is_local, is_of_brand
from memreport.catalogue.unstated.named_gpus import gpus_by_name, gpus_together
from memreport.catalogue.words.laptops import laptop_said
from memreport.catalogue.words.meaning import THE_QUESTION, WordRead, said_in_question

ASKED_OF = "h100-80gb-sxm"
"""The GPU that a search for one starts from, which decides nothing of what it finds."""
OF_GPUS_ALONE = re.compile(r"(rtx|gtx|rx|quadro|arc|titan|gaudi|tpu|trainium|inferentia|jetson)\b|.*-\(?\d+-?gi?b\b")
"""What a name begins with that is of a GPU for certain, or has its memory behind it; A3B is of a model, too."""
FOR_SEARCH = "names no GPU: what is submitted is computed on {count} {gpu}"
GIB = 2**30
SHARES_OF_MACS = ((36, 2 / 3), (10**9, 3 / 4))
"""Of a Mac's memory what its GPU may take, by the GB below which it does.  Source: working set in logs of llama.cpp."""
AS_LEAST = "is read as {} × {}, as different GPUs share a model in equal parts, which the one with least memory limits"


Sections = dict[str, dict[str, Any]]
"""Settings by section."""
Named = tuple[Sections, WordRead]
"""What a question names, and how it is read."""


def hardware_named(data: Mapping[str, Any], tables: Callable[[], Tables]) -> Iterator[Named]:
    """Each hardware that a scenario's question names; else the one that it means, or that a search starts from."""
    question = without_more(question_of(data))
    if mac := mac_said(question):
        yield _of_a_mac(mac, tables())
    found = _by_name(without_mac(question), tables)
    named = (_of_a_laptop(question, *_read(said.as_(gpus), said.value[1])) for gpus, said in found.items())
    yield from (_with_ram(question, *each, tables()) for each in named)
    if mac or found or any(OF_GPUS_ALONE.match(said.value.name) for said in gpus_said(question)):
        return  # nothing stands for a GPU that is named and not known
    if (meant := memory_said(question)) and (held := _of_memory(meant, tables())):
        yield held
    elif processor := processor_said(question):
        yield _of_a_processor(processor, question, tables())
    elif asks := re.search(OF_NO_GPU, question):
        yield _for_search(data, question, asks[0], tables())
    elif (alone := memory_alone(question)) and (held := _of_memory(alone, tables())):
        yield held


def _for_search(data: Mapping[str, Any], question: str, asks: str, tables: Tables) -> Named:
    """The GPUs that a search for some starts from, where a question names none."""
    several = _trains_all(data) and not re.search(WHICH_GPU, question)
    count, gpu = OF_ITS_MACHINE if several else 1, _searched_from(question, tables)
    left_open = data.get("workload") == "serving" or pretraining_asked(block_of(data, "training"), question)
    stated = 0 if left_open else count
    section, read = _read(Said(Gpus(stated, gpu), asks), FOR_SEARCH.format(count=count, gpu=gpu), source="")
    return section, replace(read, meaning=replace(read.meaning, unless_stated={"accelerator": gpu}))


def _searched_from(question: str, tables: Tables) -> str:
    """The usual GPU; where makers or series are asked for, that of them with most memory and most prices."""
    table, rented = tables["accelerators"], Counter(tables["rental_prices"].texts["accelerator"])
    held = table.columns["capacity_bytes"].values
    asked = [gpu for gpu, title in table.titles_by_id.items() if is_of_brand(question, title)]
    known = [gpu for gpu in asked if table.text("architecture", gpu) not in LOCAL]
    return ASKED_OF if ASKED_OF in asked else max(known, key=lambda gpu: (held[table.row(gpu)], rented[gpu]))


def _by_name(question: str, tables: Callable[[], Tables]) -> dict[Gpus, Said[tuple[Gpus, str]]]:
    """Each GPU that is named and how many, at all places where it is."""
    found: dict[Gpus, Said[tuple[Gpus, str]]] = {}
    for said in gpus_by_name(question, tables):
        found[said.value[0]] = said.with_(found.get(said.value[0]))
    return found


def leaves_gpu_open(words: Iterable[WordRead]) -> bool:
    """Whether what is read in a question names no GPU, and one was assumed."""
    return any("accelerator" in word.meaning.unless_stated for word in words if word.field == "question")


def _trains_all(data: Mapping[str, Any]) -> bool:
    """Whether all weights are trained, for which a machine of GPUs is usual."""
    stated = block_of(data, "training").get("method", "full")
    return data.get("workload") == "training" and stated == "full" and not method_asked(data)


def hardware_together(data: Mapping[str, Any], tables: Callable[[], Tables]) -> Named | None:
    """Different GPUs that a scenario's question uses at once, counted as so many of the one with least memory."""
    found = None if data.get("variants") else gpus_together(without_more(question_of(data)), tables)
    return _read(found, AS_LEAST.format(found.value.number, found.value.name)) if found else None


def _read(said: Said[Gpus], assumes: str, source: str = THE_QUESTION) -> Named:
    count, gpu, _, per_node = said.value
    read = said_in_question(said.words, assumes, source=source, places=said.places)
    spread = {name: value for name, value in (("count", count), ("per_node", per_node)) if value}
    return {"hardware": {"accelerator": gpu, **spread}}, read


def _of_memory(said: Said[tuple[int, int]], tables: Tables) -> Named | None:
    """GPUs that are meant by their memory in GB: one that has it, else the next larger with less of its memory."""
    count, memory = said.value
    if gpu := gpu_of_memory(memory, tables):
        return _read(said.as_(Gpus(count, gpu)), f"is read as {gpu}")
    table = tables["accelerators"]
    held = table.columns["capacity_bytes"].values
    larger = [gpu for gpu in _alone(table) if held[table.row(gpu)] >= memory * GIB]
    gpu = min(larger, key=lambda each: float(held[table.row(each)]), default="")
    return (
        _with_memory(memory, *_read(said.as_(Gpus(count, gpu)), f"is read as {gpu} with {memory} GiB")) if gpu else None
    )


def _with_memory(memory: float, sections: Sections, read: WordRead) -> Named:
    """Hardware of which a job may take so many GiB."""
    return {**sections, "overrides": {"capacity_bytes": memory * GIB}}, read


def gpu_of_memory(memory: int, tables: Tables) -> str:
    """The GPU that is meant by its memory in GB: that which most prices rent, of those for a workstation where one is.

    Where none is rented, the one that reads its memory least fast.
    """
    table, rented = tables["accelerators"], Counter(tables["rental_prices"].texts["accelerator"])
    sold = {gpu: table.columns["marketed_capacity_bytes"].values[table.row(gpu)] for gpu in map(str, table.ids)}
    alike = [gpu for gpu, size in sold.items() if size == memory * 10**9 and not is_local(table, gpu)]
    alone = [gpu for gpu in _alone(table) if gpu in alike]
    meant = alone if any(rented[gpu] for gpu in alone) or not any(rented[gpu] for gpu in alike) else alike
    rate = table.columns["memory_bytes_per_second"].values
    return max(meant or alike, key=lambda gpu: rented[gpu] or 1 / float(rate[table.row(gpu)]), default="")


def _alone(table: Table) -> list[str]:
    """GPUs that stand in a workstation, of the maker that all programs have kernels for."""
    ids = (gpu for gpu in map(str, table.ids) if table.columns["runs_cuda"].values[table.row(gpu)])
    return [gpu for gpu in ids if table.text("host_alone", gpu) == "workstation"]


def _with_ram(question: str, sections: Sections, read: WordRead, tables: Tables) -> Named:
    """A processor that is named with the memory that is stated beside it."""
    gpu = str(sections["hardware"]["accelerator"])
    said = processor_said(question) if tables["accelerators"].text("architecture", gpu) == PROCESSOR else None
    if not said or not said.value:
        return sections, read
    return _with_memory(said.value, sections, replace(read, places=(*read.places, *said.places)))


def _of_a_laptop(question: str, sections: Sections, read: WordRead) -> Named:
    """A card of a laptop, which has less memory than that of a desktop with its name, and reads it less fast."""
    said = laptop_said(question, str(sections["hardware"]["accelerator"]), read.places[0]) if read.places else None
    if said is None:
        return sections, read
    (memory, rate), place = said
    rates = {"memory_bytes_per_second": rate * 10**9} if rate else {}
    of = f" and {rate} GB/s" if rate else ""
    meaning = replace(read.meaning, assumes=f"is read as the card of a laptop with {memory} GB{of}")
    stated = {**sections, "overrides": {"capacity_bytes": memory * GIB, **rates}}
    return stated, replace(read, meaning=meaning, places=(*read.places, place))


def _of_a_processor(said: Said[int], question: str, tables: Tables) -> Named:
    """A processor: one of the family that is named, else the slowest that is known, with the memory that is stated."""
    table, memory = tables["accelerators"], said.value
    known = [gpu for gpu in map(str, table.ids) if table.text("architecture", gpu) == PROCESSOR]
    gpu = next((gpu for gpu in known if re.search(rf"\b{gpu.partition('-')[0]}\b", question)), "")
    gpu = gpu or _slowest(PROCESSOR, tables)
    named = _read(said.as_(Gpus(1, gpu)), f"is read as {gpu}{f' with {memory} GiB' if memory else ''}")
    return _with_memory(memory, *named) if memory else named


def _of_a_mac(said: Said[tuple[str, int]], tables: Tables) -> Named:
    """A Mac by its chip, or the slowest that has as much memory, with what its GPU may take of what is stated."""
    chip, memory = said.value
    share = next(share for most, share in SHARES_OF_MACS if memory < most)
    gpu = gpu_named(chip, tables) or _slowest(UNIFIED, tables, memory * share)
    named = _read(said.as_(Gpus(1, gpu)), f"is read as {gpu}, whose GPU may take {share:.0%} of the memory")
    return _with_memory(memory * share, *named)


def _slowest(architecture: str, tables: Tables, memory: float = 0) -> str:
    """Of the devices of an architecture, of those with so many GiB where any has them, the slowest to read memory."""
    table = tables["accelerators"]
    rate, held = (table.columns[name].values for name in ("memory_bytes_per_second", "capacity_bytes"))
    alike = [gpu for gpu in map(str, table.ids) if table.text("architecture", gpu) == architecture]
    large = [gpu for gpu in alike if held[table.row(gpu)] >= memory * GIB - GIB / 2]
    return min(large or alike, key=lambda gpu: float(rate[table.row(gpu)]))
