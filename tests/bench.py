"""How long the commands take, in fresh processes, as a user meets them: `make bench`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
REPEATS = 3


def commands(out: Path) -> Iterator[list[str]]:
    """What is timed: help, one scenario in full precision, the ledger, and everything published."""
    scenario = min((ROOT / "scenarios").glob("*.yaml"))
    yield ["--help"]
    yield ["show", str(scenario), "--format", "json"]
    yield ["verify"]
    yield ["plan", str(scenario)]
    yield ["build", str(scenario), "--out", str(out), "--force"]
    yield ["build", str(ROOT / "scenarios"), "--out", str(out), "--force"]
    yield ["build", str(ROOT / "scenarios"), "--out", str(out)]


def seconds(arguments: list[str]) -> float:
    """The wall-clock time of one run."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "memreport", *arguments], check=True, capture_output=True)
    return time.perf_counter() - started


def search_a_million() -> None:
    """Search a space of more than a million combinations, nearly all allowed; time, and the most memory held."""
    import resource

    from memreport.advise.combinations import find
    from memreport.advise.plan import job_at
    from memreport.catalogue.search_fields import SearchFields

    block = SearchFields(
        accelerator=["a100-80gb-sxm", "h100-80gb-sxm", "h200-141gb-sxm", "b200", "mi300x"],
        count=[64, 128, 256, 512],
        method=["full", "lora", "qlora"],
        precision=["bf16-mixed", "bf16-no-master"],
        optimizer=["adamw", "lion", "sgd", "adafactor"],
        optimizer_offload=["none", "cpu"],
        parameter_offload=["none"],
        zero_stage=[1],
        gradient_checkpointing=["none", "selective", "full", "sqrt"],
        tensor_parallel_size=[1, 2, 4, 8],
        pipeline_parallel_size=[1, 2, 4, 8],
        context_parallel_size=[1, 2, 4, 8],
        micro_batch_size=[1, 2, 4, 8, 16],
    )
    job = job_at(ROOT / "scenarios/llama3-70b-8xa100.yaml").changed({"training.gradient_accumulation_steps": 512})
    scenario = job.loaded.scenario.model_copy(update={"search": block})
    started = time.perf_counter()
    found = find(replace(job, loaded=replace(job.loaded, scenario=scenario)))
    took, held = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    rate = found.combinations / took / 1e6
    counts = f"{found.combinations:,} combinations, {found.evaluated:,} of them allowed, {found.fitting:,} fit"
    print(f"{took:8.2f} s  search: {counts}; {rate:.1f} million a second; {held:,.0f} MB at most")


def main() -> None:
    """Print the quickest of a few runs for each command."""
    with tempfile.TemporaryDirectory() as out:
        for arguments in commands(Path(out)):
            quickest = min(seconds(arguments) for _ in range(REPEATS))
            shown = " ".join(arguments).replace(str(ROOT) + "/", "").replace(out, "OUT")
            print(f"{quickest:8.2f} s  memreport {shown}")
    search_a_million()


if __name__ == "__main__":
    main()
