"""The page writes and reads numbers as reports and files do."""

from __future__ import annotations

import json
import random
from typing import Any

from memreport.catalogue import quantities
from memreport.catalogue.quantities import QuantityError, brief, display, parse_quantity
from memreport.paths import data_root
from memreport.publish.web.page.number_words import number_words
from memreport.report.view import pair_in_gib
from tests.browser import browser, browser_needed

__all__ = ["browser"]


def written(browser: Any, expression: str, given: Any) -> Any:
    """What the page's own reader and writer of numbers makes of something."""
    page = browser.new_page()
    data = json.dumps({"numbers": number_words()})
    source = (data_root() / "templates" / "page" / "numbers.js").read_text(encoding="utf-8")
    found = json.loads(
        page.evaluate(
            f"text => {{const DATA = {data};\n{source}\nreturn JSON.stringify(JSON.parse(text).map({expression}))}}",
            json.dumps(given),
        )
    )
    page.close()
    return found


def drawn_values() -> list[tuple[float, str]]:
    rng = random.Random(5)  # noqa: S311  numbers of a test
    sizes = [0.0, 1.0, 0.5, 2.5, 999.5, 1023.999 * 2**30, 0.995, 9.995, 99.95, 1234.5]
    values = [
        rng.choice([*sizes, round(rng.uniform(0, 2000), rng.randint(0, 4)), 10 ** rng.uniform(-8, 18)])
        for _ in range(1500)
    ]
    return [(value, rng.choice([*quantities.LADDERS, "GiB"])) for value in values]


@browser_needed
def test_numbers_are_written_as_reports_write_them(browser: Any) -> None:
    values = drawn_values()
    got = written(browser, "([value, unit]) => [display(value, unit), brief(value, unit)]", values)
    assert [tuple(one) for one in got] == [(display(*one), brief(*one)) for one in values]
    ends = [(value * 0.7, unit, value) for value, unit in values]
    got = written(browser, "([low, unit, value]) => brief(low, unit, value)", ends)
    assert got == [brief(*one) for one in ends]
    pairs = [(value, value * (1 + 10.0 ** -(1 + at % 9))) for at, (value, _) in enumerate(values[:300])]
    got = written(browser, "([a, b]) => pairInGib(a, b)", pairs)
    assert [tuple(one) for one in got] == [pair_in_gib(*one) for one in pairs]


TEXTS = (
    "80 GB",
    "80GiB",
    "1e9",
    "81920 MiB",
    "2.0 TB/s",
    "100 Gbit/s",
    "3.43 USD/h",
    "5 %",
    "12 days",
    "1,000",
    "$3",
    "",
    "80 gb",
    "4 GBq",
    "80 Gb",
    "70 bn",
    "2 TFLOPS",
    "3 secs",
    "-3",
    ".5 s",
    "1e999",
)


def said(found: dict[str, str]) -> tuple[str, str]:
    return found["message"], found.get("near") or ""


def read_or_said(text: str, unit: str) -> float | tuple[str, str]:
    """The number, or what is wrong and the nearest unit."""
    try:
        return parse_quantity(text, unit)
    except QuantityError as error:
        return error.message, error.nearest


@browser_needed
def test_numbers_are_read_as_files_are(browser: Any) -> None:
    given = [(text, unit) for text in TEXTS for unit in quantities.UNITS]
    for (text, unit), found in zip(
        given, written(browser, "([text, unit]) => parseQuantity(text, unit)", given), strict=True
    ):
        assert (said(found) if isinstance(found, dict) else found) == read_or_said(text, unit), (text, unit)
