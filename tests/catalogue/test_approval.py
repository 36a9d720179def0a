"""An approval is bound to what was approved: to the inputs, and to nothing else of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memreport.catalogue.approval import approval_words, has_lapsed, inputs_sha256
from memreport.catalogue.scenario import Scenario
from memreport.commands.main import main
from memreport.compute import Computed
from memreport.errors import InputError
from tests.build.test_diff import git
from tests.support import run, scenario_text

SIGNED = "{status: approved, approved: A. Person, date: 2026-11-20, sha256: '%s'}"
PLAIN = {"training": "{zero_stage: 1, micro_batch_size: 2}", "variants": "{a: {}, b: {training.zero_stage: 3}}"}


def scenario(folder: Path, **blocks: str) -> Scenario:
    return computed(folder, **blocks).resolved.loaded.scenario


def computed(folder: Path, **blocks: str) -> Computed:
    return run(folder, scenario_text(**{**PLAIN, **blocks}))


@pytest.mark.parametrize(
    "blocks",
    [
        {"training": "{micro_batch_size: 2, zero_stage: 1}"},
        {"training": "{zero_stage: 1.0, micro_batch_size: 2}"},
        {"title": "another", "question": "why?", "owner": "you", "version": "2"},
        {"approval": "{status: in review, prepared: me}"},
    ],
)
def test_what_changes_no_input_keeps_the_hash(tmp_path: Path, blocks: dict[str, str]) -> None:
    assert inputs_sha256(scenario(tmp_path, **blocks)) == inputs_sha256(scenario(tmp_path))


@pytest.mark.parametrize(
    "blocks",
    [
        {"training": "{zero_stage: 1, micro_batch_size: 3}"},
        {"training": "{zero_stage: 1, micro_batch_size: 2, sequence_length: 512}"},
        {"variants": "{b: {training.zero_stage: 3}, a: {}}"},
        {"model": "llama-2-13b"},
        {"overrides": "{parameters: 7e9}"},
        {"cost": "{basis: rent, price: aws-p4de-on-demand}"},
    ],
)
def test_an_input_that_changes_ends_the_approval(tmp_path: Path, blocks: dict[str, str]) -> None:
    approval = SIGNED % inputs_sha256(scenario(tmp_path))
    assert approval_words(scenario(tmp_path, approval=approval)) == "approved by A. Person on 2026-11-20"
    changed = scenario(tmp_path, approval=approval, **blocks)
    assert has_lapsed(changed)
    said = "no longer approved: inputs changed since A. Person approved them on 2026-11-20"
    assert approval_words(changed) == said


def test_an_approval_needs_who_when_and_the_hash_which_the_fault_gives(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        computed(tmp_path, approval="{status: approved}")
    assert [one.field for one in raised.value.faults] == ["approval.approved", "approval.date", "approval.sha256"]
    given = raised.value.faults[-1].expected
    assert not has_lapsed(scenario(tmp_path, approval=SIGNED % given))


def test_a_status_is_one_of_four_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'approved'"):
        computed(tmp_path, approval="{status: aproved}")


def test_outputs_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approval = SIGNED % inputs_sha256(scenario(tmp_path))
    computed(tmp_path, approval=approval)
    file = tmp_path / "case.yaml"
    assert main(["show", str(file)]) == 0
    assert "Status: approved by A. Person on 2026-11-20." in capsys.readouterr().out
    assert main(["show", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["approval"]["state"] == "approved by A. Person on 2026-11-20"
    assert main(["build", str(file), "--out", str(tmp_path / "out"), "--formats", "html"]) == 0
    assert "approved by A. Person on 2026-11-20" in (tmp_path / "out/case/case.html").read_text(encoding="utf-8")
    assert "approved by A. Person on 2026-11-20" in (tmp_path / "out/index.html").read_text(encoding="utf-8")


def test_gate_says_that_an_approval_has_lapsed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    approval = SIGNED % inputs_sha256(scenario(tmp_path))
    computed(tmp_path, approval=approval)
    (tmp_path / "policy.yaml").write_text("schema: 1\nrules: {approval: {over: 1e9 USD}}\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "approved")
    assert main(["gate", "case.yaml@HEAD"]) == 0
    computed(tmp_path, approval=approval, model="llama-2-13b")
    assert main(["gate", "case.yaml@HEAD"]) == 1
    said = capsys.readouterr().out
    assert "failed: approval of case, case.yaml:" in said
    assert "note: case is no longer approved: inputs changed since A. Person approved them" in said
