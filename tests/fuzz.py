"""Mutated files against the commands that read them: `make fuzz` prints what was tried and what failed, by class.

A target names a kind of file: its seeds, how they are mutated, and what is done with the result.  A further kind is one
more row of TARGETS.  Every input is handled by a process with limits; it may end with one of the documented exit codes
and a message, and in no other way.  The seed of a run and the number of an input make the input again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.fuzz_mutations import Data, mutated_data, mutated_text
from tests.fuzz_tally import Tally, table

ROOT = Path(__file__).parents[1]
SECONDS, MEGABYTES = 5, 500
CODES = (0, 1, 2, 3)
EACH = 5000
"""After so many inputs the table is shown as it is by then."""
STARTED = 120
"""Seconds after which a process that does not even say what it is doing is given up."""


@dataclass(frozen=True)
class Target:
    """A kind of file: seeds, how a name and a text are made of one, and the commands that read it."""

    kind: str
    seeds: Callable[[], list[Path]]
    parse: Callable[[str], Data]
    render: Callable[[Data], str]
    commands: Callable[[Path, Path], list[list[str]]]
    place: str
    others: Callable[[], dict[str, str]] = dict


def _loaded(text: str) -> Data:
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe


def _few_prices(text: str) -> Data:
    """The price that is billed and the first rows of each list: a whole file takes a quarter of a second to read."""
    return {name: _few(rows) if isinstance(rows, list) else rows for name, rows in _loaded(text).items()}


def _few(rows: list[Data]) -> list[Data]:
    return [row for at, row in enumerate(rows) if at < FEW or row["id"] == PRICE]


def _dumped(data: Data) -> str:
    import yaml

    return str(
        yaml.dump(data, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False, allow_unicode=True)
    )


def _json_loaded(text: str) -> Data:
    import json

    return json.loads(text)


def _json_dumped(data: Data) -> str:
    import json

    return json.dumps(data)


def files(pattern: str) -> Callable[[], list[Path]]:
    """The files of the repository that match."""
    return lambda: sorted(ROOT.glob(pattern))


PLAIN = """schema: 1
id: case
version: 1
title: a case
model: {model}
hardware: {{accelerator: {accelerator}, count: 2}}
workload: training
training: {{sequence_length: 512}}
{more}"""


PRICE, FEW = "aws-g6-xlarge-on-demand", 12
PRICED = f"cost: {{basis: rent, price: {PRICE}, hours: 10}}\n"


def beside(model: str = "llama-3.2-1b", accelerator: str = "l4", more: str = "") -> Callable[[], dict[str, str]]:
    """A plain scenario that reads what is mutated beside it."""
    return lambda: {"scenarios/case.yaml": PLAIN.format(model=model, accelerator=accelerator, more=more)}


def _show(folder: Path, path: Path) -> list[list[str]]:
    return _shown(folder / "scenarios" / "case.yaml", path)


def _shown(scenario: Path, path: Path) -> list[list[str]]:
    """Every input as far as its figures; what takes longer for every thirty-second, always the same ones."""
    chosen = sum(path.read_bytes()) % 32
    longer = {0: [["show", str(scenario)]], 1: [["plan", str(scenario)]]}.get(chosen, [])
    return [["show", "--all", str(scenario)], *longer]


def _shown_and_planned(_: Path, path: Path) -> list[list[str]]:
    return _shown(path, path)


def _imported(folder: Path, path: Path) -> list[list[str]]:
    used = _show(folder, path) if sum(path.read_bytes()) % 4 == 0 else []
    return [["import-model", str(path)], *used]


def _verified(_: Path, path: Path) -> list[list[str]]:
    return [["verify", str(path)]]


SCENARIOS = Target("scenario", files("scenarios/*.yaml"), _loaded, _dumped, _shown_and_planned, "scenarios/case.yaml")
CONFIGS = Target(
    "config.json",
    files("tests/data/configs/*.json"),
    _json_loaded,
    _json_dumped,
    _imported,
    "scenarios/config.json",
    beside("config.json"),
)
LEDGERS = Target("ledger", files("scenarios/documented/*.yaml"), _loaded, _dumped, _verified, "mine.yaml")


def table_target(kind: str, seeds: str, place: str, **named: str) -> Target:
    """A card, a GPU, a list of prices: read when a plain scenario beside it is shown."""
    return Target(kind, files(seeds), _loaded, _dumped, _show, place, beside(**named))


TARGETS: tuple[Target, ...] = (
    SCENARIOS,
    CONFIGS,
    table_target("card", "scenarios/models/*.yaml", "scenarios/models/mine.yaml", model="mine"),
    table_target("accelerator", "hardware/accelerators/*.yaml", "hardware/accelerators/mine.yaml", accelerator="mine"),
    replace(table_target("prices", "hardware/prices.yaml", "hardware/prices.yaml", more=PRICED), parse=_few_prices),
    table_target("hosts", "hardware/hosts.yaml", "hardware/hosts.yaml"),
    table_target("reference", "scenarios/reference/optimizers.yaml", "scenarios/reference/optimizers.yaml"),
    LEDGERS,
)
TURNS = (0, 1, 1, 0, 1, 2, 1, 1, 3, 1, 0, 1, 1, 4, 1, 0, 2, 1, 1, 5, 1, 0, 1, 1, 6, 1, 0, 1, 1, 7)
"""In which order the targets take their turns: what everybody writes comes most often."""


def input_of(target: Target, seed: int) -> str:
    """One input: every fourth is mutated as text, the others as data.  Equal seeds give equal inputs."""
    chance = random.Random(f"{target.kind} {seed}")  # noqa: S311  # not for secrets
    chosen = chance.choice(target.seeds())
    text = chosen.read_text(encoding="utf-8")
    if chance.random() < 0.25:
        return mutated_text(text, chance)
    return target.render(mutated_data(named_after(target.place, target.parse(text)), chance))


def named_after(place: str, data: Data) -> Data:
    """The same, called as the file is into which it is written."""
    return {**data, **{name: Path(place).stem for name in ("id", "table") if name in data}}


def judged(target: Target, seed: int) -> str:
    """What is wrong with how one input is handled, or ""."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as made:
        folder = Path(made)
        for name, text in {**target.others(), target.place: input_of(target, seed)}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        wrong = (outcome(command) for command in target.commands(folder, folder / target.place))
        return next((one for one in wrong if one), "")


def outcome(command: list[str]) -> str:
    """What is wrong with how a command ended, or ""; a plan is asked for only where the scenario can be shown."""
    from memreport.commands.main import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(command)
        except BaseException as error:  # noqa: BLE001  # that is what is looked for
            return f"{command[0]}: {type(error).__name__} escaped: {error}"[:300]
    said = err.getvalue() + (out.getvalue() if command[0] == "verify" else "")
    if code not in CODES:
        return f"{command[0]}: code {code}: {said}"[:400]
    if code > 1 and not said.strip():
        return f"{command[0]}: code {code} without a word"
    return f"{command[0]}: {_warned(err.getvalue())}" if "Warning: " in err.getvalue() else ""


def _warned(text: str) -> str:
    return next(line for line in text.splitlines() if "Warning: " in line)[:300]


def serve(pipe: Connection) -> None:
    """A process that judges inputs: an alarm ends it when one takes too long, the system when it takes too much."""
    _warm()
    limit = _private_bytes() + MEGABYTES * 10**6
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    pipe.send("ready")
    while (asked := pipe.recv()) is not None:
        kind, seed = asked
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        began = time.process_time()
        wrong = judged(next(one for one in TARGETS if one.kind == kind), seed)
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send((wrong, time.process_time() - began))


def _warm() -> None:
    """Import and read what every input needs, so that it is not counted as an input's own; the packaged tables once."""
    from memreport.catalogue import load
    from memreport.catalogue.yaml import packaged

    made: dict[Any, Any] = {}
    fresh, bare = load.catalogue_for, load.catalogue_for().folders
    packaged._read = _kept_of_ours(packaged._read.__wrapped__)  # type: ignore[assignment]

    def kept(paths: Iterable[Path] = ()) -> load.Catalogue:
        found = fresh(paths)
        return made.setdefault(bare, found) if found.folders == bare else found

    load.catalogue_for = kept
    for target in TARGETS:
        judged(target, 0)


def _kept_of_ours(read: Callable[[Path, int, int], Any]) -> Callable[[Path, int, int], Any]:
    """Packaged files are read once; what inputs bring is not kept: thousands of them would fill the memory of one."""
    kept = lru_cache(maxsize=None)(read)
    return lambda path, changed, size: (kept if ROOT in path.parents else read)(path, changed, size)


def _private_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(r"VmData:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


class Judge:
    """A process that is replaced when an input ended it."""

    def __init__(self) -> None:
        self.started: tuple[Any, Connection] | None = None

    def ask(self, kind: str, seed: int) -> tuple[str, float]:
        """What is wrong with an input, and the seconds that it took."""
        process, pipe = self.started or self._start()
        pipe.send((kind, seed))
        with contextlib.suppress(EOFError, ConnectionResetError):
            if pipe.poll(SECONDS * 12):
                answer: tuple[str, float] = pipe.recv()
                return answer
        process.kill()
        process.join()
        self.started = None
        return f"ended by signal {-(process.exitcode or 0)} (27: over {SECONDS} s; 9: memory, or no answer)", SECONDS

    def _start(self) -> tuple[Any, Connection]:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        assert ours.poll(STARTED), "the process does not start"
        assert ours.recv() == "ready"
        self.started = process, ours
        return process, ours

    def close(self) -> None:
        """End the process."""
        if self.started:
            self.started[0].kill()
            self.started[0].join()


def rounds(first: int, count: int) -> Iterator[tuple[Target, int]]:
    """The targets in turn, each with seeds of its own."""
    for at in range(count):
        yield TARGETS[TURNS[at % len(TURNS)]], first + at


def run(first: int, count: int, most_seconds: float = float("inf")) -> dict[str, Tally]:
    """Judge that many inputs, or as many as the seconds of CPU time allow."""
    tallies = {target.kind: Tally() for target in TARGETS}
    judge, used = Judge(), 0.0
    try:
        for target, seed in rounds(first, count):
            if used > most_seconds:
                break
            wrong, seconds = judge.ask(target.kind, seed)
            used += seconds
            tallies[target.kind].note(seed, wrong, seconds)
            _progress(tallies)
    finally:
        judge.close()
    return tallies


def _progress(tallies: dict[str, Tally]) -> None:
    """The table so far, now and then, for who waits at a terminal or reads a log."""
    if sum(one.tried for one in tallies.values()) % EACH == 0:
        sys.stderr.write(f"{table(tallies)}\n\n")


def _books(count: int, first: int) -> dict[str, Tally]:
    """The same of workbooks, each in a process of its own."""
    from tests.fuzz_workbooks import tallied

    return tallied(count, first) if count else {}


def main(given: list[str] | None = None) -> int:
    """Judge inputs, or show one of them again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--books", type=int, default=0, help="mutated workbooks of each kind, besides")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--again", nargs=2, metavar=("CLASS", "SEED"), help="print one input")
    options = parser.parse_args(given)
    if options.again:
        target = next(one for one in TARGETS if one.kind == options.again[0])
        sys.stdout.write(input_of(target, int(options.again[1])))
        return 0
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["MEMREPORT_CACHE"] = "off"
    tallies = run(options.first, options.inputs) | _books(options.books, options.first)
    print(table(tallies))
    return 1 if any(one.failed for one in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
