"""`memreport diff`: two files, two revisions of one, two folders; every case through the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memreport.commands.main import main
from memreport.paths import data_root
from memreport.publish.text.changes.screen import _from_where_they_part
from memreport.report.records.changes.versions import NOTHING, numbers, percent, signed
from tests.support import scenario_text

RENT = "{basis: rent, price: aws-p4de-on-demand, hours: 100}"
DEARER = "{basis: rent, price: aws-p4de-on-demand, hours: 112}"
OFFER = (
    "{id: ours, kind: rent, accelerator: a100-80gb-sxm, usd_per_accelerator_hour: %s, currency: USD, "
    "date: 2026-11-01, source: {title: offer}}"
)
Said = pytest.CaptureFixture[str]


def write(folder: Path, id_: str = "case", **blocks: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{id_}.yaml"
    path.write_text(scenario_text(id_, **{"training": "{gradient_checkpointing: full}", **blocks}), encoding="utf-8")
    return path


def said(capsys: Said, *arguments: object, code: int = 0) -> str:
    assert main(["diff", *map(str, arguments)]) == code
    captured = capsys.readouterr()
    return captured.out if code < 2 else captured.err


def as_json(capsys: Said, *arguments: object) -> Any:
    return json.loads(said(capsys, *arguments, "--format", "json"))


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    hardware = "{accelerator: h200-141gb-sxm, count: 1}"
    price = "{basis: rent, price: coreweave-h200-on-demand, hours: %s}"
    return (
        write(tmp_path / "a", cost=price % 100, hardware=hardware),
        write(tmp_path / "b", cost=price % 112, hardware=hardware),
    )


def test_the_sentence_says_cost_and_verdict_and_comes_first(pair: tuple[Path, Path], capsys: Said) -> None:
    text = said(capsys, *pair)
    first = text.splitlines()[0]
    data = as_json(capsys, *pair)
    figures = data["scenarios"]["case"]["variants"]["base"]["figures"]["cost_total_usd"]
    assert figures["ratio"] == pytest.approx(0.12)
    amount = figures["new"] - figures["old"]
    assert 75 < amount < 76  # 12 of 100 hours at 6.305 USD
    room = data["scenarios"]["case"]["variants"]["base"]["headroom_share"]["new"]
    assert first.startswith(f"Cost rises by ${amount:,.2f} (+12 %); still fits with ")
    assert f"{room * 100:.1f}" in first
    assert data["summary"] == first


def test_the_other_way_round_the_sign_turns(pair: tuple[Path, Path], capsys: Said) -> None:
    first = said(capsys, *reversed(pair)).splitlines()[0]
    assert first.startswith("Cost falls by $")
    assert "(−11 %)" in first


def test_long_texts_begin_where_they_part() -> None:
    old, new = (f"How long does it take to label {count} documents of 1,500 tokens?" for count in ("100", "200"))
    assert _from_where_they_part(old, new) == (
        "…label 100 documents of 1,500 tokens?",
        "…label 200 documents of 1,500 tokens?",
    )
    assert _from_where_they_part("8 GPUs", "16 GPUs") == ("8 GPUs", "16 GPUs")
    assert _from_where_they_part(old, f"{old} And then?")[1].endswith("And then?")


def test_nothing_changes(pair: tuple[Path, Path], capsys: Said) -> None:
    assert said(capsys, pair[0], pair[0]).startswith("No input, figure or verdict changes.")
    variant = as_json(capsys, pair[0], pair[0])["scenarios"]["case"]["variants"]["base"]
    assert variant["status"] == "unchanged"
    assert not variant["inputs"]
    assert not variant["figures"]


def test_a_service_speaks_of_months(tmp_path: Path, capsys: Said) -> None:
    blocks: dict[str, Any] = {"workload": "serving", "training": None, "serving": "{max_num_seqs: 4}"}
    cost = "{basis: rent, price: aws-p4de-on-demand, contingency: %s}"
    old = write(tmp_path / "a", **blocks, cost=cost % 0)
    new = write(tmp_path / "b", **blocks, cost=cost % 0.1)
    first = said(capsys, old, new).splitlines()[0]
    assert first.startswith("Monthly cost rises by $250 (+10 %); still fits ")  # 3.43 USD/h, 730 h


def test_verdicts_that_change(tmp_path: Path, capsys: Said) -> None:
    small = write(tmp_path / "a", model="llama-3.2-1b", cost=RENT)
    large = write(tmp_path / "b", cost=RENT)
    assert said(capsys, small, large, code=1).splitlines()[0].startswith("No longer fits: ")
    assert "now fits" in said(capsys, large, small).splitlines()[0]
    assert main(["diff", str(small), str(large), "--fail-if-verdict-changes"]) == 1
    assert main(["diff", str(large), str(small), "--fail-if-verdict-changes"]) == 1
    assert main(["diff", str(small), str(small), "--fail-if-verdict-changes"]) == 0
    capsys.readouterr()
    data = json.loads(said(capsys, small, large, "--format", "json", code=1))
    inputs = data["scenarios"]["case"]["variants"]["base"]["inputs"]
    assert inputs["model"] == {"old": "llama-3.2-1b", "new": "llama-2-7b"}
    assert "hidden_size" not in inputs  # another model is said once, not field by field


def test_cost_that_appears_or_disappears_is_no_rise_from_zero(tmp_path: Path, capsys: Said) -> None:
    plain, priced = write(tmp_path / "a"), write(tmp_path / "b", cost=RENT)
    assert said(capsys, plain, priced).startswith("The cost is now stated: $343.09; ")
    text = said(capsys, priced, plain)
    assert text.startswith("No cost is stated any more (it was $343.09); ")
    figures = as_json(capsys, plain, priced)["scenarios"]["case"]["variants"]["base"]["figures"]
    assert figures["cost_total_usd"]["old"] is None


def test_variants_are_matched_by_name(tmp_path: Path, capsys: Said) -> None:
    old = write(tmp_path / "a", cost=RENT, variants="{kept: {}, moved: {training.zero_stage: 1}, gone: {}}")
    new = write(tmp_path / "b", cost=DEARER, variants="{come: {}, moved: {training.zero_stage: 2}, kept: {}}")
    variants = as_json(capsys, old, new)["scenarios"]["case"]["variants"]
    assert {name: one["status"] for name, one in variants.items()} == {
        "come": "added", "moved": "changed", "kept": "changed", "gone": "removed"
    }  # fmt: skip
    assert variants["moved"]["inputs"]["zero_stage"] == {"old": "1", "new": "2"}
    assert "zero_stage" not in variants["kept"]["inputs"]
    for options, heading in (((), "\ninputs "), (("--all",), "Inputs of every variant")):
        text = said(capsys, old, new, *options)
        assert "come (added)" in text
        assert "gone (removed)" in text
        assert text.count("\nHours ") == 1  # what changed everywhere is said once
        assert text.index(heading) < text.index("\nHours ")


def test_a_price_that_rose_in_the_book_is_an_input(tmp_path: Path, capsys: Said) -> None:
    paths = []
    for folder, usd in (("a", 2), ("b", 2.5)):
        paths.append(write(tmp_path / folder, cost="{basis: rent, price: ours, hours: 10}"))
        (tmp_path / folder / "hardware").mkdir()
        (tmp_path / folder / "hardware" / "prices.yaml").write_text(f"schema: 1\nprices:\n  - {OFFER % usd}\n")
    inputs = as_json(capsys, *paths)["scenarios"]["case"]["variants"]["base"]["inputs"]
    assert inputs == {"usd_per_accelerator_hour": {"old": 2.0, "new": 2.5, "ratio": 0.25, "unit": "USD/h"}}


def test_markdown_for_a_pull_request(tmp_path: Path, capsys: Said) -> None:
    old = write(tmp_path / "a", cost=RENT, variants="{'a|b <x>': {}}")
    new = write(
        tmp_path / "b",
        cost=DEARER,
        version=2,
        changes="[{version: 2, date: 2026-11-20, note: longer}]",
        variants="{'a|b <x>': {}}",
    )
    text = said(capsys, old, new, "--format", "markdown")
    lines = text.splitlines()
    assert lines[0].startswith("**Cost rises by $41.17 (+12 %); still does not fit: ")
    assert lines[0].endswith("**")
    assert "### case, version 1 → 2" in lines
    assert "Change log: version 2, 2026-11-20: longer" in lines
    assert "a\\|b \\<x\\>" in text
    tables = [line for line in lines if line.startswith("|")]
    assert "| Hours | 4.17 days | 4.67 days | +12 h | +12 % |" in tables
    widths = {len(line.replace("\\|", "").split("|")) for line in tables}
    assert widths == {7, 9}  # five columns, or seven with the cost


def test_folders_are_compared_scenario_by_scenario(tmp_path: Path, capsys: Said) -> None:
    for folder, cost, other in (("a", RENT, "old"), ("b", DEARER, "new")):
        write(tmp_path / folder, "same", cost=RENT)
        write(tmp_path / folder, "more", cost=cost)
        write(tmp_path / folder, other)
    text = said(capsys, tmp_path / "a", tmp_path / "b")
    assert text.splitlines()[0] == (
        "more: costs $41.20 more (+12 %). 1 of 2 scenarios changes; 1 added (new); 1 removed (old)."
    )
    assert "more, version 1: Cost rises by $41.17 (+12 %)" in text
    whole = said(capsys, tmp_path / "a", tmp_path / "b", "--all")
    assert "more, version 1\n\nCost rises by $41.17 (+12 %)" in whole
    assert "same" not in text
    data = as_json(capsys, tmp_path / "a", tmp_path / "b")
    assert (data["added"], data["removed"], sorted(data["scenarios"])) == (["new"], ["old"], ["more", "same"])


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits: the second is dearer and has a dearer price in its own book."""
    folder = tmp_path / "repo"
    for usd in (2, 3):
        write(folder / "plans", cost="{basis: rent, price: ours, hours: 10}")
        (folder / "hardware").mkdir(exist_ok=True)
        (folder / "hardware" / "prices.yaml").write_text(f"schema: 1\nprices:\n  - {OFFER % usd}\n")
        if usd == 2:
            git(tmp_path, "init", "-q", "-b", "main", str(folder))
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", f"price {usd}")
    return folder


def test_revisions_bring_the_price_book_of_their_time(repository: Path, capsys: Said) -> None:
    file = repository / "plans" / "case.yaml"
    assert said(capsys, f"{file}@HEAD~1", file).startswith("Cost rises by $10.00 (+50 %); ")
    assert said(capsys, f"{file}@HEAD~1", f"{file}@HEAD").startswith("Cost rises by $10.00 (+50 %); ")
    assert said(capsys, f"{file}@HEAD", file).startswith("No input, figure or verdict changes.")
    folder = repository / "plans"
    assert said(capsys, f"{folder}@HEAD~1", folder).startswith("Cost rises by $10.00 (+50 %); ")


def test_a_file_that_is_gone_can_still_be_compared(repository: Path, capsys: Said) -> None:
    file = repository / "plans" / "case.yaml"
    file.unlink()
    assert said(capsys, f"{file}@HEAD~1", f"{file}@HEAD").startswith("Cost rises by ")


def test_a_fault_in_a_revision_names_the_revision(repository: Path, capsys: Said) -> None:
    file = repository / "plans" / "case.yaml"
    good = file.read_text()
    file.write_text(good + "colour: red\n")
    git(repository, "commit", "-q", "-a", "-m", "broken")
    file.write_text(good)
    text = said(capsys, f"{file}@HEAD", file, code=2)
    assert f"{file}@HEAD:" in text
    assert "colour" in text
    assert "memreport-" not in text


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("{file}@nowhere", "no such git revision (found 'nowhere')"),
        ("{file}@mian", "did you mean 'main'?"),
        ("{file}@--output=x", "no such git revision"),
        ("{outside}@HEAD", "is not in a git repository"),
        ("{missing}@HEAD", "is not in revision HEAD"),
        ("{missing}", "no such file or folder"),
        ("{folder}", "compares two files, two folders or two portfolios"),
    ],
)
def test_what_cannot_be_compared(repository: Path, tmp_path: Path, capsys: Said, spec: str, words: str) -> None:
    file = repository / "plans" / "case.yaml"
    outside = write(tmp_path / "outside")
    names = {
        "file": file,
        "outside": outside,
        "missing": repository / "plans" / "cose.yaml",
        "folder": repository / "plans",
    }
    text = said(capsys, spec.format(**names), file, code=2)
    assert words in text
    assert "Traceback" not in text


def test_a_misspelt_file_gets_a_hint(repository: Path, capsys: Said) -> None:
    file = repository / "plans" / "case.yaml"
    assert "did you mean 'case.yaml'?" in said(capsys, repository / "plans" / "cose.yaml", file, code=2)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.12, "+12 %"),
        (-0.5, "−50 %"),
        (0.015, "+1.5 %"),
        (0.0003, "+0.03 %"),
        (-1e-9, "−<0.01 %"),
        (20, "+2,000 %"),
        (None, ""),
    ],
)
def test_percent_never_reads_as_nothing(ratio: float | None, text: str) -> None:
    assert percent(ratio) == text


def test_different_numbers_read_different() -> None:
    change = numbers("x", "X", "byte", 2.0**30, 2.0**30 + 2.0**16, NOTHING)
    assert change.old_text != change.new_text
    assert change.change == "+64 KiB"
    assert signed(-0.05, "share") == "−5 points"
    assert numbers("x", "X", "USD", 0.0, 5.0, NOTHING).percent == ""


def test_many_variants_and_long_names_stay_on_one_screen(tmp_path: Path, capsys: Said) -> None:
    names = [f"{at}, a variant with a name that is much longer than a column" for at in range(20)]
    variants = f"{{{', '.join(f'{name!r}: {{training.micro_batch_size: SIZE}}' for name in names)}}}"
    told = [variants.replace("SIZE", str(size)) for size in (1, 2)]
    old = write(tmp_path / "a", cost=RENT, variants=told[0])
    new = write(tmp_path / "b", cost=DEARER, variants=told[1])
    lines = said(capsys, old, new).splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 100
    assert "13 more" in lines, "eight lines of variants, the last of which counts the others"
    assert any(line.startswith("figures of ") for line in lines)


def test_tables_that_a_revision_lacks_columns_of_are_one_fault(repository: Path, capsys: Said) -> None:
    engines = (data_root() / "scenarios" / "reference" / "engines.yaml").read_text(encoding="utf-8")
    for column in ("host_step_seconds", "host_sequence_seconds"):
        engines = engines.replace(column, f"older_{column}")
    (repository / "plans" / "reference").mkdir()
    (repository / "plans" / "reference" / "engines.yaml").write_text(engines, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "older tables")
    (repository / "plans" / "reference" / "engines.yaml").unlink()
    error = said(capsys, f"{repository}@HEAD", repository, code=2)
    assert error.count("its tables are older than the figures") == 1
    assert "columns lacking: 2 in engines.yaml" in error
