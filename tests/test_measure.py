"""The measuring script as far as it goes without a GPU: its cases, and rows that the reader of truths predicts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.truths_read import TRUTHS, Truth, content, predicted_rows

MARKS = {"forward": 3, "backward": 5, "step": 4}
FOUND = {f"{kind}_{phase}": size << 30 for phase, size in MARKS.items() for kind in ("allocated", "reserved")}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure", TRUTHS / "measure.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["measure"] = module
    spec.loader.exec_module(module)
    return module


def test_cases_are_listed_without_a_gpu(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--list", "--models", "gpt2", "--methods", "full,qlora", "--optimizers", "fused,8-bit"]) == 0
    listed = capsys.readouterr().out.split()
    assert "gpt2-full-bf16-pure-8-bit-sdpa-none-1x2048" in listed
    assert not [name for name in listed if "qlora" in name and "8-bit" in name]
    assert {name.split("-qlora-")[1][:13] for name in listed if "qlora" in name} == {"bf16-autocast"}
    assert len(listed) == len(set(listed))


def test_written_rows_are_read_and_predicted(script: ModuleType, tmp_path: Path) -> None:
    chosen = script.arguments(["--models", "llama-3.2-1b", "--optimizers", "fused,foreach,8-bit", "--batches", "1"])
    listed = list(script.cases(chosen))
    lines = [line for case in listed for line in script.rows(case, FOUND | {"smi": 6 << 30})]
    path = tmp_path / "own.yaml"
    path.write_text(script.text("own", "h100-80gb-sxm", "torch 0", "2026-11-20", lines), encoding="utf-8")
    found: list[Truth] = list(predicted_rows(content(path)))
    assert len(found) == 3 * len(listed)
    assert {row.figure: row.measured / 2**30 for row in found} == {
        "allocated_peak_bytes": 5,
        "allocated_peak_bytes + fragmentation_bytes": 5,
        "peak_bytes": 6,
    }
    assert all(row.predicted > 0 for row in found)


def test_a_machine_without_a_gpu_is_told_so(script: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(RuntimeError, match="no GPU"):
        script.measure(script.Case("gpt2"))


@pytest.mark.filterwarnings("ignore")
def test_a_dry_run_passes_every_line_of_a_step(script: ModuleType) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    found = script.rehearse(script.Case("qwen2.5-0.5b", precision="bf16-autocast", checkpointing="full"))
    assert found == dict.fromkeys(found, 0)
    assert list(script.rows(script.Case("qwen2.5-0.5b"), found))
    with pytest.raises(ValueError, match="no-such-kernel"):
        script.rehearse(script.Case("qwen2.5-0.5b", attention="no-such-kernel"))
