"""How fast and how large, as ratios within one run: `make bench`; with --write, kept as docs/benchmark.md.

Seconds are processor seconds, user and system, so that other work on the machine does not count.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.compute import calculate, needed_for
from memreport.figures.registry import lines_of
from memreport.formula.recording import Line, ordered
from memreport.resolve import resolve_all
from tests.bench_workbook import writing
from tests.hand_written import training_states
from tests.straight_numpy import program

if TYPE_CHECKING:
    from memreport.advise.rerun import Job

ROOT = Path(__file__).parents[1]
ROWS = 1_000_000
REPEATS = 3
MOST_MEGABYTES = 250
MOST_SECONDS_AGAIN = 0.25
PIPELINES = (1.0, 2.0, 4.0, 8.0)
"""Stages to draw from; no scenario has a pipeline."""


class Ratio(NamedTuple):
    """What was measured against what, and how many times as long it may take."""

    what: str
    seconds: float
    yardstick: str
    bare: float
    limit: float

    @property
    def row(self) -> str:
        """A line of the table."""
        ratio = self.seconds / self.bare
        verdict = "yes" if ratio <= self.limit else "**no**"
        return (
            f"| {self.what} | {self.seconds:.3f} | {self.yardstick} | {self.bare:.3f} "
            f"| {ratio:.2f} | {self.limit:g} | {verdict} |"
        )


class Run(NamedTuple):
    """What a process of its own took: processor seconds, and the most memory that it or its children held."""

    seconds: float
    megabytes: float


def ran(*arguments: str, kept: str = "") -> Run:
    """Python in a fresh process, as a user starts it: with compiled code, as an installation leaves it.

    What was answered before is computed again, unless a folder is given in which answers are `kept`.
    """
    answers = {"XDG_CACHE_HOME": kept} if kept else {"MEMREPORT_CACHE": "off"}
    told, quiet = {**os.environ, **answers}, subprocess.DEVNULL
    told.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen([sys.executable, *arguments], stdout=quiet, stderr=quiet, env=told)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def quickest(*arguments: str, repeats: int = REPEATS, kept: str = "") -> Run:
    """The quickest of a few runs."""
    return min(ran(*arguments, kept=kept) for _ in range(repeats))


def timed(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Processor seconds of the quickest of a few calls."""
    found = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def a_million_rows() -> dict[str, Numbers]:
    """Every training input drawn, by itself, from the values that it has in the scenarios."""
    generator = np.random.default_rng(2026)
    resolved = resolve_all([ROOT / "scenarios"])
    training = [one.inputs for one in resolved if one.workload == "training"]
    return {name: generator.choice(np.concatenate([one[name] for one in training]), ROWS) for name in training[0]}


def same(first: Mapping[str, Numbers], second: Mapping[str, Numbers]) -> str:
    """In words, whether all columns of the first equal those of the second bit for bit."""
    differing = [name for name in first if not np.array_equal(first[name], second[name], equal_nan=True)]
    return "bit-identical" if not differing else f"**differing in {', '.join(differing)}**"


def engine() -> Iterator[Ratio]:
    """Figures over a million rows against numpy, written by hand and written out straight."""
    lines, inputs = ordered(lines_of("training")), a_million_rows()
    states = tuple(training_states(inputs))
    yield _against(f"{len(states)} figures of the states by hand", lines, inputs, states, training_states)
    stages = np.random.default_rng(2026).choice(PIPELINES, ROWS)
    staged, straight = inputs | {"pipeline_parallel_size": stages}, program(needed_for(lines, states), states)
    yield _against("the same in pipelines of 1 to 8 stages, written out", lines, staged, states, straight)
    ends = sorted({line.name for line in lines} - {read for line in lines for read in line.reads})
    straight = program(lines, ends)
    yield _against(f"all {len(lines)} training figures", lines, inputs, tuple(ends), straight)


def _against(
    what: str,
    lines: list[Line],
    inputs: Mapping[str, Numbers],
    wanted: tuple[str, ...],
    bare: Callable[[Mapping[str, Numbers]], dict[str, Numbers]],
) -> Ratio:
    def ours() -> dict[str, Numbers]:
        return calculate(needed_for(lines, wanted), inputs, wanted=wanted)

    with np.errstate(all="ignore"):
        computed = ours()
        verdict = same({name: computed[name] for name in wanted}, bare(inputs))
        del computed
        return Ratio(f"{what}, {ROWS:,} rows, {verdict}", timed(ours), "numpy", timed(lambda: bare(inputs)), 1.3)


def starting() -> Iterator[Ratio]:
    """Commands that a user waits for, against the least that Python takes."""
    scenario = str(min((ROOT / "scenarios").glob("*.yaml")))
    nothing, pandas = quickest("-c", "pass", repeats=9), quickest("-c", "import pandas")
    yield Ratio(
        "`memreport --help`",
        quickest("-m", "memreport", "--help", repeats=9).seconds,
        "`python -c pass`",
        nothing.seconds,
        3,
    )
    shown = quickest("-m", "memreport", "show", scenario)
    yield Ratio("`memreport show` of one scenario", shown.seconds, '`python -c "import pandas"`', pandas.seconds, 1.5)
    with tempfile.TemporaryDirectory() as kept:
        again = quickest("-m", "memreport", "show", scenario, kept=kept, repeats=1 + REPEATS)
    yield Ratio("the same, answered before", again.seconds, "allowed", MOST_SECONDS_AGAIN, 1)


def building(out: Path) -> Iterator[Ratio | str]:
    """A whole build in one process against its parts, its memory, and whether a repeat is the same bytes."""
    told = ("-m", "memreport", "build", str(ROOT / "scenarios"), "--jobs", "1", "--force", "--out")
    first, second = ran(*told, str(out / "a")), ran(*told, str(out / "b"))
    started = subprocess.run([sys.executable, str(ROOT / "tests/bench_parts.py")], check=True, capture_output=True)
    parts: dict[str, float] = json.loads(started.stdout)
    shares = ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts.items())
    seconds = min(first.seconds, second.seconds)
    yield Ratio("`memreport build scenarios/`, cold", seconds, f"its parts: {shares}", sum(parts.values()), 1.5)
    held = max(first.megabytes, second.megabytes)
    yield f"Build: {held:,.0f} MB at most ({'within' if held <= MOST_MEGABYTES else '**over**'} {MOST_MEGABYTES} MB)."
    yield f"A second build: {'the same bytes' if hashes(out / 'a') == hashes(out / 'b') else '**other bytes**'}."
    unchanged = ran(*told[:-2], "--out", str(out / "a"))
    yield f"A build where nothing has changed: {unchanged.seconds:.1f} s."


def drawing() -> Ratio:
    """The sheet of a scenario, in a process that has made one before, against WeasyPrint alone."""
    told = [
        sys.executable,
        str(ROOT / "tests/bench_parts.py"),
        "--sheet",
        str(ROOT / "scenarios/llama3-70b-8xa100.yaml"),
    ]
    took = json.loads(subprocess.run(told, check=True, capture_output=True).stdout)
    return Ratio("a sheet, warm", took["sheet"], "WeasyPrint with the same page", took["bare"], 1.2)


def hashes(folder: Path) -> dict[str, str]:
    """Hash of every file of a folder by its name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


SPACE: dict[str, list[Any]] = {
    "accelerator": ["a100-80gb-sxm", "h100-80gb-sxm", "h200-141gb-sxm", "b200", "mi300x"],
    "count": [64, 128, 256, 512],
    "method": ["full", "lora", "qlora"],
    "precision": ["bf16-mixed", "bf16-no-master"],
    "optimizer": ["adamw", "lion", "sgd", "adafactor"],
    "optimizer_offload": ["none", "cpu"],
    "parameter_offload": ["none"],
    "zero_stage": [1],
    "gradient_checkpointing": ["none", "selective", "full", "sqrt"],
    "tensor_parallel_size": [1, 2, 4, 8],
    "pipeline_parallel_size": [1, 2, 4, 8],
    "context_parallel_size": [1, 2, 4, 8],
    "micro_batch_size": [1, 2, 4, 8, 16],
}
"""More than a million combinations, nearly all allowed."""


def searching() -> Iterator[str]:
    """Search the space: time, and the most memory held; then peers, looped over a sample of its combinations."""
    import resource

    from memreport.advise.plan import job_at
    from memreport.advise.search.combinations import find
    from memreport.catalogue.fields.search import SearchFields

    block = SearchFields.model_validate(SPACE)
    job = job_at(ROOT / "scenarios/llama3-70b-8xa100.yaml").changed({"training.gradient_accumulation_steps": 512})
    scenario = job.loaded.scenario.model_copy(update={"search": block})
    whole = replace(job, loaded=replace(job.loaded, scenario=scenario))
    started, busy = time.perf_counter(), time.process_time()
    found = find(whole)
    took, worked = time.perf_counter() - started, time.process_time() - busy
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    rate = found.counts.combinations / took / 1e6
    counts = (
        f"{found.counts.combinations:,} combinations, {found.evaluated:,} of them allowed, {found.counts.fitting:,} fit"
    )
    yield f"Search: {counts} in {took:.2f} s, {rate:.1f} million a second, {held:,.0f} MB at most."
    yield from against_peers(job, worked / found.counts.combinations)


def against_peers(job: Job, searched: float) -> Iterator[str]:
    """A combination of the search against an estimate of each peer, on the same machine in the same run.

    A peer that gives the states alone is compared with the states alone, a million rows of them.
    """
    python = os.environ.get(PEERS, sys.executable)
    told = json.dumps({"fixed": fixed(job), "combinations": sample()})
    script = [python, str(ROOT / "tests/bench_peers.py")]
    ran = subprocess.run(script, input=told, capture_output=True, text=True, check=True)
    peers = json.loads(ran.stdout.rpartition("\n")[2])
    if not peers:
        yield f"Search against peers: none is installed; {INSTALL_PEERS}"
    for one in peers:
        each, what = (searched, WHOLE) if one["scope"] == "whole" else (states_each(), "for 33 figures of the states")
        gives = one["gives"][0].lower() + one["gives"][1:]
        yield (
            f"Against {one['name']} {one['version']} ({gives}): {each * 1e6:.2f} µs a combination {what}; "
            f"{one['seconds'] * 1e6:,.2f} µs an estimate of theirs, looped over {SAMPLE:,} of the combinations: "
            f"{one['seconds'] / each:,.1f} times as long."
        )


def states_each() -> float:
    """Processor seconds of the figures of the states, a row of a million."""
    lines, inputs = ordered(lines_of("training")), a_million_rows()
    wanted = tuple(training_states(inputs))
    with np.errstate(all="ignore"):
        return timed(lambda: calculate(needed_for(lines, wanted), inputs, wanted=wanted)) / ROWS


WHOLE = "of the search, with rules, peak, time, cost and ranking"
PEERS = "PEERS"
SAMPLE = 500
GLOBAL_BATCH = 16_384
"""Sequences of a step of the searched job."""
INSTALL_PEERS = (
    "`python -m venv .peers && .peers/bin/python -m pip install llm-analysis==0.2.2`, and `deepspeed==0.19.8` beside "
    "torch, then `PEERS=.peers/bin/python make bench`."
)


def sample() -> list[dict[str, Any]]:
    """Combinations of the space that a peer can state too: full training on its card, nothing offloaded."""
    names = ("count", "gradient_checkpointing", "tensor_parallel_size", "pipeline_parallel_size", "micro_batch_size")
    allowed = SPACE | {"gradient_checkpointing": ["none", "selective", "full"]}
    drawn = np.random.default_rng(2026)
    found = [{name: drawn.choice(allowed[name]).item() for name in names} for _ in range(SAMPLE)]
    return [one | {"zero_stage": 1, "gradient_accumulation_steps": accumulation(one)} for one in found]


def accumulation(one: Mapping[str, Any]) -> int:
    """Micro-batches of a step at the same global batch, at least one."""
    replicas = one["count"] // (one["tensor_parallel_size"] * one["pipeline_parallel_size"])
    return int(max(1, GLOBAL_BATCH // (one["micro_batch_size"] * replicas)))


def fixed(job: Job) -> dict[str, Any]:
    """What all combinations share, in the words of the peers."""
    whole = {name: int(job.value(name)) for name in ("sequence_length", "training_tokens", "parameters")}
    model = {"num_layers": "num_hidden_layers", "n_head": "num_attention_heads", "hidden_dim": "hidden_size",
             "num_key_value_heads": "num_key_value_heads", "ffn_embed_dim": "intermediate_size",
             "vocab_size": "vocab_size", "max_seq_len": "max_position_embeddings"}  # fmt: skip
    return whole | {
        "utilization": job.value("model_flop_utilization"),
        "layer_parameters": int(job.value("parameters") / job.value("num_hidden_layers")),
        "model": {theirs: int(job.value(ours)) for theirs, ours in model.items()} | {"expansion_ratio": 1},
        "card": {
            "mem_per_GPU_in_GB": 1e6,  # so that nothing is refused before it is computed
            "hbm_bandwidth_in_GB_per_sec": job.value("memory_bytes_per_second") / 1e9,
            "intra_node_bandwidth_in_GB_per_sec": job.value("link_bytes_per_second") / 1e9,
            "intra_node_min_message_latency": 8e-6,
            "peak_fp16_TFLOPS": job.value("bf16_flop_per_second") / 1e12,
        },
    }


def page() -> str:
    """The whole page in Markdown."""
    with tempfile.TemporaryDirectory() as out:
        commands = [
            *starting(),
            *building(Path(out)),
            drawing(),
        ]  # first: a process starts with the memory that its parent held
    search = list(searching())
    found = [*engine(), *commands, *search, writing(timed)]
    table = [one.row for one in found if isinstance(one, Ratio)]
    notes = [f"* {one}" for one in found if isinstance(one, str)]
    machine = f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} processors"
    head = ["| what | seconds | against | seconds | ratio | at most | kept |", "|---|---|---|---|---|---|---|"]
    return "\n".join(["# Benchmark", "", INTRODUCTION, "", f"{machine}.", "", *head, *table, "", *notes, ""])


INTRODUCTION = (
    "Written by `make bench` (`python tests/bench.py --write`).  Seconds are processor seconds of the quickest run;\n"
    "ratios are taken within one run, so they hold on other machines too.  Hundreds of scenarios at once:\n"
    "[benchmark-many.md](benchmark-many.md)."
)


def main() -> None:
    """Print the page; with --write, keep it."""
    text = page()
    print(text)
    if "--write" in sys.argv[1:]:
        (ROOT / "docs" / "benchmark.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
