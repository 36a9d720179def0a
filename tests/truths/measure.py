"""Measures training steps on a GPU, their peaks and times, and writes them as rows of tests/truths.

    python tests/truths/measure.py --list                     every case that the choices make
    python tests/truths/measure.py --models llama-3.2-1b --methods full,lora --out tests/truths/own-h100.yaml
    python tests/truths/measure.py --plan cases.yaml --readings readings.jsonl     cases that a file lists

Weights are random, shapes are those of the model cards.  Needs torch and transformers; peft for LoRA, bitsandbytes for
QLoRA and 8-bit states.  Each case runs in a process of its own, forked from one that has read the libraries, so that
none inherits another's memory.  Readings are written as they come; rows are made of them at the end.

    python tests/truths/measure.py --dry-run              every case without a GPU: built whole on the meta device, and
                                                          three steps of two layers on the CPU; says which cases fail
    python tests/truths/measure.py --readings readings.jsonl --from-readings       rows of readings that were taken
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.truths.measure_steps import PHASES, Case, measure, rehearse  # noqa: E402 -- a script finds the tests by their folder, added above

MIB = 2**20
LONGEST = 150
"""Seconds after which a case is given up."""
Readings = dict[str, float]


def cases(chosen: argparse.Namespace) -> Iterator[Case]:
    """Every combination that makes sense: no 8-bit states of adapters; a quantised base has its norms in FP32."""
    axes = (chosen.models, chosen.methods, chosen.precisions, chosen.optimizers, chosen.attentions,
            chosen.checkpointing, chosen.batches, chosen.sequences)  # fmt: skip
    for values in itertools.product(*axes):
        one = Case(*values)
        if one.method == "qlora" and one.precision != "bf16-autocast":
            continue
        if one.method != "full" and one.optimizer == "8-bit":
            continue
        yield one


def rows(case: Case, found: Readings) -> Iterator[str]:
    """The truth of one case's tensors, at the worst phase."""
    by_phase = ", ".join(f"{phase} {found[f'allocated_{phase}'] / MIB:.0f} MiB" for phase in PHASES)
    most = max(found[f"allocated_{phase}"] for phase in PHASES)
    yield _row(case, "", "allocated_peak_bytes", f"{most:.0f} byte", f"peaks by phase: {by_phase}")


def monitored(case: Case, found: Readings) -> Iterator[str]:
    """The truths of what the allocator reserved, and of what nvidia-smi shows for the process."""
    reserved = max(found[f"reserved_{phase}"] for phase in PHASES)
    yield _row(case, "-reserved", "reserved_bytes", f"{reserved:.0f} byte", "")
    yield _row(case, "", "device_memory_used_bytes", f"{found['process']:.0f} byte", "")


def times(case: Case, found: Readings) -> str:
    """The truth of one case's time."""
    return _row(case, "", "step_seconds", f"{found['seconds']:.6g} s", "median of the timed steps")


def _row(case: Case, suffix: str, figure: str, value: str, notes: str) -> str:
    settings = "{" + ", ".join(f"{name}: {json.dumps(one)}" for name, one in case.settings.items()) + "}"
    return (
        f"  - {{id: {case.id}{suffix}, model: {case.model}, settings: {settings}, figure: {figure}, "
        f"value: {value}, source: OWN, trust: high" + f', notes: "{notes}"' * bool(notes) + "}"
    )


def text(group: str, accelerator: str, versions: str, day: str, lines: Sequence[str], scored: str = "") -> str:
    """A file of truths."""
    source = f'{{title: "tests/truths/measure.py, {versions}", address: "", date: "{day}"}}'
    head = [
        "schema: 1", *[f"scored: {scored}"] * bool(scored), f"group: {group}",
        "title: Measured by tests/truths/measure.py", "workload: training",
        "notes: Random weights; a steady step; adapters on every linear layer.",
        "sources:", f"  OWN: {source}", "defaults:", f"  hardware.accelerator: {accelerator}", "  hardware.count: 1",
        "  training.framework: huggingface", "  training.adapter_dtype: fp32", "rows:",
    ]  # fmt: skip
    return "\n".join([*head, *lines, ""])


def _names(given: str) -> list[str]:
    return [name for name in given.split(",") if name]


def _counts(given: str) -> list[int]:
    return [int(name) for name in _names(given)]


AXES = (
    ("models", _names, "llama-3.2-1b,qwen2.5-0.5b"),
    ("methods", _names, "full,lora,qlora"),
    ("precisions", _names, "bf16-pure,bf16-autocast"),
    ("optimizers", _names, "fused,foreach"),
    ("attentions", _names, "sdpa,eager"),
    ("checkpointing", _names, "none,full"),
    ("batches", _counts, "1,4"),
    ("sequences", _counts, "2048"),
)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; every axis is a list with commas."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind, default in AXES:
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="A,B")
    parser.add_argument("--plan", type=Path, help="a YAML list of cases, instead of the axes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no case after so long")
    parser.add_argument("--accelerator", default="h100-80gb-sxm", help="id of the card, as `memreport list` has it")
    parser.add_argument("--group", default="own")
    parser.add_argument("--day", default="", metavar="YYYY-MM-DD", help="the day of the measurement")
    parser.add_argument("--out", type=Path, default=Path("own.yaml"))
    parser.add_argument("--readings", type=Path, default=Path("readings.jsonl"))
    parser.add_argument(
        "--kernels", type=Path, metavar="FOLDER", help="write the kernels of one step of each case there"
    )
    parser.add_argument("--from-readings", action="store_true", help="measure nothing: rows of the readings")
    parser.add_argument("--list", action="store_true", help="print the cases; measure nothing")
    parser.add_argument("--dry-run", action="store_true", help="try the cases without a GPU; write nothing")
    return parser.parse_args(given)


def planned(chosen: argparse.Namespace) -> list[Case]:
    """The cases of the plan, or those that the axes make."""
    if chosen.plan is None:
        return list(cases(chosen))
    return [Case(**one) for one in yaml.safe_load(chosen.plan.read_text(encoding="utf-8"))]


def _answer(case: Case, dry: bool, kernels: Path | None, end: Connection) -> None:
    """What a process of its own does: send readings, or the reason why there are none."""
    try:
        end.send(rehearse(case) if dry else measure(case, kernels))
    except Exception as error:  # noqa: BLE001 -- whatever fails, out of memory included, is this case's outcome
        end.send(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")


def apart(case: Case, dry: bool = False, kernels: Path | None = None) -> Readings | None:
    """The case in a process of its own; None where it fails, out of memory included, with the reason on stderr."""
    near, far = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_answer, args=(case, dry, kernels, far))
    process.start()
    found = near.recv() if near.poll(LONGEST) else f"no answer in {LONGEST} s"
    process.kill()
    process.join()
    if isinstance(found, str):
        print(f"{case.id}: {found}", file=sys.stderr, flush=True)
        return None
    return dict(found)


def versions() -> str:
    """The libraries that ran; reading them here also spares each fork the time.

    PEFT starts CUDA where bitsandbytes is installed, which no fork could use, and is left to the forks.
    """
    from importlib.metadata import version

    import torch
    import transformers

    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    return f"torch {torch.__version__}, transformers {transformers.__version__}, peft {version('peft')}"


def taken(chosen: argparse.Namespace) -> Iterator[tuple[Case, Readings]]:
    """Each case that could be measured; its readings are on disk before the next one starts."""
    began = time.perf_counter()
    for case in planned(chosen):
        if time.perf_counter() - began > chosen.seconds:
            print(f"{case.id}: no time left", file=sys.stderr)
        elif found := apart(case, kernels=chosen.kernels):
            with chosen.readings.open("a", encoding="utf-8") as file:
                print(json.dumps({"case": asdict(case), "found": found, "versions": versions()}), file=file)
            print(f"{case.id}: {found['seconds']:.4f} s", flush=True)
            yield case, found


def read(readings: Path) -> tuple[list[tuple[Case, Readings]], str]:
    """Readings that were taken before, and the libraries that ran."""
    found = [json.loads(line) for line in readings.read_text(encoding="utf-8").splitlines()]
    return [(Case(**one["case"]), one["found"]) for one in found], found[0]["versions"]


def write(chosen: argparse.Namespace, found: Sequence[tuple[Case, Readings]], libraries: str) -> None:
    """Rows of peaks, beside them a file of what a monitor shows and one of times."""

    def file(path: Path, group: str, lines: Iterable[str], scored: str = "") -> None:
        path.write_text(text(group, chosen.accelerator, libraries, chosen.day, list(lines), scored), encoding="utf-8")

    out = chosen.out
    file(out, chosen.group, (line for one in found for line in rows(*one)))
    shown = out.with_name(f"{out.stem}-monitor{out.suffix}")
    file(shown, f"{chosen.group}-monitor", (line for one in found for line in monitored(*one)))
    file(out.with_name(f"throughput-{out.name}"), chosen.group, (times(*one) for one in found), "throughput")


def main(given: Sequence[str] | None = None) -> int:
    """Measure all cases; 1 where none could be measured."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # asks for the GPU without starting it before a fork
    chosen = arguments(given)
    if chosen.list:
        print("\n".join(one.id for one in planned(chosen)))
        return 0
    if chosen.from_readings:
        write(chosen, *read(chosen.readings))
        return 0
    libraries = versions()
    if chosen.dry_run:
        return int(None in [apart(case, dry=True) for case in planned(chosen)])
    if found := list(taken(chosen)):
        write(chosen, found, libraries)
    return int(not found)


if __name__ == "__main__":
    sys.exit(main())
