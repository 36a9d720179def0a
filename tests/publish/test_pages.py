"""The reading of pages finds what is out of place; all that it says of published sheets rests on that."""

from __future__ import annotations

import pytest
from weasyprint import HTML

from tests.publish.pages import misplaced, text_of

PLACED = "<style>p {{position: absolute; margin: 0; font-size: 9pt; {}}}</style><p>plain</p><p {}>words</p>"


@pytest.mark.parametrize(
    ("style", "said"),
    [
        ("top: 40pt", []),
        ("top: 3pt", ["1 plain on words"]),
        ("top: 3pt; left: 40pt", []),
        ("top: 3pt; left: 15pt", ["1 plain on words"]),
        ("top: 40pt; left: -60pt", ["1 outside: words"]),
        ("top: 765pt", ["1 outside: words"]),
        ("top: 40pt; left: -60pt; font-size: 1pt", []),
    ],
)
def test_words_that_cover_each_other_or_leave_the_page_are_found(style: str, said: list[str]) -> None:
    pdf = HTML(string=PLACED.format("", f"style='{style}'")).write_pdf()
    assert misplaced(pdf) == said
    assert set(text_of(pdf).split()) == {"plain", "words"}
