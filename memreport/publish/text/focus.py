"""Rows of FOCUS as CSV, which tools for costs and spreadsheets load."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from memreport.escaping import csv_cell


def focus_csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """A head and a line a row; numbers in full precision, nothing for what a row has no word for."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in columns])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return csv_cell(value)
