"""How long the commands take, in fresh processes, as a user meets them: `make bench`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
REPEATS = 3


def commands(out: Path) -> Iterator[list[str]]:
    """What is timed: help, one scenario in full precision, the ledger, and everything published."""
    scenario = min((ROOT / "scenarios").glob("*.yaml"))
    yield ["--help"]
    yield ["show", str(scenario), "--format", "json"]
    yield ["verify"]
    yield ["build", str(scenario), "--out", str(out), "--force"]
    yield ["build", str(ROOT / "scenarios"), "--out", str(out), "--force"]
    yield ["build", str(ROOT / "scenarios"), "--out", str(out)]


def seconds(arguments: list[str]) -> float:
    """The wall-clock time of one run."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "memreport", *arguments], check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the quickest of a few runs for each command."""
    with tempfile.TemporaryDirectory() as out:
        for arguments in commands(Path(out)):
            quickest = min(seconds(arguments) for _ in range(REPEATS))
            shown = " ".join(arguments).replace(str(ROOT) + "/", "").replace(out, "OUT")
            print(f"{quickest:8.2f} s  memreport {shown}")


if __name__ == "__main__":
    main()
