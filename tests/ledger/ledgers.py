"""Small ledgers of one test, written and judged."""

from __future__ import annotations

from pathlib import Path

from memreport.ledger.judging import Judged, Judgement, judge

HEAD = 'schema: 1\ndocument: "test"\ngiven: 7b\nsetups: {7b: {inputs: {parameters: 7e9}}}\nentries:\n'


def judged(folder: Path, *entries: str, head: str = HEAD) -> Judged:
    lines = [head]
    for at, entry in enumerate(entries):
        named = entry if entry.startswith("id:") else f"id: e{at}\n{entry}"
        named = named if "says:" in named else f"{named}\nsays: something"
        lines.append("  - " + named.replace("\n", "\n    ") + "\n")
    path = folder / "mine.yaml"
    path.write_text("".join(lines), encoding="utf-8")
    return judge(path)


def only(folder: Path, entry: str, head: str = HEAD) -> Judgement:
    found = judged(folder, entry, head=head)
    assert not found.faults, [str(fault) for fault in found.faults]
    return found.judgements[0]


PLAIN = "value: 14 GB\nfigure: weight_bytes\nexpect: reproduces"
