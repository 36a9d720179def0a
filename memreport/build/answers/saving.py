"""A scenario that a command made, as a file of the user's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memreport.errors import Fault, InputError
from memreport.files import write_whole


def refuse_existing(path: Path | None) -> None:
    """Raises InputError where a file would be lost."""
    if path and path.exists():
        raise InputError([Fault("exists already", str(path))])


def save_scenario(path: Path, scenario: Mapping[str, Any], command: str) -> None:
    """Write it whole, with the name of the command that made it.  Raises InputError where the file is there."""
    import yaml

    refuse_existing(path)
    head = f"# Made by `memreport {command}`; see `memreport list` for every field.\n"
    text = yaml.safe_dump(dict(scenario), sort_keys=False, allow_unicode=True, width=110)
    write_whole(path, (head + text).encode())
