"""What is said fits its room, says what was assumed, and shows no raw number."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memreport.advise.decide import decide
from memreport.build.outputs import reported
from memreport.compute import compute
from memreport.publish.text.answer import LINES, blocks_text, coloured, options_text
from memreport.publish.text.width import WIDTH
from memreport.report.answer.answered import answered
from memreport.report.answer.notes import notes_of
from memreport.report.records.amounts import Amount
from memreport.report.records.blocks import Notes, OptionTable
from memreport.report.records.decision import Answer, OptionRow, Range
from memreport.resolve import resolve_all
from tests.built import IDS
from tests.built import decided as decided_on
from tests.report.answers import FOLDER, answer_to
from tests.support import scenario_text

NOTES = ("memreport plan x", "memreport build x")


@pytest.fixture(scope="module", params=IDS)
def decided(request: pytest.FixtureRequest) -> tuple[Answer, tuple[OptionRow, ...]]:
    return answered(decided_on(request.param))


@pytest.mark.parametrize("width", [80, WIDTH])
def test_show_and_plan_fit_a_screen(
    decided: tuple[Answer, tuple[OptionRow, ...]], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memreport.publish.text.width.terminal", lambda: width)
    answer, rows = decided
    for text, most in (
        (blocks_text((answer, OptionTable(rows), Notes(NOTES))), LINES),
        (options_text(answer, NOTES), 25),
    ):
        assert len(text.splitlines()) <= most
        assert max(map(len, text.splitlines())) <= width


def test_the_answer_ends_as_a_sentence_and_shows_no_raw_number(decided: tuple[Answer, tuple[OptionRow, ...]]) -> None:
    answer, _ = decided
    assert answer.headline.endswith(".")
    assert answer.headline[0] in "YNO" or answer.headline[0].isdigit() or answer.headline[0].isupper()
    assert "e+" not in answer.headline + answer.detail


def test_colour_is_never_the_only_sign(decided: tuple[Answer, tuple[OptionRow, ...]]) -> None:
    answer, rows = decided
    plain = blocks_text((answer, OptionTable(rows), Notes(NOTES)))
    painted = coloured(plain)
    assert "\033" not in plain
    assert painted.count("\033[0m") >= 1 + len(rows[:5])
    for row in rows[:5]:
        assert f"{row.mark} " in plain
    for code in ("31", "32", "33", "0"):
        painted = painted.replace(f"\033[{code}m", "")
    assert painted == plain


def test_a_plan_never_cuts_an_amount(decided: tuple[Answer, tuple[OptionRow, ...]]) -> None:
    answer, _ = decided
    long = Range(Amount(1.19e7, "USD", "$11,900,000"), "$7,470,000", "$18,800,000", 7.47e6, 1.88e7)
    rows = tuple(replace(one, takes=replace(one.takes, cost=one.takes.cost and long)) for one in answer.options)
    facts = [line for line in options_text(replace(answer, options=rows), NOTES).splitlines() if "headroom" in line]
    assert not any("…" in line.strip().removeprefix("…") for line in facts)  # which begins a line of what queues
    assert all(line.rstrip(")").endswith(("$11,900,000", "$18,800,000")) for line in facts if "$" in line)


def test_a_risk_is_another_value_than_the_planned_one(tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    longest = "{sequence_length: 1024, micro_batch_size: 4}"
    path.write_text(scenario_text("short", model="gpt2", training=longest), encoding="utf-8")
    report = reported(decide(compute(resolve_all([path]))[0]), derived=False)
    assert report.budget
    assert report.budget.risks
    for risk in report.budget.risks:
        given = re.search(r"(\S+(?: \S+)?) \((.+) planned\)$", risk.title)
        assert not given or not risk.title.removesuffix(f" ({given[2]} planned)").endswith(f" {given[2]}")


def test_a_service_is_shown_with_the_time_of_a_token() -> None:
    answer, rows = answer_to(FOLDER / "serving-mi300x.yaml")
    assert "a token" in blocks_text((answer, OptionTable(rows), Notes(NOTES)))


def test_a_choice_that_no_measurement_judges_is_said(tmp_path: Path) -> None:
    def notes(served: str) -> tuple[str, ...]:
        path = tmp_path / "prefix.yaml"
        path.write_text(scenario_text("prefix", workload="serving", serving=served))
        return notes_of(decide(compute(resolve_all([path]))[0], sensitivity=False))

    said = "No published measurement judges the memory: the range of its peak is 5 % wider to each side."
    assert said in notes("{max_num_seqs: 4, shared_prefix_tokens: 512}")
    assert said not in notes("{max_num_seqs: 4}")


SERVED = {"workload": "serving", "model": "llama-3-8b", "training": None}


@pytest.mark.parametrize(
    ("given", "headline", "detail"),
    [
        ({"question": "Does it fit?", "training": "{zero_stage: 3}"}, "", "A run of 1 billion tokens takes "),
        ({"question": "Does it fit?", "training": "{zero_stage: 3, training_tokens: 5e8}"}, "", "The run takes "),
        ({"question": "How long does it take?", "training": "{zero_stage: 3}"}, " for a run of 1 billion tokens ", ""),
        (
            SERVED | {"question": "How long a context fits?", "serving": "{max_num_seqs: 2, max_model_len: 4096}"},
            "p to 8,192 tokens a sequence, 2 at once (4,096 in the figures below; all that the model reads).",
            "",
        ),
        (
            SERVED
            | {
                "question": "How fast is it?",
                "model": "gpt-oss-120b",
                "hardware": "{accelerator: h100-80gb-sxm, count: 1}",
                "serving": "{max_num_seqs: 64, prompt_tokens: 1024, output_tokens: 1024}",
            },
            " as submitted; ",
            "",
        ),
    ],
)
def test_what_was_not_stated_is_not_said_as_if_it_were(
    tmp_path: Path, given: dict[str, Any], headline: str, detail: str
) -> None:
    path = tmp_path / "open.yaml"
    blocks = {"hardware": "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}", **given}
    path.write_text(scenario_text("open", **blocks), encoding="utf-8")
    answer, _ = answer_to(path)
    assert headline in answer.headline
    assert detail in answer.detail
