"""What is wrong with a ledger is said with its place, and stops nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.build.ledger_files import verified as run
from memreport.errors import BAD_INPUT
from tests.ledger.ledgers import HEAD, PLAIN, judged


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("value: 14 GB\nfigure: weight_byte\nexpect: reproduces", ("no such figure or input", "'weight_bytes'")),
        (
            "value: 14 GB\nfigure: weight_bytes\ninputs: {micro_batch: 1}\nexpect: reproduces",
            ("no such figure or input", "micro_batch"),
        ),
        (
            "value: 14 GB\nfigure: weight_bytes\ninputs: {precision: bf17}\nexpect: reproduces",
            ("no such precision", "bf17"),
        ),
        (
            "value: 14 GB\nfigure: weight_bytes\ninputs: {model: llama-2}\nexpect: reproduces",
            ("no such model card", "llama-2-7b"),
        ),
        (
            "value: 14 GB\nfigure: weight_bytes\ninputs: {capacity_bytes: 80 W}\nexpect: reproduces",
            ("measures W", "byte"),
        ),
        (
            "value: 14 GB\nfigure: weight_bytes\ninputs: {micro_batch_size: 0}\nexpect: reproduces",
            ("greater than or equal to 1",),
        ),
        (
            "value: 14 GB\nfigure: weight_bytes\nunder: no_master\nexpect: reproduces",
            ("no such convention", "no_master_weights"),
        ),
        ("value: 14 GB\nfigure: weight_bytes\ngiven: 8b\nexpect: reproduces", ("no such set-up", "allowed: 7b")),
        ("value: 14\nfigure: weight_bytes\nexpect: reproduces", ("has no unit",)),
        ("value: 14 Gb\nfigure: weight_bytes\nexpect: reproduces", ("'Gb' is no known unit", "'GB'")),
        ("value: 1e400 GB\nfigure: weight_bytes\nexpect: reproduces", ("larger than any quantity",)),
        ("value: 1e99999 GB\nfigure: weight_bytes\nexpect: reproduces", ("is not a number with a unit",)),
        ("value: [14, GB]\nfigure: weight_bytes\nexpect: reproduces", ("must be a number with a unit",)),
        ('value: "> 5 to 6 GB"\nfigure: weight_bytes\nexpect: reproduces', ("is a bound with two ends",)),
        (
            'value: "< 15 GB"\nwithin: {by: 1 GB, why: so}\nfigure: weight_bytes\nexpect: reproduces',
            ("has no tolerance",),
        ),
        (
            "value: 14 GB\nwithin: {by: 1 x, why: so}\nfigure: weight_bytes\nexpect: reproduces",
            ("the tolerance is in 1, the value in byte",),
        ),
        ("value: 14 GB\nright: 14\nfigure: weight_bytes\nexpect: reproduces", ("right", "has no unit", "GiB")),
        (
            "value: 1 x\nfigure: weight_bytes / zero_stage\nexpect: reproduces",
            ("zero_stage is a choice, not a number", "shards_optimizer"),
        ),
        ("value: big\nfigure: weight_bytes\nexpect: reproduces", ("is not a number with a unit",)),
        ("value: 14 x\nfigure: weight_bytes\nexpect: reproduces", ("the figure is in byte, the value in 1",)),
        ("value: 14 GB\nfigure: weight_bytes + parameters\nexpect: reproduces", ("cannot mix byte and 1",)),
        ("value: 14 GB\nfigure: 2 * weight_bytes\nexpect: reproduces", ("the number 2 has no name",)),
        ("value: 14 GB\nfigure: __import__('os')\nexpect: reproduces", ("an expression knows no __import__()",)),
        ("value: 14 GB\nfigure: weight_bytes if 1 else 0\nexpect: reproduces", ("an expression holds names",)),
        ("value: 14 GB\nfigure: weight_bytes +\nexpect: reproduces", ("is not an expression of figures",)),
        (
            "value: 1 GB/s\nfigure: bus_bytes_per_second\nexpect: reproduces",
            ("inputs that are not given: memory_bus_bits",),
        ),
        ("value: 14 GB\nfigure: weight_bytes\nexpect: reproduced", ("is no verdict", "reproduces under")),
        ("figure: weight_bytes\nexpect: reproduces", ("has no value to judge",)),
        ("value: 14 GB\nexpect: reproduces", ("names no figure",)),
        ("value: 15 GB\nfigure: weight_bytes\nexpect: contradicts itself", ("needs a `why`",)),
        ("value: 14 GB\nfigure: weight_bytes\nwithin: {by: 5, why: so}\nexpect: reproduces", ("has no unit",)),
        ("value: 14 GB\nfigur: weight_bytes\nexpect: reproduces", ("is not a field here", "'figure'")),
        ("id: E 1\nvalue: 14 GB\nfigure: weight_bytes\nexpect: reproduces", ("must be at most 80 small letters",)),
    ],
)
def test_a_fault_has_a_place_and_stops_nothing_else(tmp_path: Path, entry: str, words: tuple[str, ...]) -> None:
    found = judged(tmp_path, f"id: before\n{PLAIN}", entry, f"id: after\n{PLAIN}")
    assert [(one.id, one.ok) for one in found.judgements] == [("before", True), ("after", True)]
    assert found.faults
    for fault in found.faults:
        first = len(HEAD.splitlines()) + len(PLAIN.splitlines()) + 3
        assert fault.file.endswith("mine.yaml")
        assert first <= fault.line <= first + 5
    shown = "\n".join(map(str, found.faults))
    assert all(word in shown for word in words), shown


def test_an_id_used_twice_is_a_fault_that_names_the_first(tmp_path: Path) -> None:
    found = judged(tmp_path, f"id: same\n{PLAIN}", f"id: same\n{PLAIN}")
    assert len(found.judgements) == 1
    assert "is already the id of" in str(found.faults[0])
    assert "mine.yaml:6" in str(found.faults[0])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "schema: 2\n",
        "[]\n",
        "schema: 1\nentries: {}\n",
        "a: &b 1\n",
        "schema: 1\nsetups: {7b: {inputs: {nonsense: 1}}}\n",
    ],
)
def test_a_broken_file_is_bad_input(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    report, code = run([path])
    assert code == BAD_INPUT
    assert "mine.yaml" in report


def test_a_file_of_another_kind_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / "card.yaml").write_text("schema: 1\nid: a\nhidden_size: 4096\n", encoding="utf-8")
    (tmp_path / "slip.yaml").write_text("schema: 1\nentris: []\n", encoding="utf-8")
    report, code = run([tmp_path])
    assert code == BAD_INPUT
    assert report.count("is no ledger") == 2
    assert report.endswith("0 statements judged; 2 faults\n")
    assert "entris" in report


def test_a_missing_path_and_an_empty_folder_are_bad_input(tmp_path: Path) -> None:
    assert run([tmp_path / "nothing.yaml"])[1] == BAD_INPUT
    assert run([tmp_path])[1] == BAD_INPUT


def test_set_ups_in_a_circle_are_a_fault(tmp_path: Path) -> None:
    head = "schema: 1\ngiven: a\nsetups: {a: {given: b}, b: {given: a}}\nentries:\n"
    found = judged(tmp_path, PLAIN, head=head)
    assert not found.judgements
    assert "no such set-up" in str(found.faults[0])
