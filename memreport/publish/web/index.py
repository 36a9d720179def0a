"""The front page of what was published: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT
from memreport.paths import data_root
from memreport.report.listing import ORDER, ListedBar, age_words, bars, cost_of, ordered, totals, word_of
from memreport.report.money.prices import NO_PRICE
from memreport.report.records.answers import MARKS

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
    rows = [_row(entry["summary"], entry["files"]) for entry in ordered(entries)]
    reports = {"documented": list(map(_file, documented)), "catalogue": list(map(_file, catalogue))}
    reports["calculator"] = list(map(_file, calculator))
    whole = totals([entry["summary"] for entry in entries])
    template = environment.get_template("index.html.j2")
    return template.render(rows=rows, totals=whole, version=version, **reports) + "\n"


KINDS = ("pdf", "xlsx", "html", "json")


def _row(summary: Mapping[str, Any], files: Iterable[str]) -> dict[str, Any]:
    word, cost = word_of(summary), cost_of(summary)
    names = [summary["id"], summary["title"], summary["model"], summary["hardware"], summary["workload"]]
    words = " ".join([*names, *(variant["name"] for variant in summary["variants"])]).lower()
    return {
        **{name: summary[name] for name in ("id", "version", "title", "answer")},
        **{
            name: summary.get(name, "")
            for name in ("question", "recommended", "recommended_hardware", "owner", "approval")
        },
        "word": word,
        "mark": MARKS[word],
        "rank": ORDER.index(word),
        "cost": summary.get("cost_text") or NO_PRICE,
        "period": summary.get("period", "") if cost is not None else "",
        "prices": age_words(summary),
        "cost_value": -1 if cost is None else cost,
        "words": words,
        "bars": [_drawn(bar) for bar in bars(summary)],
        "files": sorted(map(_file, files), key=lambda file: _place(file["kind"])),
    }


def _place(kind: str) -> int:
    """The sheet first, then the workbook."""
    return KINDS.index(kind.lower()) if kind.lower() in KINDS else len(KINDS)


def _file(name: str) -> dict[str, str]:
    kind = "Derivation" if name.endswith("-derivation.pdf") else name.rsplit(".", 1)[-1].upper()
    return {"href": name, "kind": kind}


def _drawn(bar: ListedBar) -> dict[str, Any]:
    return {
        "name": bar.name,
        "text": bar.text,
        "mark": bar.mark,
        "colour": COLOURS[bar.word],
        "width": round(min(bar.share / WIDEST, 1) * 100, 2),
        "is_cut": bar.share > WIDEST,
        "limit": round(100 / WIDEST, 2),
    }
