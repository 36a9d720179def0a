"""What `show`, `list` and `new` print, and the table that `memreport.estimate` returns."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memreport.catalogue.dictionary import Entry
from memreport.catalogue.load import Catalogue, catalogue_for
from memreport.catalogue.quantities import display
from memreport.catalogue.records import Table
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.validation import ID, ID_RULE
from memreport.compute import Computed, compute
from memreport.errors import Fault, InputError, nearest
from memreport.figures.registry import GROUPS, PHASES, figures_by_name
from memreport.files import write_whole
from memreport.formula.recording import Figure
from memreport.publish import assumed, in_short
from memreport.publish.pricing import NO_PRICE
from memreport.publish.view import View
from memreport.resolve import resolve_all, resolve_given
from memreport.verify.sanity import check

if TYPE_CHECKING:
    import pandas as pd


GAP = "  "
"""Between columns of text."""
GIVEN = "*"
"""Stands before a figure that the scenario overrides."""


def computed_of(path: Path) -> Computed:
    """One scenario file, loaded, resolved, computed and checked.  Raises InputError, VerificationError."""
    if path.is_dir():
        raise InputError([Fault("is a folder; name one scenario file", str(path))])
    computed = compute(resolve_all([path]))[0]
    check(computed)
    return computed


def show(path: Path, variants: tuple[str, ...], style: str) -> tuple[str, bool]:
    """Text of every figure of the chosen variants, and whether all of them fit."""
    computed = computed_of(path)
    known = [case.name for case in computed.resolved.variants]
    for name in variants:
        if name not in known:
            fault = Fault(
                "no such variant", str(path), found=repr(name), expected=", ".join(known), nearest=nearest(name, known)
            )
            raise InputError([fault])
    chosen = variants or tuple(known)
    fits = all(computed.values["fits"][known.index(name)] for name in chosen)
    return (_json(computed, variants) if style == "json" else _table(computed, chosen)), fits


def _json(computed: Computed, variants: tuple[str, ...]) -> str:
    from memreport.publish.data import record, to_json

    return to_json(record(computed, variants))


def _table(computed: Computed, variants: tuple[str, ...]) -> str:
    columns = [at for at, case in enumerate(computed.resolved.variants) if case.name in variants]
    rows: list[list[str]] = [["", *variants]]
    shown = {line.name for line in computed.lines}
    for group in GROUPS[computed.resolved.workload]:
        figures = [figure for figure in group.figures if figure.name in shown]
        if figures:
            rows += [[], [group.title.upper()]]
        for figure in figures:
            rows.append([figure.name, *(_cell_text(computed, figure, at) for at in columns)])
    rows += _phase_rows(computed, columns)
    rows += [
        *_given_rows(computed, columns),
        *assumed.text_rows(computed, columns),
        [],
        ["IN SHORT"],
        *in_short.rows(computed, columns),
    ]
    return folded(rows) + _warnings(computed, variants) + "\n" + in_short.answer(computed)


def _given_rows(computed: Computed, columns: Iterable[int]) -> list[list[str]]:
    """What the scenario gives in place of a figure, or of what a choice supplies."""
    view, listed = View(computed), list(columns)
    names = dict.fromkeys(name for at in listed for name in computed.resolved.cases[at].overrides)
    rows = [[name, *(_given(view, name, at) for at in listed)] for name in names]
    return [[], [f"GIVEN BY THE SCENARIO, NOT COMPUTED (marked {GIVEN})"], *rows] if rows else []


def _given(view: View, name: str, at: int) -> str:
    overrides = view.resolved.cases[at].overrides
    return display(overrides[name], view.unit(name)) if name in overrides else "-"


def _warnings(computed: Computed, variants: tuple[str, ...]) -> str:
    cautions = [f"{one}\n" for one in computed.resolved.cautions if one.variant in variants]
    return "".join(["\nWARNINGS\n", *cautions] if cautions else [])


def _phase_rows(computed: Computed, columns: Iterable[int]) -> list[list[str]]:
    rows: list[list[str]] = []
    for phase in PHASES[computed.resolved.workload]:
        rows += [[], [f"ROOFLINE, {phase.title.upper()}: seconds at the roof"]]
        for kernel in phase.kernels:
            name = f"seconds_at_roof.{kernel.id}"
            rows.append([name, *(display(float(computed.values[name][at]), "s") for at in columns)])
    return rows


def _cell_text(computed: Computed, figure: Figure, at: int) -> str:
    value = float(computed.values[figure.name][at])
    text = figure.labels[int(value) - 1] if figure.labels else display(value, str(figure.unit))
    given = figure.name in computed.resolved.cases[at].overrides
    return f"{GIVEN} {text}" if given else text


def aligned(rows: Iterable[list[str]]) -> str:
    """Columns of text: the first to the left, the others to the right."""
    listed = list(rows)
    width = max((len(row) for row in listed), default=0)
    widths = [max((len(row[at]) for row in listed if len(row) > max(at, 1)), default=0) for at in range(width)]
    lines = [GAP.join(_cell(text, at, widths[at]) for at, text in enumerate(row)).rstrip() for row in listed]
    return "\n".join(lines) + "\n"


def folded(rows: Sequence[list[str]]) -> str:
    """The table as it stands where it is kept; on a terminal, as many columns at once as it is wide."""
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    widths = [max((len(row[at]) for row in rows if len(row) > max(at, 1)), default=0) for at in range(len(rows[0]))]
    at_once = max(1, (room - widths[0]) // (max(widths[1:]) + len(GAP)))
    starts = range(1, len(rows[0]), at_once)
    return "\n".join(aligned([[*row[:1], *row[start : start + at_once]] for row in rows]) for start in starts)


def _cell(text: str, at: int, width: int) -> str:
    return text.ljust(width) if at == 0 else text.rjust(width)


def frame(scenario: str | Path | Mapping[str, Any]) -> pd.DataFrame:
    """One row a variant, one column a figure; inputs are columns too."""
    import pandas as pd

    computed = _computed_from(scenario)
    names = [case.name for case in computed.resolved.variants]
    inputs = {name: column[: len(names)] for name, column in computed.resolved.inputs.items()}
    figures = {line.name: computed.values[line.name][: len(names)] for line in computed.lines}
    return pd.DataFrame(inputs | figures, index=pd.Index(names, name="variant"))


def _computed_from(scenario: str | Path | Mapping[str, Any]) -> Computed:
    if not isinstance(scenario, Mapping):
        return computed_of(Path(scenario))
    computed = compute([resolve_given(scenario)])[0]
    check(computed)
    return computed


def listing(what: str, style: str) -> str:
    """Names that a scenario may use: tables, models, fields, figures; without `what`, the lists there are."""
    catalogue = catalogue_for()
    lists = _lists(catalogue)
    if not what:
        return _rows([(name, title) for name, (title, _) in lists.items()], style)
    if what not in lists:
        close = nearest(what, lists)
        raise InputError([Fault("no such list", found=repr(what), expected=", ".join(lists), nearest=close)])
    return _rows(lists[what][1], style)


PRICE_TITLES = ("id", "price", "currency", "unit", "region", "date", "what")
Row = tuple[str, ...]
"""A name and what is said of it, or a price under the titles above."""


def _lists(catalogue: Catalogue) -> dict[str, tuple[str, list[Row]]]:
    found: dict[str, tuple[str, list[Row]]] = {
        name: (table.title, list(_price_rows(table) if name.endswith("_prices") else _named_rows(table)))
        for name, table in catalogue.tables.items()
    }
    found["models"] = ("Model cards", [(name, str(path.name)) for name, path in sorted(catalogue.model_files.items())])
    for workload in ("training", "serving"):
        fields = dictionary(workload).values()
        figures = figures_by_name(workload).items()
        found[f"{workload}-fields"] = (
            f"Inputs of {workload}",
            [
                (f"{entry.section}.{entry.name}", f"{_described(entry.meaning, entry.unit)}; {_default(entry)}")
                for entry in fields
            ],
        )
        found[f"{workload}-figures"] = (
            f"Figures of {workload}",
            [(name, _described(figure.meaning, str(figure.unit))) for name, figure in figures],
        )
    return dict(sorted(found.items()))


def _named_rows(table: Table) -> Iterator[Row]:
    for key, title in zip(table.ids, table.titles, strict=True):
        yield str(key), title


def _price_rows(table: Table) -> Iterator[Row]:
    """Prices as they are counted with, in base units; `what` names the offer, and the amount in its own currency."""
    column = next(iter(table.columns.values()))
    unit = f"USD{display(1.0, column.unit).removeprefix('$1.00')}"
    for at, key in enumerate(table.ids):
        words = {name: texts[at] for name, texts in table.texts.items()}
        offer = [words[name] for name in ("provider", "term", "accelerator")] if table.titles[at] == key else []
        stated = f"{words['amount']} at {words['rate']}" if words["amount"] else ""
        what = ", ".join(part for part in (*(offer or [table.titles[at]]), stated) if part)
        price = f"{column.values[at]:.10g}" if column.values[at] else NO_PRICE
        yield str(key), price, words["currency"], unit, words["region"], words["date"], what


def _described(meaning: str, unit: str) -> str:
    return f"{meaning} [{unit}]" if unit not in ("", "1") else meaning


def _default(entry: Entry) -> str:
    if entry.required:
        return "required"
    if entry.kind == "optional":
        return "computed or looked up unless given"
    words = ", ".join(entry.default) if isinstance(entry.default, tuple) else json.dumps(entry.default).strip('"')
    return f"default {words}"


def _rows(rows: Sequence[Row], style: str) -> str:
    """Columns side by side, prices under their titles; as JSON by name."""
    priced = len(rows[0]) == len(PRICE_TITLES)
    if style == "json":
        said = {one[0]: dict(zip(PRICE_TITLES[1:], one[1:], strict=True)) if priced else one[1] for one in rows}
        return json.dumps(said, indent=1, ensure_ascii=False) + "\n"
    shown = [PRICE_TITLES, *rows] if priced else rows
    widths = [max(len(one[at]) for one in shown) for at in range(len(rows[0]))]
    padded = ([cell.ljust(width) for cell, width in zip(one, widths, strict=True)] for one in shown)
    return "".join("  ".join(one).rstrip() + "\n" for one in padded)


_TEMPLATE = """# yaml-language-server: $schema=./memreport.schema.json
schema: 1
id: {id}
version: 1
changes:
  - {{version: 1, date: {date}, note: first version}}
title: Name what is planned
question: What shall the budget answer?
owner: your-team
model: llama-3-8b                  # memreport list models
hardware: {{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}}
workload: {workload}
{body}
# cost: {{basis: rent, price: aws-p5-on-demand, hours: 72}}
"""
_BODIES = {
    "training": """training:                          # memreport list training-fields
  precision: bf16-mixed
  optimizer: adamw
  micro_batch_size: 1
  sequence_length: 4096
  gradient_checkpointing: none
  zero_stage: 0
variants:
  base: {}
  zero3: {training.zero_stage: 3, training.gradient_checkpointing: full}
tables:
  - title: Peak by sequence length and micro-batch
    figure: peak_bytes
    rows: {training.sequence_length: [2048, 4096, 8192]}
    columns: {training.micro_batch_size: [1, 2, 4]}""",
    "serving": """serving:                           # memreport list serving-fields
  weight_dtype: bf16
  kv_cache_dtype: bf16
  max_model_len: 8192
  context_length: 4096
  max_num_seqs: 64
variants:
  base: {}
  fp8 cache: {serving.kv_cache_dtype: fp8}
tables:
  - title: Concurrent sequences by context
    figure: max_concurrent_sequences
    rows: {serving.context_length: [1024, 2048, 4096, 8192]}""",
}


def new_scenario(path: Path, workload: str) -> None:
    """Write a commented scenario to start from.  Raises InputError where the file exists or its name is no id."""
    if path.exists():
        raise InputError([Fault("exists already", str(path))])
    if path.suffix not in (".yaml", ".yml"):
        raise InputError([Fault("a scenario's file name ends in .yaml", str(path))])
    if not re.fullmatch(ID, path.stem):
        raise InputError([Fault(f"the file's name is the scenario's id, which {ID_RULE}", str(path), found=path.stem)])
    from datetime import UTC, datetime

    today = datetime.now(tz=UTC).date().isoformat()
    text = _TEMPLATE.format(id=path.stem, date=today, workload=workload, body=_BODIES[workload])
    write_whole(path, text.encode())


def import_model(config: Path, out: Path | None, *, force: bool = False) -> tuple[str, tuple[str, ...]]:
    """The card of a configuration, written where asked for, and what was not understood.

    Raises InputError with every fault of the file, and where the card exists already, unless forced.
    """
    from memreport.catalogue.huggingface import card_text, read_config

    model = read_config(config)
    if out and out.exists() and not force:
        raise InputError([Fault("exists already; --force writes over it", str(out))])
    from datetime import UTC, datetime

    modified = datetime.fromtimestamp(config.stat().st_mtime, UTC).date().isoformat()
    text = card_text(model, out.stem if out else _card_name(config), modified)
    if out:
        write_whole(out, text.encode())
    return text, model.notes


def _card_name(config: Path) -> str:
    """A card is called after the file, or, for a plain config.json, after its folder."""
    return config.resolve().parent.name if config.stem == "config" else config.stem
