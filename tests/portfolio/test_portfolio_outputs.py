"""The portfolio's PDF, page and FOCUS rows: three pages, nothing from the network, costs that add up."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pikepdf
import pytest
from openpyxl import load_workbook

from memreport.build.portfolios import portfolio_files
from memreport.portfolio.plan import Planned, plan
from memreport.publish.pdf.portfolio import MOST_ROWS, portfolio_html, portfolio_pdf
from memreport.publish.svg.drawing import Drawing
from memreport.publish.svg.portfolio import commitment_drawing, month_drawing
from memreport.report.portfolio.said import portfolio_report
from tests.portfolio.test_portfolio import written
from tests.portfolio.test_portfolio_workbook import quoted
from tests.publish.pages import text_of


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    return plan(written(tmp_path_factory.mktemp("portfolio")))


@pytest.fixture(scope="module")
def files(planned: Planned) -> dict[str, bytes]:
    return portfolio_files(planned, ("xlsx", "pdf", "json", "html"))


def test_the_sheet_has_three_pages_and_carries_the_other_files(files: dict[str, bytes]) -> None:
    with pikepdf.open(io.BytesIO(files["all-2027.pdf"])) as book:
        assert len(book.pages) == 3
        attached = set(book.attachments)
    assert attached == {"all-2027.xlsx", "all-2027.json", "all-2027.txt", "all-2027-focus.csv",
                                     "portfolio.yaml"}  # fmt: skip


def test_the_last_page_lists_every_entry_that_it_has_room_for(files: dict[str, bytes], planned: Planned) -> None:
    listed = text_of(files["all-2027.pdf"]).partition("What is planned")[2].partition("What it rests on")[0]
    entries = portfolio_report(planned).table("entries")
    assert entries is not None
    assert len(entries.rows) > MOST_ROWS
    assert "further entries" not in listed
    assert all(row[0].split(",")[0] in listed for row in entries.rows)


def test_more_entries_than_three_pages_hold_are_counted(planned: Planned) -> None:
    report = portfolio_report(planned)
    tables = [replace(each, rows=each.rows * 9) if each.id == "entries" else each for each in report.tables]
    many = replace(report, tables=tuple(tables))
    made = portfolio_pdf(many, "portfolio.yaml", "0", "0", [])
    with pikepdf.open(io.BytesIO(made)) as book:
        assert len(book.pages) == 3
    assert "further entries stand in the workbook" in text_of(made)


def test_an_expired_quote_is_marked_on_paper_and_in_the_workbook(tmp_path: Path) -> None:
    path = quoted(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(", quote: offer", ""), encoding="utf-8")
    offer = tmp_path / "quotes" / "offer.yaml"
    offer.write_text(offer.read_text(encoding="utf-8").replace("2027-12-31", "2026-11-30"), encoding="utf-8")
    made = plan(path)
    html = portfolio_html(portfolio_report(made), "portfolio.yaml", "0", "0", [])
    assert ">expired 2026-11-30</td>" in html
    files = portfolio_files(made, ("xlsx",))
    sheet = load_workbook(io.BytesIO(files["all-2027.xlsx"]))["Quotes"]
    assert "expired 2026-11-30" in {cell.value for row in sheet.iter_rows(max_row=8) for cell in row}


def test_a_purchase_is_asked_for_and_reconciles_what_is_borne_with_what_is_billed(planned: Planned) -> None:
    report = portfolio_report(planned)
    bought = sum(float(cost.purchases.sum()) for cost in planned.spend.capacity.values())
    first, second, *_ = report.said.decisions
    assert first.startswith("Approve the purchase of ")
    assert f"{bought / 1.25:,.0f} EUR" in first
    written_off = float(planned.spend.parts["depreciation"].sum())
    billed = float(planned.spend.effective.sum()) - written_off + bought
    assert f"{written_off / 1.25:,.0f} EUR of it depreciation" in second
    assert f"{billed / 1.25:,.0f} EUR is billed" in second


def test_with_quotes_too_it_has_three_pages(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(portfolio_files(plan(quoted(tmp_path)), ("pdf",))["all-2027.pdf"])) as book:
        assert len(book.pages) == 3


def test_a_long_horizon_with_many_budgets_still_has_three_pages(tmp_path: Path) -> None:
    path = written(tmp_path)
    text = path.read_text(encoding="utf-8").replace("months: 12}", "months: 36}", 1)
    more = "".join(
        f"  - {{owner: ml, quarter: {year}-Q{at}, amount: 1}}\n" for year in (2028, 2029) for at in (1, 2, 3)
    )
    offer = "[{accelerator: a100-80gb-sxm, committed: 0.2, on_demand: 2, term_months: 36}, "
    text = text.replace("budgets:\n", f"budgets:\n{more}").replace("commitments: [", f"commitments: {offer}")
    path.write_text(text, encoding="utf-8")
    with pikepdf.open(io.BytesIO(portfolio_files(plan(path), ("pdf",))["all-2027.pdf"])) as book:
        assert len(book.pages) == 3


def test_the_page_needs_no_network_and_says_every_sentence_and_table(planned: Planned, files: dict[str, bytes]) -> None:
    html = files["all-2027.html"].decode()
    assert not re.findall(r"<(?:script|link|img|iframe)|url\(|https?://(?!www\.w3\.org)", html)
    report = portfolio_report(planned)
    plain = re.sub(r"<[^>]+>", " ", html).replace("&#39;", "'")
    for said in (*report.said.answer, *report.said.decisions, *(one.title for one in report.tables)):
        assert said in plain, said


def test_labels_of_the_drawings_do_not_overlap(planned: Planned) -> None:
    report = portfolio_report(planned)
    assert report.spend is not None
    drawings: list[Drawing] = [month_drawing(one) for one in (report.spend, *report.loads)]
    for drawing in [*drawings, *map(commitment_drawing, report.curves)]:
        boxes = [box for box, _ in drawing.labels]
        assert all(box.within(drawing.frame) for box in boxes)
        assert not any(one.overlaps(two) for at, one in enumerate(boxes) for two in boxes[:at])


def test_focus_rows_add_up_to_what_each_month_bears_and_is_billed(planned: Planned, files: dict[str, bytes]) -> None:
    rows = list(csv.DictReader(io.StringIO(files["all-2027-focus.csv"].decode())))
    for name, expected in (("EffectiveCost", planned.spend.effective), ("BilledCost", planned.spend.billed)):
        found: dict[str, float] = defaultdict(float)
        for row in rows:
            found[row["ChargePeriodStart"]] += float(row[name])
        assert list(found.values()) == pytest.approx(list(expected / 1.25), abs=0.1), name
    purchase = [row for row in rows if row["ChargeCategory"] == "Purchase"]
    assert [(row["ChargePeriodStart"], row["EffectiveCost"]) for row in purchase] == [("2027-01-01", "0.0")]
    owners: dict[str, float] = defaultdict(float)
    for row in rows:
        owners[row["x_Owner"]] += float(row["EffectiveCost"])
    expected_owners = {
        name: float(part.sum()) / 1.25 for name, part in planned.spend.by(planned.jobs.named.owners).items()
    }
    assert {name: value for name, value in owners.items() if name} == pytest.approx(expected_owners, abs=0.5)


def test_operating_and_capital_cost_stand_apart(planned: Planned) -> None:
    table = portfolio_report(planned).table("quarter")
    assert table is not None
    last = {row[0]: row[-1] for row in table.rows}
    assert last["Capital"] == f"{16000 * 8 / 4:,.0f}"
    assert last["Borne by the quarter"] == f"{planned.spend.effective.sum() / 1.25:,.0f}"
    assert float(last["Operating"].replace(",", "")) == pytest.approx(
        planned.spend.effective.sum() / 1.25 - 32000, abs=1
    )
