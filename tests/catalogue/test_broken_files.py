"""Every mistake of a user's file is reported at its line and column, in words, with exit code 2 and no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from memreport.catalogue.load import load
from memreport.commands.main import main

HERE = Path(__file__).parent
BAD_INPUT = 2


def cases(name: str) -> list[Any]:
    listed = yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
    return [
        pytest.param(one, id=f"{at}-{one.get('case', Path(one.get('file', '')).stem)}") for at, one in enumerate(listed)
    ]


def broken(text: str, case: dict[str, str]) -> str:
    old = case["replace"]
    assert old == "ALL" or old in text, f"the valid file holds no {old!r}"
    return case["by"] if old == "ALL" else text.replace(old, case["by"], 1)


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert captured.out == "", "faults are no data"
    assert "Traceback" not in captured.err
    return captured.err.removeprefix("memreport: ")


def valid(name: str) -> str:
    return (HERE / "valid" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", cases("broken_scenarios.yaml"))
def test_scenario(
    case: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("case.yaml").write_text(broken(valid("case.yaml"), case), encoding="utf-8")
    assert main(["show", "case.yaml"]) == BAD_INPUT
    text = shown(capsys)
    assert text.startswith(f"case.yaml:{case['at']}: {case['says']}")
    assert ("did you mean" in text) == ("nearest" in case)
    assert f"did you mean {case.get('nearest', '')!r}" in text or "nearest" not in case


def test_an_unknown_name_hides_no_other_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside a choice that is not known, rules are told that read nothing of it, and only those."""
    monkeypatch.chdir(tmp_path)
    text = valid("case.yaml").replace("zero_stage: 3", "zero_stage: 7\n  pipeline_parallel_size: 100", 1)
    Path("case.yaml").write_text(text, encoding="utf-8")
    assert main(["show", "case.yaml"]) == BAD_INPUT
    said = shown(capsys)
    assert "training.zero_stage: no such zero stage (found 7" in said
    assert "training.pipeline_parallel_size: may not be more than the layers" in said
    Path("case.yaml").write_text(text.replace("zero_stage: 7", "optimizer: nosuchone"), encoding="utf-8")
    assert main(["show", "case.yaml"]) == BAD_INPUT
    assert "training.optimizer: no such optimizer" in (said := shown(capsys))
    assert "stage 3" not in said


PLACES = {
    "hardware/accelerators/mine.yaml": "mine.yaml",
    "scenarios/models/mini.yaml": "mini.yaml",
    "hardware/hosts.yaml": "hosts.yaml",
    "scenarios/reference/optimizers.yaml": "optimizers.yaml",
}
OWN = "schema: 1\nid: case\nversion: 1\ntitle: t\nmodel: mini\nhardware: {accelerator: mine}\nworkload: training\n"


def own_folders(root: Path, **changed: str) -> Path:
    """A user's own card, model, hosts and optimizers beside a scenario; `changed` are other texts of these files."""
    texts = {place: changed.get(Path(place).stem, valid(name)) for place, name in PLACES.items()}
    for place, text in {**texts, "scenarios/case.yaml": changed.get("case", OWN)}.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text, encoding="utf-8")
    return root / "scenarios" / "case.yaml"


@pytest.mark.parametrize("case", cases("broken_cards.yaml"))
def test_card_or_table(case: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stem = Path(case["file"]).stem
    path = own_folders(tmp_path, **{stem: broken(valid(f"{stem}.yaml"), case)})
    assert main(["show", str(path)]) == BAD_INPUT
    text = shown(capsys)
    assert f"{tmp_path / case['file']}:{case['at']}: {case['says']}" in text
    assert f"did you mean {case.get('nearest', '')!r}" in text or "nearest" not in case


def test_there_are_many_cases() -> None:
    assert len(cases("broken_scenarios.yaml")) >= 80
    assert len(cases("broken_cards.yaml")) >= 35


def test_the_valid_files_are_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(own_folders(tmp_path))]) == 0
    own_folders(tmp_path / "other", case=valid("case.yaml"))
    assert main(["show", str(tmp_path / "other" / "scenarios" / "case.yaml"), "--all"]) == 0
    assert "peak_bytes" in capsys.readouterr().out


def test_own_files_are_found_beside_a_scenario_that_is_named_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_folders(tmp_path)
    for folder, path in ((tmp_path / "scenarios", "case.yaml"), (tmp_path, "scenarios/case.yaml")):
        monkeypatch.chdir(folder)
        assert main(["show", path]) == 0


def test_faults_of_several_files_come_together_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = valid("mine.yaml").replace("81920 MiB", "81920 Mib").replace("basis: observed", "basis: seen")
    model = (
        valid("mini.yaml").replace("hidden_size: 4096", "hidden_size: 0").replace("vocab_size: 32000", "vocab_size: x")
    )
    scenario = OWN.replace("workload: training", "workload: training\ntrainnig: {}").replace("version: 1", "version: 0")
    assert main(["show", str(own_folders(tmp_path, mine=card, mini=model, case=scenario))]) == BAD_INPUT
    places = [line.split(" ")[0] for line in shown(capsys).splitlines() if line.startswith(str(tmp_path))]
    files = [Path(place.split(":")[0]).name for place in places]
    assert files == ["mine.yaml", "mine.yaml", "case.yaml", "case.yaml", "mini.yaml", "mini.yaml"]


def test_a_table_of_ones_own_needs_the_columns_that_figures_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = valid("optimizers.yaml")
    for row in ("  optimizer_paged: {unit", ", optimizer_paged: 0", ", optimizer_paged: 1"):
        text = "\n".join(
            line.replace(row, "") for line in text.splitlines() if not line.startswith("  optimizer_paged:")
        )
    assert main(["show", str(own_folders(tmp_path, optimizers=text))]) == BAD_INPUT
    text = shown(capsys)
    assert "columns.optimizer_paged: is lacking, and figures read it (" in text
    assert "allowed: optimizer_paged: {unit: '', meaning: ...} under columns, and a number in every row (" in text


def test_a_table_of_an_older_version_keeps_its_meaning(tmp_path: Path) -> None:
    loaded, faults = load([own_folders(tmp_path)])
    table = loaded[0][1].tables["optimizers"]
    assert faults == []
    assert table.columns["optimizer_edge_moments"].values == table.columns["optimizer_moments"].values
    assert set(table.columns["optimizer_preconditioners"].values) == {0}
    assert table.columns["optimizer_low_rank"].sources == table.columns["optimizer_moments"].sources


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "nothing.yaml"], "nothing.yaml"),
        (["show", "case.yaml", "--variant", "lang"], "no such variant (found 'lang'; allowed: base, long)"),
        (["list", "acelerators"], "did you mean 'accelerators'?"),
    ],
)
def test_arguments(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("case.yaml").write_text(valid("case.yaml"), encoding="utf-8")
    assert main(arguments) == BAD_INPUT
    assert says in shown(capsys)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a: \x80", b"\x00" * 100, b"[" * 5000, b"a: &a [*a]"])
def test_files_that_are_no_text(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    path.write_bytes(content)
    assert main(["show", str(path)]) == BAD_INPUT
    assert shown(capsys).startswith(str(path))


def test_a_command_in_its_own_process_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(valid("case.yaml").replace("llama-2-7b", "lama-2-7b"), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "memreport", "show", str(path)], check=False, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout) == (BAD_INPUT, "")
    assert ran.stderr.startswith(f"memreport: {path}:8:8: model: no such model card (found 'lama-2-7b'")
    assert ran.stderr.endswith("did you mean 'llama-2-7b'?\n")


@pytest.mark.parametrize("arguments", [["shwo"], ["show"], ["show", "a.yaml", "--format", "xml"], ["build"], []])
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == BAD_INPUT
    assert "memreport" in capsys.readouterr().err
