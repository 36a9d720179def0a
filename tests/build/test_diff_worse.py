"""`memreport diff` of folders in git: every scenario is compared, and what got worse is said first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memreport.commands.main import main
from memreport.report.records.changes.versions import relative_change
from tests.build.test_diff import Said, git, said, write

COST = "{basis: rent, price: aws-p4de-on-demand, hours: %s}"
FITTING, TIGHT, MISFIT = "llama-3.2-1b", "llama-2-7b", "llama-2-13b"
SHARDED = "{zero_stage: 3, gradient_checkpointing: full, micro_batch_size: 1}"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three scenarios that fit, committed."""
    folder = tmp_path / "repo"
    for id_ in ("a-first", "m-middle", "z-last"):
        write(folder / "scenarios", id_, model=FITTING, cost=COST % 10)
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder / "scenarios"


def test_every_scenario_of_a_revision_is_compared(repository: Path, capsys: Said) -> None:
    write(repository, "m-middle", model=FITTING, cost=COST % 12)
    write(repository, "z-last", model=MISFIT, cost=COST % 10)
    (repository / "a-first.yaml").unlink()
    write(repository, "new", model=FITTING)
    text = said(capsys, f"{repository}@HEAD", repository, code=1)
    first = " ".join(text.partition("\n\n")[0].split())
    assert first.startswith("z-last: no longer fits: "), first
    assert first.index("m-middle: costs $6.86 more (+20 %).") > first.index("z-last"), first
    assert first.endswith("2 of 2 scenarios change; 1 with another verdict; 1 added (new); 1 removed (a-first).")
    assert text.index("\nz-last, version 1: ") < text.index("\nm-middle, version 1: ")
    data = json.loads(said(capsys, f"{repository}@HEAD", repository, "--format", "json", code=1))
    assert list(data["scenarios"]) == ["z-last", "m-middle"]
    assert said(capsys, f"{repository}@HEAD", f"{repository}@HEAD").startswith("0 of 3 scenarios change.")


def test_what_gets_better_is_no_finding(repository: Path, capsys: Said) -> None:
    write(repository, "z-last", model=MISFIT)
    git(repository, "commit", "-q", "-a", "-m", "too large")
    write(repository, "z-last", model=FITTING)
    assert "no longer" not in said(capsys, f"{repository}@HEAD", repository)
    assert main(["diff", f"{repository}@HEAD", str(repository), "--fail-if-verdict-changes"]) == 1


def test_a_variant_that_broke_is_named_before_one_that_still_fits(tmp_path: Path, capsys: Said) -> None:
    small = "{base: {}, small: {model: llama-3.2-1b}}"
    old = write(tmp_path / "a", model=FITTING, variants=small, cost=COST % 10)
    new = write(tmp_path / "b", model=MISFIT, variants=small, cost=COST % 9)
    first = said(capsys, old, new, code=1).splitlines()[0]
    assert first.startswith("Variant base no longer fits: ")
    assert ". Variant small: cost falls by " in first
    assert first.index("small") > first.index("base no longer fits")


def test_out_of_memory_comes_before_tight_and_tight_before_cost(tmp_path: Path, capsys: Said) -> None:
    names = "{one: {training.sequence_length: %s}, two: {training.sequence_length: %s}, three: {}}"
    blocks = {"model": FITTING, "training": "{micro_batch_size: 1, sequence_length: 512}"}
    lengths = _lengths_by_verdict(tmp_path, capsys)
    old = write(tmp_path / "a", **blocks, cost=COST % 10, variants=names % (512, 512))
    new = write(tmp_path / "b", **blocks, cost=COST % 11, variants=names % (lengths["Tight"], lengths["Does not fit"]))
    first = said(capsys, old, new, code=1).splitlines()[0]
    assert first.startswith("Variant two no longer fits: ")
    assert "; variant one" in first or " Variant one still fits, but only just" in first
    assert first.index("no longer fits") < first.index("only just")


def _lengths_by_verdict(folder: Path, capsys: Said) -> dict[str, int]:
    """A sequence length for each verdict, found by trying."""
    lengths = range(2048, 65536, 1024)
    rows = ", ".join(f"l{one}: {{training.sequence_length: {one}}}" for one in lengths)
    path = write(folder / "tries", model=FITTING, training="{micro_batch_size: 1}", variants=f"{{{rows}}}")
    variants = json.loads(said(capsys, path, path, "--format", "json"))["scenarios"]["case"]["variants"]
    found = {one["verdict"]["new"]: int(name[1:]) for name, one in reversed(variants.items())}
    assert {"Tight", "Does not fit"} <= found.keys()
    return found


def test_a_cost_that_rose_is_named_although_the_deciding_variant_costs_the_same(tmp_path: Path, capsys: Said) -> None:
    paths = []
    for folder, hours in (("a", 10), ("b", 20)):
        variants = f"{{base: {{}}, long: {{cost.hours: {hours}}}}}"
        paths.append(write(tmp_path / folder, model=FITTING, cost=COST % 10, variants=variants))
    first = said(capsys, *paths).splitlines()[0]
    assert first.startswith("Variant long costs $34.30 more (+100 %). Variant base: cost stays at ")


def test_a_fault_beside_a_scenario_of_a_revision_names_the_repository(repository: Path, capsys: Said) -> None:
    book = repository.parent / "hardware" / "prices.yaml"
    book.parent.mkdir()
    book.write_text("schema: 1\nprices: 3\n")
    git(repository.parent, "add", ".")
    git(repository.parent, "commit", "-q", "-m", "broken book")
    book.write_text("schema: 1\nprices: []\n")
    text = said(capsys, f"{repository}@HEAD", repository, code=2)
    assert f"{book}@HEAD:2" in text
    assert "memreport-" not in text


def test_an_old_version_that_cannot_be_read_is_named_and_the_others_are_compared(
    repository: Path, capsys: Said
) -> None:
    (repository / "m-middle.yaml").write_text("schema: 1\nid: m-middle\nmodel: {\n", encoding="utf-8")
    (repository / "a-first.yaml").write_text("schema: 1\nid: a-first\n", encoding="utf-8")
    git(repository, "commit", "-q", "-a", "-m", "cannot be read")
    write(repository, "m-middle", model=FITTING, cost=COST % 12)
    (repository / "a-first.yaml").unlink()
    assert main(["diff", f"{repository}@HEAD", str(repository)]) == 2, "something is not compared"
    captured = capsys.readouterr()
    first, _, *reason = captured.out.splitlines()
    assert first == "0 of 1 scenario change; 1 removed (a-first); 1 not compared (m-middle)."
    assert reason[0].startswith("m-middle is not compared, its old version cannot be read:")
    assert "m-middle.yaml@HEAD:" in "".join(map(str.strip, reason)), "a long path is broken between lines"
    assert captured.err == ""
    write(repository, "z-last", model=MISFIT, cost=COST % 10)
    assert said(capsys, f"{repository}@HEAD", repository, code=1).startswith("z-last: no longer fits: ")
    data = json.loads(said(capsys, f"{repository}@HEAD", repository, "--format", "json", code=1))
    assert list(data["not_compared"]) == ["m-middle"]
    (repository / "z-last.yaml").write_text("schema: 1\n", encoding="utf-8")
    assert main(["diff", f"{repository}@HEAD", str(repository)]) == 2, "the new version must be readable"
    assert capsys.readouterr().out == ""


def test_services_of_stated_months_are_compared_by_what_is_signed(tmp_path: Path, capsys: Said) -> None:
    variants = "{one: {}, two: {serving.max_num_seqs: 4}}"
    served: dict[str, Any] = {"workload": "serving", "model": FITTING, "training": None, "variants": variants}
    old = write(tmp_path / "a", **served, cost="{price: 3 USD/h, months: 12}")
    new = write(tmp_path / "b", **served, cost="{price: 5 USD/h, months: 6}")
    first = said(capsys, old, new).splitlines()[0]
    assert first.startswith("Variant one: cost to approve falls by $4,380 (−17 %)"), first
    assert "instead of" not in first


def test_nothing_is_a_percentage_of_what_lacks() -> None:
    assert relative_change(-3.3, 52.6) is None
    assert relative_change(2.0, 3.0) == 0.5
