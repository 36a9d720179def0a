"""The report on all documented figures: PDF, workbook, and its place in a build."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import memreport.build.ledger_files
from memreport.build.ledger_files import documented_of, judged_report, ledger_files, ledger_html
from memreport.commands.main import main
from memreport.errors import Fault, InputError
from memreport.ledger.cited import judged
from memreport.ledger.judging import CONFLICTS, CONTRADICTS, KINDS, Judged
from memreport.publish.web.index import index_html
from memreport.publish.xlsx.ledger.sheet import TITLES
from memreport.report.documented.documents import documented_data, errata
from memreport.report.documented.ledger import KIND_MEANINGS, KIND_TITLES, LedgerReport, digest
from tests.built import documented_book, documented_file
from tests.part import WHOLE
from tests.publish.pages import misplaced, text_of
from tests.publish.test_sheet import faults
from tests.publish.workbook_cases import cached, opened
from tests.support import run, scenario_text


@pytest.fixture
def book() -> Path:
    return documented_book()


@cache
def ledger() -> LedgerReport:
    """The report on all documented figures."""
    return judged_report(judged())


OWN = (
    "[{id: wiki-1, section: page 3, says: weights in BF16, value: 13.5 GB, figure: weight_bytes, expect: reproduces}, "
    "{id: wiki-2, says: the same, value: 14 GB, figure: weight_bytes, expect: contradicts itself, why: our own count}]"
)


def test_what_a_scenario_itself_states_is_in_its_sheet_and_data(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(documented=OWN))
    entries = documented_of(computed.resolved)
    assert [(one.own, one.verdict) for one in entries] == [(True, "reproduces"), (True, "contradicts itself")]
    assert all(one.steps for one in entries)
    assert errata(entries) == entries
    for one, said in zip(entries, documented_data(entries), strict=True):
        assert said["printed"] == one.printed


def test_a_statement_of_a_scenario_that_cannot_be_judged_is_bad_input(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(documented=OWN.replace("figure: weight_bytes", "figure: weigth_bytes", 1)))
    with pytest.raises(InputError, match="weight_bytes"):
        documented_of(computed.resolved)


def test_counts_are_those_of_the_ledger() -> None:
    report = ledger()
    assert {one.name: dict(zip(KINDS, one.counts, strict=False)) for one in report.documents} == judged().counts
    assert report.totals[-1] == len(judged().judgements) == sum(report.totals[:-1])
    assert set(KIND_TITLES) == set(KIND_MEANINGS) == set(KINDS)
    assert f"Of {report.totals[-1]} statements" in report.sentence


def test_every_wrong_statement_stands_in_the_report_with_its_right_value_and_why() -> None:
    report = ledger()
    html = ledger_html(report)
    wrong = [one for document in report.documents for one in document.of(CONTRADICTS, CONFLICTS)]
    assert sum(one.kind == CONTRADICTS for one in wrong) == html.count("is-does-not-fit")
    assert all(one.shown.computed and one.shown.note for one in wrong)
    assert "true" not in {text for one in wrong for text in (one.shown.printed, one.shown.computed)}
    missing = [one.id for document in report.documents for one in document.statements if not shown_in(html, one)]
    assert missing == []


def shown_in(html: str, one: object) -> bool:
    from markupsafe import escape

    from memreport.publish.svg.typefaces import readable

    says = escape(readable(one.shown.statement))  # type: ignore[attr-defined]
    return str(says) in html


def test_large_values_keep_all_their_digits() -> None:
    report = ledger()
    values = [one.shown.computed for document in report.documents for one in document.statements]
    assert not [value for value in values if "e+" in value]


def test_a_faulty_ledger_is_not_published() -> None:
    with pytest.raises(InputError, match="no such figure"):
        judged_report(Judged((), (Fault("no such figure", "wiki.yaml", 3),)))


def test_the_pdf_is_accessible_archivable_and_tidy() -> None:
    pdf = documented_file("pdf")
    assert faults(pdf) == []
    assert misplaced(pdf) == []
    first = " ".join(text_of(pdf, 0).split())
    report = ledger()
    assert report.sentence in first
    assert all(one.name in first for one in report.documents)


def test_equal_ledgers_are_equal_bytes() -> None:
    assert not WHOLE or ledger_files(("pdf",))["documented.pdf"] == documented_file("pdf")
    assert digest(judged_report(judged())) == digest(ledger())


def test_the_workbook_counts_its_own_statements(book: Path) -> None:
    seen = cached(book)
    report = ledger()
    last = 6 + len(report.documents)
    assert [seen["Cover", f"{column}{last}"] for column in "CDEFGHI"] == list(report.totals)


def test_the_workbook_holds_every_statement_and_may_be_filtered(book: Path) -> None:
    workbook, report = opened(book), ledger()
    assert workbook.sheetnames == ["Cover", "Contradictions", "Statements", "Documented calculation", "Reference"]
    statements = workbook["Statements"]
    assert [cell.value for cell in statements[5]] == [*TITLES, "Kind"]
    assert statements.max_row == 5 + report.totals[-1]
    assert statements.auto_filter.ref == f"A5:O{statements.max_row}"
    for sheet in (statements, workbook["Contradictions"]):
        assert sheet.protection.sheet
        assert not sheet.protection.autoFilter
        assert sheet.print_title_rows == "$5:$5"
        assert sheet.page_setup.orientation == "landscape"


def test_the_front_page_links_to_the_report() -> None:
    page = index_html([], "0", ["documented.pdf", "documented.xlsx"])
    assert 'href="documented.pdf"' in page
    assert 'href="documented.xlsx"' in page
    assert "documented" not in index_html([], "0")


def kept_files(kinds: Sequence[str]) -> dict[str, bytes]:
    """What `ledger_files` makes, which takes longer than all else in a build, as it is kept for all tests."""
    return {f"documented.{kind}": documented_file(kind) for kind in kinds}


def test_a_build_makes_the_report_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memreport.build.ledger_files, "ledger_files", kept_files)
    cites = scenario_text(source="{document: '003', section: The Production Scenario}")
    (tmp_path / "case.yaml").write_text(cites, encoding="utf-8")
    arguments = ["build", str(tmp_path / "case.yaml"), "--out", str(tmp_path / "out"), "--formats", "xlsx,html"]
    made_here = "documented figures: documented.xlsx"
    for damaged, again in ((False, True), (False, False), (True, True)):
        if damaged:
            (tmp_path / "out" / "documented.xlsx").write_bytes(b"")
        assert main(arguments) == 0
        assert (made_here in capsys.readouterr().err) is again
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert list(manifest["documented"]["files"]) == ["documented.xlsx"]
    assert (tmp_path / "out" / "documented.xlsx").read_bytes() == documented_file("xlsx")
    assert 'href="documented.xlsx"' in (tmp_path / "out" / "index.html").read_text()
