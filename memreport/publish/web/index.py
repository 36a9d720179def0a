"""The front page of what was published: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT
from memreport.paths import data_root
from memreport.report.listing import ListedBar, ListedScenario, listed, ordered, totals
from memreport.report.view import tied

COLOURS: Mapping[str, str] = {FITS: "#2f6f9f", TIGHT: "#c9821a", QUEUES: "#c9821a", DOES_NOT_FIT: "#b3372f"}
WIDEST = 2.5
"""Bars end at this many times the capacity, so that a hopeless variant does not hide the others."""


def index_html(
    entries: Sequence[Mapping[str, Any]],
    version: str,
    documented: Sequence[str] = (),
    catalogue: Sequence[str] = (),
    calculator: Sequence[str] = (),
) -> str:
    """The catalogue as a page.  `entries` are a manifest's scenarios: `summary` and the names of `files`.

    `documented` names the files of the report on documented figures, `catalogue` those of all variants side by side,
    `calculator` the page for any job.
    """
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(data_root() / "templates"), autoescape=True, trim_blocks=True)
    environment.filters["tied"] = tied
    rows = [_drawn(listed(entry["summary"]), entry["files"]) for entry in ordered(entries)]
    reports = {"documented": list(map(_file, documented)), "catalogue": list(map(_file, catalogue))}
    reports["calculator"] = list(map(_file, calculator))
    whole = totals([entry["summary"] for entry in entries])
    template = environment.get_template("index.html.j2")
    return template.render(rows=rows, totals=whole, version=version, **reports) + "\n"


KINDS = ("pdf", "xlsx", "html", "json")
UNSAID = dict.fromkeys(("question", "recommended", "recommended_hardware", "owner", "approval"), "")
"""What an older version published without."""


def _drawn(row: ListedScenario, files: Iterable[str]) -> dict[str, Any]:
    """A row with its bars as they are drawn and links to its files."""
    links = sorted(map(_file, files), key=lambda file: _place(file["kind"]))
    return {"row": row, "said": {**UNSAID, **row.said}, "bars": list(map(_bar, row.bars)), "files": links}


def _place(kind: str) -> int:
    """The sheet first, then the workbook."""
    return KINDS.index(kind.lower()) if kind.lower() in KINDS else len(KINDS)


def _file(name: str) -> dict[str, str]:
    kind = "Derivation" if name.endswith("-derivation.pdf") else name.rsplit(".", 1)[-1].upper()
    return {"href": name, "kind": kind}


def _bar(bar: ListedBar) -> dict[str, Any]:
    return {
        "name": bar.name,
        "text": bar.text,
        "mark": bar.mark,
        "colour": COLOURS[bar.word],
        "width": round(min(bar.share / WIDEST, 1) * 100, 2),
        "is_cut": bar.share > WIDEST,
        "limit": round(100 / WIDEST, 2),
    }
