"""Workbooks of which only those sheets are read that somebody looks at: to read a whole one takes a second."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from openpyxl import Workbook, load_workbook
from openpyxl.reader import excel
from openpyxl.worksheet._reader import WorksheetReader
from openpyxl.worksheet.worksheet import Worksheet

KNOWN = frozenset({"_parent", "_WorkbookChild__parent", "_WorkbookChild__title", "_rels", "_charts", "_images"})
"""What a sheet has that was not read: the workbook, its title, what it leads to, its charts."""


def lazily_read(book: Path | bytes | io.BytesIO, *, data_only: bool = False) -> Workbook:
    """A sound workbook; a sheet is read when anything of it is asked for."""
    source = io.BytesIO(book) if isinstance(book, bytes) else book
    with patch.object(excel, "WorksheetReader", _Later):
        return load_workbook(source, data_only=data_only)


class _Later(WorksheetReader):
    """Reads a sheet when it is looked at."""

    def __init__(self, ws: Any, source: Any, *options: Any) -> None:
        super().__init__(ws, io.BytesIO(source.read()), *options)

    def bind_all(self) -> None:
        """Put what is empty aside, so that whoever asks for it finds that it has to be read first."""
        held = {name: value for name, value in vars(self.ws).items() if name not in KNOWN}
        for name in held:
            delattr(self.ws, name)
        self.ws.__class__ = _Unread
        vars(self.ws)["_unread"] = (super().bind_all, held)


class _Unread(Worksheet):
    """A sheet that becomes a usual one as soon as something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        read, held = vars(self).pop("_unread", (None, {}))
        if read is None:
            raise AttributeError(name)
        self.__class__ = Worksheet  # type: ignore[assignment]  # as said
        given = dict(vars(self))
        vars(self).update(held)
        read()
        vars(self).update(given)
        return getattr(cast(Any, self), name)
