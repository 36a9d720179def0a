"""`memreport gate` of a portfolio: what it bears, by owner and by quarter, against the revision it is merged into."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.commands.main import main
from tests.build.test_diff import git
from tests.build.test_gate import gate
from tests.support import scenario_text

Said = pytest.CaptureFixture[str]
HOURS, PRICE = 100, 2
COST = HOURS * PRICE * 8
"""USD of a run: eight GPUs."""
PORTFOLIO = f"""schema: 1
id: plan
title: A year
horizon: {{start: 2027-01, months: 6}}
budgets:
  - {{owner: ml, quarter: 2027-Q1, amount: {COST}}}
  - {{owner: ml, quarter: 2027-Q2, amount: {COST}}}
entries:
  - {{scenario: jobs/run.yaml, start: 2027-01-10, owner: ml}}
  - {{scenario: jobs/run.yaml, start: 2027-04-10, owner: ml, probability: 50 %%}}
"""
POLICY = "schema: 1\nrules: {%s}\n"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of a portfolio and its scenario: 1.5 runs, each within the budget of its quarter."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    text = scenario_text(
        "run", hardware="{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}", owner="ml",
        cost=f"{{basis: rent, price: aws-p4de-on-demand, hours: {HOURS}}}",
        overrides=f"{{usd_per_accelerator_hour: {PRICE}}}", training="{gradient_checkpointing: full, zero_stage: 3}",
    )  # fmt: skip
    (tmp_path / "jobs" / "run.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "portfolio.yaml").write_text(PORTFOLIO.replace("%%", "%"), encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def judged(capsys: Said, plan: Path, rules: str, code: int, *edits: tuple[str, str]) -> str:
    """What the gate says of the portfolio with these edits, by a policy of these rules."""
    path = plan / "portfolio.yaml"
    text = path.read_text(encoding="utf-8")
    (plan / "policy.yaml").write_text(POLICY % rules, encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return gate(capsys, "portfolio.yaml@HEAD", code=code)


TWICE = ("2027-01-10, owner: ml", "2027-01-10, owner: ml, times: 2")
CERTAIN = (", probability: 50 %", "")


@pytest.mark.parametrize(
    ("rules", "edits", "code"),
    [
        ("total_cost: {share: 10 %}", [], 0),
        ("total_cost: {share: 10 %}", [CERTAIN], 1),  # a third more
        ("total_cost: {share: 34 %}", [CERTAIN], 0),
        ("total_cost: {share: 10 %, amount: 801 USD}", [CERTAIN], 0),  # past one of both
        ("total_cost: {share: 10 %, amount: 799 USD}", [CERTAIN], 1),
        (f"total_cost: {{at_most: {1.5 * COST}}}", [], 0),
        (f"total_cost: {{at_most: {1.4 * COST}}}", [], 1),
        (f"budgets: {{owners: {{ml: {1.5 * COST}}}}}", [], 0),
        (f"budgets: {{owners: {{ml: {1.4 * COST}}}}}", [], 1),
        ("budgets: {}", [CERTAIN], 0),
        ("budgets: {}", [TWICE], 1),
        ("budgets: {}", [TWICE, ("2027-Q1, amount: 1600", "2027-Q1, amount: 3200")], 1),  # it cannot raise its own
        ("budgets: {}", [TWICE, ("  - {owner: ml, quarter: 2027-Q1, amount: 1600}\n", "")], 1),  # nor drop it
        ("fits: {}, headroom: {at_least: 1 %}, owner: {}, assumed_mfu: {at_most: 90 %}", [], 0),
        ("headroom: {at_least: 99 %}", [], 1),
    ],
)
def test_rules_of_a_portfolio(plan: Path, capsys: Said, rules: str, edits: list[tuple[str, str]], code: int) -> None:
    judged(capsys, plan, rules, code, *edits)


def test_what_fails_names_both_numbers_and_the_line(plan: Path, capsys: Said) -> None:
    text = judged(capsys, plan, "budgets: {}, total_cost: {share: 10 %}", 1, TWICE)
    assert "failed: budgets of ml 2027-Q1, portfolio.yaml:6" in text
    assert "Spend of ml 2027-Q1 $1,600 → $3,200 (+100 %); allowed: at most $1,600" in text
    assert "failed: total_cost of all, portfolio.yaml:8" in text
    assert "The portfolio $2,400 → $4,000 (+67 %)" in text
    assert text.endswith("1 passed, 0 warned, 2 failed, 0 waived, 0 expired\n")


def test_a_change_of_a_scenario_reaches_the_portfolio(plan: Path, capsys: Said) -> None:
    path = plan / "jobs" / "run.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("hours: 100", "hours: 200"), encoding="utf-8")
    text = judged(capsys, plan, "cost: {share: 10 %}, total_cost: {share: 10 %}", 1)
    assert "failed: cost of run, jobs/run.yaml" in text
    assert "The portfolio $2,400 → $4,800 (+100 %)" in text
    git(plan, "commit", "-qam", "longer")
    assert "All 2 checks pass" in gate(capsys, "portfolio.yaml@HEAD", "portfolio.yaml@HEAD", code=0)
    gate(capsys, "portfolio.yaml@HEAD~1", "portfolio.yaml@HEAD", code=1)


def test_waivers_of_sums(plan: Path, capsys: Said) -> None:
    waiver = "{rule: budgets, scenario: ml 2027-Q1, reason: r, by: me, until: 2026-12-31, value: %s}"
    rules = f"budgets: {{}}}}\nwaivers: [{waiver}]\n#"
    judged(capsys, plan, rules % "3200 USD", 0, TWICE)
    assert "is worse now" in judged(capsys, plan, rules % "3100 USD", 1)


def test_what_cannot_be_computed_is_no_finding(plan: Path, capsys: Said) -> None:
    text = judged(
        capsys, plan, "total_cost: {share: 10 %}", 2, ("jobs/run.yaml, start: 2027-04", "../../x.yaml, start: 2027-04")
    )
    assert "portfolio.yaml:10" in text
    git(plan, "commit", "-qam", "broken")
    (plan / "portfolio.yaml").write_text(PORTFOLIO.replace("%%", "%"), encoding="utf-8")
    assert "note: no baseline: portfolio.yaml@HEAD cannot be read" in gate(capsys, "portfolio.yaml@HEAD", code=0)
    assert "two portfolios" in gate(capsys, "portfolio.yaml@HEAD~1", "jobs", code=2)
    judged(capsys, plan, "budgets: {}", 0)
    assert "only a portfolio states budgets" in gate(capsys, "jobs", code=2)


@pytest.mark.usefixtures("plan")
def test_the_first_policy_of_a_portfolio(capsys: Said) -> None:
    assert main(["gate", "portfolio.yaml", "--init"]) == 0
    text = capsys.readouterr().out
    assert "total_cost: {at_most: 3000 USD}  # measured 2400" in text
    assert "'ml': 3000 USD" in text
    gate(capsys, "portfolio.yaml@HEAD", code=0)
