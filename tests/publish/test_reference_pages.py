from __future__ import annotations

from pathlib import Path

import pytest

from memreport.publish.markdown.reference_pages import pages

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(pages()))
def test_the_page_in_the_docs_is_what_the_dictionary_and_the_register_say(name: str) -> None:
    found = (DOCS / name).read_text(encoding="utf-8")
    assert found == pages()[name], f"docs/{name} is old: run `make docs` and read the difference"
