"""What is said of a mistake in the program itself: one line that holds what a report of it needs."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from pathlib import Path

from memreport import __version__
from memreport.paths import PACKAGE

TRACEBACK = "MEMREPORT_TRACEBACK"
"""Set to anything, it adds the traceback, for those who mend the program."""
LONGEST = 300


def said_of(error: BaseException, arguments: Sequence[str] = ()) -> str:
    """The line, and with MEMREPORT_TRACEBACK what Python says."""
    words = " ".join(str(error).split())[:LONGEST].encode("ascii", "backslashreplace").decode()
    command = " ".join(argument for argument in arguments[:1] if argument.isascii() and argument.isprintable())
    line = f"internal error: {type(error).__name__}: {words} ({_place(error)}; memreport {__version__} {command})"
    asked = "this is a mistake in memreport, nothing was written half; please report this line, and the file it read"
    whole = "".join(traceback.format_exception(error)) if os.environ.get(TRACEBACK) else ""
    return f"{line}\n{asked}\n{whole}".rstrip()


def _place(error: BaseException) -> str:
    """File, line and function of ours in which it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)] or frames
    if not ours:
        return "nowhere"
    last = ours[-1]
    name = os.path.relpath(last.filename, PACKAGE) if Path(last.filename).is_relative_to(PACKAGE) else last.filename
    return f"{name}:{last.lineno}, {last.name}"
