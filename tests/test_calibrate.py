"""The fitted constants are what tests/calibration gives, within what tables of single operators allow."""

from __future__ import annotations

import pytest

from tests import calibrate
from tests.split import FOLDERS, timed_files


def test_the_file_holds_what_the_calibration_rows_give(capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate.main(["--check"]) == 0, "run `make calibrate` and read the difference"
    assert len(capsys.readouterr().out.splitlines()) == len(calibrate.ALLOWED)


def test_no_judged_row_is_fitted_on() -> None:
    judged = {path.read_text(encoding="utf-8") for path in FOLDERS["judged"].glob("throughput-*.yaml")}
    read = {path.read_text(encoding="utf-8") for path in timed_files("fitted")}
    assert read
    assert not read & judged


def test_a_fitted_column_is_written_and_what_follows_it_keeps_its_ratio() -> None:
    text = calibrate.EFFICIENCY.read_text(encoding="utf-8")
    made = calibrate.written(text, {("hopper", "attention_forward_share"): 0.36})
    row = made.split("  - id: hopper\n")[1].split("\n\n")[0]
    assert "    attention_forward_share: 0.36\n" in row
    forward, backward = (float(text.split("  - id: hopper\n")[1].split(f"{name}: ")[1].split("\n")[0]) for name in (
        "attention_forward_share", "attention_backward_share"
    ))  # fmt: skip
    assert f"    attention_backward_share: {backward * 0.36 / forward:.2f}\n" in row + "\n"
    assert calibrate.written(text, {}) == text
