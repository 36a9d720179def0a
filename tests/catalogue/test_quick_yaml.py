"""The quick reading of plain YAML gives what the strict one gives, or leaves the text to it."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from memreport.catalogue.yaml.quick import plain
from memreport.catalogue.yaml.strict import MAX_DEPTH, MAX_NODES, Mark, _unseen_characters, _walked
from tests.fuzz_mutations import PIECES
from tests.support import ROOT

SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))
INSERTED = [*PIECES, *":,-[]{}'\"#?|>&*!%@` \n~=<é", ": ", "? ", "# x", "a:b", "{a:1}", "[a:b]", "{a,}", "{a: }", "''"]
CHANGES = 1500


def quick(text: str, most_nodes: int = MAX_NODES) -> tuple[object, ...] | None:
    found = plain(text, partial(Mark, "f"), MAX_DEPTH, most_nodes)
    return (repr(found.data), found.marks, found.key_marks) if found else None


def strict(text: str) -> tuple[object, ...]:
    document, faults = _walked(text, "f", [], MAX_NODES)
    assert document
    assert not faults
    return repr(document.data), document.marks, document.key_marks


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_scenario_is_read_quickly(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert quick(text) == strict(text)


@pytest.mark.parametrize(
    "text",
    ["a: &x 1", "a: *x", "a: !!str 1", "<<: {a: 1}", "a: 1\na: 2", "1: a", "~: a", "? a\n: b", "a: .inf", "a: 1e999",
     "a: |2\n  x", "a: >+\n x", "- |\n x", "a:\t1", "--- a", "a: 1\n---\nb: 2", "", "# only", "{a: }",
     "{a?: b}", "{a: b:}", "{a: b?c}", "- *x", "[&x 1]", "- >\n x", "a:\n  %x", "{'a':!b}",
     "%YAML 1.1\n---\na: 1", 'a: "\\x41"', "[" * 70 + "]" * 70, "a: [", "a: 'x", "a: @x", "[[a]: b]"],
)  # fmt: skip
def test_what_is_not_beyond_doubt_is_left_to_the_strict_reading(text: str) -> None:
    assert quick(text) is None


@pytest.mark.parametrize(
    "text",
    ["a: 5% & more\nb: x*y!", "a: {b: https://x.y/z%20*}", "a: |\n x\n\n  y\n z\n",
     "a:\n  - b: >-\n      x\n      y # z",
     "a: >\n  x\n\n   y: z\n  w\n\n\nb: 1", "a: |-\n  x\n\nb: 2\n", "a: >-\n\n   x\n  y\n"],
)  # fmt: skip
def test_signs_inside_a_text_and_plain_block_texts_are_read_quickly(text: str) -> None:
    found = quick(text)
    document, faults = _walked(text, "f", [], MAX_NODES)
    assert found == (None if faults or document is None else strict(text))
    assert found or faults


def test_a_file_of_too_many_values_is_left_to_the_strict_reading() -> None:
    assert quick("[1, 2, 3]", 4)
    assert quick("[1, 2, 3]", 3) is None


def test_changed_texts_are_read_as_strictly_or_left() -> None:
    chance = random.Random(2026)  # noqa: S311  # the same changes in every run
    texts, read = [path.read_text(encoding="utf-8") for path in SCENARIOS], 0
    for _ in range(CHANGES):
        lines = chance.choice(texts).split("\n")
        first, at = chance.randrange(len(lines)), chance.randrange(400)
        text = "\n".join(lines[first : first + 12])
        text = text[:at] + chance.choice(INSERTED) + text[at + chance.randrange(3) :]
        if "\r" in text or _unseen_characters(text, "f"):
            continue
        if (found := quick(text)) and found[0] != "None":
            assert found == strict(text), text
            read += 1
    assert read > CHANGES / 20
