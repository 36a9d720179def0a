"""Since the previous version: where it is found, what it is compared with, and that nothing else decides the bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from memreport.advise.decide import decide
from memreport.build.outputs import reported
from memreport.build.versions.previous import previous_key, since_previous
from memreport.compute import Computed, compute
from memreport.errors import InputError
from memreport.publish.json.scenario import since_data
from memreport.publish.pdf.sheet import sheet_html
from memreport.report.changes.rows import difference_rows
from memreport.report.records.changes.versions import VersionComparison
from memreport.resolve import resolve_all
from tests.support import scenario_text

COST = "{{basis: rent, price: ours, hours: {hours}}}"
OFFER = (
    "{id: ours, kind: rent, accelerator: a100-80gb-sxm, usd_per_accelerator_hour: %s, currency: USD, date: 2026-11-01,"
    " source: {title: offer}}"
)


def written(folder: Path, version: int, hours: int = 10, **blocks: Any) -> Path:
    """The scenario in a version, in a folder that may be new."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "case.yaml"
    path.write_text(scenario_text(version=version, cost=COST.format(hours=hours), **blocks))
    return path


def priced(folder: Path, usd: float = 2) -> None:
    (folder / "hardware").mkdir(parents=True, exist_ok=True)
    (folder / "hardware" / "prices.yaml").write_text(f"schema: 1\nprices:\n  - {OFFER % usd}\n")


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def committed(folder: Path, message: str) -> None:
    if not (folder / ".git").exists():
        git(folder.parent, "init", "-q", "-b", "main", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)


def read(path: Path) -> Computed:
    return compute(resolve_all([path]))[0]


def since(path: Path) -> VersionComparison:
    return since_previous(read(path))


def test_a_first_version_has_nothing_before_it(tmp_path: Path) -> None:
    priced(tmp_path)
    found = since(written(tmp_path, 1))
    assert (found.place, found.made, found.sentence) == ("", None, "This is the first version.")


def test_without_repository_or_folder_it_says_so(tmp_path: Path) -> None:
    priced(tmp_path)
    found = since(written(tmp_path, 2))
    assert found.made is None
    assert found.sentence == "No earlier version was found, neither in the folder previous nor in git."


def test_a_file_in_the_folder_previous_wins_and_is_no_scenario_of_its_own(tmp_path: Path) -> None:
    priced(tmp_path)
    path = written(tmp_path, 2, hours=15)
    written(tmp_path / "previous", 1)
    found = since(path)
    assert found.place == "previous/case.yaml"
    assert found.sentence.startswith("Cost rises by $10.00 (+50 %)")
    assert [one.loaded.path for one in resolve_all([tmp_path])] == [path]


def test_a_file_in_previous_that_is_not_older_is_one_clear_fault(tmp_path: Path) -> None:
    priced(tmp_path)
    path = written(tmp_path, 2)
    written(tmp_path / "previous", 2)
    with pytest.raises(InputError) as raised:
        since(path)
    assert "case.yaml:3:10: version: must be higher than that of the version before" in str(raised.value)


def test_git_holds_the_version_before_whether_or_not_the_new_one_is_committed(tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    priced(folder, usd=2)
    written(folder, 1)
    committed(folder, "one")
    priced(folder, usd=3)
    path = written(folder, 2)
    before = since(path)
    assert before.sentence.startswith("Cost rises by $10.00 (+50 %)"), "with the price of its time"
    committed(folder, "two")
    written(folder, 2, title="reworded")
    committed(folder, "reworded, same version")
    assert since(path).place == before.place
    assert before.place.startswith("git, blob ")


def test_only_contents_decide_and_not_names_of_commits(tmp_path: Path) -> None:
    folder, copy = tmp_path / "repo", tmp_path / "copy"
    for where in (folder, copy):
        priced(where)
        written(where, 1)
        if where == copy:
            (copy / "unrelated.txt").write_text("more")
        committed(where, f"one in {where.name}")
        written(where, 2, hours=20)
        committed(where, "two")
    keys = {previous_key(read(where / "case.yaml").resolved.loaded) for where in (folder, copy)}
    assert len(keys) == 1
    written(folder, 3)
    assert previous_key(read(folder / "case.yaml").resolved.loaded) not in keys


def test_a_version_that_can_no_longer_be_read_is_said_and_not_raised(tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    priced(folder)
    written(folder, 1, owner="a\nnonsense: 1")
    committed(folder, "one")
    found = since(written(folder, 2))
    assert found.sentence.startswith("The previous version (1) cannot be computed with this program: case.yaml:")
    assert found.made is None


def test_every_report_says_what_changed(tmp_path: Path) -> None:
    priced(tmp_path)
    path = written(tmp_path, 2, hours=15, changes="[{version: 2, date: 2026-11-20, note: longer}]")
    written(tmp_path / "previous", 1)
    computed, found = read(path), since(path)
    page = sheet_html(reported(decide(computed), found))
    assert found.sentence[:60] in page.replace("\u00a0", " ")  # numbers are tied to their units
    data = since_data(found)["since_previous"]
    assert data["version"] == {"old": 1, "new": 2}
    assert data["variants"]["base"]["figures"]["cost_total_usd"]["new"] == 30
    assert found.made is not None
    assert any("$20.00 → $30.00" in cells[0] for cells in difference_rows(found.made))
