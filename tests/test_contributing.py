"""CONTRIBUTING keeps its word: a figure is one function, a GPU and a scenario are one file each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from openpyxl import load_workbook

from memreport.commands.main import main
from tests.house import PACKAGE
from tests.support import ROOT, scenario_text

FIGURE = '''

@figure("N_two", title="Both of them", shown=("in short",))
def both_parameters(trainable_parameters: Count) -> Count:
    """What is trained, twice.  Source: sum."""
    return trainable_parameters + trainable_parameters
'''


COMMAND = '''"""`memreport count`: how many scenarios a folder holds."""

from memreport.commands import emit


def options(parser):
    parser.add_argument("folder")


def run(given):
    from pathlib import Path

    emit(f"{len(list(Path(given.folder).glob('*.yaml')))} scenarios\\n")
    return 0
'''
PRICES = """schema: 1
prices:
  - {id: own-offer, kind: rent, accelerator: a100-80gb-sxm, usd_per_accelerator_hour: 1.5, currency: USD,
     date: 2026-11-01, source: {title: offer}}
"""
SHEET = '''"""The sheet "Peaks": the peak of each variant."""

from memreport.publish.xlsx.sheet.book import Formula
from memreport.publish.xlsx.sheet.styles import LABEL

TITLE = "Peaks"


def write(draft, sheet):
    sheet.put(1, 1, Formula(f"SUM({draft.calculated('peak_bytes')})", draft.view.value("peak_bytes", 0)), LABEL)
'''


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package, to add something to."""
    folder = tmp_path_factory.mktemp("own")
    shutil.copytree(PACKAGE, folder / "memreport", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("hardware", "scenarios", "templates"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def ran(own: Path, *command: str) -> str:
    """What the copy prints."""
    given, environment = [sys.executable, "-m", "memreport", *command], {**os.environ, "PYTHONPATH": str(own)}
    return subprocess.run(given, cwd=own, env=environment, capture_output=True, text=True, check=True).stdout


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_a_figure_is_one_function_and_where_it_is_shown_its_registration(own: Path) -> None:
    module = own / "memreport" / "figures" / "model" / "lora.py"
    module.write_text(module.read_text(encoding="utf-8") + FIGURE, encoding="utf-8")
    scenario = min((ROOT / "scenarios").glob("*lora*.yaml"))
    every, _, short = ran(own, "show", str(scenario), "--all").partition("IN SHORT")
    both, each = (
        int(re.search(rf"(?m)^{name} +([0-9,]+)", every)[1].replace(",", ""))  # type: ignore[index]
        for name in ("both_parameters", "trainable_parameters")
    )
    assert both == 2 * each > 0
    assert re.search(rf"(?m)^Both of them +{both:,}", short)


def test_a_command_is_a_module_and_a_line(own: Path) -> None:
    """Help, completion and manual follow by themselves."""
    commands = own / "memreport" / "commands"
    (commands / "count.py").write_text(COMMAND, encoding="utf-8")
    edit(commands / "parser" / "__init__.py", "COMMANDS = {\n", 'COMMANDS = {\n    "count": "count scenarios",\n')
    assert ran(own, "count", str(ROOT / "scenarios")) == f"{len(list((ROOT / 'scenarios').glob('*.yaml')))} scenarios\n"
    assert "count scenarios" in ran(own, "--help")
    assert "count" in ran(own, "completion", "bash")


def test_a_sheet_is_a_module_and_a_line(own: Path) -> None:
    xlsx = own / "memreport" / "publish" / "xlsx"
    (xlsx / "scenario" / "peaks.py").write_text(SHEET, encoding="utf-8")
    line = '    yield Page(peaks.TITLE, "the peak of each variant", peaks.write, (CALCULATION,))\n'
    edit(xlsx / "workbook.py", '    yield Page("Sources"', f'{line}    yield Page("Sources"')
    taken = "from memreport.publish.xlsx.scenario import plan as plan_sheet\n"
    edit(xlsx / "workbook.py", taken, f"{taken}from memreport.publish.xlsx.scenario import peaks\n")
    (own / "case.yaml").write_text(scenario_text(), encoding="utf-8")
    ran(own, "build", "case.yaml", "--out", "out", "--formats", "xlsx")
    sheet = load_workbook(own / "out" / "case" / "case.xlsx", data_only=True)["Peaks"]
    assert sheet["A1"].value > 0


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
    touched = [path for path in PACKAGE.rglob("*.py") if named.search(path.read_text(encoding="utf-8"))]
    assert 2 <= len(touched) <= 5, [str(path.relative_to(PACKAGE)) for path in touched]
