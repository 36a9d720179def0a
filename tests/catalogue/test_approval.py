"""An approval is bound to what was approved: to the inputs, and to nothing else of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from memreport.catalogue.scenario import Scenario
from memreport.catalogue.terms.approval import inputs_changed, inputs_sha256, rests_on
from memreport.commands.main import main
from memreport.compute import Computed
from memreport.errors import InputError
from tests.build.test_diff import git
from tests.support import ROOT, packaged, run, scenario_text

SIGNED = "{status: approved, approved: A. Person, date: 2026-11-20, sha256: '%s', rests_on: %s}"
PLAIN = {"training": "{zero_stage: 1, micro_batch_size: 2}", "variants": "{a: {}, b: {training.zero_stage: 3}}"}


def signed(made: Scenario) -> str:
    """The approval of a scenario as it stands."""
    found = rests_on(made, packaged().tables, packaged().model)
    return SIGNED % (inputs_sha256(made), json.dumps(found))


def words(folder: Path, **blocks: str) -> str:
    return computed(folder, **blocks).resolved.loaded.approval


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
    approval = signed(scenario(tmp_path))
    assert words(tmp_path, approval=approval) == "approved by A. Person on 2026-11-20"
    changed = scenario(tmp_path, approval=approval, **blocks)
    assert inputs_changed(changed)
    said = "no longer approved: inputs changed since A. Person approved them on 2026-11-20"
    assert words(tmp_path, approval=approval, **blocks) == said


def test_a_card_a_gpu_or_a_price_that_changes_ends_the_approval_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cost = "{basis: rent, price: mine, hours: 10}"
    price = (
        "{id: mine, kind: rent, accelerator: a100-80gb-sxm, usd_per_accelerator_hour: %s, currency: USD, "
        "date: 2026-11-01, source: {title: own offer, date: 2026-11-01}}"
    )
    (tmp_path / "hardware").mkdir()
    book, card = tmp_path / "hardware" / "prices.yaml", tmp_path / "models" / "own.yaml"
    card.parent.mkdir()
    packaged_card = (ROOT / "scenarios" / "models" / "llama-2-7b.yaml").read_text(encoding="utf-8")
    book.write_text(f"schema: 1\nprices:\n  - {price % 2}\n", encoding="utf-8")
    card.write_text(packaged_card.replace("id: llama-2-7b", "id: own"), encoding="utf-8")
    file, blocks = tmp_path / "case.yaml", {"model": "own", "cost": cost}

    def shown(approval: str) -> str:
        file.write_text(scenario_text(**{**PLAIN, **blocks, "approval": approval}), encoding="utf-8")
        assert main(["show", str(file)]) in (0, 2)
        both = capsys.readouterr()
        return both.out + both.err

    bare = Scenario.model_validate(yaml.safe_load(scenario_text(**{**PLAIN, **blocks})))
    without = (SIGNED % (inputs_sha256(bare), "")).replace(", rests_on: ", "")
    fault = shown(without)
    assert "approval.rests_on: is required where the status is approved" in fault
    resting = "{model own" + fault.partition("{model own")[2].partition("}")[0] + "}"
    approval = without.replace("'}", f"', rests_on: {resting}}}")
    assert "Status: approved by A. Person on 2026-11-20." in shown(approval)
    book.write_text(f"schema: 1\nprices:\n  - {price % 3}\n", encoding="utf-8")
    assert "no longer approved: price mine changed since A. Person" in shown(approval)
    book.write_text(f"schema: 1\nprices:\n  - {price % 2}\n", encoding="utf-8")
    text = card.read_text(encoding="utf-8")
    assert "num_hidden_layers: 32" in text
    card.write_text(text.replace("num_hidden_layers: 32", "num_hidden_layers: 31"), encoding="utf-8")
    assert "no longer approved: model own changed since A. Person" in shown(approval)


def test_an_approval_needs_who_when_and_the_hash_which_the_fault_gives(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        computed(tmp_path, approval="{status: approved}")
    assert [one.field for one in raised.value.faults] == ["approval.approved", "approval.date", "approval.sha256"]
    given = raised.value.faults[-1].expected
    assert not inputs_changed(scenario(tmp_path, approval=SIGNED % (given, "{}")))


def test_a_status_is_one_of_four_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'approved'"):
        computed(tmp_path, approval="{status: aproved}")


def test_outputs_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approval = signed(scenario(tmp_path))
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
    approval = signed(scenario(tmp_path))
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
