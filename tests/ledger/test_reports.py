"""Reports of judgements, entries of scenarios, and what a ledger shares with the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memreport.build.ledger_files import verified as run
from memreport.catalogue.load import catalogue_for
from memreport.errors import DONE, FINDING
from memreport.formula.recording import replay
from memreport.ledger import documents
from memreport.ledger.gather import judge_all
from memreport.ledger.judging import Judged, documented_folder
from memreport.ledger.names import DEFAULTS, Names, ledger_lines

STATEMENTS = 392


def test_report_counts_every_document_and_exits_0() -> None:
    report, code = run([])
    assert code == DONE
    assert report.splitlines()[0].split()[:2] == ["document", "reproduces"]
    assert report.endswith("every verdict is as recorded\n")
    assert all(line in report for line in ("d002-kv-13b-52", "printed 52 GB; right 107.4 GB"))


def test_report_as_json_holds_every_entry() -> None:
    report, code = run([documented_folder()], "json")
    data = json.loads(report)
    assert code == DONE
    assert len(data["entries"]) == STATEMENTS
    assert sum(sum(kinds.values()) for kinds in data["counts"].values()) == STATEMENTS
    wrong = next(one for one in data["entries"] if one["id"] == "d002-kv-13b-52")
    assert wrong["computed_base"] == [107374182400.0, 107374182400.0]
    assert (wrong["documented"], wrong["unit"], wrong["verdict"]) == ("52 GB", "byte", "contradicts itself")
    assert wrong["difference"] == "+106.5 %"
    assert "12 bytes a parameter" in next(one for one in data["entries"] if one["id"] == "d000-running-84")["why"]


SCENARIO = """schema: 1
id: mine
version: 1
title: A scenario with a figure of our wiki
model: llama-2-7b
hardware: {accelerator: a100-80gb-sxm, count: 8}
workload: training
overrides: {parameters: 7e9}
variants:
  plain: {}
  zero3: {training.zero_stage: 3}
documented:
  - {id: wiki-1, says: states of a card, value: 112 GB, figure: model_state_bytes, expect: reproduces}
  - {id: wiki-2, says: with ZeRO-3, given: zero3, value: 14 GB, figure: model_state_bytes, expect: reproduces}
  - {id: wiki-3, says: with ZeRO-3, given: zero3, value: 15 GB, figure: model_state_bytes, expect: reproduces}
"""


def test_a_scenario_may_carry_entries_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    report, code = run([path])
    assert code == FINDING
    changed = report.partition("Verdicts that differ")[2]
    assert "wiki-3" in changed
    assert "wiki-1" not in changed
    assert "wiki-2" not in changed


def test_a_scenario_without_entries_has_nothing_to_judge(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO.partition("documented")[0], encoding="utf-8")
    assert judge_all([path]) == Judged((), ())


def test_the_documents_own_figures_record_in_their_units_and_replay_as_they_compute() -> None:
    for workload in ("training", "serving"):
        for one in documents.figures_of(workload):
            values = {name: 1.5 + at for at, name in enumerate(one.inputs)}
            assert replay(one.expression, values) == pytest.approx(one.formula(**values), rel=1e-12)
            assert one.meaning
            assert one.source


def test_a_ledger_computes_what_a_scenario_computes() -> None:
    names = Names("training", catalogue_for())
    inputs, overrides = names.table([{}, {"accelerator": "h100-80gb-sxm", "parameters": 7e9, "capacity_bytes": 1.0}])
    assert inputs["hidden_size"].tolist() == [4096, 4096]
    assert inputs["capacity_bytes"].tolist() == [81920 * 2**20, 1.0]
    assert overrides["parameters"][1] == 7e9
    assert {name for name in DEFAULTS if name not in names.fields} == {"model"}
    assert len({line.name for line in ledger_lines("training")}) == len(ledger_lines("training"))
