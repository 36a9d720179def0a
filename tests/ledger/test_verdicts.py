"""How a verdict is reached, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.ledger.gather import judge_all
from tests.ledger.ledgers import HEAD, only


@pytest.mark.parametrize(
    ("entry", "verdict"),
    [
        ("value: 14 GB\nfigure: weight_bytes", "reproduces"),
        ("value: 14.1 GB\nfigure: weight_bytes", "contradicts itself"),
        ("value: 14.4 GB\nwithin: {by: 0.5 GB, why: a guess}\nfigure: weight_bytes", "reproduces"),
        ("value: 84 GB\nfigure: model_state_bytes\nunder: no_master_weights", "reproduces under no_master_weights"),
        ("value: 85 GB\nfigure: model_state_bytes\nunder: no_master_weights", "contradicts itself"),
        (
            "value: 84 GB\nunder: {convention: no_master_weights, figure: model_state_bytes}",
            "reproduces under no_master_weights",
        ),
        ("value: 13 GB\nfigure: weight_bytes\nunder: binary_gib", "reproduces under binary_gib"),
        ("value: 14 GB\nfigure: weight_bytes\nother: {source: page 2, value: 15 GB}", "conflicts with page 2"),
        ("value: 14 GB\nfigure: weight_bytes\nother: {source: page 2, value: 14.2 GB}", "reproduces"),
        ("value: 15 GB\nfigure: weight_bytes\nother: {source: page 2, value: 15 GB}", "contradicts itself"),
        ("value: 80 GB\nother: {source: the driver, figure: capacity_bytes}", "conflicts with the driver"),
        ("value: 86 GB\nother: {source: the driver, figure: capacity_bytes}", "reproduces"),
        ("value: true\nfigure: weight_bytes < capacity_bytes", "reproduces"),
        ("value: false\nfigure: weight_bytes < capacity_bytes", "contradicts itself"),
        ("value: true\nfigure: weight_bytes < capacity_bytes\nlow: {}\nhigh: {parameters: 7e10}", "contradicts itself"),
        ("value: 10 to 20 GB\nfigure: weight_bytes", "reproduces"),
        ("value: 15 to 20 GB\nfigure: weight_bytes", "contradicts itself"),
        ("value: 14 to 28 GB\nfigure: weight_bytes\nhigh: {parameters: 14e9}", "reproduces"),
        ("value: 14 to 30 GB\nfigure: weight_bytes\nhigh: {parameters: 14e9}", "contradicts itself"),
        ("value: 20 GB\nfigure: weight_bytes\nhigh: {parameters: 14e9}", "contradicts itself"),
        ('value: "> 13 GB"\nfigure: weight_bytes', "reproduces"),
        ('value: "> 14 GB"\nfigure: weight_bytes', "contradicts itself"),
        ('value: "<= 14 GB"\nfigure: weight_bytes', "reproduces"),
        ("value: 2 x\nfigure: weight_bytes / against.weight_bytes\ninputs: {against.parameters: 3.5e9}", "reproduces"),
        (
            "value: 75 %\nfigure: 1 - weight_bytes / against.weight_bytes\ninputs: {against.parameters: 28e9}",
            "reproduces",
        ),
        ("value: 14 GB\nargued: {as: conflicts, because: so it is}", "argued"),
        ("used: nothing is computed", "qualitative"),
        ("value: 26 GB\nfigure: weight_bytes\ninputs: {model: llama-2-13b, parameters: 13e9}", "reproduces"),
        ("value: 2.15 GB\ninputs: {given: s}\nfigure: kv_cache_bytes", "reproduces"),
    ],
)
def test_verdict(tmp_path: Path, entry: str, verdict: str) -> None:
    serving = "s: {workload: serving, inputs: {max_num_seqs: 1}}"
    head = HEAD.replace("7e9}}}", "7e9}}, " + serving + "}")
    one = only(tmp_path, f'{entry}\nwhy: because\nexpect: "{verdict}"', head)
    assert one.verdict == verdict
    assert one.ok


def test_a_verdict_other_than_the_recorded_one_names_both(tmp_path: Path) -> None:
    one = only(tmp_path, "value: 15 GB\nfigure: weight_bytes\nexpect: reproduces")
    assert not one.ok
    assert "recorded as 'reproduces', now 'contradicts itself' (14 GB)" in one.problem


def test_a_right_value_is_checked_too(tmp_path: Path) -> None:
    claim = "value: 15 GB\nfigure: weight_bytes\nexpect: contradicts itself\nwhy: so"
    assert only(tmp_path, f"{claim}\nright: 14 GB").ok
    assert "recorded as 13 GB, now 14 GB" in only(tmp_path, f"{claim}\nright: 13 GB").problem


def test_a_value_is_shown_in_the_printed_unit(tmp_path: Path) -> None:
    claim = "value: 15000 MB\nfigure: weight_bytes\nexpect: contradicts itself\nwhy: so"
    one = only(tmp_path, f"{claim}\nalso: {{half: {{inputs: {{parameters: 3.5e9}}}}}}")
    assert one.computed_text == one.right == "14000 MB"
    assert one.also == {"half": "7000 MB"}


def test_conventions_may_be_a_file_of_its_own_beside_the_ledger(tmp_path: Path) -> None:
    (tmp_path / "conventions.yaml").write_text(
        "schema: 1\nconventions: {halved: {meaning: half of it, inputs: {parameters: 3.5e9}}}\n", encoding="utf-8"
    )
    entry = "  - {id: a, says: s, value: 7 GB, figure: weight_bytes, under: halved, expect: reproduces under halved}\n"
    (tmp_path / "mine.yaml").write_text(HEAD + entry, encoding="utf-8")
    found = judge_all([tmp_path])
    assert [one.verdict for one in found.judgements] == ["reproduces under halved"]
    assert not found.faults
    assert not found.failed
