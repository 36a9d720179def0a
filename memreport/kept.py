"""What a build keeps for the next one: JSON that carries a digest of itself, so that a damaged one counts as none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memreport.errors import InputError
from memreport.files import MOST_KEPT, read_text, sha256, write_whole

DIGEST = "digest"
_BLANK = "0" * 64


def keep(path: Path, data: Mapping[str, Any], indent: int | None = None) -> None:
    """Write it whole, with a digest of the file in which the digest itself is zeros."""
    text = json.dumps({DIGEST: _BLANK, **data}, indent=indent, ensure_ascii=False) + "\n"
    write_whole(path, text.replace(_BLANK, sha256(text.encode()), 1).encode())


def kept(path: Path) -> Mapping[str, Any] | None:
    """What was kept there; None where there is nothing, or not what this program wrote."""
    try:
        text = read_text(path, MOST_KEPT)
        data = json.loads(text)
    except (InputError, ValueError, RecursionError):
        return None
    digest = data.get(DIGEST) if isinstance(data, dict) else None
    whole = isinstance(digest, str) and sha256(text.replace(digest, _BLANK, 1).encode()) == digest
    return data if whole else None
