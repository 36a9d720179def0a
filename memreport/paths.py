"""Where the packaged scenarios, hardware and templates lie, and in which folders a scenario's own may lie."""

from __future__ import annotations

from collections.abc import Iterable
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


def down_to(folder: Path, given: Iterable[Path] = ()) -> list[Path]:
    """From the highest folder that holds this one, of those given and the current one, down to itself."""
    above = [folder.resolve(), *folder.resolve().parents]
    tops = [above.index(file) for file in (path.resolve() for path in (*given, Path.cwd())) if file in above]
    return above[: max(tops, default=0) + 1][::-1]
