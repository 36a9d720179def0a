"""GPUs by the names that the catalogue has for them: by title, of several at once the least, the nearest."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.hardware import Gpus, are_together, gpus_said
from memreport.catalogue.question.numbers import Said, matched, places_of
from memreport.catalogue.records import Table
from memreport.catalogue.unstated.gpus import gpu_named, is_local, largest_form
from memreport.catalogue.words.instances import LIKE_ONE, machines_said
from memreport.errors import OR, nearest

OF_CLOUDS = ("aws", "azure", "gcp")
"""Providers whose instances have names of their own."""
LIKE_AN_INSTANCE = re.compile(r"\d*xlarge|\b(?:aws|ec2) [a-z]+\d|gpu-\dg\b|(?:\b|_)n[cd]\d+")
WHOLE_SIZES, SMALL_SIZES = "(?:24|48)xlarge", "[24]?xlarge"
"""Sizes of a family whose price names none: of all GPUs of a machine, or of one.  Source: AWS, EC2 instance types."""
WORD = re.compile(r"[a-z\d][\w.+-]*")
ALIAS = re.compile(r"\(([^)]+)\)")
"""What a title calls a GPU besides its name: `(Strix Halo)`."""
NUMBER = re.compile(r"[a-z-]*\d{3,}[a-z]*")
"""The number of a product, which others of its maker lack."""
STATED_MEMORY = re.compile(r"(?:\bwith )?\(?(?<!\d)\d+[ -]?gi?b\b\)?(?: of (?:the |an? )?)?")
WITH_MEMORY = re.compile(r"(.+)-with-\(?(\d+)-?gi?b\)?")
MAKERS = frozenset(("nvidia", "amd", "intel", "apple", "google", "aws"))
MOST_WORDS, MOST_NEAR, ALIKE = 4, 3, 0.6


NOT_STATED = "is read as the hardware, which is not stated"


def gpus_by_name(question: str, tables: Callable[[], Tables]) -> Iterator[Said[tuple[Gpus, str]]]:
    """The GPUs of the catalogue that a question in small letters names, how many, and how each name is read."""
    rented = [*instances_said(question, tables)]
    for instances in rented:
        yield instances.as_((instances.value, f"{NOT_STATED}: what a rented instance of that name holds"))
        for place in instances.places:
            question = question[: place.start] + " " * len(place) + question[place.stop :]
    question = LIKE_ONE.sub(lambda each: " " * len(each[0]), question)  # a machine that is not known is no GPU
    held = {instances.value.name for instances in rented}  # `Inferentia2 inf2.48xlarge` names it twice
    named = (_known(question, said, tables) for said in gpus_said(question, tuple(_other_names(question, tables))))
    yield from (said for said in named if said and (said.value[0].number or said.value[0].name not in held))


def _known(question: str, said: Said[Gpus], tables: Callable[[], Tables]) -> Said[tuple[Gpus, str]] | None:
    """A GPU that a question names, as the catalogue calls it, and how its name is read; None where it is not known."""
    for called in _called(said.value, tables):
        named = gpu_named(called, tables())
        if gpu := named or largest_form(called, tables()):
            count = said.value.number or int(is_local(tables()["accelerators"], gpu))
            found = said if STATED_MEMORY.search(called) else _without_memory(question, said)
            gpus = said.value._replace(number=count, name=gpu, memory="")
            return found.as_((gpus, NOT_STATED if named else f"is read as {gpu}"))
    return None


def instances_said(question: str, tables: Callable[[], Tables]) -> Iterator[Said[Gpus]]:
    """The GPUs of instances that a question in small letters names as clouds do: `2 g5.12xlarge`, `AWS p5`."""
    if not (LIKE_AN_INSTANCE.search(question) or LIKE_ONE.search(question)):
        return
    table = tables()["rental_prices"]
    found = {
        range(*said.span()): matched(said, _of_machines(number, machine.gpu, machine.held))
        for said, number, machine in machines_said(question)
    }
    for row, gpu in enumerate(table.texts["accelerator"]):
        held = int(table.columns["instance_accelerators"].values[row])
        for said in re.finditer(_instance(table, row, held), question) if held else ():
            found.setdefault(range(*said.span()), matched(said, _of_machines(int(said[1] or 1), gpu, held)))
    longest = sorted(found, key=len, reverse=True)
    yield from (found[each] for at, each in enumerate(longest) if not any({*each} & {*more} for more in longest[:at]))


def _of_machines(number: int, gpu: str, held: int) -> Gpus:
    return Gpus(number * held, gpu, "", held if number > 1 else 0)


def _instance(table: Table, row: int, held: int) -> str:
    """The pattern of an instance of so many GPUs, how many first; one that matches nothing where it has no name."""
    provider, term = (str(table.texts[name][row]).lower() for name in ("provider", "term"))
    parts = str(table.ids[row]).removeprefix(f"{provider}-").removesuffix(f"-{term}").split("-")
    name = "[._-]".join(map(re.escape, parts))
    if len(parts) == 1:
        name = rf"(?:(?:aws|ec2) {name}|{name}\.{WHOLE_SIZES if held > 1 else SMALL_SIZES})"
    return rf"(?:\b(\d+) ?[x×]? ?)?(?<![\w.])(?:standard_)?{name}\b" if provider in OF_CLOUDS else "(?!)"


def _called(gpus: Gpus, tables: Callable[[], Tables]) -> Iterator[str]:
    """What GPUs may be called in the catalogue: with the memory that is stated of them, else without it."""
    names = (gpus.name, re.sub(r"(?<=\d)s\b", "", gpus.name))
    if gpus.memory:
        yield from (f"{name}-{gpus.memory}gb" for name in names)
    yield from names
    if more := WITH_MEMORY.fullmatch(names[-1]):
        yield from filter(None, [_of_less(more[1], int(more[2]), tables())])


def _of_less(name: str, memory: int, tables: Tables) -> str:
    """A name of a GPU that has less than so many GB, which then are the machine's: `an RTX 4090 with 64 GB`."""
    gpu, table = gpu_named(name, tables) or largest_form(name, tables), tables["accelerators"]
    sold = table.columns["marketed_capacity_bytes"].values
    return name if gpu and float(sold[table.row(gpu)]) < memory * 10**9 else ""


def _without_memory(question: str, said: Said[Gpus]) -> Said[Gpus]:
    """GPUs that are known without the memory that a question states of them, which nothing then has read."""
    place = said.places[0]
    memory = STATED_MEMORY.search(question, place.start, place.stop)
    if memory is None:
        return said
    before, behind = range(place.start, memory.start()), range(memory.end(), place.stop)
    parts = (behind, before) if said.value.memory else (before, behind)
    words = " ".join(question[part.start : part.stop].strip() for part in (before, behind) if part)
    return Said(said.value, words.strip(), (*filter(None, parts), *said.places[1:]))


def gpus_together(question: str, tables: Callable[[], Tables]) -> Said[Gpus] | None:
    """Of different GPUs that are used at once the one with least memory, the slowest of these, and how many in all."""
    said = [each.as_(each.value[0]) for each in gpus_by_name(question, tables)]
    different = len({each.value.name for each in said}) > 1
    if not different or not all(are_together(question, *pair) for pair in pairwise(said)):
        return None
    table = tables()["accelerators"]
    limits = [table.columns[name].values for name in ("capacity_bytes", "memory_bytes_per_second")]
    least = min((each.value.name for each in said), key=lambda gpu: [float(each[table.row(gpu)]) for each in limits])
    words = question[said[0].places[0].start : said[-1].places[0].stop].strip()
    return Said(Gpus(sum(max(each.value.number, 1) for each in said), least), words, places_of(said))


def without_numbers(question: str, tables: Callable[[], Tables]) -> str:
    """A question without numbers that are of names which the catalogue alone has: `EPYC 9554 tokens/s` is no rate."""
    lower = question.lower()
    for name in sorted(_other_names(lower, tables), key=len, reverse=True):
        at = lower.find(name)
        question = question[:at] + re.sub(r"\d", " ", question[at : at + len(name)]) + question[at + len(name) :]
    return question


def gpus_near(question: str, tables: Tables) -> str:
    """Up to three GPUs whose names are near those that a question has and the catalogue lacks; "" for none."""
    gpus = tables["accelerators"].titles_by_id
    said = [each.value.name for each in gpus_said(question.lower())] + [*_numbered(question.lower())]
    found = (difflib.get_close_matches(name, gpus, MOST_NEAR, ALIKE) or [nearest(name, gpus)] for name in said)
    return next(filter(None, map(OR.join, found)), "")


def _numbered(question: str) -> Iterator[str]:
    """Words of a question in small letters with the number of a product among them, the longest parts first."""
    words = WORD.findall(question)
    for length in range(MOST_WORDS - 1, 0, -1):
        parts = (words[start : start + length] for start in range(len(words) - length + 1))
        yield from ("-".join(part) for part in parts if any(map(NUMBER.fullmatch, part)))


def _other_names(question: str, tables: Callable[[], Tables]) -> list[str]:
    """Parts of a question in small letters that titles of the catalogue have and no usual name of a GPU is."""
    taken = {letter for said in gpus_said(question) for letter in said.places[0]}
    aliases, known = _names(tuple(tables()["accelerators"].titles_by_id.items()))
    words = [(word.start(), word.end()) for word in WORD.finditer(question)]
    found: list[str] = []
    for length in range(MOST_WORDS, 0, -1):
        for start in range(len(words) - length + 1):
            span = range(words[start][0], words[start + length - 1][1])
            text = question[span.start : span.stop].rstrip(".")
            if taken.isdisjoint(span) and _is_name(text, aliases, known) and gpu_named(text, tables()):
                taken.update(span)
                found.append(text)
    return found


def _is_name(text: str, aliases: frozenset[str], known: frozenset[str]) -> bool:
    """Whether a text is what a title calls a GPU, or words of titles with a number of a product among them."""
    if text in aliases:
        return True
    parts = re.split(r"[ -]+", text)
    numbers = [part for part in parts if NUMBER.fullmatch(part)]
    letters = [part for part in parts if not part.isdigit() and part not in MAKERS]
    return bool(numbers and letters) and all(part in known for part in parts)


@cache
def _names(titles: tuple[tuple[str, str], ...]) -> tuple[frozenset[str], frozenset[str]]:
    """What titles call GPUs besides their names, and all words of names."""
    said = [(id_, title.lower().partition(",")[0]) for id_, title in titles]
    aliases = frozenset(alias for _, title in said for alias in ALIAS.findall(title))
    names = (f"{id_.replace('-', ' ')} {ALIAS.sub('', title)}" for id_, title in said)
    return aliases, frozenset(part for name in names for part in name.split())
