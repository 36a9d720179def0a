"""Any text or number is written into a scenario so that it reads back as it was, and nothing else changes."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memreport.audit.yaml_edit import Edit, Value, with_edits
from memreport.errors import InputError

BLOCK = "# kept\nid: x\ntraining:\n  zero_stage: 0  # why\n\n  optimizer: adamw\nvariants:\n  plain:\n  other: {a: 1}\n"
PRINTED = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
VALUES: st.SearchStrategy[Value] = (
    PRINTED | st.integers(-10, 10**9) | st.booleans() | st.lists(PRINTED, max_size=3)
    | st.sampled_from(["a [x] b", "[", "]", "{a: b}", "a, b", "a: b", "# no", "- x", "!t", "&a", "*a", "%", "@", "`",
                       "no", "null", "~", "1e5", "12:30", "", " ", "'", '"', "a\nb", "\t", "---", "...", "\u2028", "?"])
)  # fmt: skip
PATHS = st.sampled_from(
    [
        ("training", "optimizer"), ("training", "new"), ("variants", "plain", "training.optimizer"),
        ("variants", "other", "a"), ("variants", "other", "b"), ("added", "further"), ("variants", "x [y]", "z"),
    ]
)  # fmt: skip


@given(path=PATHS, value=VALUES)
def test_every_value_reads_back(path: tuple[str, ...], value: Value) -> None:
    text = with_edits(BLOCK, [Edit(path, value)], "x.yaml")
    block = yaml.safe_load(text)
    for key in path:
        block = block[key]
    assert block == value
    assert text.startswith("# kept\nid: x\n")
    assert with_edits(text, [Edit(path, value)], "x.yaml") == text


def test_a_text_with_brackets_goes_into_brackets_twice() -> None:
    path = ("variants", "other", "note")
    once = with_edits(BLOCK, [Edit(path, "red [31m, {x}")], "x.yaml")
    assert "other: {a: 1, note: 'red [31m, {x}'}" in once
    twice = with_edits(once, [Edit(path, "blue ]")], "x.yaml")
    assert "other: {a: 1, note: 'blue ]'}" in twice


def test_a_form_that_would_say_something_else_is_refused() -> None:
    shared = "one: &a {x: 1}\ntwo: *a\n"
    with pytest.raises(InputError, match="change it by hand"):
        with_edits(shared, [Edit(("one", "x"), 2)], "x.yaml")
