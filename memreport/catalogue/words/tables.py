"""Every word of another program that is a choice or a switch, by section, name and word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from memreport.catalogue.words.meaning import Meaning
from memreport.catalogue.words.names import nested, same_field, stated_instead, words_file
from memreport.frozen import frozen

SECTIONS = ("training", "serving")
CALL_PEFT = ("", "huggingface", "transformers", "trl", "deepspeed")
"""Programs in which PEFT's own name of a method is one, too."""
OF_PEFT = "what its configuration takes where it is not stated: {}"


@frozen
class WordRow:
    """Fields, or names elsewhere, with words in small letters and what each stands for; no words stand for any."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    meaning: Meaning


@cache
def word_rows(section: str) -> tuple[WordRow, ...]:
    """The rows of a section's file, methods of PEFT first."""
    file = words_file(section)
    sources, assumed = file["sources"], file.get("assumptions", {})
    methods = (
        row for of in ("method", "peft_type") for given in file.get("peft_types", ()) for row in _peft(of, given)
    )
    return tuple(_row(row, sources, assumed) for given in (*methods, *file["rows"]) for row in _each(given))


def source_of_words(name: str) -> str:
    """A source that the file of training names."""
    return str(words_file("training")["sources"][name])


@cache
def meanings(section: str) -> Mapping[tuple[str, str], Meaning]:
    """By name and word: "" stands for any word, `word@program` and `word@program+method` for what it means there."""
    return {
        (name, word): row.meaning for row in word_rows(section) for name in row.names for word in row.words or ("",)
    }


def settings_of(section: str, name: str, word: str) -> dict[str, object]:
    """The fields that a word of a question sets: what it stands for, or itself."""
    meaning = meanings(section).get((name, word))
    return {**meaning.unless_stated, **meaning.settings} if meaning else {name: word}


def _row(row: Mapping[str, Any], sources: Mapping[str, str], assumed: Mapping[str, str]) -> WordRow:
    words = tuple(_in_programs(str(row.get("words", "")).split(), row.get("programs", ()), row.get("methods", ("",))))
    assumes = row.get("assumes", "")
    meaning = Meaning(
        _values(row.get("sets", {})),
        sources[row["source"]],
        _values(row.get("unless_stated", {})),
        assumed.get(assumes, assumes),
        tuple(row.get("replaces", ())),
        tuple(row.get("lacks", ())),
    )
    return WordRow(tuple(row["of"].split()), words, meaning)


def _values(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings as fields hold them: names of several things as a tuple."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}


def _in_programs(words: Sequence[str], programs: Sequence[str], methods: Sequence[str]) -> Iterator[str]:
    """Words as such, or as what they mean in some programs alone, with some methods."""
    if not programs:
        yield from words
    beside = [f"+{method}" if method else "" for method in methods]
    yield from (f"{word}@{program}{method}" for word in words for method in beside for program in programs)


def _each(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A row as it is; one whose words are numbers of a field once for each number."""
    if "counted" not in row:
        yield row
        return
    for word in row["words"].split():
        yield {**row, "words": word, "sets": {**row.get("sets", {}), row["counted"]: int(word)}}


def _peft(of: str, given: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A method of PEFT, by its words as a method and by its own name, with what its configuration takes."""
    words, named, takes = given["words"].split(), {"peft_type": given["type"]}, given["unless_stated"]
    listed = (f"{name} {', '.join(v) if isinstance(v, list) else v}" for name, v in sorted(takes.items()))
    row = {"of": of, "source": "METHODS", "assumes": OF_PEFT.format("; ".join(listed)) if takes else ""}
    if of == "method":
        yield {**row, "words": given["words"], "sets": {"method": "lora", **named}, "unless_stated": takes}
        return
    spelt = (*(word for word in words if word != given["type"]), *_in_programs(words, CALL_PEFT, ("",)))
    yield {**row, "words": " ".join(spelt), "sets": named, "unless_stated": {"method": "lora", **takes}}


LEFT_OPEN = ("modules_to_save", "encoder_hidden_size", "num_attention_heads")
"""Options of our own names that PEFT writes as null."""


@cache
def named_elsewhere() -> frozenset[str]:
    """Names that other programs have; left empty, they say nothing."""
    fields, choices = (name for _, name in same_field()), (name for of in SECTIONS for name, _ in meanings(of))
    return frozenset({*stated_instead(), *nested(), *fields, *choices, *LEFT_OPEN})


def is_no_block(name: str, block: Iterable[object]) -> bool:
    """Whether a block stands where one word is wanted: of `name` words are known, of what is in it nothing is."""
    of_words = any(name == field for of in SECTIONS for field, _ in meanings(of))
    options = (str(key).lstrip("-").replace("-", "_") for key in block)
    return of_words and (named_elsewhere() | nested()[name].keys()).isdisjoint(options)
