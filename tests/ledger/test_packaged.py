"""The documented figures: each is a case of its own, so that a broken formula names the documents that it breaks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from memreport.commands.main import main
from memreport.errors import DONE, FINDING
from memreport.figures.model import parallelism
from memreport.figures.model import parameters as model
from memreport.figures.model.adapters import peft
from memreport.figures.serving import fleet, kv_values
from memreport.figures.time import roofline, throughput
from memreport.figures.traffic import collectives as communication
from memreport.figures.training import checkpointing
from memreport.figures.training.states import optimizer, weights
from memreport.formula.recording import Figure
from memreport.ledger import documents, listings
from memreport.ledger.judging import Judged, documented_folder, judge

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
    program = "import time; from memreport.build.ledger_files import verified; verified([]); print(time.process_time())"
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
    "three vectors in the cache": (_constant(kv_values, "KEY_AND_VALUE", 3.0), "d001-kv-b1-4096"),
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
    "adapters of a fifth of the size": (_formula(peft.adapter_parameters, lambda f, g: f(**g) / 5), "d001-lora-factor"),
    "a ridge upside down": (_formula(roofline.ridge_flop_per_byte, lambda f, g: 1 / f(**g)), "d002-4070-ratio"),
    "weights of one byte": (_formula(weights.model_weight_bytes, lambda f, g: f(**g) / 2), "d000-weights-7b"),
    "a listing of ten values": (_constant(listings, "LISTING_VALUES", 10.0), "d003-code-naive-activations"),
    "a listing of wide values": (_constant(listings, "HALF_BYTES", 4.0), "d003-code-act-layer"),
    "a first step that keeps everything": (
        _formula(listings.first_step_peak_bytes, lambda f, g: f(**{**g, "activation_bytes": 1e12})),
        "d003-estimate-snippet",
    ),
    "twice the checkpoints": (
        _formula(checkpointing.checkpointed_inputs, lambda f, g: 2 * f(**g)),
        "d000-act-ckpt-range",
    ),
    "tokens of half a token": (_constant(checkpointing, "ONE_TOKEN", 2.0), "d001-gc-saving"),
    "two matrices in an attention": (_constant(model, "KEY_AND_VALUE", 1.0), "d003-encoder-fp32"),
    "machines of five cards": (_constant(fleet, "FOUR", 5.0), "d004-scale-175b-real"),
    "a ring of three passes": (_constant(communication, "RING_PASSES", 3.0), "d003-zero-throughput"),
    "every layer in a segment": (_formula(listings.unwrapped_layers, lambda f, g: 0 * f(**g)), "d003-gc-sequential"),
    "query heads in the cache": (
        _formula(kv_values.kv_heads_per_rank, _without("num_key_value_heads", 32.0)),
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


def test_mutants_cover_the_subjects() -> None:
    owners = {getattr(owner, "formula", owner) for (owner, _, _), _ in MUTANTS.values()}
    modules = {getattr(owner, "__module__", "") or owner.__name__ for owner in owners}
    assert len(MUTANTS) >= 20
    assert len(modules) >= 12, sorted(modules)


@pytest.mark.parametrize("what", MUTANTS)
def test_a_changed_constant_or_formula_is_noticed_by_the_command(
    what: str, mutated: Callable[[Any, str, Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    (owner, name, value), broken = MUTANTS[what]
    mutated(owner, name, value)
    assert main(["verify", str(documented_folder() / f"{broken[1:4]}.yaml")]) == FINDING
    changed = capsys.readouterr().out.partition("Verdicts that differ from the recorded ones")[2]
    assert f"{broken} (" in changed
    assert "every verdict is as recorded" not in changed


def test_unchanged_formulas_are_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify"]) == DONE
    assert "every verdict is as recorded\n" in capsys.readouterr().out
    assert main(["verify", "--all"]) == DONE
    assert capsys.readouterr().out.endswith("every verdict is as recorded\n")
