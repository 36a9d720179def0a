"""The front page of what was published: one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT
from memreport.catalogue.quantities import brief
from memreport.paths import data_root
from memreport.report.records.answers import MARKS
from memreport.report.view import pair_in_gib

COLOURS: Mapping[str, str] = {FITS: "#2f6f9f", TIGHT: "#c9821a", QUEUES: "#c9821a", DOES_NOT_FIT: "#b3372f"}
NO_PRICE = "no price"
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
    rows = sorted((_row(entry["summary"], entry["files"]) for entry in entries), key=lambda row: row["order"])
    reports = {"documented": list(map(_file, documented)), "catalogue": list(map(_file, catalogue))}
    reports["calculator"] = list(map(_file, calculator))
    totals = _totals([entry["summary"] for entry in entries])
    template = environment.get_template("index.html.j2")
    return template.render(rows=rows, totals=totals, version=version, **reports) + "\n"


RUN, PURCHASE = "a run", "the purchase"
Total = tuple[str, str, str]
"""What is added up, the amount, and what is said below it."""


def _totals(summaries: Sequence[Mapping[str, Any]]) -> list[Total]:
    """What all scenarios come to: costs of runs and of services, GPU-hours, and how many have no answer that fits."""
    hours = sum(one.get("accelerator_hours") or 0 for one in summaries)
    failing = sum(one.get("answer_word", "") == DOES_NOT_FIT for one in summaries)
    return [*_costs(summaries), ("GPU-hours", brief(hours, "1"), _by_gpu(summaries)), ("Do not fit", str(failing), "")]


def _costs(summaries: Sequence[Mapping[str, Any]]) -> Iterator[Total]:
    """Runs and purchases as they are, services by the month."""
    served = [one.get("service_usd_per_month") for one in summaries if one.get("period") not in (RUN, PURCHASE, None)]
    runs, bought = ([one.get("cost_usd") for one in summaries if one.get("period") == of] for of in (RUN, PURCHASE))
    for title, costs in (("All runs", runs), ("All services, a month", served), ("All purchases", bought)):
        known = [cost for cost in costs if cost is not None]
        if known:
            lacking = len(costs) - len(known)
            yield title, brief(sum(known), "USD"), f"{lacking} without a price" if lacking else ""


def _by_gpu(summaries: Sequence[Mapping[str, Any]]) -> str:
    """GPU-hours of each GPU, most first."""
    found: dict[str, float] = {}
    for one in summaries:
        gpu = one.get("recommended_accelerator", "")
        found[gpu] = found.get(gpu, 0.0) + (one.get("accelerator_hours") or 0.0)
    most = sorted((gpu for gpu in found if gpu and found[gpu]), key=lambda gpu: -found[gpu])
    return ", ".join(f"{gpu} {brief(found[gpu], '1')}" for gpu in most)


ORDER = (DOES_NOT_FIT, QUEUES, TIGHT, FITS)
"""Worst first."""
KINDS = ("pdf", "xlsx", "html", "json")


def _row(summary: Mapping[str, Any], files: Iterable[str]) -> dict[str, Any]:
    first = summary["variants"][0]
    word, cost = summary.get("answer_word", first["word"]), summary.get("cost_usd", summary["cost_total_usd"])
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
        "order": (ORDER.index(word), summary["title"].lower()),
        "rank": ORDER.index(word),
        "cost": summary.get("cost_text") or NO_PRICE,
        "period": summary.get("period", "") if cost is not None else "",
        "prices": _age(summary),
        "cost_value": -1 if cost is None else cost,
        "words": words,
        "bars": [_bar(variant) for variant in summary["variants"]],
        "files": sorted(map(_file, files), key=lambda file: _place(file["kind"])),
    }


def _age(summary: Mapping[str, Any]) -> str:
    """How old the oldest price is that the cost rests on, and on which day."""
    age, day = summary.get("price_age_days"), summary.get("prices_as_of", "")
    if age is None:
        return f"prices judged at {day}" if day else ""
    return f"oldest price {age} day{'' if age == 1 else 's'} old on {day}"


def _place(kind: str) -> int:
    """The sheet first, then the workbook."""
    return KINDS.index(kind.lower()) if kind.lower() in KINDS else len(KINDS)


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
