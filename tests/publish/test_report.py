from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreport.advise.decide import decide
from memreport.advise.moves import verdict_on
from memreport.advise.rerun import job_of
from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT, WHOLE, deciding
from memreport.build.outputs import reported
from memreport.catalogue.names import in_sentence, title_of
from memreport.catalogue.quantities import GIB
from memreport.compute import Computed
from memreport.formula.recording import replay, walk
from memreport.publish.pdf.sheet import sheet_html
from memreport.report import in_short
from memreport.report.build import report_of
from memreport.report.money.prices import CUT_SHORT
from memreport.report.peak.monitor import monitor_text, monitored
from memreport.report.records.report import Build, Report
from memreport.report.view import View, counted, in_gib, pair_in_gib
from memreport.report.worked import active_branch, indexed, tidied, worked
from tests.support import published, run, scenario_text

IDS = [one.resolved.loaded.scenario.id for one in published()]
each = pytest.mark.parametrize("computed", published(), ids=IDS)


def made(computed: Computed) -> Report:
    return report_of(computed, Build("0"))


@each
def test_verdicts_say_what_the_figures_say(computed: Computed) -> None:
    for at, verdict in enumerate(made(computed).verdicts):
        fits = computed.values["fits"][at] == 1
        safe = computed.values["peak_bytes_high"][at] <= computed.values["usable_bytes"][at]
        whole = computed.values["peak_bytes"][at] <= computed.values["usable_bytes"][at]
        started = QUEUES if not whole else FITS if safe else TIGHT
        assert verdict.word == (started if fits else DOES_NOT_FIT)
        assert verdict.room.headroom == pytest.approx(computed.values["headroom_bytes"][at])
        assert (verdict.room.peak_text == verdict.room.capacity_text) is (verdict.room.peak == verdict.room.capacity)


@each
def test_parts_of_every_bar_add_up_to_the_peak(computed: Computed) -> None:
    report = made(computed)
    for bar in report.bars:
        assert math.fsum(part.value for part in bar.segments) == pytest.approx(bar.peak, rel=1e-12)
        assert min(part.value for part in bar.segments) >= 0


@each
def test_what_a_monitor_will_show_stands_beside_the_need_of_a_job_that_runs(computed: Computed) -> None:
    """Of a training it begins with the need; an engine holds its whole pool, whatever is needed of it."""
    view = View(computed)
    trains = view.workload == "training"
    for at in range(len(view.variants)):
        runs = view.value("peak_bytes", at) <= view.value("capacity_bytes" if trains else "usable_bytes", at)
        assert monitored(view, at) is runs
        if runs:
            names = ("peak_bytes_low", *(f"device_memory_used_bytes{end}" for end in ("_low", "", "_high")))
            need, low, shown, high = (view.value(name, at) for name in names)
            assert need <= low <= shown <= high <= view.value("capacity_bytes", at)
            assert view.value("peak_bytes", at) <= shown
            assert need == low or not trains
            assert in_gib(shown) in monitor_text(view, at)


@each
def test_the_report_is_of_the_first_variant_that_fits(computed: Computed) -> None:
    report = made(computed)
    roomy = [one.variant for one in report.verdicts if one.word == FITS and not report.verdicts[0].fits]
    fitting = [*roomy, *(one.variant for one in report.verdicts if one.fits)]
    assert report.chosen == (fitting[0] if fitting else report.verdicts[0].variant)
    assert set(computed.resolved.loaded.scenario.answers) <= set(report.asked)


@each
def test_every_cited_source_is_listed_once(computed: Computed) -> None:
    report = made(computed)
    assert [one.number for one in report.sources] == list(range(1, len(report.sources) + 1))
    assert len({(one.title, one.address) for one in report.sources}) == len(report.sources)
    assert {one.source for one in report.assumptions} - {0} <= {one.number for one in report.sources}


@each
def test_shares_of_a_roofline_are_a_whole_and_bounds_follow_the_ridge(computed: Computed) -> None:
    for roof in made(computed).speed.rooflines:
        assert math.fsum(row.share.value for row in roof.kernels) == pytest.approx(1)
        assert all((row.bound == "arithmetic") is (row.intensity.value >= roof.ridge.value) for row in roof.kernels)
        assert all(row.attainable.value <= roof.peak.value for row in roof.kernels)


@each
def test_cost_lines_add_up(computed: Computed) -> None:
    lines = {line.name: line.value for line in made(computed).money.lines}
    if not lines:
        assert computed.resolved.loaded.scenario.cost is None
        return
    assert lines["cost_total_usd"] == pytest.approx(
        lines["subtotal_usd"] + lines.get("contingency_usd", 0) + lines.get("tax_usd", 0)
    )


@each
def test_grids_hold_every_point_and_its_verdict(computed: Computed) -> None:
    for at, grid in enumerate(made(computed).grids):
        points = computed.resolved.points(at)
        flat = [value for row in grid.points.values for value in row]
        assert flat == pytest.approx([computed.values[grid.figure.name][point] for point in points])
        words = [word != DOES_NOT_FIT for row in grid.points.words for word in row]
        assert words == [computed.values["fits"][point] == 1 for point in points]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # the parser's own signature
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@each
def test_worked_figures_are_whole_html_and_end_in_the_value(computed: Computed) -> None:
    report = made(computed)
    at = [case.name for case in computed.resolved.variants].index(report.chosen)
    assert len(report.derivation.groups) > 3
    for one in (one for group in report.derivation.groups for one in group.figures):
        for html in (one.symbol, one.working.formula, one.working.numbers):
            tags = _Tags()
            tags.feed(html)
            assert tags.open == []
        assert one.value == computed.values[one.name][at]
        assert one.meaning
        assert one.source


@each
def test_every_symbol_stands_for_one_thing_and_is_explained_once(computed: Computed) -> None:
    report, view = made(computed), View(computed)
    inputs = [(one.symbol, one.name) for one in report.derivation.symbols]
    steps = [(one.symbol, one.name) for group in report.derivation.groups for one in group.figures]
    besides = [(one.symbol, one.name) for group in report.derivation.groups for one in group.read]
    explained = [*inputs, *(one for one in steps if one[1] != "accelerators"), *besides]  # which is the input `count`
    assert len({name for _, name in explained}) == len(explained)
    assert len({symbol for symbol, _ in explained}) == len(explained)
    read = {name for _, step in steps for name in view.lines[step].reads if name in view.lines}
    assert read <= {name for _, name in [*steps, *besides]}


def test_a_formula_that_turns_units_has_its_numbers_in_them(tmp_path: Path) -> None:
    text = scenario_text(cost="{basis: rent, price: aws-p4de-on-demand, hours: 122.4}")
    view = View(run(tmp_path, text))
    energy, hours = (worked(view, view.lines[name], 0) for name in ("energy_kwh", "training_hours"))
    assert "h</span>" in energy.working.numbers
    assert "1,000\u00a0Wh/kWh" in energy.working.numbers
    assert "days" not in energy.working.numbers + hours.working.numbers + hours.working.result
    assert "3,600\u00a0s/h" in hours.working.numbers


def test_numbers_are_put_into_the_formula(tmp_path: Path) -> None:
    view = View(run(tmp_path, scenario_text(training="{micro_batch_size: 3, sequence_length: 1000}")))
    step = worked(view, view.lines["tokens_per_micro_batch"], 0)
    assert re.search("<i>B</i> · .*<i>T</i>", step.working.formula)
    assert re.search("3 · .*1,000\u00a0tokens", step.working.numbers)
    assert step.working.result == "3,000 tokens"


@each
def test_the_case_that_applies_gives_the_same_value(computed: Computed) -> None:
    view = View(computed)
    for line in view.lines.values():
        inputs = {name: view.value(bound, 0) for name, bound in line.bound.items()}
        one = active_branch(line.figure.expression, inputs)
        assert "where" not in [getattr(node, "word", "") for node in walk(one)]
        assert replay(one, inputs) == pytest.approx(replay(line.figure.expression, inputs), nan_ok=True)


def test_much_memory_is_in_gib_as_on_page_1(tmp_path: Path) -> None:
    view = View(run(tmp_path, scenario_text(overrides="{parameters: 7e11}")))
    assert worked(view, view.lines["peak_bytes"], 0).working.result == in_gib(view.value("peak_bytes", 0))
    assert view.value("peak_bytes", 0) > 1024 * GIB


def test_changes_that_are_enough_alone_stand_on_page_2(tmp_path: Path) -> None:
    report = reported(decide(run(tmp_path, scenario_text())))
    assert report.plan is not None
    assert report.plan.alone is not None
    alone = [one for one in report.plan.alone.rows if one.peak and one.word in WHOLE]
    assert alone
    page = sheet_html(report)
    assert all(f">{one.title}<" in page and one.peak and one.peak.text in page for one in alone)


def test_a_fact_of_the_card_that_is_overridden_is_not_the_catalogue_s(tmp_path: Path) -> None:
    report = made(run(tmp_path, scenario_text(overrides="{capacity_bytes: 80 GB}")))
    assert [one.origin for one in report.assumptions if one.name == "capacity_bytes"] == ["override: case.yaml:8"]


@pytest.mark.parametrize("liger", ["true", "false"])
def test_figures_of_a_case_that_does_not_apply_are_no_steps(liger: str, tmp_path: Path) -> None:
    report = made(run(tmp_path, scenario_text(training=f"{{use_liger_kernel: {liger}}}")))
    steps = {one.name for group in report.derivation.groups for one in group.figures}
    assert ("fused_linear_loss_bytes" in steps) is (liger == "true")
    assert "logits_bytes" in steps
    read = {one.name for group in report.derivation.groups for one in group.read}
    assert ("fused_linear_loss_bytes" in read) is (liger == "false")


def test_factors_of_one_token_are_not_shown(tmp_path: Path) -> None:
    view = View(run(tmp_path, scenario_text()))
    line = view.lines["logits_bytes"]
    assert "ONE_TOKEN" in str(line.figure.expression)
    assert "ONE_TOKEN" not in str(tidied(line.figure.expression))


def test_a_job_that_fits_only_at_the_expected_peak_is_tight(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(variants="{asked: {}, tight: {peak_bytes: 79.9 GiB}}"))
    verdict = made(computed).verdicts[1]
    assert verdict.word == TIGHT
    assert verdict.fits


def test_rounding_never_hides_a_verdict(tmp_path: Path) -> None:
    text = scenario_text(variants="{over: {peak_bytes: 85899345930}, under: {peak_bytes: 85899345910}}")
    over, under = made(run(tmp_path, text)).verdicts
    assert (over.word, under.fits) == (DOES_NOT_FIT, True)
    assert over.room.peak_text != over.room.capacity_text
    assert under.room.peak_text != under.room.capacity_text


@given(st.floats(1, 1e15), st.floats(1, 1e15))
def test_sizes_that_differ_read_different(first: float, second: float) -> None:
    one, other = pair_in_gib(first, second)
    assert (one == other) is (first == second)


@given(st.floats(1e6, 1e13), st.integers(-40, 40))
def test_rounding_never_turns_a_verdict_round(capacity: float, steps: int) -> None:
    peak = capacity * (1 + steps * 2.0**-40)
    read, limit = (float(text.split()[0].replace(",", "")) for text in pair_in_gib(peak, capacity))
    assert (read > limit) is (peak > capacity)
    assert (read < limit) is (peak < capacity)


@given(st.floats(1e6, 1e13))
def test_a_size_beside_another_reads_as_it_reads_alone(capacity: float) -> None:
    assert pair_in_gib(capacity / 3, capacity) == (in_gib(capacity / 3), in_gib(capacity))


def test_a_host_without_room_is_a_reason_of_its_own(tmp_path: Path) -> None:
    text = scenario_text(
        training="{zero_stage: 3, optimizer_offload: cpu, gradient_checkpointing: full}",
        overrides="{host_memory_bytes: 1 GB}",
    )
    computed = run(tmp_path, text)
    (verdict,) = made(computed).verdicts
    assert verdict.word == DOES_NOT_FIT
    assert "the host lacks" in verdict_on(job_of(computed.resolved.loaded, computed.resolved.catalogue))


def test_what_is_given_instead_of_computed_is_an_assumption_of_page_1(tmp_path: Path) -> None:
    report = made(run(tmp_path, scenario_text(overrides="{parameters: 7e9}")))
    given = next(one for one in report.assumptions if one.name == "parameters")
    assert given.decisive
    assert given.title == "Parameters (given, not computed)"
    assert given.origin == "override: case.yaml:8"


@pytest.mark.parametrize(("hours", "said"), [("10", True), ("1000", False)])
def test_a_cost_that_covers_only_part_of_the_run_says_so(hours: str, said: bool, tmp_path: Path) -> None:
    cost = f"{{basis: rent, price: aws-p4de-on-demand, hours: {hours}}}"
    computed = run(tmp_path, scenario_text(cost=cost, training="{training_tokens: 1e9, method: lora}"))
    report = made(computed)
    assert (["Of this cost", CUT_SHORT] in in_short.rows(computed, [0])) is said
    assert ("on 1 GPU, less than the" in report.money.note) is said


@pytest.mark.parametrize(
    ("words", "position"), [("ntf", 2), ("ntt", 1), ("tff", 0), ("fnn", 0), ("nnn", None), ("nft", 1)]
)
def test_a_budget_is_about_the_first_variant_with_room(words: str, position: int | None) -> None:
    assert deciding([{"f": FITS, "t": TIGHT, "n": DOES_NOT_FIT}[word] for word in words]) == position


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("kv_cache_dtype", "KV cache data type"),
        ("board_power_watts", "Board power watts"),
        ("training.zero_stage", "ZeRO stage"),
        ("lora_rank", "LoRA rank"),
    ],
)
def test_names_become_plain_words(name: str, title: str) -> None:
    assert title_of(name) == title


def test_small_words() -> None:
    assert in_sentence("Micro batch size") == "micro batch size"
    assert in_sentence("KV cache") == "KV cache"
    assert in_gib(1_500 * 2**30) == "1,500 GiB"
    assert in_gib(-(2.0**30)) == "−1 GiB"
    assert counted(7e10, "1") == "70 billion"
    assert counted(1e9, "token") == "1 billion tokens"
    assert counted(6_738_415_616, "1") == "6,738,415,616"
    assert indexed("M_kv") == "<i>M</i><sub>kv</sub>"
    assert indexed("<b>") == "<i>&lt;b&gt;</i>"
