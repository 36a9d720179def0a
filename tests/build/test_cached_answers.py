"""An answer is kept while nothing changes that it is made from; whatever is amiss with the keeping costs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from memreport.build import cached_answers
from memreport.cache import SWITCH
from memreport.commands.main import main
from memreport.errors import BAD_INPUT, DONE, FINDING
from tests.support import ROOT

SCENARIO = ROOT / "scenarios/qlora-7b-rtx4070.yaml"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(SWITCH)
    monkeypatch.setattr(cached_answers, "TICK", -(10**9))  # files of this very moment count as settled
    (tmp_path / "jobs").mkdir()
    monkeypatch.chdir(tmp_path / "jobs")
    Path(SCENARIO.name).write_text(SCENARIO.read_text(encoding="utf-8"), encoding="utf-8")


def stored(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").rglob("*.json"))


def shown(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert main(["show", SCENARIO.name, *more]) in (DONE, FINDING)
    return capsys.readouterr().out


def nothing_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr("memreport.frame.computed_of", refused)


def test_the_same_question_is_answered_without_computing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, data = shown(capsys), shown(capsys, "--format", "json")
    nothing_computed(monkeypatch)
    assert shown(capsys) == first
    assert shown(capsys, "--format", "json") == data != first


@pytest.mark.parametrize("asked", [["show", SCENARIO.name], ["fit", "llama-3-8b", "rtx-4090", "--qlora"]])
def test_a_kept_answer_loads_no_part_of_the_engine(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked) in (DONE, FINDING)
    code = (
        "import sys; from memreport.commands.main import main; main(sys.argv[1:]); "
        "sys.exit(bool({'numpy', 'pydantic', 'yaml', 'memreport.compute', 'memreport.report'} & set(sys.modules)))"
    )
    again = subprocess.run([sys.executable, "-c", code, *asked], capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout) == (0, capsys.readouterr().out)


def test_a_changed_scenario_or_catalogue_is_computed_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, file = shown(capsys), Path(SCENARIO.name)
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"sequence_length: \d+", "sequence_length: 1536", text, count=1), encoding="utf-8")
    second = shown(capsys)
    assert second != first
    (tmp_path / "jobs/models").mkdir()
    card = (ROOT / "scenarios/models/llama-2-7b.yaml").read_text(encoding="utf-8")
    (tmp_path / "jobs/models/llama-2-7b.yaml").write_text(card.replace("32000", "64000"), encoding="utf-8")
    assert shown(capsys, "--format", "json") != second


def test_what_is_damaged_or_cannot_be_kept_is_computed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shown(capsys)
    [kept] = stored(tmp_path)
    kept.write_text(kept.read_text(encoding="utf-8").replace("GiB", "TiB"), encoding="utf-8")
    assert shown(capsys) == first
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path(SCENARIO.name).resolve()))  # a file, in which no folder can be made
    assert shown(capsys) == first


def test_nothing_is_kept_where_it_is_switched_off_or_wrong_or_a_file_is_too_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["show", SCENARIO.name, "--variant", "nosuch"]) == BAD_INPUT
    monkeypatch.setattr(cached_answers, "TICK", 10**12)
    shown(capsys)
    monkeypatch.setattr(cached_answers, "TICK", -(10**9))
    monkeypatch.setenv(SWITCH, "off")
    shown(capsys)
    assert not stored(tmp_path)


def test_a_fit_is_kept_until_its_configuration_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "jobs/config.json"
    config.write_text((ROOT / "tests/data/configs/llama-3-8b.json").read_text(encoding="utf-8"), encoding="utf-8")
    line = ["fit", "config.json", "h100-80gb-sxm", "--serve"]
    assert main(line) == DONE
    first = capsys.readouterr().out
    with monkeypatch.context() as patch:
        patch.setattr("memreport.build.answers.fitting.fitted", None)
        assert main(line) == DONE
    assert capsys.readouterr().out == first
    config.write_text(
        config.read_text(encoding="utf-8").replace('"num_hidden_layers": 32', '"num_hidden_layers": 64'),
        encoding="utf-8",
    )
    main(line)
    assert capsys.readouterr().out != first


def test_old_answers_make_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_answers, "MOST_ANSWERS", 1)
    for form in ("table", "json"):
        shown(capsys, "--format", form)
    assert len(stored(tmp_path)) == 1
