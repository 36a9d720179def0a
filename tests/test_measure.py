"""The measuring script as far as it goes without a GPU: its cases, and rows that the reader of truths predicts."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.truths_read import TRUTHS, Truth, content, predicted_rows

MARKS = {"forward": 3, "backward": 5, "step": 4}
FOUND: dict[str, float] = {f"allocated_{phase}": size << 30 for phase, size in MARKS.items()}
FOUND |= {f"reserved_{phase}": 6 << 30 for phase in MARKS} | {"process": 7 << 30, "seconds": 0.25}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    sys.path.insert(0, str(TRUTHS))
    return importlib.import_module("measure")


def test_cases_are_listed_without_a_gpu(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--list", "--models", "gpt2", "--methods", "full,qlora", "--optimizers", "fused,8-bit"]) == 0
    listed = capsys.readouterr().out.split()
    assert "gpt2-full-bf16-pure-8-bit-sdpa-none-1x2048" in listed
    assert not [name for name in listed if "qlora" in name and "8-bit" in name]
    assert {name.split("-qlora-")[1][:13] for name in listed if "qlora" in name} == {"bf16-autocast"}
    assert len(listed) == len(set(listed))


def test_written_rows_are_read_and_predicted(script: ModuleType, tmp_path: Path) -> None:
    chosen = script.arguments(["--models", "llama-3.2-1b", "--optimizers", "fused,foreach,8-bit", "--batches", "1"])
    chosen.out = tmp_path / "own.yaml"
    listed = list(script.cases(chosen))
    script.write(chosen, [(case, FOUND) for case in listed], "torch 0")
    found: list[Truth] = list(predicted_rows(content(chosen.out)))
    found += predicted_rows(content(tmp_path / "own-monitor.yaml"))
    assert len(found) == 3 * len(listed)
    assert {row.figure: row.measured / 2**30 for row in found} == {
        "allocated_peak_bytes": 5,
        "reserved_bytes": 6,
        "device_memory_used_bytes": 7,
    }
    assert all(row.predicted > 0 for row in found)
    assert "value: 0.25 s" in (tmp_path / "throughput-own.yaml").read_text(encoding="utf-8")


def test_rows_are_those_of_the_readings(script: ModuleType, tmp_path: Path) -> None:
    readings, out = TRUTHS / "own-h200-readings.jsonl", tmp_path / "own.yaml"
    assert script.main(["--from-readings", "--readings", str(readings), "--out", str(out)]) == 0
    kept = {row["id"]: row["value"] for row in content(TRUTHS / "own-h200.yaml")["rows"]}
    made = {row["id"]: row["value"] for row in content(out)["rows"]}
    assert kept.items() <= made.items()
    assert set(made) - set(kept) == {"llama-3.2-1b-full-bf16-pure-8-bit-sdpa-none-4x2048"}


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
