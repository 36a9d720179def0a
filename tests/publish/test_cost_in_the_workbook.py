"""Money in the workbook: every price and both bases recalculate to the engine's cost; the headline is the total."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl.utils import get_column_letter

from memreport.advise.comparisons.quotes import TERMS, compared_quotes, quoted_costs
from memreport.advise.decide import decide
from memreport.audit.opening import opened as safely_opened
from memreport.audit.rules.formulas import formula_findings
from memreport.build.outputs import reported
from memreport.compute import Computed
from memreport.figures.money.quotes import QUOTE_FIGURES
from memreport.publish.json.scenario import record
from memreport.publish.xlsx.common.draft import FIRST
from memreport.publish.xlsx.common.titles import QUOTES
from memreport.publish.xlsx.file.cells import Place, Value
from memreport.publish.xlsx.scenario.money.cost import UNFOLD
from memreport.publish.xlsx.scenario.money.quotes import CURRENCY, FOR, LESS, OTHER_GPU, WORDS
from memreport.publish.xlsx.workbook import workbook_bytes
from memreport.report.build import report_of
from memreport.report.money.focus import CHARGES, COLUMNS, focus_rows
from memreport.report.money.prices import CANNOT_START, DOES_NOT_RUN, RUNS
from memreport.report.records.report import Build
from memreport.report.view import View
from tests.lazily import lazily_read
from tests.part import part
from tests.publish.workbook_cases import cached, case, differing, input_cell, lines, opened, row_of, same, saved
from tests.support import packaged, published
from tests.typed_workbook import recalculate_with, recalculated, with_typed

CARD = "h100-80gb-sxm"
COST = "price: aws-p5-on-demand, purchase_price: h100-street-low, hours: 72, goodput: 0.9, contingency: 0.15"
MONEY = ("_usd", "break_even_months", "break_even_utilisation")


def prices_of(table: str) -> list[str]:
    """Every price that the book has for the card."""
    found = packaged().tables[table]
    return [str(key) for key, of in zip(found.ids, found.texts["accelerator"], strict=True) if of == CARD]


def variants(count: int) -> str:
    return "".join(f"\n  v{at}: {{}}" for at in range(count))


def typed(path: Path, **fields: list[str]) -> Path:
    """The workbook after someone typed a value for every variant."""
    each = ((field, at, value) for field, values in fields.items() for at, value in enumerate(values))
    cells = {input_cell(path, field, at): value for field, at, value in each}
    return with_typed(path, path.with_name(f"edited-{'-'.join(fields)}.xlsx"), cells)


@pytest.mark.parametrize(
    ("basis", "field", "table"), [("rent", "price", "rental_prices"), ("buy", "purchase_price", "purchase_prices")]
)
def test_every_price_of_a_card_typed_into_the_workbook_is_the_cost_of_a_scenario_with_it(
    basis: str, field: str, table: str, tmp_path: Path
) -> None:
    names = part(prices_of(table), 2 if basis == "rent" else 1)
    assert len(names) > 5
    path = saved(case(tmp_path, "priced", cost=f"{{basis: rent, {COST}}}", variants=variants(len(names))), tmp_path)
    path = typed(path, **{field: names, "basis": [basis] * len(names)})
    found = recalculated(path)
    each = "".join(f"\n  v{at}: {{cost.{field}: {name}}}" for at, name in enumerate(names))
    engine = case(tmp_path, "priced", cost=f"{{basis: {basis}, {COST}}}", variants=each)
    told = [(place, value) for name, place, value in lines(path, engine) if name.endswith(MONEY)]
    assert len(told) > 30 * len(names)
    assert not differing(found, dict(told))
    totals = {value for name, _, value in lines(path, engine) if name == "cost_total_usd"}
    assert len(totals) > 4, "prices differ, so totals do"
    assert found["Checks", "F5"] == 0
    said = str(found["Cost", f"E{row_of(path, 'Cost', 'Lines of the bill')}"])
    assert (said == UNFOLD) == (basis == "buy"), "no line that is folded is summed unseen"


def test_buying_without_a_purchase_price_is_no_free_lunch(tmp_path: Path) -> None:
    cost = "{basis: rent, price: aws-p5-on-demand, purchase_price: none, hours: 72, rent_or_buy: true}"
    path = saved(case(tmp_path, "priced", cost=cost, variants="{plain: {}}"), tmp_path)
    found = recalculated(typed(path, basis=["buy"]))
    assert found["Cost", f"F{row_of(path, 'Cost', 'price (words)')}"] == "lowest of this GPU"
    assert float(found["Cost", f"F{row_of(path, 'Cost', 'cost_total_usd')}"]) > 0
    assert "Rent or buy" not in opened(path).sheetnames
    said = [str(cell.value) for (cell,) in opened(path)["Cost"].iter_rows(min_col=2, max_col=2)]
    assert any("no purchase price is stated" in one for one in said)


@pytest.mark.parametrize("computed", part(published(), 4, 1), ids=lambda one: one.resolved.loaded.scenario.id)
def test_the_headline_is_the_total_in_every_output(computed: Computed, tmp_path: Path) -> None:
    report = report_of(computed, Build("0"))
    at = [case.name for case in computed.resolved.variants].index(report.chosen)
    total = float(computed.values["cost_total_usd"][at])
    signed = "approval_total_usd" if computed.values["buys"][at] else "cost_total_usd"
    lines_by_name = {one.name: one for one in report.money.lines}
    assert lines_by_name[signed].value == computed.values[signed][at]
    assert lines_by_name["cost_total_usd"].value == total
    assert lines_by_name["cost_low_usd"].value <= total <= lines_by_name["cost_high_usd"].value
    assert all(next(one for one in report.sources if one.number == line.source).title for line in report.money.prices)
    data = record(computed, {})["variants"]
    assert data[report.chosen]["figures"]["cost_total_usd"] == total
    path = saved(computed, tmp_path)
    seen = cached(path)
    for place, one in enumerate(data.values(), FIRST):
        note = one.get("cost_note", RUNS)
        assert note.startswith(f"{RUNS}, but queues") or note == (RUNS if one["fits"] else CANNOT_START)
        assert seen["Cost", f"{get_column_letter(place)}6"] == (RUNS if one["fits"] else DOES_NOT_RUN)
    column = get_column_letter(FIRST + at)
    assert same(seen["Cost", f"{column}{row_of(path, 'Cost', 'cost_total_usd')}"], total)
    assert same(seen["Cost", f"{column}{row_of(path, 'Cost', 'share.total')}"], 1.0)
    for name, value in on_the_summary(path, report.chosen, seen).items():
        assert same(value, float(computed.values[name][at]) if data[report.chosen]["fits"] else "–")
    assert sum(
        float(one.share.rstrip(" %")) for one in report.money.lines if one.share and not one.is_total
    ) == pytest.approx(100)


SHOWN_AS = {"To be approved": "approval_total_usd", "Cost of the run": "run_cost_usd", "Total cost": "cost_total_usd"}
"""Columns of the Summary that hold money, and what each is."""


def on_the_summary(path: Path, variant: str, seen: dict[Place, Value]) -> dict[str, Value]:
    """The money in the variant's row of the table of variants."""
    sheet, row = opened(path)["Summary"], row_of(path, "Summary", "Variant")
    cells = [cell for cell in sheet[row] if str(cell.value).startswith(tuple(SHOWN_AS))]
    heads = {str(cell.value): get_column_letter(cell.column or 0) for cell in cells}
    here = next(at for at in range(row, sheet.max_row) if seen.get(("Summary", f"B{at}")) == variant)
    return {SHOWN_AS[head.partition(" (")[0]]: seen["Summary", f"{column}{here}"] for head, column in heads.items()}


def test_the_focus_sheet_holds_the_rows_of_the_json_and_follows_price_and_basis(tmp_path: Path) -> None:
    computed = case(tmp_path, "priced", variants="{plain: {}}")
    path = saved(computed, tmp_path)
    assert table_of(path, cached(path)) == pytest.approx(amounts(focus_rows(computed, "plain")))
    for cost, field, value in (
        ("basis: rent, price: aws-p5-reserved-3y, purchase_price: h100-street-low", "price", "aws-p5-reserved-3y"),
        ("basis: buy, price: aws-p5-on-demand, purchase_price: h100-street-low", "basis", "buy"),
    ):
        changed = typed(path, **{field: [value]})
        wanted = case(tmp_path, "priced", cost=f"{{{cost}, goodput: 0.85, hours: 72}}", variants="{plain: {}}")
        rows = focus_rows(wanted, "plain")
        found = recalculated(changed)
        assert table_of(changed, found) == pytest.approx(amounts(rows))
        words = [row["PricingCategory"] for row in rows]
        assert words == [row[COLUMNS.index("PricingCategory")] for row in texts_of(changed, found)]


COSTS = ("ListCost", "ContractedCost", "EffectiveCost", "BilledCost")


def amounts(rows: list[dict[str, object]]) -> list[float]:
    return [float(str(row[name])) for row in rows for name in COSTS]


def texts_of(path: Path, seen: dict[Place, Value]) -> list[list[object]]:
    """The rows of the sheet that are not nothing."""
    sheet = opened(path)["FOCUS"]
    (head,) = [row for row in range(1, 20) if sheet.cell(row, 1).value == COLUMNS[0]]
    found: list[list[object]] = []
    for row in range(head + 1, head + 1 + len(CHARGES)):
        cells = [sheet.cell(row, at) for at in range(1, len(COLUMNS) + 1)]
        found.append([seen.get(("FOCUS", cell.coordinate), cell.value) for cell in cells])
    places = [COLUMNS.index(name) for name in COSTS]
    return [row for row in found if any(float(str(row[at])) for at in places)]


def table_of(path: Path, seen: dict[Place, Value]) -> list[float]:
    return [float(str(row[COLUMNS.index(name)])) for row in texts_of(path, seen) for name in COSTS]


@pytest.mark.parametrize("basis", ["rent", "buy"])
def test_quotes_side_by_side_follow_what_is_typed(basis: str, tmp_path: Path) -> None:
    """The budget as a quote comes to its own total, and typed terms to what the engine makes of them."""
    computed = case(tmp_path, "priced", cost=f"{{basis: {basis}, tax_share: 0.1, staff_usd_per_month: 900, {COST}}}")
    path, view = saved(computed, tmp_path), View(computed)
    sheet = opened(path)[QUOTES]
    rows = {str(sheet.cell(row, 2).value): row for row in range(1, sheet.max_row + 1)}
    typed_ = {"quoted_price": 3.25, "quoted_exchange_rate": 1.1, "quoted_term_months": 2.0, "quoted_extras": 40.0,
              "quoted_egress": 0.06, "quoted_egress_gb": 700.0, "quoted_minimum_accelerators": 16.0}  # fmt: skip
    b = get_column_letter(FIRST + 1)
    found = recalculate_with(path, {(QUOTES, f"{b}{rows[TERMS[name][0]]}"): one for name, one in typed_.items()})
    variant = str(sheet.cell(2, 1).value).partition(": ")[0].removeprefix("Variant ")
    chosen = [one.name for one in view.variants].index(variant)
    found_ = compared_quotes(computed)
    assert found_
    budget = found_.budget.figures_at(chosen)
    changed = quoted_costs(found_.budget.terms_at(chosen) | typed_, computed.values).figures_at(chosen)
    for at, figures in enumerate((budget, changed)):
        for one in QUOTE_FIGURES:
            place = f"{get_column_letter(FIRST + at)}{rows['Hours billed'] + QUOTE_FIGURES.index(one) - 2}"
            assert float(str(found[QUOTES, place])) == pytest.approx(figures[one.name], rel=1e-9), one.name
    assert budget["quote_total_usd"] == pytest.approx(view.value("cost_total_usd", chosen))
    assert budget["quote_signed_usd"] == pytest.approx(view.value("approval_total_usd", chosen))


def test_every_quote_is_on_the_printed_page(tmp_path: Path) -> None:
    gpu = case(tmp_path, "priced").resolved.cases[0].settings["accelerator"]
    for folder in ("quotes", "models"):
        (tmp_path / folder).mkdir()
    for name in ("first", "second", "third"):
        text = (
            f"{{schema: 1, id: {name}, vendor: {name}, accelerator: {gpu}, basis: rent, price: 2, "
            "quoted: 2026-11-01, valid_until: 2026-12-31, source: offer}"
        )
        (tmp_path / "quotes" / f"{name}.yaml").write_text(text, encoding="utf-8")
    computed = case(tmp_path, "priced", cost=f"{{basis: rent, {COST}}}")
    decision = decide(computed)
    book = workbook_bytes(decision.computed, reported(decision))
    sheet = lazily_read(book)[QUOTES]
    (heads,) = [row for row in sheet.iter_rows() if "As budgeted" in [cell.value for cell in row]]
    last = max(cell.column for cell in heads if cell.value)
    assert last == FIRST + 4
    assert get_column_letter(last) in sheet.print_area


def test_a_quote_of_another_gpu_than_is_typed_is_not_priced(tmp_path: Path) -> None:
    """Its total would be priced with the hours of the new GPU; the budget and the typed quote follow it."""
    gpu = case(tmp_path, "priced").resolved.cases[0].settings["accelerator"]
    for folder in ("quotes", "models"):
        (tmp_path / folder).mkdir()
    text = (
        f"{{schema: 1, id: euros, vendor: euros, accelerator: {gpu}, basis: rent, price: 2, currency: EUR, "
        "rate: {currency: EUR, usd: 1.25, date: 2026-11-01, source: bank}, "
        "quoted: 2026-11-01, valid_until: 2026-12-31, source: offer}"
    )
    (tmp_path / "quotes" / "euros.yaml").write_text(text, encoding="utf-8")
    decision = decide(case(tmp_path, "priced", cost=f"{{basis: rent, {COST}}}"))
    path = tmp_path / "switched.xlsx"
    path.write_bytes(workbook_bytes(decision.computed, reported(decision)))
    rows = {name: row_of(path, QUOTES, name) for name in ("Total for this job", LESS, WORDS[FOR], WORDS[CURRENCY])}
    columns = [get_column_letter(FIRST + at) for at in range(3)]
    before = cached(path)
    names = [case.name for case in decision.computed.resolved.variants]
    assert {before[QUOTES, f"{column}{rows[WORDS[FOR]]}"] for column in columns} <= {*names}
    assert opened(path)[QUOTES][f"{columns[2]}{rows[WORDS[CURRENCY]]}"].value == "EUR"
    cells = [input_cell(path, "accelerator", at) for at in range(len(names))]
    typed_ = {cell: "h200-141gb-sxm" for cell in cells if opened(path)["Inputs"][cell[1]].data_type != "f"}
    found = recalculate_with(path, typed_)
    assert found[QUOTES, f"{columns[2]}{rows[WORDS[FOR]]}"] == OTHER_GPU
    billed = "Billed at the lowest on-demand price of this GPU at large clouds, elsewhere only where these have none: "
    assert any(billed in str(value) for (sheet, _), value in found.items() if sheet == "Summary")
    assert all(found[QUOTES, f"{columns[2]}{rows[name]}"] == "" for name in ("Total for this job", LESS))
    assert float(str(found[QUOTES, f"{columns[0]}{rows['Total for this job']}"])) > 0


def test_quotes_for_several_variants_hold_one_formula_a_line(tmp_path: Path) -> None:
    """Each quote is for the first variant on its GPU, which its own column names; a line is still one formula."""
    for folder in ("quotes", "models"):
        (tmp_path / folder).mkdir()
    prices = {"a100-80gb-sxm": "aws-p4de-on-demand", CARD: "aws-p5-on-demand", "mi300x": "tensorwave-mi300x-on-demand"}
    offer = "schema: 1, basis: rent, price: 2, quoted: 2026-11-01, valid_until: 2026-12-31, source: offer"
    for gpu in prices:
        text = f"{{{offer}, id: {gpu}, vendor: {gpu}, accelerator: {gpu}}}"
        (tmp_path / "quotes" / f"{gpu}.yaml").write_text(text, encoding="utf-8")
    listed = ", ".join(f"{gpu}: {{hardware.accelerator: {gpu}, cost.price: {price}}}" for gpu, price in prices.items())
    decision = decide(case(tmp_path, "priced", cost="{price: aws-p5-on-demand, hours: 72}", variants=f"{{{listed}}}"))
    path = tmp_path / "several.xlsx"
    path.write_bytes(workbook_bytes(decision.computed, reported(decision)))
    sheet = opened(path)[QUOTES]
    (named,) = [row for row in sheet.iter_rows(min_col=2, values_only=True) if row[0] == "For which variant"]
    assert len({*named[FIRST - 2 :]} - {None}) > 1, "quotes for more than one variant"
    assert not [finding for finding in formula_findings(safely_opened(path)) if finding.rule == "one-formula"]
    assert not differing(recalculated(path), cached(path))
