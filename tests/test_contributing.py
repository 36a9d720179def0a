"""CONTRIBUTING keeps its word: a figure is one function, a GPU and a scenario are one file each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memreport.commands.main import main
from tests.house import PACKAGE
from tests.support import ROOT, scenario_text

PRICES = """schema: 1
prices:
  - {id: own-offer, kind: rent, accelerator: a100-80gb-sxm, usd_per_accelerator_hour: 1.5, currency: USD,
     date: 2026-11-01, source: {title: offer}}
"""


def test_prices_of_an_accelerator_are_rows_of_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hardware").mkdir()
    (tmp_path / "hardware" / "prices.yaml").write_text(PRICES, encoding="utf-8")
    scenario = tmp_path / "case.yaml"
    scenario.write_text(scenario_text(cost="{basis: rent, price: own-offer, hours: 10}"), encoding="utf-8")
    assert main(["show", str(scenario), "--format", "json"]) == 0
    assert '"usd_per_accelerator_hour": 1.5' in capsys.readouterr().out


def test_an_accelerator_is_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = (ROOT / "hardware" / "accelerators" / "h100-80gb-sxm.yaml").read_text(encoding="utf-8")
    own = tmp_path / "hardware" / "accelerators" / "other-vendor-gpu.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(card.replace("h100-80gb-sxm", "other-vendor-gpu"), encoding="utf-8")
    scenario = tmp_path / "job.yaml"
    text = scenario_text(hardware="{accelerator: other-vendor-gpu, count: 8}")
    scenario.write_text(re.sub(r"(?m)^id: .*$", "id: job", text), encoding="utf-8")
    assert main(["show", str(scenario), "--format", "json"]) == 0
    assert '"peak_bytes"' in capsys.readouterr().out


def test_a_model_is_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = (ROOT / "scenarios" / "models" / "llama-2-7b.yaml").read_text(encoding="utf-8")
    own = tmp_path / "models" / "other-model.yaml"
    own.parent.mkdir()
    own.write_text(card.replace("id: llama-2-7b", "id: other-model"), encoding="utf-8")
    scenario = tmp_path / "job.yaml"
    scenario.write_text(re.sub(r"(?m)^id: .*$", "id: job", scenario_text(model="other-model")), encoding="utf-8")
    assert main(["show", str(scenario), "--format", "json"]) == 0
    assert '"parameters": 6738415616' in capsys.readouterr().out


def test_a_scenario_is_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "my-job.yaml"
    assert main(["new", str(path)]) == 0
    assert main(["show", str(path), "--format", "json"]) == 0
    assert '"peak_bytes"' in capsys.readouterr().out
    assert [one.name for one in tmp_path.iterdir()] == ["my-job.yaml"]


def test_every_place_that_contributing_names_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = re.findall(r"`((?:memreport|tests|scenarios|hardware|templates|figures)/[\w/.-]*)`", text)
    assert len(places) > 20
    assert not [one for one in places if not (ROOT / one).exists() and not (PACKAGE / one).exists()]


def test_every_recipe_has_fewer_than_ten_steps() -> None:
    recipes = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")[1:]
    counts = {one.splitlines()[0]: len(re.findall(r"(?m)^\d+\. ", one)) for one in recipes}
    assert len(counts) >= 10
    assert all(0 < count < 10 for title, count in counts.items() if title.startswith(("Add", "Show")))


@pytest.mark.parametrize("field", ["virtual_pipeline_parallel_size", "link_domain", "expert_tensor_parallel_size"])
def test_a_kind_of_parallelism_touches_five_files(field: str) -> None:
    named = re.compile(rf"\b{field}\b")
    paths = (path for path in PACKAGE.rglob("*.py") if path.parent.name not in ("words", "question"))  # beside these
    touched = [path for path in paths if named.search(path.read_text(encoding="utf-8"))]
    assert 2 <= len(touched) <= 5, [str(path.relative_to(PACKAGE)) for path in touched]
