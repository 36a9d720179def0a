"""`memreport gate` from the command line: revisions of a repository, the policy of the base, exit codes, formats."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from memreport.commands.main import main
from memreport.publish.text.changes.gate import MOST_CHARACTERS
from tests.build.test_diff import git, write

Said = pytest.CaptureFixture[str]
RENT = "{basis: rent, price: aws-p4de-on-demand, hours: %s}"
POLICY = """schema: 1
rules:
  cost: {share: 10 %, amount: 20 USD}
  owner: {level: advisory}
"""


def gate(capsys: Said, *arguments: object, code: int) -> str:
    assert main(["gate", *map(str, arguments), "--today", "2026-11-22"]) == code
    captured = capsys.readouterr()
    return captured.out if code < 2 else captured.err


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of one scenario and a policy, both committed; the scenario then costs 30 % more."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "jobs", cost=RENT % 100)
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    write(tmp_path / "jobs", cost=RENT % 130)
    return tmp_path


def test_a_dearer_scenario_fails_with_both_numbers_and_the_line(repository: Path, capsys: Said) -> None:
    text = gate(capsys, "jobs@HEAD", code=1)
    lines = (repository / "jobs" / "case.yaml").read_text(encoding="utf-8").splitlines()
    at = next(at for at, line in enumerate(lines, 1) if line.startswith("cost:"))
    assert f"failed: cost of case, jobs/case.yaml:{at}" in text
    assert "(+30 %); allowed: a rise of 10 % or $20.00, whichever is more" in text
    assert text.splitlines()[-1] == "0 passed, 1 warned, 1 failed, 0 waived, 0 expired"


def test_two_revisions_need_no_checkout_and_name_the_same_file(repository: Path, capsys: Said) -> None:
    git(repository, "commit", "-qam", "dearer")
    text = gate(capsys, "jobs@HEAD~1", "jobs@HEAD", code=1)
    assert "failed: cost of case, jobs/case.yaml:" in text
    assert gate(capsys, "jobs@HEAD", "jobs@HEAD~1", code=0).endswith(
        "1 passed, 1 warned, 0 failed, 0 waived, 0 expired\n"
    )


def test_a_change_cannot_loosen_its_own_gate(repository: Path, capsys: Said) -> None:
    (repository / "policy.yaml").write_text(POLICY.replace("10 %", "1000 %"), encoding="utf-8")
    gate(capsys, "jobs@HEAD", code=1)
    (repository / "policy.yaml").unlink()
    gate(capsys, "jobs@HEAD", code=1)
    git(repository, "commit", "-qam", "without a policy")
    assert "policy.yaml" in gate(capsys, "jobs@HEAD", code=2)


def test_what_cannot_be_computed_is_no_finding(repository: Path, capsys: Said) -> None:
    (repository / "jobs" / "case.yaml").write_text("schema: 1\nid: case\n", encoding="utf-8")
    assert "jobs/case.yaml" in gate(capsys, "jobs@HEAD", code=2)
    assert "no such git revision" in gate(capsys, "jobs@nowhere", code=2)


def test_without_a_baseline_absolute_limits_are_judged(repository: Path, capsys: Said) -> None:
    write(repository / "more", id_="other", cost=RENT % 500)
    text = gate(capsys, "more@HEAD", code=0)
    assert "note: no baseline: more is not in HEAD; only absolute limits are judged" in text
    (repository / "absolute.yaml").write_text("schema: 1\nrules: {cost: {at_most: 100}}\n", encoding="utf-8")
    text = gate(capsys, "more@HEAD", "--policy", "absolute.yaml", code=1)
    assert "absolute.yaml is not in HEAD yet" in text
    assert "allowed: at most $100.00" in text


def test_a_broken_scenario_of_the_base_is_named_and_left_out(repository: Path, capsys: Said) -> None:
    write(repository / "jobs", id_="fine", cost=RENT % 1)
    (repository / "jobs" / "case.yaml").write_text("schema: 1\nid: case\n", encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "broken")
    write(repository / "jobs", cost=RENT % 130)
    assert "no baseline for case" in gate(capsys, "jobs@HEAD", code=0)


WAIVER = "  owner: {}\nwaivers: [{rule: %s, scenario: case, reason: %s, by: me, until: %s}]"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("  cost: {}", "own.yaml:3:9: rules.cost: needs a limit"),
        ("  costs: {}", "did you mean 'cost'?"),
        ("  owner: {level: hard}", "is not one of the allowed names"),
        ("  headroom: {at_least: 5 GB}", "own.yaml:3:24: rules.headroom.at_least"),
        ("  budgets: {owners: {}}", "must hold at least 1"),
        (WAIVER % ("owner", "r", "soon"), "waivers.0.until: must be a day such as"),
        (WAIVER % ("owner", "r", "2026-02-30"), "is no date"),
        (WAIVER % ("owner", '""', "2026-12-01"), "waivers.0.reason: must not be empty"),
        (WAIVER % ("cost", "r", "2026-12-01"), "needs the value"),
        (WAIVER % ("owner", "r", "2027-05-22"), "180 days ahead"),
    ],
)
def test_a_mistake_in_the_policy_is_bad_input(repository: Path, capsys: Said, line: str, said: str) -> None:
    (repository / "own.yaml").write_text(f"schema: 1\nrules:\n{line}\n", encoding="utf-8")
    text = gate(capsys, "jobs", "--policy", "own.yaml", code=2)
    assert said in text
    assert "Traceback" not in text


def test_every_format_says_the_same(repository: Path, capsys: Said) -> None:
    files = [repository / name for name in ("g.json", "g.sarif", "g.xml", "g.md", "g.txt")]
    shown = gate(
        capsys, "jobs@HEAD", "--format", "github", *(part for file in files for part in ("--write", file)), code=1
    )
    assert shown.startswith("::error file=jobs/case.yaml,line=")
    data, sarif = (json.loads(file.read_text(encoding="utf-8")) for file in files[:2])
    failed = next(one for one in data["results"] if one["status"] == "failed")
    assert failed["head"] == pytest.approx(1.3 * failed["base"])
    assert data["counts"] == {"passed": 0, "warned": 1, "failed": 1, "waived": 0, "expired": 0}
    result = next(one for one in sarif["runs"][0]["results"] if one["level"] == "error")
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["region"]["startLine"]) == ("memreport/cost", failed["line"])
    suite = ET.parse(files[2]).getroot()  # noqa: S314  # written a moment ago
    assert [one.get("failures") for one in suite] == ["1", "0"]
    assert "| failed | cost | case |" in files[3].read_text(encoding="utf-8")
    assert files[4].read_text(encoding="utf-8").endswith("1 failed, 0 waived, 0 expired\n")


def test_an_unknown_ending_is_refused_before_anything_is_computed(repository: Path, capsys: Said) -> None:
    assert "g.pdf" in gate(capsys, "jobs@HEAD", "--write", repository / "g.pdf", code=2)


@pytest.mark.usefixtures("repository")
def test_a_comment_begins_with_its_mark_and_what_failed(capsys: Said) -> None:
    at = "2026-11-22T10:00:00Z"
    text = gate(capsys, "jobs@HEAD", "--format", "markdown", "--valid-at", at, "--tag", "a", code=1)
    assert text.startswith(f"<!-- memreport-gate:a valid-at={at} -->")
    assert text.index("| failed |") < text.index("<details>")


def test_a_comment_is_cut_below_what_may_be_posted() -> None:
    from memreport.publish.text.changes.gate import gate_markdown
    from memreport.report.records.changes.gate import GateFinding, GateReport, GateResult

    one = GateResult(GateFinding("cost", "case", False, "x" * 2000, "less"), "approve", "failed")
    text = gate_markdown(GateReport("a", "b", "p", "2026-11-22", (one,) * 90, ("n" * 70_000,), ()), "gate", "now")
    assert len(text) < MOST_CHARACTERS
    assert text.rstrip().endswith("0 passed, 0 warned, 90 failed, 0 waived, 0 expired")


def test_the_first_policy_holds_what_is_measured_and_no_more(repository: Path, capsys: Said) -> None:
    write(repository / "jobs", cost=RENT % 100, owner="ml")
    gate(capsys, "jobs", "--init", "--policy", "first.yaml", code=0)
    assert "is there already" in gate(capsys, "jobs", "--init", "--policy", "first.yaml", code=2)
    gate(capsys, "jobs", "--policy", "first.yaml", code=0)
    write(repository / "jobs", cost=RENT % 140, owner="ml")
    text = gate(capsys, "jobs", "--policy", "first.yaml", code=1)
    assert "failed: total_cost of all" in text
    assert "failed: budgets of ml" in text
