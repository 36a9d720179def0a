"""The ledger's judgements for people and for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from typing import Any

from memreport.errors import plural
from memreport.ledger.judging import ARGUED, CONFLICTS, CONTRADICTS, KINDS, UNDER, Judged, Judgement
from memreport.publish.text.table import fitted
from memreport.publish.text.width import columns

HEADINGS = {UNDER: "under a convention", CONFLICTS: "conflicts"}


WAY_ON = "What is not right in the documents, with the right value: memreport verify --all"


def in_short(judged: Judged) -> str:
    """Counts, what could not be judged, what differs from the record, and the way to the rest."""
    blocks = [
        counts_table(judged),
        *_section("Entries that could not be judged", map(str, judged.faults)),
        *_section("Verdicts that differ from the recorded ones", map(_changed, judged.failed)),
        f"{_last_line(judged)}\n{textwrap.fill(WAY_ON, columns())}",
    ]
    return "\n\n".join(blocks) + "\n"


def as_text(judged: Judged) -> str:
    """Counts, then what is wrong in the documents with the right value, then what differs from the record."""
    wrong = [judgement for judgement in judged.judgements if judgement.kind in (CONTRADICTS, CONFLICTS)]
    argued = [judgement for judgement in judged.judgements if judgement.kind == ARGUED]
    blocks = [
        counts_table(judged),
        *_section("Contradictions and conflicts", map(_wrong, wrong)),
        *_section("Argued, because no arithmetic can judge them", map(_argued, argued)),
        *_section("Entries that could not be judged", map(str, judged.faults)),
        *_section("Verdicts that differ from the recorded ones", map(_changed, judged.failed)),
        _last_line(judged),
    ]
    return "\n\n".join(blocks) + "\n"


def counts_table(judged: Judged) -> str:
    """Numbers of statements by document and verdict."""
    headings = ["document", *(HEADINGS.get(kind, kind) for kind in KINDS), "all"]
    rows = {name: [*kinds.values(), sum(kinds.values())] for name, kinds in judged.counts.items()}
    rows["all"] = [sum(row[index] for row in rows.values()) for index in range(len(KINDS) + 1)]
    return fitted([headings, *([name, *map(str, numbers)] for name, numbers in rows.items())])


def _section(title: str, blocks: Iterable[str]) -> list[str]:
    found = list(blocks)
    return [f"{title} ({len(found)})", *found] if found else []


def _place(judgement: Judgement) -> str:
    text = judgement.entry.text
    parts = [judgement.document, text.section, f"line {text.line}" if text.line else ""]
    return ", ".join(part for part in parts if part)


def _wrong(judgement: Judgement) -> str:
    text = judgement.entry.text
    return _block(
        f"{judgement.id} ({_place(judgement)}): {judgement.verdict}",
        text.says,
        f"printed {judgement.documented}; right {text.right if isinstance(text.right, str) else judgement.right}",
        text.why,
    )


def _argued(judgement: Judgement) -> str:
    argued = judgement.entry.text.argued
    as_, because = (argued.as_, argued.because) if argued else ("", "")
    return _block(f"{judgement.id} ({_place(judgement)}): argued, {as_}", judgement.entry.text.says, because)


def _changed(judgement: Judgement) -> str:
    mark = judgement.entry.file.document.mark(judgement.entry.place)
    return _block(
        f"{judgement.id} ({mark.file}:{mark.line})",
        judgement.entry.text.says,
        f"printed {judgement.documented}",
        judgement.problem,
    )


def _block(title: str, *lines: str) -> str:
    wrapped = (textwrap.fill(line, columns(), initial_indent="  ", subsequent_indent="  ") for line in lines if line)
    return "\n".join([textwrap.fill(title, columns()), *wrapped])


def _last_line(judged: Judged) -> str:
    failed, faults, count = len(judged.failed), len(judged.faults), len(judged.judgements)
    broken = [f"{failed} {'differs' if failed == 1 else 'differ'} from the record"] if failed else []
    broken += [f"{faults} {plural('fault', faults)}"] if faults else []
    well = "every verdict is as recorded" if count else "there is nothing to judge"
    return f"{count} {plural('statement', count)} judged; " + (", ".join(broken) or well)


def as_json(judged: Judged) -> str:
    """The same for programs; computed values are in base units."""
    data = {
        "schema": 1,
        "counts": judged.counts,
        "entries": [_record(judgement) for judgement in judged.judgements],
        "faults": [str(fault) for fault in judged.faults],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _record(judgement: Judgement) -> dict[str, Any]:
    text = judgement.entry.text
    value = judgement.entry.value
    return {
        "id": judgement.id,
        "document": judgement.document,
        "section": text.section,
        "line": text.line,
        "says": text.says,
        "documented": judgement.documented,
        "computed": judgement.computed_text,
        "computed_base": list(judgement.computed) if judgement.computed else None,
        "unit": str(value.unit) if value else "",
        "verdict": judgement.verdict,
        "expected": text.expect,
        "ok": judgement.ok,
        "problem": judgement.problem,
        "right": judgement.right,
        "difference": judgement.difference,
        "convention": judgement.entry.converted.meaning if judgement.kind == UNDER else "",
        "why": judgement.reason,
        "argued_as": text.argued.as_ if text.argued else "",
        "also": dict(judgement.also),
    }
