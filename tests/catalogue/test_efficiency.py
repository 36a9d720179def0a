"""What GPUs reach of their peaks: own row, else the architecture's, else any's; an own file may state any column."""

from __future__ import annotations

from pathlib import Path

import pytest

import memreport
from memreport.catalogue.load import Catalogue, catalogue_for
from memreport.catalogue.records import Table
from memreport.catalogue.tables.efficiency import ERRORS, WIDER
from memreport.catalogue.tables.efficiency_words import EFFICIENCY
from memreport.paths import data_root


def accelerators(folder: Path | None = None) -> Table:
    catalogue = catalogue_for([folder] if folder else [])
    table = catalogue.tables["accelerators"]
    assert not catalogue.faults
    return table


def cell(table: Table, id_: str, name: str) -> tuple[float, str]:
    column = table.columns[name]
    return column.values[table.row(id_)], column.bases[table.row(id_)]


def reduces(table: Table, id_: str) -> list[str]:
    """What the shares of all-reduces of two, four and eight of a GPU rest on."""
    return [table.columns[f"all_reduce_link_share_{each}"].notes[table.row(id_)] for each in (2, 4, 8)]


def own_card(folder: Path, id_: str, *lines: str, architecture: str = "") -> None:
    text = (data_root() / "hardware" / "accelerators" / "rtx-4070.yaml").read_text(encoding="utf-8")
    text = text.replace("id: rtx-4070", f"id: {id_}")
    text = text.replace("architecture: ada-geforce\n", f"architecture: {architecture}\n" if architecture else "")
    (folder / "hardware" / "accelerators").mkdir(parents=True, exist_ok=True)
    (folder / "hardware" / "accelerators" / f"{id_}.yaml").write_text(
        "\n".join((text, *lines)) + "\n", encoding="utf-8"
    )


def test_a_measured_gpu_has_its_own_values() -> None:
    assert cell(accelerators(), "h100-80gb-sxm", "product_share_16bit") == (0.806, "observed")
    assert accelerators().text("efficiency_evidence", "h100-80gb-sxm") == "measured"


def test_a_gpu_without_measurements_takes_its_architecture_s_and_says_so() -> None:
    table = accelerators()
    assert cell(table, "h100-80gb-pcie", "product_share_16bit")[1] == "fallback"
    assert table.text("efficiency_evidence", "h100-80gb-pcie") == "class value: Hopper"
    assert cell(table, "h100-80gb-pcie", "compute_units") == (114, "reference")


def test_what_was_not_measured_has_a_wider_range_by_one_rule() -> None:
    table = accelerators()
    measured = cell(table, "h100-80gb-sxm", "dense_time_error")[0]
    for name in ERRORS:
        error = table.columns[name].values[table.row("h100-80gb-sxm")]
        for id_, wider in (("b200", 1), ("h100-80gb-pcie", WIDER), ("mi300x", WIDER), ("gaudi3", WIDER**2)):
            assert cell(table, id_, name)[0] == pytest.approx(error * wider), (id_, name)
    assert cell(table, "tpu-v6e", "dense_time_error")[0] == pytest.approx(measured * WIDER**2)
    assert table.text("efficiency_evidence", "gaudi3") == "class value, not measured: Intel Gaudi"
    assert "1.44 times" in table.columns["dense_time_error"].notes[table.row("gaudi3")]


def test_every_accelerator_has_every_column() -> None:
    table = accelerators()
    assert all(len(table.columns[name].values) == len(table.ids) for name in EFFICIENCY)
    switches = ("vendor_products", "runs_cuda", "needs_metal", "runs_deep_gemm", "fills_expert_tiles", "peer_access")
    some_lack = (
        "even_columns_loss",
        "odd_columns_loss",
        "wave_weight",
        "bridged_accelerators",
        "reference_power_watts",
        "matrix_workspace_bytes",
        "scaled_expert_seconds",
        "scaled_product_starts",
    )
    may_be_zero = (*some_lack, *switches)  # no last wave, no bridge, no library of PyTorch's
    assert min(min(table.columns[name].values) for name in EFFICIENCY if name not in may_be_zero) > 0
    assert min(min(table.columns[name].values) for name in may_be_zero) >= 0


@pytest.mark.parametrize(("architecture", "word"), [("", "nothing known"), ("hopper", "Hopper")])
def test_a_gpu_of_one_s_own_is_one_file(tmp_path: Path, architecture: str, word: str) -> None:
    own_card(tmp_path, "my-gpu", architecture=architecture)
    assert word in accelerators(tmp_path).text("efficiency_evidence", "my-gpu")


def test_a_gpu_s_own_file_may_state_what_it_reaches(tmp_path: Path) -> None:
    own_card(tmp_path, "my-gpu", "  product_share_16bit: {value: 0.5, source: LLMC, basis: observed}")
    table = accelerators(tmp_path)
    assert cell(table, "my-gpu", "product_share_16bit") == (0.5, "observed")
    assert table.text("efficiency_evidence", "my-gpu") == "measured"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("product_share_16bits: 0.5", "product_share_16bit"),
        ("wave_weight: -1", "negative"),
        ("wave_weight: x", "x"),
        ("over_pcie: switch", "id of a row"),
    ],
)
def test_a_wrong_row_is_one_fault(tmp_path: Path, line: str, word: str) -> None:
    (tmp_path / "hardware").mkdir()
    rows = f"schema: 1\nefficiency:\n  - id: rtx-4070\n    source: {{title: own, date: 2026-11-20}}\n    {line}\n"
    (tmp_path / "hardware" / "efficiency.yaml").write_text(rows, encoding="utf-8")
    catalogue: Catalogue = catalogue_for([tmp_path])
    assert catalogue.tables
    assert len(catalogue.faults) == 1
    assert word in str(catalogue.faults[0])


DIRECT = "class value: all-reduces over PCIe, GPU to GPU"


@pytest.mark.parametrize(
    ("id_", "notes"),
    [
        *((each, [DIRECT] * 3) for each in ("l40s", "a10g", "t4", "a30", "v100-32gb-pcie", "rtx-4090")),
        ("a100-80gb-pcie", ["class value: Ampere of the data centre", DIRECT, DIRECT]),
        ("rtx-3090", ["class value: nothing known of the architecture", DIRECT, DIRECT]),
        ("h100-80gb-sxm", [""] * 3),
        ("mi300x", ["class value: nothing known of the architecture"] * 3),
        ("gb10", ["class value: nothing known of the architecture"] * 3),
    ],
)
def test_all_reduces_over_pcie_are_no_matter_of_the_architecture(id_: str, notes: list[str]) -> None:
    assert reduces(accelerators(), id_) == notes


@pytest.mark.parametrize(
    ("id_", "direct"),
    [("rtx-4090", 0), ("rtx-5070", 0), ("rtx-3090", 0), ("rtx-2080-ti", 0), ("l40s", 1), ("rtx-pro-6000-server", 1)],
)
def test_geforce_lets_no_gpu_read_another_over_pcie_unless_a_scenario_says_so(id_: str, direct: int) -> None:
    assert cell(accelerators(), id_, "peer_access")[0] == direct
    scenario = {
        "schema": 1, "id": "one", "version": 1, "title": "one", "model": "llama-2-7b", "workload": "serving",
        "hardware": {"accelerator": id_, "count": 8}, "serving": {"tensor_parallel_size": 8},
        "variants": {"own": {}, "direct": {"hardware.peer_access": True}, "host": {"hardware.peer_access": False}},
    }  # fmt: skip
    found = memreport.estimate(scenario)
    assert list(found["tensor_through_host"]) == [1 - direct, 0, 1]
    assert found["tokens_per_second"]["direct"] > found["tokens_per_second"]["host"]


def test_a_gpu_of_one_s_own_in_a_slot_takes_what_pcie_reaches(tmp_path: Path) -> None:
    own_card(tmp_path, "my-gpu", "  all_reduce_link_share_8: {value: 0.3, source: LLMC, basis: observed}")
    table = accelerators(tmp_path)
    assert reduces(table, "my-gpu")[:2] == [DIRECT] * 2
    assert cell(table, "my-gpu", "all_reduce_link_share_8") == (0.3, "observed")


def test_switching_the_gpu_switches_what_it_reaches() -> None:
    scenario = {
        "schema": 1, "id": "one", "version": 1, "title": "one", "model": "llama-2-7b", "workload": "training",
        "hardware": {"accelerator": "a100-80gb-sxm"}, "variants": {"a": {}, "b": {"hardware.accelerator": "mi300x"}},
    }  # fmt: skip
    found = memreport.estimate(scenario)["compute_units"]
    assert list(found) == [108, 304]
