"""The answer to a scenario of the repository, or to one of its own, for tests."""

from __future__ import annotations

from pathlib import Path

from memreport.advise.decide import decide
from memreport.compute import compute
from memreport.report.answer.answered import answered
from memreport.report.records.decision import Answer, OptionRow
from memreport.resolve import resolve_all
from tests.support import ROOT

FOLDER = ROOT / "scenarios"


def answer_to(path: Path) -> tuple[Answer, tuple[OptionRow, ...]]:
    return answered(decide(compute(resolve_all([path]))[0]))


def asked(folder: Path, asks: str, name: str = "gpt2-760m-mi300x") -> Answer:
    path = folder / "asked.yaml"
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").replace(f"id: {name}", "id: asked")
    lines = [line for line in text.splitlines() if not line.startswith(("answers:", "asks:"))]
    path.write_text("\n".join([*lines, f"asks: {asks}"]) + "\n", encoding="utf-8")
    return answer_to(path)[0]
