"""Twelve entries over four quarters against a simulation hour by hour, and every mistake as one clear fault."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memreport.commands.main import main
from memreport.portfolio.plan import Planned, plan
from tests.support import ROOT, scenario_text

Said = pytest.CaptureFixture[str]
PRICE = 2.0
JOBS = {"small": (4, 240), "large": (16, 480)}  # GPUs, hours of a run
SERVICE_GPUS = 2
PORTFOLIO = """schema: 1
id: all-2027
title: All jobs of 2027
horizon: {start: 2027-01, months: 12}
currency: EUR
rates: [{currency: EUR, usd: 1.25, date: 2026-11-20, source: central bank}]
owned: [{accelerator: a100-80gb-sxm, count: 8, first: 2027-01, purchase: 16000 EUR, life_years: 4, running: 100 USD}]
reserved: [{accelerator: a100-80gb-sxm, count: 4, first: 2027-04, last: 2027-09, price: 1.5 USD}]
budgets:
  - {owner: ml, quarter: 2027-Q1, amount: 4000}
  - {owner: serving, quarter: 2027-Q3, amount: 100000 EUR}
  - {owner: research, quarter: 2027-Q4, amount: 1}
commitments: [{accelerator: a100-80gb-sxm, committed: 1.1, on_demand: 2, term_months: 12}]
entries:
"""
ENTRIES: list[dict[str, Any]] = [
    {"scenario": "small", "start": "2027-01", "owner": "ml", "times": 2, "priority": 2},
    {"scenario": "large", "start": "2027-01-10", "owner": "ml", "priority": 3},
    {"scenario": "service", "start": "2027-01", "owner": "serving", "priority": 1},
    {"scenario": "small", "start": "2027-02-20", "owner": "research", "probability": 0.5},
    {"scenario": "service", "start": "2027-03", "owner": "serving", "months": 4, "times": 3},
    {"scenario": "large", "start": "2027-04-01", "owner": "ml", "times": 2},
    {"scenario": "small", "start": "2027-05-15", "owner": "research", "priority": 9},
    {"scenario": "large", "start": "2027-06-20", "owner": "ml", "cost_centre": "'4711'"},
    {"scenario": "small", "start": "2027-08", "owner": "research", "probability": 0.25, "times": 3},
    {"scenario": "service", "start": "2027-10", "owner": "serving", "probability": 0.8},
    {"scenario": "large", "start": "2027-12-20", "owner": "research"},
    {"scenario": "small", "start": "2027-11-01", "owner": "ml", "times": 4},
]


def written(folder: Path, text: str = "", **changed: str) -> Path:
    """The portfolio with its three scenarios; `changed` replaces parts of its text."""
    hardware = "{accelerator: a100-80gb-sxm, count: %d, host: dgx-a100}"
    plain = {"owner": "ml", "overrides": f"{{usd_per_accelerator_hour: {PRICE}}}"}
    for name, (gpus, hours) in JOBS.items():
        cost = f"{{basis: rent, price: aws-p4de-on-demand, hours: {hours}}}"
        (folder / f"{name}.yaml").write_text(
            scenario_text(name, hardware=hardware % gpus, cost=cost, **plain), encoding="utf-8"
        )
    service = {"workload": "serving", "cost": "{basis: rent, price: aws-p4de-on-demand, goodput: 1}"}
    (folder / "service.yaml").write_text(
        scenario_text("service", hardware=hardware % SERVICE_GPUS, **plain, **service), encoding="utf-8"
    )
    lines = (", ".join(f"{name}: {value}" for name, value in one.items()) for one in ENTRIES)
    whole = text or PORTFOLIO + "".join(
        f"  - {{{line.replace('scenario: ', 'scenario: ', 1)}}}\n".replace("small,", "small.yaml,")
        .replace("large,", "large.yaml,").replace("service,", "service.yaml,") for line in lines
    )  # fmt: skip
    for old, new in changed.items():
        whole = whole.replace(CHANGES[old], new)
    path = folder / "portfolio.yaml"
    path.write_text(whole, encoding="utf-8")
    return path


CHANGES = {
    "start": "start: 2027-01-10",
    "owner": "owner: research, probability: 0.5",
    "amount": "amount: 4000",
    "last": "last: 2027-09",
    "gpu": "committed: 1.1",
    "scenario": "scenario: large.yaml, start: 2027-12-20",
    "rates": "rates: [",
    "quarter": "quarter: 2027-Q3",
    "on_demand": "on_demand: 2",
}


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    return plan(written(tmp_path_factory.mktemp("portfolio")))


class Simulated:
    """Every hour of the year: what runs, in the order of priorities, on GPUs that are there or rented."""

    def __init__(self) -> None:
        self.rent: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.used, self.short, self.idle, self.covered = (np.zeros(12) for _ in range(4))
        self.by_entry = np.zeros((12, 12))
        begun = datetime(2027, 1, 1)  # noqa: DTZ001  # hours of a calendar without summer time
        for hour in range(8760):
            self._hour(begun + timedelta(hours=hour))

    def _hour(self, now: datetime) -> None:
        month = now.month - 1
        there = left = 8 + (4 if 4 <= now.month <= 9 else 0)
        running = [(one.get("priority", 1), start, at) for at, one in enumerate(ENTRIES) for start in [self._start(one)]
                   if start <= now < self._stop(one, start)]  # fmt: skip
        for _, _, at in sorted(running):
            gpus = self._gpus(ENTRIES[at])
            own = min(left, gpus)
            left -= own
            self.rent[at][month] += (gpus - own) * PRICE * ENTRIES[at].get("probability", 1.0)
            self.by_entry[at, month] += own
            self.used[month] += gpus
            self.short[month] += gpus - own
        self.idle[month] += left
        self.covered[month] += there

    @staticmethod
    def _start(one: dict[str, Any]) -> datetime:
        year, month, day = [*map(int, one["start"].split("-")), 1][:3]
        return datetime(year, month, day)  # noqa: DTZ001

    @staticmethod
    def _stop(one: dict[str, Any], start: datetime) -> datetime:
        if one["scenario"] == "service":
            last = start.month + one.get("months", 13 - start.month)
            return datetime(2027 + (last > 12), (last - 1) % 12 + 1, 1)  # noqa: DTZ001
        return start + timedelta(hours=JOBS[one["scenario"]][1] * one.get("times", 1))

    @staticmethod
    def _gpus(one: dict[str, Any]) -> int:
        service = one["scenario"] == "service"
        return SERVICE_GPUS * one.get("times", 1) if service else JOBS[one["scenario"]][0]


@pytest.fixture(scope="module")
def simulated() -> Simulated:
    return Simulated()


def test_rent_by_entry_and_month(planned: Planned, simulated: Simulated) -> None:
    expected = [[simulated.rent[at][month] for month in range(12)] for at in range(12)]
    assert planned.spend.rent == pytest.approx(np.array(expected))
    assert planned.spend.net == pytest.approx(np.array(expected))


def test_gpu_hours(planned: Planned, simulated: Simulated) -> None:
    (use,) = planned.uses
    for name, expected in (("used", simulated.used), ("short", simulated.short), ("idle", simulated.idle)):
        assert getattr(use, name) == pytest.approx(expected), name
    assert use.there == pytest.approx(simulated.covered)


def test_capital_and_operating_cost_apart_billed_and_borne(planned: Planned, simulated: Simulated) -> None:
    parts = planned.spend.parts
    assert parts["depreciation"] == pytest.approx([16000 * 1.25 * 8 / 48] * 12)
    assert parts["running"] == pytest.approx([800.0] * 12)
    days = np.array([0, 0, 0, 30, 31, 30, 31, 31, 30, 0, 0, 0])
    assert parts["reserved"] == pytest.approx(days * 24 * 4 * 1.5)
    rent = np.array([sum(simulated.rent[at][month] for at in range(12)) for month in range(12)])
    borne = rent + 16000 * 1.25 * 8 / 48 + 800 + days * 24 * 4 * 1.5
    assert planned.spend.effective == pytest.approx(borne)
    assert sum(parts.values()) == pytest.approx(borne)
    billed = borne - 16000 * 1.25 * 8 / 48 + np.array([16000 * 1.25 * 8, *[0] * 11])
    assert planned.spend.billed == pytest.approx(billed)


def test_owners_bear_what_they_use_and_idle_gpus_are_a_row_of_their_own(planned: Planned, simulated: Simulated) -> None:
    found = planned.spend.by(planned.jobs.named.owners)
    assert sum(found.values()) == pytest.approx(planned.spend.effective)
    days = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    reserved = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]) * days * 24 * 4 * 1.5
    rate = (16000 * 1.25 * 8 / 48 + 800 + reserved) / simulated.covered
    for owner in ("ml", "serving", "research"):
        own = [at for at, one in enumerate(ENTRIES) if one["owner"] == owner]
        expected = [sum(simulated.rent[at][month] + simulated.by_entry[at, month] * rate[month] for at in own)
                    for month in range(12)]  # fmt: skip
        assert found[owner] == pytest.approx(expected), owner
    assert found["idle GPUs"] == pytest.approx(simulated.idle * rate, abs=1e-6)


def test_ranges_add_common_causes_and_take_the_root_of_independent_ones(planned: Planned) -> None:
    net, jobs = planned.spend.net.sum(axis=1), planned.jobs
    common = float((net * (jobs.ranges.price_high - 1)).sum())
    groups: dict[str, float] = defaultdict(float)
    for name, part in zip(jobs.named.scenarios, net * (jobs.ranges.time_high - 1), strict=True):
        groups[name] += part
    own = sum(value**2 for value in groups.values()) ** 0.5
    assert planned.range.common[1] == pytest.approx(common)
    assert planned.range.high == pytest.approx(planned.spend.effective.sum() + common + own)
    assert planned.range.low < planned.spend.effective.sum()


def test_budgets_say_what_brings_them_under(planned: Planned) -> None:
    found = {one.owner: one for one in planned.budgets}
    assert found["serving"].over < 0
    assert not found["serving"].without
    assert found["ml"].over == pytest.approx(found["ml"].spend - 4000)
    assert found["ml"].without == ("large (2027-01-10)",)  # it has the last priority of ml in that quarter


def test_a_run_beyond_the_horizon_is_named(planned: Planned) -> None:
    assert planned.spend.outside == pytest.approx((480 - 12 * 24) * 16 * PRICE)


def test_what_is_published_says_the_same(tmp_path: Path, capsys: Said) -> None:
    path = written(tmp_path)
    assert main(["build", str(path), "--out", str(tmp_path / "out")]) == 0
    data = json.loads((tmp_path / "out/all-2027/all-2027.json").read_text(encoding="utf-8"))
    text = (tmp_path / "out/all-2027/all-2027.txt").read_text(encoding="utf-8")
    assert f"costs {sum(data['effective_usd']) / 1.25:,.0f} EUR" in text
    assert len(data["entries"]) == 12
    capsys.readouterr()
    assert main(["show", str(path), "--all"]) == 0
    assert capsys.readouterr().out == text
    assert main(["show", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == data


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    path, made = written(tmp_path), []
    for name in ("one", "two"):
        assert main(["build", str(path), "--out", str(tmp_path / name)]) == 0
        made.append({file.name: file.read_bytes() for file in (tmp_path / name / "all-2027").iterdir()})
    assert made[0] == made[1]


def test_a_portfolio_is_made_again_only_when_something_has_changed(tmp_path: Path, capsys: Said) -> None:
    path, out = written(tmp_path), tmp_path / "out"
    build = ["build", str(path), "--out", str(out), "--formats", "json"]

    def said(*more: str) -> str:
        assert main([*build, *more]) == 0
        return capsys.readouterr().err.partition(":")[2].partition(":")[0].strip()

    assert [said(), said(), said("--force"), said()] == [
        "portfolio built", "portfolio unchanged", "portfolio built", "portfolio unchanged",
    ]  # fmt: skip
    (tmp_path / "small.yaml").write_text((tmp_path / "small.yaml").read_text("utf-8") + "# seen\n", encoding="utf-8")
    assert [said(), said()] == ["portfolio built", "portfolio unchanged"]
    (out / "all-2027/all-2027.json").write_text("{}", encoding="utf-8")
    assert said() == "portfolio built"


def test_a_portfolio_follows_a_configuration_that_lies_elsewhere(tmp_path: Path, capsys: Said) -> None:
    jobs, config = tmp_path / "jobs", tmp_path / "elsewhere/config.json"
    for folder in (jobs, config.parent):
        folder.mkdir()
    path, given = written(jobs), next((ROOT / "tests/data/configs").rglob("llama*.json")).read_text(encoding="utf-8")
    config.write_text(given, encoding="utf-8")
    small = (jobs / "small.yaml").read_text(encoding="utf-8")
    named = re.sub(r"(?m)^model: .*$", "model: ../elsewhere/config.json", small)
    (jobs / "small.yaml").write_text(named, encoding="utf-8")
    said = []
    for text in (given, given, f"{given}\n"):
        if text != given:
            config.write_text(text, encoding="utf-8")
        assert main(["build", str(path), "--out", str(tmp_path / "out"), "--formats", "json"]) == 0
        said.append("unchanged" in capsys.readouterr().err)
    assert named != small
    assert said == [False, True, False]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"start": "start: 2028-01-10"}, "entries.1.start: is outside the horizon (found 2028-01-10"),
        ({"start": "start: 2027-02-30"}, "entries.1.start: is no date"),
        ({"owner": "owner: reserch, probability: 0.5"}, "entries.3.owner: no such owner with a budget"),
        ({"amount": "amount: 4000 CHF"}, "budgets.0.amount: CHF has no rate under rates"),
        ({"amount": "amount: lots EUR"}, "budgets.0.amount: does not begin with a finite number"),
        ({"rates": "rates: [] #"}, "currency: EUR has no rate"),
        (
            {"rates": "rates: [{currency: USD, usd: 1.1, date: 2026-11-20, source: x}, "},
            "rates.0.currency: is what every",
        ),
        ({"owner": "owner: research, cost_centre: idle GPUs"}, "entries.3: idle GPUs is who bears GPUs that nobody"),
        ({"owner": "owner: research, probability: 0"}, "entries.3.probability: must be more than 0"),
        ({"last": "last: 2027-03"}, "reserved.0.last: is before first"),
        ({"on_demand": "on_demand: 0 EUR"}, "commitments.0.on_demand: must be more than 0"),
        ({"amount": "amount: -1"}, "budgets.0.amount: must be at least 0"),
        ({"quarter": "quarter: 2028-Q3"}, "budgets.1.quarter: is outside the horizon"),
        ({"gpu": "commited: 1.1"}, "did you mean 'committed'?"),
        ({"scenario": "scenario: larg.yaml, start: 2027-12-20"}, "entries.10.scenario: no such scenario file"),
        ({"scenario": "scenario: large.yaml, variant: none, start: 2027-12-20"}, "entries.10.variant: no such variant"),
        ({"scenario": "scenario: large.yaml, months: 2, start: 2027-12-20"}, "entries.10.months: is of services"),
    ],
)
def test_a_mistake_is_one_clear_fault(tmp_path: Path, capsys: Said, changed: dict[str, str], said: str) -> None:
    path = written(tmp_path, **changed)
    assert main(["show", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "portfolio.yaml:" in error
    assert "Traceback" not in error


def test_rows_of_the_same_gpus_may_not_overlap(tmp_path: Path, capsys: Said) -> None:
    path = written(tmp_path)
    row = "  - {accelerator: a100-80gb-sxm, count: 1, price: 1, first: %s, last: %s}\n"
    text = path.read_text(encoding="utf-8")
    begin = text.index("reserved:")
    end = text.index("budgets:")
    for second, code in (("2027-06", 2), ("2027-07", 0)):
        rows = row % ("2027-01", "2027-06") + row % (second, "2027-12")
        path.write_text(f"{text[:begin]}reserved:\n{rows}{text[end:]}", encoding="utf-8")
        assert main(["show", str(path)]) == code
    assert "reserved.1: overlaps reserved.0 in time" in capsys.readouterr().err


def test_a_folder_shows_its_portfolio_too_and_an_owner_may_have_no_budget(tmp_path: Path, capsys: Said) -> None:
    written(tmp_path, owner="owner: physics, probability: 0.5")
    assert main(["show", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "physics has no budget: " in said
    assert "has no budget: 0 EUR" not in said
    assert all(f"{name}: " in said.rpartition("has no budget")[2] for name in ("small", "large", "service"))
