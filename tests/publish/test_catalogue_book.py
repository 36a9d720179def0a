"""The workbook of all variants: every one is there, counts are live, links lead to workbooks, bytes are repeated."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils import get_column_letter

from memreport.audit.report import audit
from memreport.commands.main import main
from memreport.publish.web.index import index_html
from memreport.publish.xlsx.catalogue import catalogue_book
from tests.lazily import lazily_read
from tests.libreoffice import libreoffice_recalculate
from tests.publish.workbook_cases import cached, differing, strangers_differ
from tests.support import packaged
from tests.typed_workbook import recalculate_with


def entry(id_: str, *words: str, cost: float | None = 10.5) -> dict[str, Any]:
    variants = [
        {"name": f"=variant {at}", "fits": word != "Does not fit", "word": word, "peak_bytes": 3.0 * 2**30,
         "capacity_bytes": 4.0 * 2**30, "headroom_share": 0.25, "model": f"M{at}", "hardware": f"{1 + at} × H",
         "cost_total_usd": cost and cost + at}
        for at, word in enumerate(words)
    ]  # fmt: skip
    named = {"id": id_, "version": 1, "title": f"Title of {id_}", "workload": "serving", "model": "M", "hardware": "H"}
    answered = {
        "answer_word": "Fits" if cost else "Does not fit", "recommended": "eight of them", "recommended_count": 8,
        "recommended_accelerator": "H", "accelerator_hours": 100.0 if cost else 200.0, "cost_usd": cost,
        "accelerator_hours_ends": (80.0, 125.0), "cost_ends_usd": cost and (8.0, 14.0),
        "period": "a run", "prices_as_of": "2026-11-20", "price_age_days": 56 if cost else None, "owner": "finance",
    }  # fmt: skip
    return {
        "files": [f"{id_}/{id_}.json", f"{id_}/{id_}.xlsx"],
        "summary": named | answered | {"cost_total_usd": cost, "variants": variants},
    }


GPUS = [packaged().tables["accelerators"]]
ENTRIES = [entry("one", "Fits", "Does not fit"), entry("two", "Fits", cost=None)]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "catalogue.xlsx"
    path.write_bytes(catalogue_book(ENTRIES, "0.0", GPUS))
    return path


def test_every_scenario_is_a_row_worst_first(book: Path) -> None:
    sheet = lazily_read(book, data_only=True)["Scenarios"]
    rows = {row[0]: row for row in sheet.iter_rows(values_only=True)}
    head = rows["Scenario"]
    one, two = (dict(zip(head, rows[name], strict=True)) for name in ("one", "two"))
    assert list(rows).index("two") < list(rows).index("one"), "what does not fit stands first"
    told = ("Verdict", "Recommended option", "GPUs", "GPU", "Cost (USD)", "Cost, high", "Cost of", "GPU-hours", "Owner")
    assert [one[name] for name in told] == ["Fits", "eight of them", 8, "H", 10.5, 14, "a run", 100, "finance"]
    assert (one["Prices as of"], one["Oldest price (days)"]) == ("2026-11-20", 56)
    assert (two["Cost (USD)"], two["Oldest price (days)"]) == ("no price", None)


def test_totals_follow_the_rows(book: Path) -> None:
    sheet = lazily_read(book, data_only=True)["Scenarios"]
    at = {row[0].value: row[0].row for row in sheet.iter_rows() if row[0].value}
    totals = {name: sheet.cell(row, 2).value for name, row in at.items() if row < at["Scenario"]}
    expected = {"All runs (USD)": 10.5, "GPU-hours, H": 300, "Scenarios that do not fit": 1}
    assert {name: totals[name] for name in expected} == expected
    ends = {name: (sheet.cell(at[name], 3).value, sheet.cell(at[name], 4).value) for name in expected}
    assert ends == {"All runs (USD)": (8, 14), "GPU-hours, H": (160, 250), "Scenarios that do not fit": (None, None)}
    column = {cell.value: get_column_letter(cell.column) for cell in sheet[at["Scenario"]] if cell.column}
    changed = {("Scenarios", f"{column['Cost (USD)']}{at['one']}"): 20.0}
    changed[("Scenarios", f"{column['GPU-hours']}{at['two']}")] = 250.0
    found = recalculate_with(book, changed)
    assert [found["Scenarios", f"B{at[name]}"] for name in ("All runs (USD)", "GPU-hours, H")] == [20, 350]


def test_every_variant_stands_in_a_row_of_its_own(book: Path) -> None:
    rows = list(lazily_read(book, data_only=True)["Variants"].iter_rows(min_row=6, values_only=True))
    assert [row[:3] for row in rows] == [
        ("one", "=variant 0", "Fits"),
        ("one", "=variant 1", "Does not fit"),
        ("two", "=variant 0", "Fits"),
    ]
    assert [row[7:11] for row in rows] == [(3, 4, 1, 0.25)] * 3
    assert [row[5:7] for row in rows] == [("M0", "1 × H"), ("M1", "2 × H"), ("M0", "1 × H")], "each variant's own"
    assert [row[11] for row in rows] == [10.5, 11.5, "no price"]


def test_it_can_be_filtered_and_leads_to_the_workbooks(book: Path) -> None:
    sheet = lazily_read(book)["Variants"]
    assert sheet.auto_filter.ref == "A5:L8"
    assert sheet.protection.autoFilter is False, "allowed, in openpyxl's words"
    links = [sheet.cell(row, 1).hyperlink for row in (6, 7, 8)]
    assert [link.target for link in links if link] == ["one/one.xlsx", "one/one.xlsx", "two/two.xlsx"]


def test_strangers_see_and_compute_the_same(book: Path) -> None:
    assert not strangers_differ(book)


@pytest.mark.skipif(
    shutil.which("soffice") is None and os.environ.get("CI") != "true", reason="LibreOffice is not installed"
)
def test_libreoffice_computes_the_same(book: Path, tmp_path: Path) -> None:
    found = libreoffice_recalculate(book, tmp_path / "office")
    assert not differing(found, cached(book))


def test_the_audit_has_nothing_to_say(book: Path) -> None:
    made = audit(book)
    assert made.findings == ()
    assert made.formulas == 3 + 4 + 2 * 3, "totals and their ends, then headroom twice a variant"


def test_the_same_entries_are_the_same_bytes(book: Path) -> None:
    assert catalogue_book(ENTRIES, "0.0", GPUS) == book.read_bytes()
    assert catalogue_book(ENTRIES[:1], "0.0", GPUS) != book.read_bytes()


def test_the_front_page_leads_to_it() -> None:
    assert '<a href="catalogue.xlsx"' in index_html([], "0", catalogue=["catalogue.xlsx"])
    assert "catalogue.xlsx" not in index_html([], "0")


def test_no_scenario_is_no_fault() -> None:
    assert catalogue_book([], "0.0")


def test_build_writes_it_and_makes_it_again_only_where_needed(tmp_path: Path) -> None:
    from tests.support import scenario_text

    (tmp_path / "case.yaml").write_text(scenario_text(), encoding="utf-8")
    out = tmp_path / "out"
    build = ["build", str(tmp_path / "case.yaml"), "--out", str(out), "--formats", "xlsx"]
    assert main(build) == 0
    first = (out / "catalogue.xlsx").read_bytes()
    sheet = lazily_read(out / "catalogue.xlsx")["Variants"]
    link = sheet["A6"].hyperlink
    assert link is not None
    assert (out / str(link.target)).is_file()
    stamp = (out / "catalogue.xlsx").stat().st_mtime_ns
    assert main(build) == 0
    assert (out / "catalogue.xlsx").stat().st_mtime_ns == stamp
    (out / "catalogue.xlsx").write_bytes(b"broken")
    assert main(build) == 0
    assert (out / "catalogue.xlsx").read_bytes() == first
    assert "catalogue" in json.loads((out / "manifest.json").read_text())
