"""Workbooks from anybody are opened in a process of their own, with limits on its memory and time."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memreport.audit.parts import sound_parts
from memreport.errors import Fault, InputError, MemreportError
from memreport.frozen import frozen
from memreport.paths import PACKAGE

MOST_MEMORY = 560 * 2**20
"""Data of the process: our largest workbooks take 440 MiB; with the libraries' code it stays below 650 MB."""
MOST_SECONDS = 60
"""Of processor time; the largest workbooks of ours take a third of it."""
PROGRAM = (sys.executable, "-P", "-m", "memreport.audit.contained")


@frozen
class ChildAnswer:
    """What the process says: text for stdout, notes for stderr, an exit code."""

    text: str
    notes: tuple[str, ...] = ()
    code: int = 0


def contained(task: str, workbook: Path, **options: str | None) -> ChildAnswer:
    """Run one of the tasks on a workbook.  Raises what it raised, and InputError where it went beyond its limits."""
    asked = json.dumps({"task": task, "workbook": str(workbook), **options})
    folders = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        list(PROGRAM),
        input=asked.encode(),
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(folders), "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        said = json.loads(done.stdout)
    except ValueError:
        message = f"cannot be read with {MOST_MEMORY >> 20} MiB of memory in {MOST_SECONDS} s"
        raise InputError([Fault(message, file=str(workbook), expected="a workbook from memreport build")]) from None
    return _answer(said)


def _answer(said: Mapping[str, Any]) -> ChildAnswer:
    if "faults" in said:
        raise InputError([Fault(**fault) for fault in said["faults"]])
    if "system" in said:
        raise OSError(*said["system"])
    if "unexpected" in said:
        raise RuntimeError(said["unexpected"])
    if "error" in said:
        error = MemreportError(said["error"])
        error.exit_code = said["code"]
        raise error
    return ChildAnswer(said["text"], tuple(said["notes"]), said["code"])


def limited() -> None:
    """Take no more than the limits from here on."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """The process: reads what is asked, and writes its answer as JSON."""
    limited()
    asked = json.loads(sys.stdin.buffer.read())
    try:
        said = _done(asked)
    except InputError as error:
        faults = [{name: getattr(fault, name) for name in fault.__slots__} for fault in error.faults]
        said = {"faults": faults}
    except MemreportError as error:
        said = {"error": str(error), "code": error.exit_code}
    except OSError as error:
        said = {"system": [error.errno, error.strerror, error.filename]}
    except MemoryError:
        return  # no answer is the answer
    except Exception as error:  # noqa: BLE001  # the caller says what went wrong, in its own way
        said = {"unexpected": f"{type(error).__name__}: {error}"}
    sys.stdout.buffer.write(json.dumps(said, default=str).encode())


def _done(asked: Mapping[str, Any]) -> dict[str, Any]:
    workbook = Path(asked["workbook"])
    sound_parts(workbook)  # before any library is loaded
    if asked["task"] == "audit":
        from memreport.audit.report import run

        text, code = run(workbook, asked["style"])
        return {"text": text, "notes": [], "code": code}
    from memreport.audit.import_inputs import run as import_run

    scenario, copy = (Path(asked[name]) if asked[name] else None for name in ("scenario", "copy"))
    text, notes = import_run(workbook, scenario, copy)
    return {"text": text, "notes": list(notes), "code": 0}


if __name__ == "__main__":
    main()
