"""`memreport plan`: what it prints, in three formats, and its exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from memreport.commands.main import main
from memreport.commands.plan import planned as run
from memreport.errors import BAD_INPUT, DONE, FINDING
from tests.support import ROOT, scenario_text

LARGE = ROOT / "scenarios/llama3-70b-8xa100.yaml"


def test_the_report_names_what_fails_and_what_fits() -> None:
    text, code = run(LARGE)
    assert code == DONE
    lines = [line for line in text.splitlines() if "ZeRO-3" in line and "GiB" in line]
    assert lines
    assert all(line.endswith("Does not fit") for line in lines)
    assert "None of these is enough by itself" in text
    assert "Offload to host memory or disk: offloaded states on disk" in text
    assert "None of these on 8 × NVIDIA A100 80 GB SXM4." in text
    assert "1,350 GiB of 80 GiB" in text
    assert "TiB" not in text
    assert "CHECKLIST, each step on top of those before; stops at 5 % left free" in text
    assert "shorter sequence, 512 tokens" in text
    for heading in ("CHECKLIST", "DECISION TREE", "SEARCH", "SENSITIVITY of LoRA r=16, the first that fits"):
        assert heading in text


@pytest.mark.parametrize(
    ("policy", "part"), [("checklist", "CHECKLIST"), ("tree", "DECISION TREE"), ("search", "SEARCH")]
)
def test_a_policy_alone(policy: str, part: str) -> None:
    text, _ = run(LARGE, "zero3", policy)
    assert part in text
    others = {"CHECKLIST", "DECISION TREE", "SEARCH"} - {part}
    assert not any(other in text for other in others)


def test_json_is_whole_and_strict() -> None:
    text, _ = run(LARGE, format_="json")
    data = json.loads(text, parse_constant=pytest.fail)
    assert data["scenario"] == "llama3-70b-8xa100"
    assert {"checklist", "tree", "each_alone", "search", "sensitivity"} <= set(data)
    assert data["sensitivity"]["variant"] == "LoRA r=16"
    assert data["checklist"]["stages"][-1]["fits"] is True
    assert {one["word"] for one in (*data["checklist"]["stages"], *data["each_alone"])} == {"Fits", "Does not fit"}
    assert all(one["fits"] == (one["word"] != "Does not fit") for one in data["checklist"]["stages"])
    assert data["sensitivity"]["word"] == "Fits"
    assert data["search"]["combinations"] > 100_000
    assert data["search"]["best"][0]["changes"]


def test_csv_has_a_line_for_every_row() -> None:
    data = json.loads(run(LARGE, "", "search", "json")[0])["search"]
    text, _ = run(LARGE, "", "search", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    lists = (
        "best",
        "on_same_hardware",
        "on_same_accelerator",
        "fewest_changes",
        "pareto",
        "other_kinds",
        "most_headroom",
    )
    assert len(rows) == sum(len(data[name]) for name in lists)
    assert float(rows[0]["cost_total_usd"]) == data["best"][0]["figures"]["cost_total_usd"]
    assert json.loads(rows[0]["changes"]) == data["best"][0]["changes"]


def test_csv_of_a_procedure_has_its_stages() -> None:
    rows = list(csv.DictReader(io.StringIO(run(LARGE, "", "tree", "csv")[0])))
    assert rows[0]["list"] == "tree"
    assert rows[-1]["fits"] == "True"


def test_nothing_that_fits_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    hardware = "{accelerator: t4, count: 1, host: workstation}"
    only = "{accelerator: [t4], count: [1], method: [full, lora]}"
    path.write_text(scenario_text(model="llama-3.1-405b", hardware=hardware, search=only), encoding="utf-8")
    assert main(["plan", str(path)]) == FINDING
    assert "nothing that was searched fits" in " ".join(capsys.readouterr().out.split())
    assert main(["plan", str(path), "--why"]) == FINDING
    assert "Nothing fits; most headroom" in capsys.readouterr().out


def test_a_serving_scenario_has_no_checklist(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "scenarios/serving-mi300x.yaml"
    assert main(["plan", str(path), "--policy", "tree"]) == BAD_INPUT
    assert "is a policy for training" in capsys.readouterr().err
    assert main(["plan", str(path), "--policy", "search"]) == DONE
    assert "replicas" in capsys.readouterr().out


def test_a_folder_is_every_scenario_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        text = scenario_text(name, title=f"job {name}", question=f"does {name} fit?", training="{method: lora}")
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    assert main(["plan", str(tmp_path)]) == DONE
    said = capsys.readouterr().out
    assert "does one fit?" in said
    assert "does two fit?" in said
    assert main(["show", str(tmp_path)]) == DONE
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["✓ one", "✓ two"]
