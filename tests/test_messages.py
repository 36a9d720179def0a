"""Messages name what was typed, where it was looked for and what to type instead."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
import yaml

from memreport.commands.main import main
from memreport.errors import BAD_INPUT, DONE
from tests.support import scenario_text

Said = pytest.CaptureFixture[str]
CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 4, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 11008, "vocab_size": 32000, "max_position_embeddings": 4096,
    "rms_norm_eps": 1e-6, "hidden_act": "silu",
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of one scenario, in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.yaml").write_text(scenario_text(), encoding="utf-8")
    (tmp_path / "empty").mkdir()


def refused(capsys: Said, *arguments: str) -> str:
    assert main([*arguments]) == BAD_INPUT
    return capsys.readouterr().err


def config(**changes: object) -> str:
    Path("config.json").write_text(json.dumps({**CONFIG, **changes}), encoding="utf-8")
    return "config.json"


def test_a_page_of_no_model_names_the_argument_and_the_list(capsys: Said) -> None:
    said = refused(capsys, "page", "--model", "llama-3-8")
    assert "--model: no model of the catalogue is called so (found 'llama-3-8'; allowed: memreport list models" in said
    assert "did you mean 'llama-3-8b'" in said
    assert "the mapping" not in said


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("nofolder", "nofolder: BASE: no such file or folder"),
        ("empty", "policy.yaml: there is no such policy (allowed: --policy FILE, or memreport gate empty --init"),
        ("empty@nope", "empty@nope: BASE: "),
    ],
)
def test_a_gate_says_whether_folder_or_policy_is_missing(capsys: Said, base: str, said: str) -> None:
    assert said in refused(capsys, "gate", base)


def test_a_policy_that_lies_in_the_folder_is_named(capsys: Said) -> None:
    Path("empty/policy.yaml").write_text("schema: 1\n", encoding="utf-8")
    assert "did you mean 'empty/policy.yaml'?" in refused(capsys, "gate", "empty")


def test_a_figure_that_is_none_is_said_of_its_scenario(capsys: Said) -> None:
    said = refused(capsys, "show", "case.yaml", "--figures", "peak")
    assert said.startswith("memreport: case.yaml: --figures: is no figure (found 'peak'")


@pytest.mark.parametrize("command", [("new", "empty/a.yaml"), ("page", "--out", "empty/a.html")])
def test_a_folder_that_cannot_be_written_is_named_with_the_file(
    capsys: Said, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    opened = os.open

    def refusing(path: str | Path, *rest: int, **more: int) -> int:
        if str(path).endswith(".part"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *rest, **more)

    monkeypatch.setattr(os, "open", refusing)
    said = refused(capsys, *command)
    assert f"{command[-1]}: cannot be written in the folder {Path('empty').absolute()}: Permission denied" in said
    assert ".part" not in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hardware": "{accelerator: h100-80gb-sxm, count: 2e6}"}, "must be at most 1,000,000 (found 2000000)"),
        ({"hardware": f"{{accelerator: h100-80gb-sxm, count: {10**20}}}"}, "is too large to be kept to the unit"),
        ({"training": "{micro_batch_size: 3 GB}"}, "'GB' measures byte, but a number without a unit is wanted"),
    ],
)
def test_numbers_are_refused_in_plain_words(capsys: Said, changes: dict[str, str], said: str) -> None:
    Path("case.yaml").write_text(scenario_text(**changes), encoding="utf-8")
    assert said in refused(capsys, "show", "case.yaml")


@pytest.mark.parametrize(
    ("typed", "said"), [("x1000000000", "is more GPUs than are counted"), ("x0", "is no number of GPUs")]
)
def test_a_number_of_gpus_says_the_most(capsys: Said, typed: str, said: str) -> None:
    found = refused(capsys, "fit", "llama-3-8b", "h100", typed)
    assert said in found
    assert "up to 99,999" in found


def test_every_wrong_number_of_a_configuration_is_told(capsys: Said) -> None:
    said = refused(capsys, "import-model", config(hidden_size=-5, num_attention_heads=0))
    assert "hidden_size: must be a whole number that is not negative (found -5)" in said
    assert "num_attention_heads: must be at least 1 (found 0)" in said


def test_a_configuration_of_a_model_is_no_scenario_in_one_line(capsys: Said) -> None:
    said = refused(capsys, "diff", "case.yaml", config())
    assert "is a configuration of a model, no scenario: memreport fit config.json GPU" in said
    assert len(said.splitlines()) == 1


def test_a_model_type_that_is_guessed_is_said_by_fit(capsys: Said) -> None:
    assert main(["fit", config(model_type="foo"), "h100"]) == DONE
    assert "model_type 'foo' is not known: read as llama" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_a_new_scenario_draws_no_warning(capsys: Said, workload: str) -> None:
    assert main(["new", "my-job.yaml", "--workload", workload]) == DONE
    assert main(["show", "my-job.yaml"]) == DONE
    assert "Warning" not in capsys.readouterr().out


POLICY = "schema: 1\nrules: {cost: {share: 10}, total_cost: {share: 10 %%}}\n"


def test_a_gate_names_what_was_deleted_and_a_share_above_the_whole(capsys: Said, tmp_path: Path) -> None:
    for folder, names in (("then", ("a", "b")), ("now", ("a",))):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.yaml").write_text(scenario_text(id_=name), encoding="utf-8")
    Path("policy.yaml").write_text(POLICY.replace("%%", "%"), encoding="utf-8")
    main(["gate", "then", "now"])
    said = capsys.readouterr().out
    assert "deleted since then: b" in said
    assert "rules.cost.share allows a rise of 1,000 %; 10 % is written 10 % or 0.1" in said
    assert "total_cost.share allows" not in said


def test_a_share_of_a_tenth_is_no_note(capsys: Said) -> None:
    Path("policy.yaml").write_text(yaml.safe_dump({"schema": 1, "rules": {"cost": {"share": 0.1}}}), encoding="utf-8")
    main(["gate", "case.yaml", "case.yaml"])
    assert "allows a rise of 10 %;" not in capsys.readouterr().out
