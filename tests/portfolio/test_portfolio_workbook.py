"""The portfolio's workbook after typing equals one that is built of the changed file, cell by cell."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from memreport.audit.import_inputs import run
from memreport.audit.opening import opened
from memreport.audit.origin import changed_inputs
from memreport.commands.main import main
from memreport.portfolio.plan import Planned, plan
from memreport.publish.xlsx.planned.book import portfolio_book
from memreport.report.portfolio.focus import AMOUNTS, portfolio_focus
from memreport.report.portfolio.said import portfolio_report
from tests.lazily import lazily_read
from tests.libreoffice import libreoffice_recalculate
from tests.part import part
from tests.portfolio.test_portfolio import written
from tests.typed_workbook import recalculate_with

FIRST = 7
"""Row of the first entry and of the first row of GPUs."""
TERMS = FIRST + 4
"""Row of the terms of the only quote, below the table of what it comes to."""
BY_ENTRY = ("Days", "Covered", "Spend", "GPU-hours", "Borne", "Range", "FOCUS")
QUOTE = """schema: 1
id: offer
vendor: Offer
accelerator: a100-80gb-sxm
basis: rent
price: 1.5
currency: EUR
rate: {currency: EUR, usd: 1.25, date: 2026-11-20, source: central bank}
extras: {network: 14.6}
quoted: 2026-11-01
valid_until: 2027-12-31
source: offer 1
"""
Place = tuple[str, str]
Values = Mapping[Place, object]


def book(folder: Path, planned: Planned, name: str = "book") -> Path:
    path = folder / f"{name}.xlsx"
    path.write_bytes(portfolio_book(planned, portfolio_report(planned), "0"))
    return path


def quoted(folder: Path) -> Path:
    """The portfolio with a quote, at which its eighth entry is rented."""
    (folder / "quotes").mkdir()
    (folder / "quotes" / "offer.yaml").write_text(QUOTE, encoding="utf-8")
    path = written(folder)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("start: 2027-06-20", "start: 2027-06-20, quote: offer"), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Change:
    """What is typed, and the same written into a file."""

    edits: Mapping[Place, float]
    old: str
    new: str
    file: str = "portfolio.yaml"


CHANGES = {
    "a date": Change({("Entries", f"G{FIRST + 7}"): 355.0}, "start: 2027-06-20", "start: 2027-12-22"),
    "a quote": Change({("Quotes", f"D{TERMS}"): 2.25}, "price: 1.5", "price: 2.25", "quotes/offer.yaml"),
    "a price": Change({("GPUs", f"I{FIRST + 1}"): 3.0}, "price: 1.5 USD", "price: 3"),
    "a purchase": Change({("GPUs", f"F{FIRST}"): 20000.0}, "purchase: 16000 EUR", "purchase: 20000"),
    "a count": Change({("GPUs", f"C{FIRST}"): 5.0}, "count: 8", "count: 5"),
    "a probability": Change({("Entries", f"L{FIRST + 3}"): 0.75}, "probability: 0.5}", "probability: 0.75}"),
    "a priority": Change({("Entries", f"O{FIRST + 1}"): 1.0}, "priority: 3", "priority: 1"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("quoted")
    path = quoted(folder)
    return path, book(folder, plan(path))


TOGETHER = [("a date", "a quote"), ("a price", "a purchase", "a count"), ("a probability", "a priority")]


def changed(path: Path, names: tuple[str, ...]) -> Planned:
    """The plan of the changed files; they are put back."""
    before = {name: (path.parent / name).read_text(encoding="utf-8") for name in {CHANGES[one].file for one in names}}
    texts = dict(before)
    for one in (CHANGES[name] for name in names):
        assert one.old in texts[one.file]
        texts[one.file] = texts[one.file].replace(one.old, one.new)
    try:
        for name, text in texts.items():
            (path.parent / name).write_text(text, encoding="utf-8")
        return plan(path)
    finally:
        for name, text in before.items():
            (path.parent / name).write_text(text, encoding="utf-8")


@lru_cache(maxsize=4)
def values_of(path: Path) -> Workbook:
    """The workbook with values in place of its formulas."""
    return lazily_read(path, data_only=True)


def numbers_of(path: Path, sheet: str) -> dict[Place, float]:
    cells = (cell for row in values_of(path)[sheet].iter_rows(min_row=FIRST) for cell in row)
    return {(sheet, cell.coordinate): float(cell.value) for cell in cells if isinstance(cell.value, (int, float))}


def labelled(path: Path, sheet: str, found: Values | None = None) -> dict[str, list[float]]:
    """Rows of numbers by their label: the sentences above them are of other number after a change."""
    made: dict[str, list[float]] = {}
    for row in values_of(path)[sheet].iter_rows():
        cells = [(cell, found.get((sheet, cell.coordinate), cell.value) if found else cell.value) for cell in row[2:]]
        values = [float(str(value)) for cell, value in cells if isinstance(cell.value, (int, float))]
        if values and row[0].value and not isinstance(row[0].value, float):
            made.setdefault(f"{row[0].value} {row[1].value or ''}", values)
    return made


def agree(original: Path, found: Values, expected: Path) -> None:
    """Every number of the sheets by entry, of the summary and of owners and budgets."""
    for sheet in BY_ENTRY:
        now = {**numbers_of(original, sheet), **found}
        for place, value in numbers_of(expected, sheet).items():
            assert float(str(now[place])) == pytest.approx(value, rel=1e-9, abs=1e-7), place
    for sheet in ("Summary", "Owners"):
        rows, then = labelled(original, sheet, found), labelled(expected, sheet)
        assert set(rows) == set(then)
        for name, row in then.items():
            assert rows[name] == pytest.approx(row, rel=1e-9, abs=1e-7), (sheet, name)


def test_it_is_recalculated_to_what_it_was_built_with(built: tuple[Path, Path]) -> None:
    assert main(["audit", str(built[1])]) == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("portfolio.yaml", "quote: offer", "quote: ofer", "entries.7.quote: no such quote"),
        ("quotes/offer.yaml", "2027-12-31", "2027-06-19", "entries.7.quote: expired on 2027-06-19, before the entry"),
        ("quotes/offer.yaml", "a100-80gb-sxm", "h100-80gb-sxm", "entries.7.quote: is of h100-80gb-sxm"),
        ("quotes/offer.yaml", "basis: rent", "basis: buy", "entries.7.quote: is of rented GPUs, and the quote is a"),
        ("quotes/offer.yaml", "rate: {currency: EUR, usd: 1.25, date: 2026-11-20, source: central bank}\n", "",
         "currency: EUR has no rate"),
    ],
)  # fmt: skip
def test_a_mistake_of_a_quote_is_one_clear_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, old: str, new: str, said: str
) -> None:
    path = quoted(tmp_path)
    text = (tmp_path / file).read_text(encoding="utf-8")
    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    assert main(["show", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count(".yaml:") == 1


def test_a_quote_replaces_the_rent_and_says_what_all_would_cost_at_it(tmp_path: Path) -> None:
    """1.50 EUR and 14.60 EUR of network over 730 hours, at 1.25 USD: 1.90 USD instead of 2 USD."""
    planned = plan(quoted(tmp_path))
    bare = tmp_path / "bare"
    bare.mkdir()
    before = plan(written(bare))
    assert planned.spend.rent[7].sum() == pytest.approx(before.spend.rent[7].sum() * 0.95)
    assert planned.jobs.ranges.price_high[7] == 1.0
    (one,) = planned.quotes
    assert one.hourly == pytest.approx(1.9)
    assert one.total == pytest.approx(before.spend.effective.sum() - before.spend.rent.sum() * 0.05)


TERM = "term_months: 12\nminimum_accelerators: 24\negress: 0.05\negress_gb: 500\nquoted: 2026-11-01"


def with_term(folder: Path) -> Path:
    """The same portfolio, where the quote binds for a year and charges what leaves."""
    path = quoted(folder)
    (folder / "quotes" / "offer.yaml").write_text(QUOTE.replace("quoted: 2026-11-01", TERM), encoding="utf-8")
    return path


def test_a_term_a_minimum_and_egress_are_billed_whether_used_or_not(tmp_path: Path) -> None:
    """24 GPUs for 12 months of 730 h at 1.90 USD, and 31.25 USD for what leaves a run."""
    planned = plan(with_term(tmp_path))
    jobs = planned.jobs
    billed = jobs.hourly.rent[7] * (jobs.stop[7] - jobs.start[7])
    uplift = jobs.hourly.rent[7] / (jobs.hourly.factor[7] * jobs.hourly.rent_price[7] * jobs.gpus[7])
    runs = jobs.gpus[7] * (jobs.stop[7] - jobs.start[7]) / jobs.hourly.job_hours[7]
    assert billed == pytest.approx((24 * 12 * 730 * 1.9 + runs * 31.25) * uplift)
    assert "offer bills" in " ".join(portfolio_report(planned).said.answer)
    assert main(["audit", str(book(tmp_path, planned))]) == 0


def test_a_typed_term_is_what_the_engine_computes(built: tuple[Path, Path], tmp_path: Path) -> None:
    typed = dict(zip((f"{column}{TERMS}" for column in "GHIJ"), (12.0, 24.0, 0.05, 500.0), strict=True))
    found = recalculate_with(built[1], {("Quotes", cell): value for cell, value in typed.items()})
    agree(built[1], found, book(tmp_path, plan(with_term(tmp_path))))


@pytest.mark.parametrize("names", part(TOGETHER, 2), ids=" and ".join)
def test_what_is_typed_is_what_the_engine_computes(
    built: tuple[Path, Path], tmp_path: Path, names: tuple[str, ...]
) -> None:
    path, original = built
    edits = {place: value for name in names for place, value in CHANGES[name].edits.items()}
    found = recalculate_with(original, edits)
    agree(original, found, book(tmp_path, changed(path, names)))


def test_libreoffice_computes_the_same_after_price_date_and_quote(built: tuple[Path, Path], tmp_path: Path) -> None:
    if shutil.which("soffice") is None and not os.environ.get("CI"):
        pytest.skip("LibreOffice is not installed")
    _, original = built
    typed = load_workbook(original)
    (tmp_path / "changed").mkdir()
    path = quoted(tmp_path / "changed")
    texts = {"portfolio.yaml": path.read_text(encoding="utf-8"), "quotes/offer.yaml": QUOTE}
    for name in ("a date", "a quote", "a price", "a count"):
        one = CHANGES[name]
        texts[one.file] = texts[one.file].replace(one.old, one.new)
        for (sheet, cell), value in one.edits.items():
            typed[sheet][cell] = value
    typed.save(tmp_path / "typed.xlsx")
    for file, text in texts.items():
        (path.parent / file).write_text(text, encoding="utf-8")
    agree(original, libreoffice_recalculate(tmp_path / "typed.xlsx", tmp_path), book(tmp_path, plan(path)))


def test_what_is_typed_is_named_and_belongs_into_the_files(built: tuple[Path, Path], tmp_path: Path) -> None:
    typed = load_workbook(built[1])
    for place, value in (edit for one in CHANGES.values() for edit in one.edits.items()):
        typed[place[0]][place[1]] = value
    typed.save(tmp_path / "typed.xlsx")
    text, notes = run(tmp_path / "typed.xlsx", None, None)
    assert text == ""
    assert len(notes) == len(CHANGES) - 1, "the purchase is the same price in another currency"
    assert all("belongs into the portfolio's own file" in note for note in notes)
    named = {(one.field, one.variant) for one in changed_inputs(opened(tmp_path / "typed.xlsx"))}
    assert {("Starts on day", "large"), ("USD an hour", "a100-80gb-sxm"), ("Probability", "small")} <= named
    assert run(built[1], built[0].parent / "small.yaml", None) == ("", ())


def test_rows_of_focus_are_those_of_the_csv(built: tuple[Path, Path]) -> None:
    path, original = built
    expected = portfolio_focus(plan(path))
    sheet = values_of(original)["FOCUS"]
    heads, *rows = list(sheet.iter_rows(min_row=FIRST - 2, values_only=True))
    found = [dict(zip(map(str, heads), row, strict=True)) for row in rows]
    kept = [row for row in found if any(abs(float(str(row[name] or 0))) >= 0.005 for name in AMOUNTS)]
    assert len(kept) == len(expected) < len(found)
    for row, other in zip(kept, expected, strict=True):
        for name, value in other.items():
            wanted = pytest.approx(value, rel=1e-9, abs=1e-7) if isinstance(value, float) else value
            assert row[name] == (None if wanted == "" else wanted), name


def test_the_range_and_its_largest_risk_are_those_of_the_report(built: tuple[Path, Path]) -> None:
    path, original = built
    planned, sheet = plan(path), values_of(original)["Range"]
    cells = list(sheet.iter_rows(min_row=FIRST - 1, max_col=4, values_only=True))
    ends = {row[0]: row[2] for row in cells[:3]}
    assert ends["low"] == pytest.approx(planned.range.low / 1.25)
    assert ends["high"] == pytest.approx(planned.range.high / 1.25)
    first = next(row for row in cells if row[3] == 1)
    assert (first[0], first[1]) == (planned.risks[0].cause, planned.risks[0].scenario)
    assert first[2] == pytest.approx(planned.risks[0].usd / 1.25)


def test_a_run_of_odd_hours_ends_at_the_step_that_it_makes(tmp_path: Path) -> None:
    """A third of an hour divided by 24 and multiplied again is another number."""
    path = written(tmp_path)
    for name, hours in (("small", "100.1"), ("large", "77.7")):
        file = tmp_path / f"{name}.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"hours: \d+", f"hours: {hours}", text), encoding="utf-8")
    assert main(["audit", str(book(tmp_path, plan(path)))]) == 0


def test_the_best_commitment_follows_its_price(built: tuple[Path, Path]) -> None:
    path, original = built
    (offer,) = plan(path).commitments
    assert offer.best == 0
    price = (
        float(offer.shares[2]) - 1e-6
    ) * offer.on_demand  # the third GPU just pays, as does any that works as often
    found = recalculate_with(original, {("Commitments", "B6"): price})
    assert found["Commitments", "B9"] == float((offer.shares >= offer.shares[2]).sum())
