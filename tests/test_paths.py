"""The package finds its own data in a checkout, in a wheel, and says so where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport import paths
from memreport.errors import MachineError


def with_data(folder: Path) -> Path:
    for name in ("scenarios", "hardware", "templates"):
        (folder / name).mkdir(parents=True)
    return folder


def test_a_checkout_uses_its_own_folders() -> None:
    assert paths.data_root() == Path(__file__).resolve().parents[1]


def test_a_wheel_uses_the_data_that_it_carries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carried = with_data(tmp_path / "site-packages" / "memreport" / "data")
    with_data(tmp_path / "site-packages" / "somebody-elses")
    monkeypatch.setattr(paths, "PACKAGE", carried.parent)
    assert paths.data_root() == carried


def test_a_broken_installation_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "memreport")
    with pytest.raises(MachineError, match="data is missing"):
        paths.data_root()
