"""The front page of what was published: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memreport.advise.deciding import DOES_NOT_FIT, FITS, TIGHT
from memreport.catalogue.quantities import display
from memreport.paths import data_root
from memreport.publish.answers import MARKS
from memreport.publish.view import pair_in_gib

COLOURS: Mapping[str, str] = {FITS: "#2f6f9f", TIGHT: "#c9821a", DOES_NOT_FIT: "#b3372f"}
NO_PRICE = "no price"
WIDEST = 2.5
"""Bars end at this many times the capacity, so that a hopeless variant does not hide the others."""


def index_html(
    entries: Sequence[Mapping[str, Any]], version: str, documented: Sequence[str] = (), catalogue: Sequence[str] = ()
) -> str:
    """The catalogue as a page.  `entries` are a manifest's scenarios: `summary` and the names of `files`.

    `documented` names the files of the report on documented figures, `catalogue` those of all variants side by side.
    """
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(data_root() / "templates"), autoescape=True, trim_blocks=True)
    rows = [_row(entry["summary"], sorted(entry["files"])) for entry in entries]
    reports = {"documented": list(map(_file, documented)), "catalogue": list(map(_file, catalogue))}
    return environment.get_template("index.html.j2").render(rows=rows, version=version, **reports) + "\n"


def _row(summary: Mapping[str, Any], files: Sequence[str]) -> dict[str, Any]:
    first = summary["variants"][0]
    cost = summary["cost_total_usd"]
    names = [summary["id"], summary["title"], summary["model"], summary["hardware"], summary["workload"]]
    words = " ".join([*names, *(variant["name"] for variant in summary["variants"])]).lower()
    return {
        **{name: summary[name] for name in ("id", "version", "title", "model", "hardware")},
        "word": first["word"],
        "mark": MARKS[first["word"]],
        "judged": first["name"] if len(summary["variants"]) > 1 else "",
        "priced": summary["chosen"] if len(summary["variants"]) > 1 and cost is not None else "",
        "share": first["headroom_share"],
        "cost": NO_PRICE if cost is None else display(cost, "USD"),
        "cost_value": -1 if cost is None else cost,
        "words": words,
        "bars": [_bar(variant) for variant in summary["variants"]],
        "files": [_file(name) for name in files],
    }


def _file(name: str) -> dict[str, str]:
    return {"href": name, "kind": name.rsplit(".", 1)[-1].upper()}


def _bar(variant: Mapping[str, Any]) -> dict[str, Any]:
    peak, capacity = pair_in_gib(variant["peak_bytes"], variant["capacity_bytes"])
    share = variant["peak_bytes"] / variant["capacity_bytes"]
    return {
        "name": variant["name"],
        "text": f"{peak} of {capacity}",
        "mark": MARKS[variant["word"]],
        "colour": COLOURS[variant["word"]],
        "width": round(min(share / WIDEST, 1) * 100, 2),
        "is_cut": share > WIDEST,
        "limit": round(100 / WIDEST, 2),
    }
