"""What a reviewer typed into a workbook comes back as a change of the scenario, and means there what it meant here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml
from openpyxl import load_workbook

from memreport.advise.decide import decide
from memreport.audit import opening
from memreport.audit.import_inputs import run
from memreport.audit.yaml_edit import Edit, with_edits
from memreport.commands.main import main
from memreport.compute import Computed, compute
from memreport.errors import InputError
from memreport.publish.xlsx.common.titles import QUOTES
from memreport.resolve import resolve_all
from tests.lazily import lazily_read
from tests.libreoffice import libreoffice_recalculate
from tests.part import part
from tests.publish.workbook_cases import input_cell, lines, same, saved
from tests.slim import slim
from tests.support import run as computed_from
from tests.support import scenario_text
from tests.typed_workbook import recalculated, with_typed

TEXT = scenario_text(
    training="{micro_batch_size: 4, sequence_length: 1024}  # as agreed",
    cost="{basis: rent, price: coreweave-a100-80gb-on-demand, hours: 24}",
    variants="""
  plain: {}
  full: {training.gradient_checkpointing: full}
  long:
    training.sequence_length: 4096

    # a remark
  own: {training.micro_batch_size: 2}""",
    tables="""
  - {title: Peak, figure: peak_bytes, rows: {training.sequence_length: [512, 4096]},
     columns: {training.micro_batch_size: [1, 2]}}""",
)
Typed = Mapping[tuple[str, int], str | float | None]
MIXED = "bf16-mixed"
GOODPUT: list[object] = [1, 0.5, 1, 1]
TYPED: list[tuple[str, Typed, dict[str, list[object]]]] = [
    ("a base value", {("micro_batch_size", 0): 8}, {"micro_batch_size": [8, 8, 8, 2]}),
    ("a variant alone", {("micro_batch_size", 1): 8}, {"micro_batch_size": [4, 8, 4, 2]}),
    ("a variant that states it", {("micro_batch_size", 3): 6}, {"micro_batch_size": [4, 4, 4, 6]}),
    ("first and another", {("count", 0): 2, ("count", 1): 4}, {"count": [2, 4, 2, 2]}),
    ("first, where one states it", {("sequence_length", 0): 512}, {"sequence_length": [512, 512, 4096, 512]}),
    ("a name", {("optimizer", 0): "lion"}, {"optimizer": ["lion"] * 4}),
    ("a name of one variant", {("precision", 2): "fp32"}, {"precision": [MIXED, MIXED, "fp32", MIXED]}),
    ("a field of the model", {("hidden_size", 0): 2048}, {"hidden_size": [2048] * 4}),
    ("a field of one variant's model", {("hidden_size", 2): 2048}, {"hidden_size": [4096, 4096, 2048, 4096]}),
    ("a cost", {("contingency", 0): 0.25, ("goodput", 1): 0.5}, {"contingency": [0.25] * 4, "goodput": GOODPUT}),
    ("a switch", {("tie_word_embeddings", 1): 1}, {"tie_word_embeddings": [False, True, False, False]}),
    ("hardware", {("count", 0): 2}, {"count": [2] * 4}),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _read_lazily() -> Iterator[None]:
    """Of the sound workbooks here the sheets are read that are asked for, as `tests/test_lazily.py` has it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "load_workbook", lazily_read)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The scenario's file and its workbook."""
    folder = tmp_path_factory.mktemp("import")
    return folder / "case.yaml", saved(computed_from(folder, TEXT, catalogue=slim()), folder)


def typed(path: Path, target: Path, cells: Typed) -> Path:
    """The workbook after values were typed."""
    return with_typed(path, target, {input_cell(path, field, at): value for (field, at), value in cells.items()})


def read(path: Path) -> Computed:
    return compute(resolve_all([path]))[0]


@pytest.mark.parametrize(("cells", "expected"), part([pytest.param(*one[1:], id=one[0]) for one in TYPED], 2))
def test_the_changed_scenario_says_what_the_workbook_says(
    cells: Typed, expected: dict[str, list[object]], made: tuple[Path, Path], tmp_path: Path
) -> None:
    scenario, book = made
    path = typed(book, tmp_path / "typed.xlsx", cells)
    difference, notes = run(path, scenario, tmp_path / "case.yaml")
    assert notes == ()
    assert "# as agreed" in (tmp_path / "case.yaml").read_text(encoding="utf-8")
    assert difference.startswith("--- a/case.yaml\n+++ b/case.yaml\n")
    variants = read(tmp_path / "case.yaml").resolved.variants
    assert {name: [case.settings[name] for case in variants] for name in expected} == expected


def test_the_changed_scenario_computes_what_the_changed_workbook_does(made: tuple[Path, Path], tmp_path: Path) -> None:
    cells: Typed = {("contingency", 0): 0.25, ("micro_batch_size", 0): 2, ("optimizer", 1): "lion", ("hours", 3): 9}
    path = typed(made[1], tmp_path / "typed.xlsx", cells)
    run(path, made[0], tmp_path / "case.yaml")
    found = recalculated(path)
    told = list(lines(path, read(tmp_path / "case.yaml")))
    assert len(told) > 1000
    assert not [(name, place) for name, place, expected in told if not same(found[place], expected)]


@pytest.mark.skipif(
    shutil.which("soffice") is None and os.environ.get("CI") != "true", reason="LibreOffice is not installed"
)
def test_libreoffice_loses_nothing_that_was_typed(made: tuple[Path, Path], tmp_path: Path) -> None:
    cells: Typed = {("contingency", 0): 0.25, ("optimizer", 1): "lion", ("capacity_bytes (override)", 2): 9e10}
    path = typed(made[1], tmp_path / "typed.xlsx", cells)
    libreoffice_recalculate(path, tmp_path / "office")
    saved_there = tmp_path / "office" / "recalculated" / path.name
    assert run(saved_there, made[0], None) == run(path, made[0], None)
    assert run(saved_there, None, None)[0].count(":") >= len(cells)


def test_an_override_comes_back(made: tuple[Path, Path], tmp_path: Path) -> None:
    scenario, book = made
    cells = {("parameters (override)", 0): 6e9, ("capacity_bytes (override)", 2): 9e10}
    run(typed(book, tmp_path / "typed.xlsx", cells), scenario, tmp_path / "case.yaml")
    variants = read(tmp_path / "case.yaml").resolved.variants
    assert [case.overrides.get("parameters") for case in variants] == [6e9] * 4
    assert [case.overrides.get("capacity_bytes") for case in variants] == [None, None, 9e10, None]


H200 = "h200-141gb-sxm"
PRICED: list[tuple[str, Typed, list[float | None]]] = [
    ("the price alone", {("usd_per_accelerator_hour (override)", 0): 3.0}, [3.0, None]),
    (
        "another GPU with its price",
        {("usd_per_accelerator_hour (override)", 0): 4.0, ("accelerator", 0): H200,
         ("usd_per_accelerator_hour (stated for)", 0): H200},
        [4.0, None],
    ),
    ("a variant's own price", {("usd_per_accelerator_hour (override)", 1): 9.0}, [2.1, 9.0]),
]  # fmt: skip


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("priced")
    text = scenario_text(
        hardware="{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}",
        cost="{basis: rent, hours: 100}",
        overrides="{usd_per_accelerator_hour: 2.1}",
        variants="{asked: {}, other: {hardware.accelerator: b200, cost.price: coreweave-b200-on-demand}}",
    )
    return folder / "case.yaml", saved(computed_from(folder, text, catalogue=slim()), folder)


@pytest.mark.parametrize(("cells", "expected"), [pytest.param(*one[1:], id=one[0]) for one in PRICED])
def test_a_price_comes_back_as_the_price_of_its_accelerator(
    cells: Typed, expected: list[float | None], priced: tuple[Path, Path], tmp_path: Path
) -> None:
    _, notes = run(typed(priced[1], tmp_path / "typed.xlsx", cells), priced[0], tmp_path / "case.yaml")
    assert notes == ()
    variants = read(tmp_path / "case.yaml").resolved.variants
    assert [case.overrides.get("usd_per_accelerator_hour") for case in variants] == expected


@pytest.mark.parametrize(("row", "at"), [("accelerator", 0), ("usd_per_accelerator_hour (stated for)", 0)])
def test_a_price_of_another_accelerator_than_the_column_has_is_one_message(
    row: str, at: int, priced: tuple[Path, Path], tmp_path: Path
) -> None:
    path = typed(priced[1], tmp_path / "typed.xlsx", {(row, at): H200})
    with pytest.raises(
        InputError, match=r"Inputs!F\d+: usd_per_accelerator_hour: is of h[12]00.* column has h"
    ) as said:
        run(path, priced[0], tmp_path / "case.yaml")
    assert len(said.value.faults) == 1
    assert not (tmp_path / "case.yaml").exists()


def test_an_axis_comes_back(made: tuple[Path, Path], tmp_path: Path) -> None:
    scenario, book = made
    copy = load_workbook(book)
    copy["Table 1 Peak memory"]["E8"] = 2048
    copy["Table 1 Peak memory"]["G6"] = 3
    copy.save(tmp_path / "typed.xlsx")
    run(tmp_path / "typed.xlsx", scenario, tmp_path / "case.yaml")
    table = read(tmp_path / "case.yaml").resolved.loaded.scenario.tables[0]
    assert table.rows == {"training.sequence_length": [512, 2048]}
    assert table.columns == {"training.micro_batch_size": [1, 3]}


def test_an_input_comes_back_under_the_name_that_the_file_uses(made: tuple[Path, Path], tmp_path: Path) -> None:
    """A scenario in the words of another program stays in them."""
    text = TEXT.replace("{micro_batch_size: 4", "{per_device_train_batch_size: 4")
    (tmp_path / "case.yaml").write_text(text.replace("training.micro_batch_size: 2", "training.batch_size: 2"), "utf-8")
    changed = typed(made[1], tmp_path / "typed.xlsx", {("micro_batch_size", 0): 8, ("micro_batch_size", 3): 6})
    run(changed, tmp_path / "case.yaml", tmp_path / "new.yaml")
    data = yaml.safe_load((tmp_path / "new.yaml").read_text(encoding="utf-8"))
    assert data["training"] == {"per_device_train_batch_size": 8, "sequence_length": 1024}
    assert data["variants"]["own"] == {"training.batch_size": 6}


def test_without_the_scenario_the_changes_are_printed(
    made: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = typed(made[1], tmp_path / "typed.xlsx", {("micro_batch_size", 0): 8, ("optimizer", 1): "lion"})
    assert main(["import-inputs", str(path)]) == 0
    said = yaml.safe_load(capsys.readouterr().out)
    assert said == {"training": {"micro_batch_size": 8}, "variants": {"full": {"training.optimizer": "lion"}}}


def test_a_quote_that_is_typed_is_named_and_belongs_into_a_file(made: tuple[Path, Path], tmp_path: Path) -> None:
    book = load_workbook(made[1])
    price = next(row for row in book[QUOTES].iter_rows() if str(row[1].value).startswith("Price of a GPU and hour"))
    price[6].value = 1.5
    book.save(tmp_path / "typed.xlsx")
    text, (note,) = run(tmp_path / "typed.xlsx", made[0], None)
    assert text == ""
    assert note.startswith(f"{QUOTES}!{price[6].coordinate} (Price of a GPU and hour")
    assert note.endswith("a quote is a file beside the scenario, in a folder quotes")


def test_an_untouched_workbook_changes_nothing(
    made: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import-inputs", str(made[1])]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"memreport: {made[1]}: no inputs were changed\n")
    assert run(made[1], made[0], tmp_path / "case.yaml") == ("", ())
    assert (tmp_path / "case.yaml").read_text(encoding="utf-8") == TEXT


def test_a_removed_value_is_noted_not_guessed(made: tuple[Path, Path], tmp_path: Path) -> None:
    text, notes = run(typed(made[1], tmp_path / "typed.xlsx", {("hours", 0): None}), made[0], None)
    assert text == ""
    assert len(notes) == 1
    assert "hours" in notes[0]
    assert "remove its line" in notes[0]


def test_what_the_scenario_would_not_allow_is_refused_and_nothing_written(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    path = typed(made[1], tmp_path / "typed.xlsx", {("optimizer", 0): "adamz"})
    with pytest.raises(InputError, match=r"as changed.*adamz") as refused:
        run(path, made[0], tmp_path / "case.yaml")
    assert "without --scenario the changes alone are printed" in str(refused.value)
    alone = r"Inputs!F\d+: optimizer: not allowed \(found 'adamz'; allowed: one of adamw"
    with pytest.raises(InputError, match=alone) as said:
        run(path, None, None)
    assert len(said.value.faults) == 1
    assert not (tmp_path / "case.yaml").exists()


def test_write_needs_the_scenario(made: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs --scenario"):
        run(made[1], None, tmp_path / "case.yaml")


EDITS = [
    ("a: 1  # why\nb: 2\n", Edit(("a",), 3.0), "a: 3  # why\nb: 2\n"),
    ("a: {b: 1}\n", Edit(("a", "c"), "x"), "a: {b: 1, c: x}\n"),
    ("a: {}\n", Edit(("a", "c"), True), "a: {c: true}\n"),
    ("a:\nb: 2\n", Edit(("a", "c"), 1), "a: {c: 1}\nb: 2\n"),
    ("a:\n  b: 1\n\n# end\nd: 2\n", Edit(("a", "c"), 1), "a:\n  b: 1\n  c: 1\n\n# end\nd: 2\n"),
    ("a: 1\n", Edit(("v", "no: 1", "x.y"), 2), "a: 1\nv: {'no: 1': {x.y: 2}}\n"),
    ("a: 1", Edit(("b",), "yes"), "a: 1\nb: 'yes'\n"),
    ("a: [1, 2]\n", Edit(("a", 1), 5), "a: [1, 5]\n"),
    ("a: [1, 2]\n", Edit(("a",), ["q", "v"]), "a: [q, v]\n"),
]


@pytest.mark.parametrize(("before", "edit", "after"), EDITS)
def test_an_edit_changes_one_place(before: str, edit: Edit, after: str) -> None:
    assert with_edits(before, [edit], "case.yaml") == after


def test_an_edit_through_a_number_is_refused() -> None:
    with pytest.raises(InputError, match="a: is no block of fields"):
        with_edits("a: 1\n", [Edit(("a", "b"), 1)], "case.yaml")


def test_what_is_typed_for_the_recommended_option_says_how_to_make_it_a_variant(tmp_path: Path) -> None:
    """The build adds the column; the file has no such variant, so nothing is changed and the note says what to add."""
    text = scenario_text(
        hardware="{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}",
        training="{micro_batch_size: 1, sequence_length: 2048}",
        variants="\n  plain: {}\n  full: {training.gradient_checkpointing: full}",
    )
    decision = decide(computed_from(tmp_path, text))
    assert decision.chosen == "recommended"
    book = saved(decision.computed, tmp_path)
    cells: Typed = {("micro_batch_size", 2): 3, ("micro_batch_size", 0): 2}
    edited = typed(book, tmp_path / "typed.xlsx", cells)
    changed, notes = run(edited, tmp_path / "case.yaml", None)
    assert "recommended" not in changed
    assert "micro_batch_size: 2" in changed
    (note,) = notes
    assert "recommended is not a variant of the scenario; to keep it, add recommended: {training." in note
    fragment, told = run(edited, None, None)
    assert yaml.safe_load(fragment)["variants"]["recommended"]
    assert any("--scenario" in one for one in told)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("id: case", "id: other", r"id: is not the scenario of .*\(found 'other'; allowed: case\)"),
        (
            "workload: training",
            "workload: serving",
            r"workload: is not the workload of .*\(found 'serving'; allowed: tr",
        ),
    ],
)
def test_a_workbook_of_another_scenario_is_refused(
    made: tuple[Path, Path], tmp_path: Path, old: str, new: str, said: str
) -> None:
    (tmp_path / "other.yaml").write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        run(made[1], tmp_path / "other.yaml", None)


def test_a_scenario_that_changed_since_the_build_is_noted(made: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(TEXT.replace("# as agreed", "# as said"), encoding="utf-8")
    path = typed(made[1], tmp_path / "typed.xlsx", {("micro_batch_size", 0): 8})
    assert run(path, tmp_path / "case.yaml", None)[1][0].startswith(
        "the scenario changed since this workbook was built"
    )
    assert run(path, made[0], None)[1] == ()


def test_a_file_that_exists_is_written_over_only_where_asked(
    made: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = typed(made[1], tmp_path / "typed.xlsx", {("micro_batch_size", 0): 8})
    shutil.copy(made[0], tmp_path / "case.yaml")
    line = ["import-inputs", str(path), "--scenario", str(made[0]), "--write", str(tmp_path / "case.yaml")]
    assert main(line) == 2
    assert "case.yaml: exists already; --force writes over it" in capsys.readouterr().err
    assert (tmp_path / "case.yaml").read_text(encoding="utf-8") == TEXT
    assert main([*line, "--force"]) == 0
    assert "micro_batch_size: 8" in (tmp_path / "case.yaml").read_text(encoding="utf-8")
