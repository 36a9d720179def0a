"""What is kept for the next time: JSON that carries a digest of itself, so that a damaged one counts as none."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memreport.errors import InputError
from memreport.files import MOST_KEPT, read_text, sha256, write_whole

DIGEST = "digest"
SWITCH, OFF = "MEMREPORT_CACHE", "off"
TICK = 100_000_000
"""Nanoseconds: a file that was written less than this ago may change once more without looking otherwise."""
_BLANK = "0" * 64


def write_cached(path: Path, data: Mapping[str, Any], indent: int | None = None) -> None:
    """Write it whole, with a digest of the file in which the digest itself is zeros."""
    text = json.dumps({DIGEST: _BLANK, **data}, indent=indent, ensure_ascii=False) + "\n"
    write_whole(path, text.replace(_BLANK, sha256(text.encode()), 1).encode())


def read_cached(path: Path) -> Mapping[str, Any] | None:
    """What was kept there; None where there is nothing, or not what this program wrote."""
    try:
        text = read_text(path, MOST_KEPT)
        data = json.loads(text)
    except (InputError, ValueError, RecursionError):
        return None
    digest = data.get(DIGEST) if isinstance(data, dict) else None
    whole = isinstance(digest, str) and sha256(text.replace(digest, _BLANK, 1).encode()) == digest
    return data if whole else None


def cache_folder() -> Path | None:
    """What is kept for a user: $XDG_CACHE_HOME/memreport, else ~/.cache/memreport; None where nothing shall be."""
    if os.environ.get(SWITCH, "").lower() == OFF:
        return None
    with suppress(RuntimeError):  # nobody's home
        given = Path(os.environ.get("XDG_CACHE_HOME", ""))
        return (given if given.is_absolute() else Path("~/.cache").expanduser()) / "memreport"
    return None


def delete_oldest(files: Iterable[Path], most: int) -> None:
    """Delete the files that were written first, but for so many."""
    newest_first = sorted(files, key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for path in newest_first[most:]:
        path.unlink(missing_ok=True)
