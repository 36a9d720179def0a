"""The page computes what the engine computes: every figure of every variant, and of whatever a reader makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memreport.advise.decide import decide
from memreport.catalogue.yaml import strict
from memreport.compute import Computed, compute
from memreport.errors import InputError
from memreport.resolve import resolve_given
from tests.browser import browser, browser_needed
from tests.built import IDS, KNOWN
from tests.part import WHOLE, part
from tests.publish.web_page import made_page, opened, page_of, values_of
from tests.support import run, scenario_text

__all__ = ["browser"]
SAME = 1e-12
DIFFERENCES = {"fetch_exposed_seconds"}
"""What two times are apart, which has the last bits of both and may be a thousand times less."""
LAST_BITS = 8 * np.finfo(float).eps


def assert_same(found: Any, computed: Computed, at: int) -> None:
    names = [line.name for line in computed.lines]
    got = [found[name] for name in names]
    wanted = [float(computed.values[name][at]) for name in names]
    np.testing.assert_allclose(got, wanted, rtol=SAME, atol=0, err_msg=computed.resolved.cases[at].name)


@browser_needed
@pytest.mark.parametrize("id_", IDS)
def test_every_figure_of_every_variant(browser: Any, tmp_path: Path, id_: str) -> None:
    page, computed = opened(browser, tmp_path, page_of(id_)), KNOWN[id_]
    for at, _ in enumerate(computed.resolved.variants):
        page.evaluate("at => memreport.state.startFrom(at)", at)
        assert_same(values_of(page), computed, at)
    assert page.faults == []
    page.close()


DRIVER = (Path(__file__).parent / "page_edits.js").read_text(encoding="utf-8")
"""Edits through the page's own controls: random ones, four on top of each other; then every name of every drop-down,
or of those of some fields."""
SAMPLE = {"llama3-70b-8xa100": (40, False), "qlora-7b-rtx4070": (20, True), "serving-mi300x": (40, False)}
EDITED = dict.fromkeys(IDS, (100, True)) if WHOLE else SAMPLE
"""By scenario, how many random edits, and whether every name of every drop-down; all of them by `make sweep`."""


def whole(stated: Computed, found: list[Any]) -> Computed:
    """The scenario with what the page wrote of each edit as its variants, computed as one table."""
    text = "".join(one["yaml"].replace('"what if"', f'"edit {at}"', 1) for at, one in enumerate(found))
    document = stated.resolved.loaded.document.data
    variants = strict.parse(f"variants:\n{text}", "page").data["variants"]
    return compute([resolve_given({**document, "tables": [], "variants": variants})])[0]


@browser_needed
@pytest.mark.parametrize("id_", EDITED)
def test_whatever_is_changed_equals_the_scenario_that_the_page_writes(browser: Any, tmp_path: Path, id_: str) -> None:
    page = opened(browser, tmp_path, page_of(id_))
    made = json.loads(page.evaluate(DRIVER, [7, *EDITED[id_]]))
    assert page.faults == []
    sound = [one for one in made["found"] if not one["wrong"]]
    assert len(sound) > len(made["found"]) / 3
    computed = whole(KNOWN[id_], sound)
    known = {line.name for line in computed.lines}
    for at, name in enumerate(made["names"]):
        if name in known:
            got = [float(str(one["rows"][at]).replace("Infinity", "inf")) for one in sound]
            last = LAST_BITS * computed.values["step_seconds"].max() if name in DIFFERENCES else 0
            np.testing.assert_allclose(got, computed.values[name], rtol=SAME, atol=last, err_msg=name)
    for one in [one for one in made["found"] if one["wrong"]][:10]:
        with pytest.raises(InputError):
            whole(KNOWN[id_], [one])
    page.close()


ODD = {
    "typed": scenario_text(
        measured="{tokens_per_second: 9000, with: {training.micro_batch_size: 2}}",
        cost="{basis: rent, price: aws-p4de-on-demand, hours: 100}",
        overrides="{usd_per_accelerator_hour: 1.5, parameters: 7e9, capacity_bytes: 70 GiB}",
        variants="""{as is: {}, own price: {overrides.usd_per_accelerator_hour: 2 USD/h, cost.hours: 50},
            other model: {model: llama-3-8b, model.num_hidden_layers: 30, training.method: lora,
            training.target_modules: [q_proj, v_proj]}, other GPU: {hardware.accelerator: h100-80gb-sxm,
            hardware.host: dgx-h100, cost.price: aws-p5-4xlarge-on-demand}}""",
    ),
    "demand": scenario_text(
        workload="serving",
        demand="{requests_per_second: 3, prompt_tokens: 3000, output_tokens: 3000, first_token_seconds: 2}",
        variants="{as is: {}, longer: {demand.prompt_tokens: 9000}, stated: {serving.context_length: 1000}}",
    ),
}
"""What the scenarios of the repository do not state: measured runs, typed prices, other models, demands."""


@browser_needed
@pytest.mark.parametrize("kind", ODD)
def test_what_else_a_scenario_may_state(browser: Any, tmp_path: Path, kind: str) -> None:
    computed = run(tmp_path, ODD[kind])
    page = opened(browser, tmp_path, made_page(decide(computed)))
    for at, _ in enumerate(computed.resolved.variants):
        page.evaluate("at => memreport.state.startFrom(at)", at)
        assert_same(values_of(page), computed, at)
        page.get_by_role("button", name="Undo").dispatch_event("click")
    made = json.loads(page.evaluate(DRIVER, [11, 20, False]))
    sound = [one for one in made["found"] if not one["wrong"]]
    again = whole(computed, sound)
    for at, one in enumerate(sound):
        assert_same(dict(zip(made["names"], map(float, one["rows"]), strict=True)), again, at)
    assert page.faults == []
    page.close()


SERVES = {"workload": "serving", "hardware": "{accelerator: rtx-3090, count: 2}"}
OPEN = {
    "framework": scenario_text(hardware="{accelerator: h100-80gb-sxm, count: 8}", training="{tensor_parallel_size: 2}"),
    "another framework": scenario_text(
        model="gpt2", hardware="{accelerator: t4, count: 2}", training="{framework: unsloth}"
    ),
    "engine": scenario_text(**SERVES),
    "another engine": scenario_text(**SERVES, serving="{engine: llama.cpp, prompt_tokens: 1500}"),
    "API": scenario_text(**SERVES, demand="{users: 20, prompt_tokens: 3000}"),
}
"""Scenarios that leave open what a program, a GPU or a model decides."""
DECIDE = ["framework", "engine", "accelerator", "model"]


@browser_needed
@pytest.mark.parametrize("kind", part([*OPEN], 2))
def test_what_nobody_states_follows_as_it_does_in_a_file(browser: Any, tmp_path: Path, kind: str) -> None:
    computed = run(tmp_path, OPEN[kind])
    page = opened(browser, tmp_path, made_page(decide(computed)))
    for at, _ in enumerate(computed.resolved.variants):
        page.evaluate("at => memreport.state.startFrom(at)", at)
        assert_same(values_of(page), computed, at)
    made = json.loads(page.evaluate(DRIVER, [23, 40, DECIDE]))
    sound = [one for one in made["found"] if not one["wrong"]]
    assert len(sound) > 100
    again = whole(computed, sound)
    for at, one in enumerate(sound):
        assert_same(dict(zip(made["names"], map(float, one["rows"]), strict=True)), again, at)
    page.close()


@browser_needed
def test_a_choice_stays_that_would_follow_otherwise(browser: Any, tmp_path: Path) -> None:
    """The loss that the framework had before the change is stated beside another framework, not left out."""
    page = opened(browser, tmp_path, made_page(decide(run(tmp_path, OPEN["framework"]))))
    page.evaluate("memreport.state.startFrom(0)")
    losses = []
    for key, value in {"framework": "unsloth", "loss": "framework"}.items():
        page.evaluate("([key, value]) => memreport.state.set(`training.${key}`, value)", [key, value])
        losses.append(page.evaluate("memreport.state.job().settings.loss"))
    assert losses == ["linear-limited", "framework"]
    page.close()
