"""The documented figures: each is a case of its own, so that a broken formula names the documents that it breaks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.load import catalogue_for
from memreport.errors import BAD_INPUT, DONE, FINDING
from memreport.figures import documents, kv_cache, listings, lora, optimizer, parallelism, roofline, throughput, weights
from memreport.formula.recording import Figure, replay
from memreport.verify.gather import judge_all
from memreport.verify.ledger import Judged, Judgement, documented_folder, judge
from memreport.verify.names import DEFAULTS, Names, ledger_lines
from memreport.verify.report_text import run

SECONDS = 3
STATEMENTS = {"000": 37, "001": 79, "002": 33, "003": 191, "004": 52}


@cache
def packaged() -> Judged:
    return judge()


IDS = [one.id for one in packaged().judgements]


@pytest.mark.parametrize("id_", IDS)
def test_documented_figure(id_: str) -> None:
    one = next(one for one in packaged().judgements if one.id == id_)
    assert one.ok, one.problem


def test_every_statement_of_every_document_is_there() -> None:
    assert {name: sum(kinds.values()) for name, kinds in packaged().counts.items()} == STATEMENTS


def test_no_packaged_entry_is_faulty() -> None:
    assert not packaged().faults


def test_every_entry_says_where_it_stands_and_what_follows() -> None:
    for one in packaged().judgements:
        text = one.entry.text
        assert text.section
        assert text.line
        assert one.kind in ("reproduces", "reproduces under") or text.why or text.used or text.argued, one.id


def test_wrong_claims_come_with_the_right_value_or_with_the_argument() -> None:
    wrong = [one for one in packaged().judgements if one.kind in ("contradicts itself", "conflicts with")]
    assert len(wrong) > 20
    assert all(one.right and one.entry.text.why for one in wrong)


def test_judging_everything_is_quick() -> None:
    program = "import time; from memreport.verify.report_text import run; run([]); print(time.process_time())"
    seconds = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert float(seconds) < SECONDS


# What the documents notice: constants and formulas, each changed on its own.


def _constant(module: Any, name: str, value: float) -> tuple[Any, str, Any]:
    return module, name, value


def _formula(one: Figure, change: Callable[..., Any]) -> tuple[Any, str, Any]:
    original = one.formula
    return one, "formula", lambda **given: change(original, given)


def _without(name: str, value: float) -> Callable[..., Any]:
    return lambda original, given: original(**{**given, name: value + 0 * given[name]})


MUTANTS: dict[str, tuple[tuple[Any, str, Any], str]] = {
    "three vectors in the cache": (_constant(kv_cache, "KEY_AND_VALUE", 3.0), "d001-kv-b1-4096"),
    "a step of two passes": (_constant(throughput, "TRAINING_PASSES", 2.0), "d001-gc-overhead"),
    "ten bits in a byte": (_constant(documents, "BITS_PER_BYTE", 10.0), "d002-mi300x-bandwidth"),
    "narrow memory channels": (_constant(documents, "CHANNEL_BYTES", 4.0), "d000-cpu-bandwidth"),
    "one FLOP a multiply-add": (_constant(documents, "FLOP_PER_MULTIPLY_ADD", 1.0), "d000-a100-compute"),
    "gradients that are never cut": (
        _formula(weights.gradient_bytes, _without("gradient_shards", 1.0)),
        "d001-zero2-8x",
    ),
    "one moment": (
        _formula(optimizer.whole_optimizer_state_bytes, _without("optimizer_moments", 1.0)),
        "d000-optimizer-7b",
    ),
    "a master copy for everyone": (
        _formula(optimizer.whole_master_weight_bytes, _without("master_element_bytes", 4.0)),
        "d000-running-84",
    ),
    "states that are never cut": (
        _formula(parallelism.optimizer_shards, _without("shards_optimizer", 0.0)),
        "d001-zero1-4x",
    ),
    "adapters of a fifth of the size": (_formula(lora.adapter_parameters, lambda f, g: f(**g) / 5), "d001-lora-factor"),
    "a ridge upside down": (_formula(roofline.ridge_flop_per_byte, lambda f, g: 1 / f(**g)), "d002-4070-ratio"),
    "weights of one byte": (_formula(weights.model_weight_bytes, lambda f, g: f(**g) / 2), "d000-weights-7b"),
    "a listing of ten values": (_constant(listings, "LISTING_VALUES", 10.0), "d003-code-naive-activations"),
    "a listing of wide values": (_constant(listings, "HALF_BYTES", 4.0), "d003-code-act-layer"),
    "a first step that keeps everything": (
        _formula(listings.first_step_peak_bytes, lambda f, g: f(**{**g, "activation_bytes": 1e12})),
        "d003-estimate-snippet",
    ),
    "query heads in the cache": (
        _formula(kv_cache.kv_heads_per_rank, _without("num_key_value_heads", 32.0)),
        "d001-gqa-8",
    ),
}


@pytest.fixture
def mutated() -> Iterator[Callable[[Any, str, Any], None]]:
    """Change an attribute, of a frozen figure too, until the test ends."""
    undone: list[tuple[Any, str, Any]] = []

    def change(owner: Any, name: str, value: Any) -> None:
        undone.append((owner, name, getattr(owner, name)))
        object.__setattr__(owner, name, value)

    yield change
    for owner, name, value in undone:
        object.__setattr__(owner, name, value)


@pytest.mark.parametrize("what", MUTANTS)
def test_a_changed_constant_or_formula_is_noticed(what: str, mutated: Callable[[Any, str, Any], None]) -> None:
    (owner, name, value), broken = MUTANTS[what]
    mutated(owner, name, value)
    report, code = run([])
    assert code == FINDING
    assert broken in report.partition("Verdicts that differ")[2]


# How a verdict is reached.

HEAD = 'schema: 1\ndocument: "test"\ngiven: 7b\nsetups: {7b: {inputs: {parameters: 7e9}}}\nentries:\n'


def judged(folder: Path, *entries: str, head: str = HEAD) -> Judged:
    lines = [head]
    for at, entry in enumerate(entries):
        named = entry if entry.startswith("id:") else f"id: e{at}\n{entry}"
        named = named if "says:" in named else f"{named}\nsays: something"
        lines.append("  - " + named.replace("\n", "\n    ") + "\n")
    path = folder / "mine.yaml"
    path.write_text("".join(lines), encoding="utf-8")
    return judge(path)


def only(folder: Path, entry: str, head: str = HEAD) -> Judgement:
    found = judged(folder, entry, head=head)
    assert not found.faults, [str(fault) for fault in found.faults]
    return found.judgements[0]


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


# What is wrong with a ledger.

PLAIN = "value: 14 GB\nfigure: weight_bytes\nexpect: reproduces"


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
            ("no such precisions", "bf17"),
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
        ("value: 14 GB\nfigure: weight_bytes\ngiven: 8b\nexpect: reproduces", ("no such set-up", "'7b'")),
        ("value: 14\nfigure: weight_bytes\nexpect: reproduces", ("has no unit",)),
        ("value: 14 Gb\nfigure: weight_bytes\nexpect: reproduces", ("'Gb' is no known unit", "'GB'")),
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
        ("id: E 1\nvalue: 14 GB\nfigure: weight_bytes\nexpect: reproduces", ("must look like",)),
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


def test_a_missing_path_and_an_empty_folder_are_bad_input(tmp_path: Path) -> None:
    assert run([tmp_path / "nothing.yaml"])[1] == BAD_INPUT
    assert run([tmp_path])[1] == BAD_INPUT


def test_set_ups_in_a_circle_are_a_fault(tmp_path: Path) -> None:
    head = "schema: 1\ngiven: a\nsetups: {a: {given: b}, b: {given: a}}\nentries:\n"
    found = judged(tmp_path, PLAIN, head=head)
    assert not found.judgements
    assert "no such set-up" in str(found.faults[0])


# Reports and scenarios.


def test_report_counts_every_document_and_exits_0() -> None:
    report, code = run([])
    assert code == DONE
    assert report.splitlines()[0].split()[:2] == ["document", "reproduces"]
    assert report.endswith("every verdict is as recorded\n")
    assert all(line in report for line in ("d002-kv-13b-52", "printed 52 GB; right 107.4 GB"))


def test_report_as_json_holds_every_entry() -> None:
    report, code = run([documented_folder()], "json")
    data = json.loads(report)
    assert code == DONE
    assert len(data["entries"]) == len(IDS)
    assert sum(sum(kinds.values()) for kinds in data["counts"].values()) == len(IDS)
    wrong = next(one for one in data["entries"] if one["id"] == "d002-kv-13b-52")
    assert wrong["computed_base"] == [107374182400.0, 107374182400.0]
    assert (wrong["documented"], wrong["unit"], wrong["verdict"]) == ("52 GB", "byte", "contradicts itself")
    assert wrong["difference"] == "+106.5 %"
    assert "12 bytes a parameter" in next(one for one in data["entries"] if one["id"] == "d000-running-84")["why"]


SCENARIO = """schema: 1
id: mine
version: 1
title: A scenario with a figure of our wiki
model: llama-2-7b
hardware: {accelerator: a100-80gb-sxm, count: 8}
workload: training
overrides: {parameters: 7e9}
variants:
  plain: {}
  zero3: {training.zero_stage: 3}
documented:
  - {id: wiki-1, says: states of a card, value: 112 GB, figure: model_state_bytes, expect: reproduces}
  - {id: wiki-2, says: with ZeRO-3, given: zero3, value: 14 GB, figure: model_state_bytes, expect: reproduces}
  - {id: wiki-3, says: with ZeRO-3, given: zero3, value: 15 GB, figure: model_state_bytes, expect: reproduces}
"""


def test_a_scenario_may_carry_entries_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    report, code = run([path])
    assert code == FINDING
    changed = report.partition("Verdicts that differ")[2]
    assert "wiki-3" in changed
    assert "wiki-1" not in changed
    assert "wiki-2" not in changed


def test_a_scenario_without_entries_has_nothing_to_judge(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO.partition("documented")[0], encoding="utf-8")
    assert judge_all([path]) == Judged((), ())


def test_the_documents_own_figures_record_in_their_units_and_replay_as_they_compute() -> None:
    for workload in ("training", "serving"):
        for one in documents.figures_of(workload):
            values = {name: 1.5 + at for at, name in enumerate(one.inputs)}
            assert replay(one.expression, values) == pytest.approx(one.formula(**values), rel=1e-12)
            assert one.meaning
            assert one.source


def test_a_ledger_computes_what_a_scenario_computes() -> None:
    names = Names("training", catalogue_for())
    inputs, overrides = names.table([{}, {"accelerator": "h100-80gb-sxm", "parameters": 7e9, "capacity_bytes": 1.0}])
    assert inputs["hidden_size"].tolist() == [4096, 4096]
    assert inputs["capacity_bytes"].tolist() == [81920 * 2**20, 1.0]
    assert overrides["parameters"][1] == 7e9
    assert {name for name in DEFAULTS if name not in names.fields} == {"model"}
    assert len({line.name for line in ledger_lines("training")}) == len(ledger_lines("training"))
