"""Where the packaged scenarios, hardware and templates lie."""

from __future__ import annotations

from pathlib import Path

from memreport.errors import MachineError

PACKAGE = Path(__file__).resolve().parent


def data_root() -> Path:
    """The folder of `scenarios`, `hardware`, `templates`: `memreport/data` in a wheel, the repository in a checkout.

    Raises MachineError where neither holds them.
    """
    for folder in (PACKAGE / "data", PACKAGE.parent):
        if (folder / "hardware").is_dir() and (folder / "scenarios").is_dir():
            return folder
    raise MachineError("memreport's own data is missing; run: python -m pip install --force-reinstall memreport")
