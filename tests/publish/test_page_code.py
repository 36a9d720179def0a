"""Texts of a page in signs: what the page reads of them is what was said."""

from __future__ import annotations

import json

from memreport.publish.web.page.packed import inert_json
from memreport.publish.web.page.repeated import SHORT_SIGNS, SIGNS, signs_of
from tests.publish.web_page import data_of

SENTENCES = [f"Bytes of the {name} gradients, which every rank keeps <whole>." for name in map(str, range(60))]
RARE = [SHORT_SIGNS, SIGNS[:9], "the the the the", "", '"quoted" and \\ slashed', "two\nlines"]


def page(data: dict[str, object]) -> str:
    return f'<template id="data">{inert_json(data)}</template>'


def test_texts_are_read_as_they_were_said() -> None:
    data = {
        "mixed": [*SENTENCES, 3, None, True, 0.5, *RARE],
        "texts": SENTENCES,
        "named": dict.fromkeys(SENTENCES, "a"),
    }
    assert data_of(page(data)) == data
    assert len(page(data).encode()) < 0.3 * len(json.dumps(data))


def test_a_letter_that_is_written_is_no_sign() -> None:
    signs = signs_of([*SENTENCES, *RARE])
    assert signs.words
    assert not set("".join(RARE)) & {signs.between, signs.other, *signs.signs}


def test_data_without_texts_is_read_too() -> None:
    assert data_of(page({"a": [1, 2], "b": {}})) == {"a": [1, 2], "b": {}}
