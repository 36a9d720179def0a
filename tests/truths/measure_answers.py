"""Measures answers of transformers `generate()` on a GPU, their times and peaks, and writes readings.

    python tests/truths/measure_answers.py --plan answers.yaml --readings answers.jsonl [--dry-run]

Weights are random, shapes are those of the model cards; every prompt of a batch has one length, and every answer all of
its tokens.  Needs torch and transformers; bitsandbytes for NF4.  Each case runs in a process of its own, as in
`measure.py`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.truths import measure_steps  # noqa: E402 -- a script finds the tests by their folder, added above
from tests.truths.measure import versions  # noqa: E402

LONGEST = 120
"""Seconds after which a case is given up."""
REPEATED = 2
"""Answers that are timed, after one that is not."""
FEW = 3
"""Tokens of an answer whose kernels are written, and of a dry run."""


@dataclass(frozen=True)
class Answer:
    """One batch of requests, in the words of a scenario."""

    model: str
    weights: str = "bf16"
    batch: int = 1
    prompt: int = 512
    output: int = 128

    @property
    def id(self) -> str:
        """A name made of what differs."""
        return f"{self.model}-{self.weights}-{self.batch}x{self.prompt}+{self.output}"


def answering(case: Answer, device: str) -> Callable[[int], None]:
    """What makes an answer of so many tokens; the model is small on a processor."""
    import torch

    smaller = measure_steps.SMALL if device == measure_steps.DRY else {}
    steps = measure_steps.Case(case.model, method="qlora" if case.weights == "nf4" else "full")
    model = measure_steps.built(steps, device, smaller)
    if case.weights == "nf4":
        measure_steps.quantise(model, device)
    model.eval()
    tokens = torch.randint(0, 100, (case.batch, case.prompt if device != measure_steps.DRY else FEW), device=device)
    options: dict[str, Any] = {"do_sample": False, "pad_token_id": 0, "use_cache": True}
    options["attention_mask"] = torch.ones_like(tokens)

    def answer(count: int) -> None:
        with torch.inference_mode():
            model.generate(tokens, max_new_tokens=count, min_new_tokens=count, **options)

    return answer


def measure(case: Answer, kernels: Path | None) -> dict[str, float]:
    """Seconds of an answer and of its first token, bytes at most while it is made."""
    import torch

    answer = answering(case, measure_steps.DEVICE)
    answer(FEW)
    torch.cuda.reset_peak_memory_stats()
    found = {"seconds": _median(answer, case.output), "first_token_seconds": _median(answer, 1)}
    if kernels is not None:
        (kernels / f"{case.id}.csv").write_text(measure_steps.profiled(lambda: answer(FEW)), encoding="utf-8")
    return found | {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}


def _median(answer: Callable[[int], None], count: int) -> float:
    import torch

    def timed() -> float:
        began = time.perf_counter()
        answer(count)
        torch.cuda.synchronize()
        return time.perf_counter() - began

    torch.cuda.synchronize()
    return median(timed() for _ in range(REPEATED))


def _send(case: Answer, chosen: argparse.Namespace, end: Connection) -> None:
    try:
        if chosen.dry_run:
            answering(case, measure_steps.DRY)(FEW)
        end.send({} if chosen.dry_run else measure(case, chosen.kernels))
    except Exception as error:  # noqa: BLE001 -- whatever fails, out of memory included, is this case's outcome
        end.send(f"{type(error).__name__}: {error}"[:300])


def apart(case: Answer, chosen: argparse.Namespace) -> dict[str, float] | str:
    """The case in a process of its own; the reason where it fails."""
    near, far = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_send, args=(case, chosen, far))
    process.start()
    found = near.recv() if near.poll(LONGEST) else f"no answer in {LONGEST} s"
    process.kill()
    process.join()
    return found if isinstance(found, str) else dict(found)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", type=Path, required=True, help="a YAML list of cases")
    parser.add_argument("--readings", type=Path, default=Path("answers.jsonl"))
    parser.add_argument("--kernels", type=Path, metavar="FOLDER", help="write the kernels of three tokens there")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no case after so long")
    parser.add_argument("--dry-run", action="store_true", help="small models on the processor; write nothing")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Measure all cases; 1 where one fails."""
    chosen, began, failed = arguments(given), time.perf_counter(), 0
    libraries = versions()
    for one in yaml.safe_load(chosen.plan.read_text(encoding="utf-8")):
        case = Answer(**one)
        found = apart(case, chosen) if time.perf_counter() - began < chosen.seconds else "no time left"
        print(f"{case.id}: {found}", flush=True)
        failed += isinstance(found, str)
        if not isinstance(found, str) and found:
            with chosen.readings.open("a", encoding="utf-8") as file:
                print(json.dumps({"case": asdict(case), "found": found, "versions": libraries}), file=file)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
