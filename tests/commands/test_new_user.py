"""What a newcomer runs into at the command line: names, formats, files that exist, terminals that lack characters."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import memreport
from memreport.build.planning import what_changed
from memreport.catalogue.words.names import stated_instead
from memreport.commands.main import main
from memreport.errors import InputError
from tests.support import ROOT, scenario_text

BAD_INPUT = 2
CONFIG = ROOT / "tests" / "data" / "configs"


def stopped(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that ends with exit code 2."""
    try:
        code: object = main(arguments)
    except SystemExit as stop:  # argparse ends the process itself
        code = stop.code
    assert code == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_a_name_that_begins_several_names_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(training="{precision: fp33}"), encoding="utf-8")
    assert "did you mean 'fp32'?" in stopped(capsys, "show", str(path))
    path.write_text(scenario_text(training="{precision: BF16}", hardware="{accelerator: A100}"), encoding="utf-8")
    said = stopped(capsys, "show", str(path))
    assert "state precision, bf16-autocast where" in said, "what launchers call bf16, in capitals or not"
    assert "did you mean 'a100-40gb-sxm' or 'a100-80gb-sxm' or 'a100-40gb-pcie'?" in said


def test_all_faults_of_a_file_are_shown_beside_its_faults_of_syntax(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = scenario_text(
        model="lama-2-7b",
        training="{precision: bf17, precision: bf16}",
        variants="{a: {hardware: {some_count: 3}}, b: {training.zero_stage: 7, x: null}, ' ': {}}",
    )
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    lines = [line.split(" (")[0] for line in stopped(capsys, "show", str(path)).splitlines() if ": " in line]
    assert [line.removeprefix("memreport: ").removeprefix(f"{path}:") for line in lines] == [
        "5:8: model: no such model card",
        "8:29: training.precision: duplicate key; it first stands on line 8",
        f"8:40: training.precision: no such precision: {stated_instead()['bf16']}",
        "9:27: variants.a.hardware.some_count: no such field",
        "9:69: variants.b.training.zero_stage: no such zero stage",
        "9:75: variants.b.x: must be a value",
        "9:82: variants. : must not be blank",
    ]


@pytest.mark.parametrize("content", [bytes(range(256)) * 20, os.urandom(2000), b"PK\x03\x04" + bytes(500)])
def test_a_file_that_is_no_text_is_one_message(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "case.yaml"
    path.write_bytes(content)
    assert stopped(capsys, "show", str(path)).count("\n") == 1


def test_a_new_scenario_can_be_loaded_or_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a b.yaml", "Job.yaml", ".yaml.yaml"):
        assert "small letters, digits, dots and hyphens" in stopped(capsys, "new", str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []
    for workload in ("training", "serving"):
        path = tmp_path / "made" / f"{workload}.yaml"
        assert main(["new", str(path), "--workload", workload]) == 0
        assert ("made the folder" in capsys.readouterr().err) == (workload == "training"), "said once, when it is made"
        assert main(["show", str(path)]) == 0


def test_folders_of_a_misspelt_path_are_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One folder is made, and told; of a path that lacks more none is."""
    for command in (["new", "a/b/c.yaml"], ["page", "--out", "a/b/c.html"]):
        *words, name = command
        assert "there is no such folder" in stopped(capsys, *words, str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []
    assert main(["page", "--out", str(tmp_path / "a" / "c.html")]) == 0
    assert "made the folder" in capsys.readouterr().err


def test_what_is_no_job_is_told_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before any option is, and a configuration of images by its kind."""
    for name, text, said in (
        ("list.json", "[]", "is no block of settings"),
        ("flux.json", '{"_class_name": "FluxTransformer2DModel", "num_layers": 19}', "a model of images or video"),
    ):
        (tmp_path / name).write_text(text)
        for options in ([], ["--serve"]):
            assert said in stopped(capsys, "fit", str(tmp_path / name), "h100", *options)


def test_a_card_that_exists_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, card = str(next(CONFIG.glob("*.json"))), tmp_path / "mine.yaml"
    assert main(["import-model", config, "--out", str(card)]) == 0
    card.write_text("my own work", encoding="utf-8")
    capsys.readouterr()
    assert "exists already" in stopped(capsys, "import-model", config, "--out", str(card))
    assert card.read_text(encoding="utf-8") == "my own work"
    assert main(["import-model", config, "--out", str(card), "--force"]) == 0
    assert "hidden_size" in card.read_text(encoding="utf-8")


@pytest.mark.parametrize("formats", ["", "pdf,", "docx"])
def test_formats_that_do_not_exist(formats: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not one of xlsx, pdf, json, html" in stopped(capsys, "build", "x.yaml", "--formats", formats)


def test_a_build_in_other_formats_says_so() -> None:
    entry = {"sha256": "a", "files": {"x/x.json": "", "x/x.pdf": ""}}
    assert what_changed(entry, "a", ("json",)) == "other formats are asked for, it has json, pdf"
    assert what_changed(entry, "a", ("pdf", "json", "confidential")) == "what it is made from has changed"
    assert what_changed(entry, "b", ("json",)) == "its file has changed"


def test_fields_are_listed_with_their_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "training-fields", "--format", "json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert fields["training.sequence_length"] == "tokens of a sequence [token]; default 2048"
    assert fields["hardware.accelerator"] == "the GPU that the job runs on; required"
    assert fields["training.precision"].endswith("; default bf16-mixed")
    assert main(["list", "rental_prices"]) == 0
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert said[0] == ["id", "price", "currency", "unit", "region", "date", "what"]
    assert [
        "aws-p5-on-demand",
        "6.88",
        "USD",
        "USD/h",
        "us-east-1",
        "2026-09-25",
        "AWS,",
        "on-demand,",
        "h100-80gb-sxm",
    ] in said


def test_large_numbers_are_named_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    serving = "{context_length: 16777217, max_model_len: 16777216}"
    path.write_text(scenario_text(workload="serving", serving=serving))
    assert "found 16777217 in variant base" in stopped(capsys, "show", str(path))


def test_a_terminal_without_the_characters_ends_no_command(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(variants="{größer × ✓: {}}"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LANG": "C", "PYTHONPATH": str(ROOT)}
    for style in ("table", "json"):
        ran = subprocess.run(
            [sys.executable, "-m", "memreport", "show", str(path), "--format", style],
            check=False,
            capture_output=True,
            env=environment,
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert b"gr??er ? ?" in ran.stdout or b"gr?er ? ?" in ran.stdout


JOB = {"schema": 1, "id": "job", "version": 1, "title": "t", "model": "mini", "workload": "training"}


def test_a_mapping_is_a_scenario_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    card = (ROOT / "tests" / "catalogue" / "valid" / "mini.yaml").read_text(encoding="utf-8")
    (tmp_path / "models" / "mini.yaml").write_text(card, encoding="utf-8")
    training = {"micro_batch_size": np.int64(2)}
    changes = [{"version": 1, "date": dt.date(2026, 11, 20), "note": "n"}]
    hardware = {"accelerator": "a100-80gb-sxm"}
    table = memreport.estimate({**JOB, "hardware": hardware, "training": training, "changes": changes})
    assert table["micro_batch_size"].tolist() == [2]


WRONG_MAPPINGS: dict[str, dict[Any, Any]] = {
    "the mapping: id: must be at most 80 small letters": {"id": "a/b"},
    "the mapping: overrides.parameters: does not begin with a finite number": {"overrides": {"parameters": np.nan}},
    "the mapping: cannot be written as YAML": {"overrides": {"parameters": object()}},
    "the mapping: cannot be written as YAML: keys must be": {(1, 2): 3},
    "the mapping: hardware.accelerator: no such accelerator": {"hardware": {"accelerator": "a100"}},
}


@pytest.mark.parametrize("says", WRONG_MAPPINGS)
def test_a_mapping_that_is_wrong_names_its_fields(says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        memreport.estimate({**JOB, **WRONG_MAPPINGS[says]})
    assert {fault.file for fault in caught.value.faults} == {"the mapping"}


def test_a_device_is_never_replaced_by_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is not a regular file" in stopped(capsys, "schema", "--out", str(pipe))
    assert pipe.is_fifo()


def test_a_link_to_nothing_is_no_other_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "link.yaml").symlink_to(tmp_path / "gone.yaml")
    assert stopped(capsys, "show", str(tmp_path / "link.yaml")).endswith("it is a link to nothing\n")


def test_an_empty_path_is_not_the_current_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert "is empty" in stopped(capsys, "build", "")


def test_a_merge_key_is_one_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text() + "<<: {a: 1}\n", encoding="utf-8")
    assert stopped(capsys, "show", str(path)).count("\n") == 1
