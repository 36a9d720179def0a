"""Long lists of texts in a page: what the page reads of their signs is what was said."""

from __future__ import annotations

import json

from memreport.publish.web.page.render import inert_json
from memreport.publish.web.page.repeated import SIGNS, in_signs
from tests.publish.web_page import data_of

SENTENCES = [f"Bytes of the {name} gradients, which every rank keeps <whole>." for name in map(str, range(60))]


def test_texts_are_read_as_they_were_said() -> None:
    mixed = [*SENTENCES, 3, f"the letter {SIGNS[0]} is written", "", '"quoted" and \\ slashed']
    page = f'<template id="data">{inert_json({"a": mixed})}</template>'
    assert data_of(page) == {"a": mixed}
    assert len(page.encode()) < 0.6 * len(json.dumps(mixed))


def test_a_letter_that_is_written_is_no_sign() -> None:
    (packed,) = in_signs([*SENTENCES, f"the letter {SIGNS[0]} is written"])
    assert SIGNS[0] not in packed["signs"]


def test_short_lists_stay_as_they_are() -> None:
    assert not list(in_signs(SENTENCES[:3]))
