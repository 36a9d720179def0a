"""Many scenarios at once: `python tests/bench_many.py [--scenarios 500] [--sample 24] [--write]`.

A build in two processes against the bare renders and writes of the same pages and cells, taken over a sample; the
memory of its processes at a fifth and at all of them; and a build where nothing has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import Run, ran

ROOT = Path(__file__).parents[1]
MODELS = ("llama-2-7b", "llama-2-13b", "llama-3-8b", "mistral-7b-v0.1")
CARDS = ("a100-80gb-sxm", "h100-80gb-sxm", "h200-141gb-sxm", "mi300x")
PROCESSES = 2
KINDS = "xlsx,pdf,json"
MOST_TIMES_BARE, MOST_SECONDS_UNCHANGED, MOST_GROWTH = 1.3, 0.1, 1.1
IN_ONE_TABLE, MOST_SECONDS, MOST_MEGABYTES = 5000, 10, 1000
"""Scenarios that are computed but not published, and what that may take."""
BUSY = 1.2
"""Processes that wait longer than this for each second of work share their processors with others."""
PAGE = ROOT / "docs" / "benchmark-many.md"


PLAIN = """schema: 1
id: job-{at:04}
version: 1
title: Job {at}, {model} on {card}
question: Does it fit, and what does it cost?
model: {model}
hardware: {{accelerator: {card}, count: {count}, per_node: 8}}
workload: training
training: {{micro_batch_size: {batch}, sequence_length: {length}, training_tokens: 1e9}}
variants:
  plain: {{}}
  checkpointed: {{training.gradient_checkpointing: full}}
  zero3: {{training.zero_stage: 3}}
tables:
  - title: Peak
    figure: peak_bytes
    rows: {{training.sequence_length: [1024, 2048, 4096]}}
    columns: {{training.micro_batch_size: [1, 2, 4]}}
"""


def scenario(at: int) -> str:
    """One of many different scenarios: a job with three variants and a table."""
    model, card = MODELS[at % len(MODELS)], CARDS[at // len(MODELS) % len(CARDS)]
    sizes = {"count": 8 * (1 + at % 4), "batch": 1 + at % 3, "length": 512 * (1 + at % 16)}
    return PLAIN.format(at=at, model=model, card=card, **sizes)


def generate(folder: Path, first: int, count: int) -> None:
    """Scenario files from number `first` on."""
    folder.mkdir(exist_ok=True)
    for at in range(first, first + count):
        (folder / f"job-{at:04}.yaml").write_text(scenario(at), encoding="utf-8")


def built(given: Path, out: Path) -> tuple[Run, float]:
    """A build in two processes: processor seconds and memory, and seconds by the clock."""
    began = time.monotonic()
    told = ("--out", str(out), "--formats", KINDS, "--jobs", str(PROCESSES))
    return ran("-m", "memreport", "build", str(given), *told), time.monotonic() - began


def bare(folder: Path, count: int) -> float:
    """Processor seconds a scenario of WeasyPrint and openpyxl alone, for the same pages and cells."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/bench_parts.py"), str(folder)], check=True, capture_output=True
    )
    parts: dict[str, float] = json.loads(done.stdout)
    return (parts["WeasyPrint render"] + parts["openpyxl write"]) / count


def unchanged(given: Path, out: Path) -> float:
    """Seconds, imports left out, that a build takes to find that nothing has changed."""
    code = (
        "import sys, time; from memreport import build; from memreport.commands.main import main; "
        "began = time.perf_counter(); main(sys.argv[1:]); print(time.perf_counter() - began)"
    )
    told = ("build", str(given), "--out", str(out), "--formats", KINDS)
    runs = [subprocess.run([sys.executable, "-c", code, *told], check=True, capture_output=True) for _ in range(5)]
    return min(float(one.stdout) for one in runs)


def one_table(given: Path) -> Run:
    """Processor seconds and memory of all scenarios of a folder, read, computed and checked as one table."""
    code = "import pathlib, sys; from memreport.frame import computed_in; computed_in([pathlib.Path(sys.argv[1])])"
    return ran("-c", code, str(given))


def page(count: int, sample: int) -> str:
    """The measurements in Markdown."""
    with tempfile.TemporaryDirectory() as place:
        few, given, out = Path(place, "few"), Path(place, "given"), Path(place, "out")
        generate(few, 0, sample)
        each = bare(few, sample)
        generate(given, 0, count // 5)
        first, _ = built(given, out / "first")
        generate(given, count // 5, count - count // 5)
        whole, clock = built(given, out / "whole")
        idle = unchanged(given, out / "whole")
        many = Path(place, "many")
        generate(many, 0, IN_ONE_TABLE)
        table = one_table(many)
    rows = (
        (f"{count} scenarios, processor seconds", whole.seconds, count * each, "bare renders", MOST_TIMES_BARE),
        ("most memory of a process, MB", whole.megabytes, first.megabytes, f"{count // 5} scenarios", MOST_GROWTH),
        ("nothing changed, s", idle, MOST_SECONDS_UNCHANGED, "allowed", 1.0),
        (f"{IN_ONE_TABLE:,} scenarios as one table, processor seconds", table.seconds, MOST_SECONDS, "allowed", 1.0),
        (f"{IN_ONE_TABLE:,} scenarios as one table, MB", table.megabytes, MOST_MEGABYTES, "allowed", 1.0),
    )
    machine = f"Python {platform.python_version()}, {os.cpu_count()} processors"
    lines = [
        "# Many scenarios",
        "",
        INTRODUCTION,
        "",
        f"{machine}, {count} scenarios, {sample} of them rendered bare.",
        "",
    ]
    lines += ["| what | is | against | its value | ratio | at most | kept |", "|---|---|---|---|---|---|---|"]
    lines += [_row(*row) for row in rows]
    busy = "" if clock * PROCESSES < BUSY * whole.seconds else "; the machine had other work beside it"
    return "\n".join([*lines, "", f"By the clock: {clock:.0f} s in {PROCESSES} processes{busy}.", ""])


def _row(what: str, found: float, other: float, than: str, most: float) -> str:
    kept = "yes" if found <= most * other else "**no**"
    return f"| {what} | {_number(found)} | {than} | {_number(other)} | {found / other:.2f} | {most:g} | {kept} |"


def _number(value: float) -> str:
    """Three digits or more, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


INTRODUCTION = (
    "Written by `make bench-many`.  Workbook, sheet and data of every scenario,\n"
    "in two processes, against WeasyPrint and openpyxl alone with the same pages and cells.  Processor seconds,\n"
    "so that the ratio holds on other machines too."
)


def main() -> None:
    """Print the page; with --write, keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenarios", type=int, default=500)
    parser.add_argument("--sample", type=int, default=24)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = page(options.scenarios, options.sample)
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
