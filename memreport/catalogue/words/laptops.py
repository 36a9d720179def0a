"""Cards of laptops, which are called like larger ones of desktops: what they hold and how fast they read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Laptop(NamedTuple):
    """Memory in GB, and the GB of it that are read in a second."""

    memory: int
    rate: int


LAPTOPS: Mapping[str, Laptop] = {
    "rtx-5090": Laptop(24, 896),
    "rtx-5080": Laptop(16, 896),
    "rtx-5070-ti": Laptop(12, 672),
    "rtx-5070": Laptop(8, 384),
    "rtx-5060": Laptop(8, 384),
    "rtx-4090": Laptop(16, 576),
    "rtx-4080": Laptop(12, 432),
    "rtx-4070": Laptop(8, 256),
    "rtx-4060": Laptop(8, 256),
    "rtx-3080-ti": Laptop(16, 512),
    "rtx-3080": Laptop(8, 448),
    "rtx-3070-ti": Laptop(8, 448),
    "rtx-3070": Laptop(8, 448),
    "rtx-3060-12gb": Laptop(6, 336),
}
"""By the card of a desktop whose number they have.

Source: NVIDIA, comparison of GeForce laptops (memory, its type and the width of its bus), read 2026-11.
"""
A_LAPTOP = (
    r"(?P<said>(?<!jupyter )(?<!colab )(?<!kaggle )"
    r"\b(?:laptops?|notebooks?|mobile(?! (?:app|phone|device)s?\b)|max-q)\b)"
)
BEFORE_IT = re.compile(
    rf"{A_LAPTOP}(?: (?:with|has|having|of)(?: an?| one| my)?)? \(?(?:nvidia )?(?:geforce )?(?:[rg]tx[ -]?)?$"
)
BEHIND_IT = re.compile(
    rf"^(?: ?(?:ti|super)\b)*(?:,? ?\(?\d{{1,2}} ?gi?b)?[ -]?\(?"
    rf"(?:(?:in|of|on) (?:an?|my|the|our|this) (?:gaming )?)?{A_LAPTOP}"
)
"""What says so directly beside a card's name: `a laptop RTX 4090`, `RTX 4070 (mobile)`, `an RTX 4080 in my laptop`."""
NEAR = 24
"""Letters between a card and the word that says where it is."""
STATED = re.compile(r"(?<![\w.])(\d{1,2}) ?gi?b\b(?! (?:of )?(?:system |host )?(?:ram|ddr))")


def laptop_said(question: str, gpu: str, place: range) -> tuple[Laptop, range] | None:
    """The card of a laptop that a question in small letters names at a place, and the letters that say more of it."""
    before, usual = BEFORE_IT.search(question[: place.start]), LAPTOPS.get(gpu)
    behind = BEHIND_IT.search(question[place.stop :])
    if usual is None or not (before or behind):
        return None
    near = range(place.start - NEAR, place.stop + NEAR)
    memory = next((each for each in STATED.finditer(question) if each.start() in near), None)
    held = int(memory[1]) if memory else usual.memory
    return Laptop(held, usual.rate), range(*memory.span()) if memory else _said(before, behind, place)


def _said(before: re.Match[str] | None, behind: re.Match[str] | None, place: range) -> range:
    """Where in the question the word stands, of what is found before or behind the place of a card."""
    if before:
        return range(*before.span("said"))
    return range(*(place.stop + at for at in behind.span("said"))) if behind else place
