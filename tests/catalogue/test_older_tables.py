"""Tables of an older version, a user's own or in git: one clear fault for each column that did not exist then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from memreport.build.versions.previous import since_previous
from memreport.catalogue.tables.required import last_reference
from memreport.commands.main import main
from memreport.compute import compute
from memreport.errors import Fault, InputError
from memreport.resolve import resolve_all
from tests.build.test_diff import git
from tests.part import part
from tests.support import ROOT, scenario_text

REFERENCE = sorted((ROOT / "scenarios" / "reference").glob("*.yaml"))
FORMATS, COLUMN = "weight_formats", "constant_bytes"


def without(path: Path, column: str) -> dict[str, Any]:
    """A table as it was before it had a column."""
    data: dict[str, Any] = yaml.safe_load(path.read_text())
    data["columns"].pop(column)
    for row in data["rows"]:
        row.pop(column, None)
    return data


def written(path: Path, data: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    return path


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.stem)
def test_each_column_that_a_table_lacks_is_one_fault_and_the_table_stays_whole(path: Path, tmp_path: Path) -> None:
    whole = last_reference([path], [])
    for column in part([name for name, one in whole.columns.items() if not one.otherwise], 4):
        own = written(tmp_path / column / path.name, without(path, column))
        faults: list[Fault] = []
        table = last_reference([path, own], faults)
        assert [(fault.file, fault.field) for fault in faults] == [(str(own), f"columns.{column}")]
        assert f"{column}: {{unit: " in faults[0].expected
        assert faults[0].line
        assert table.columns.keys() == whole.columns.keys()
        assert table.columns[column].values == whole.columns[column].values


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.stem)
def test_a_column_that_came_later_means_what_was_taken_before(path: Path, tmp_path: Path) -> None:
    whole = last_reference([path], [])
    for column in part([name for name, one in whole.columns.items() if one.otherwise], 4):
        faults: list[Fault] = []
        table = last_reference([path, written(tmp_path / column / path.name, without(path, column))], faults)
        said = whole.columns[column].otherwise
        assert not faults
        assert table.columns.keys() == whole.columns.keys()
        other = whole.columns[said].values if said in whole.columns else (float(said),) * len(whole.ids)
        assert table.columns[column].values == other


def test_another_unit_is_a_fault_and_a_column_that_nobody_reads_is_left_out(tmp_path: Path) -> None:
    path = ROOT / "scenarios" / "reference" / f"{FORMATS}.yaml"
    data = yaml.safe_load(path.read_text())
    data["columns"][COLUMN]["unit"] = "GiB"
    data["columns"]["weight_bytes"] = {"unit": "byte", "meaning": "would stand in for a figure"}
    for row in data["rows"]:
        row["weight_bytes"] = 7
    faults: list[Fault] = []
    table = last_reference([path, written(tmp_path / path.name, data)], faults)
    assert [(fault.field, fault.found) for fault in faults] == [(f"columns.{COLUMN}", "'GiB'")]
    assert "weight_bytes" not in table.columns


def own_folder(folder: Path, name: str, data: object, **blocks: Any) -> Path:
    written(folder / "scenarios" / name, data)
    path = folder / "scenarios" / "case.yaml"
    path.write_text(scenario_text(**blocks))
    return path


def test_a_table_of_ones_own_says_what_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = without(ROOT / "scenarios" / "reference" / f"{FORMATS}.yaml", COLUMN)
    path = own_folder(tmp_path, f"reference/{FORMATS}.yaml", old)
    for command in (["show"], ["build", "--out", str(tmp_path / "out")], ["plan"]):
        assert main([*command, str(path)]) == 2
        said = capsys.readouterr().err
        assert said.count(f"columns.{COLUMN}: is lacking") == 1
        assert f"reference/{FORMATS}.yaml:" in said
        assert f"{COLUMN}: {{unit: byte, meaning: ...}} under columns" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("table", ["accelerators/h100-80gb-sxm", "hosts", "links"])
def test_each_number_that_hardware_of_ones_own_lacks_is_named(table: str, tmp_path: Path) -> None:
    data = yaml.safe_load((ROOT / "hardware" / f"{table}.yaml").read_text())
    row = data["figures"] if "figures" in data else data[table][0]
    for name in part([name for name in row if name not in ("id", "title", "note", "basis", "date", "form_factors")], 3):
        kept = row.pop(name)
        path = own_folder(tmp_path / name, f"hardware/{table}.yaml", data)
        row[name] = kept
        if name in ("link_domain_accelerators", "host_thread_rating"):
            assert resolve_all([path])
            continue
        with pytest.raises(InputError) as raised:
            resolve_all([path])
        assert any(fault.field.endswith(name) and table in fault.file for fault in raised.value.faults)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A scenario in version 2, with a table of its own that was older when the scenario was in version 1."""
    table = ROOT / "scenarios" / "reference" / f"{FORMATS}.yaml"
    path = own_folder(tmp_path / "repo", f"reference/{FORMATS}.yaml", without(table, COLUMN))
    git(tmp_path, "init", "-q", "-b", "main", str(tmp_path / "repo"))
    for version in (1, 2):
        path.write_text(scenario_text(version=version))
        git(tmp_path / "repo", "add", ".")
        git(tmp_path / "repo", "commit", "-q", "-m", f"version {version}")
        written(path.parent / "reference" / table.name, yaml.safe_load(table.read_text()))
    return path


def test_a_previous_version_that_this_program_cannot_compute_stops_no_build(history: Path) -> None:
    found = since_previous(compute(resolve_all([history]))[0])
    assert found.made is None
    assert found.sentence.startswith("The previous version (1) cannot be computed with this program: ")
    assert f"{FORMATS}.yaml:5: columns.{COLUMN}: is lacking, and figures read it." in found.sentence
    assert str(history.parents[1]) not in found.sentence
    out = history.parents[1] / "out"
    assert main(["build", str(history), "--out", str(out), "--formats", "json", "--jobs", "1"]) == 0
    assert "cannot be computed with this program" in (out / "case" / "case.json").read_text()


def test_whatever_goes_wrong_with_a_previous_version_stops_no_build(
    history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = compute(resolve_all([history]))[0]

    def broken(*_: object) -> None:
        raise KeyError("constant_bytes")

    monkeypatch.setattr("memreport.build.versions.previous.compute", broken)
    monkeypatch.setattr("memreport.build.versions.previous.resolve_all", lambda _: [now.resolved])
    assert "with this program: KeyError: 'constant_bytes'." in since_previous(now).sentence


def test_a_difference_to_an_older_table_names_it(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", f"{history}@HEAD~1", str(history)]) == 2
    said = capsys.readouterr().err
    assert f"{history.parents[0] / 'reference' / FORMATS}.yaml@HEAD~1:5" in said
    assert f"columns.{COLUMN}: is lacking" in said
