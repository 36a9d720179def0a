"""What `memreport gate` judges: scenarios of two revisions against the policy of the first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memreport.build.versions.sides import Side, side
from memreport.catalogue.git.revisions import is_in, parted, version
from memreport.catalogue.terms.policy import Policy, read_policy
from memreport.errors import Fault, InputError
from memreport.files import lies
from memreport.portfolio import is_portfolio
from memreport.report.changes.difference import difference
from memreport.report.changes.regressions import worst_first
from memreport.report.gate.amounts import of_portfolio, of_scenarios
from memreport.report.gate.judging import BothAmounts, judged_by, unused_waivers
from memreport.report.gate.sides import Sided
from memreport.report.records.changes.gate import GateReport
from memreport.report.view import View, shown


def gate(base: str, head: str, policy: str, day: str) -> GateReport:
    """Every rule of the policy on every scenario of `head`; `day` is today in UTC.

    Raises InputError and MachineError: what could not be computed is never a finding.
    """
    now_at = head or parted(base)[0]
    rules, notes = _policy(base, policy, day)
    before, missing = _base(base)
    now = side(now_at)
    if before and (before.several, not before.planned) != (now.several, not now.planned):
        raise InputError([Fault("compares two files, two folders or two portfolios", file=f"{base} and {now_at}")])
    if rules.rules.budgets and not (rules.rules.budgets.owners or now.planned):
        raise InputError([Fault("rules.budgets needs owners: only a portfolio states budgets of its own", policy)])
    sides = list(_sides(before, now))
    results = judged_by(rules, sides, amounts_of(before, now, sides, now_at), day)
    changes = worst_first([difference(sided.before.computed, sided.after.computed) for sided in sides if sided.before])
    changed = (*_lapsed(sides), *_new(before, sides), *_gone(base, before, now))
    said = (*notes, *missing, *_wide(rules), *changed, *unused_waivers(rules, results))
    return GateReport(base, now_at, policy, day, results, said, tuple(changes))


def amounts_of(before: Side | None, now: Side, sides: list[Sided], now_at: str) -> BothAmounts:
    """What is spent together: what a portfolio bears, else what all scenarios have to have approved."""
    if now.planned:
        then = of_portfolio(before.planned, "") if before and before.planned else None
        return then, of_portfolio(now.planned, parted(now_at)[0])
    scenarios = before.scenarios if before and now.several else {}
    return of_scenarios(sides, [View(scenario) for id_, scenario in scenarios.items() if id_ not in now.scenarios])


def _policy(base: str, policy: str, day: str) -> tuple[Policy, list[str]]:
    """The policy as it is in the base, so that a change cannot loosen its own gate; a new one as it stands."""
    path, revision = parted(base)
    _look_for(base, path, revision)
    if not revision:
        _refuse_missing(path, policy)
        return read_policy(Path(policy), day), []
    if not is_in(Path(policy), revision):
        return read_policy(Path(policy), day), [f"{policy} is not in {revision} yet: judged by the file as it stands"]
    with version(f"{policy}@{revision}") as found:
        try:
            return read_policy(found.path, day), []
        except InputError as error:
            raise InputError([found.renamed(fault) for fault in error.faults]) from error


def _look_for(base: str, path: str, revision: str) -> None:
    """Raises InputError, which names BASE, where there is no such folder, repository or revision."""
    try:
        if revision:
            is_in(Path(path), revision)
            return
        with version(base):
            return
    except InputError as error:
        said = {name: getattr(error.faults[0], name) for name in Fault.__slots__}
        raise InputError([Fault(**said | {"file": base, "field": "BASE"})]) from error


def _refuse_missing(path: str, policy: str) -> None:
    """Raises InputError where there is no policy, and says how to make a first one."""
    if lies(Path(policy)):
        return
    own = Path(path) / Path(policy).name
    near = str(own) if lies(own) else ""
    how = f"--policy FILE, or memreport gate {path} --init, which writes a first one"
    raise InputError([Fault("there is no such policy", policy, expected=how, nearest=near)])


def _base(base: str) -> tuple[Side | None, list[str]]:
    """The scenarios of the base, and what is said where it has none or some that cannot be read."""
    path, revision = parted(base)
    if revision and not is_in(Path(path), revision):
        return None, [f"no baseline: {path} is not in {revision}; only absolute limits are judged"]
    try:
        found = side(base, partly=True)
    except InputError as error:
        if not is_portfolio(Path(path)):
            raise
        return None, [f"no baseline: {base} cannot be read, only absolute limits are judged: {error.faults[0]}"]
    said = (f"no baseline for {name}, which cannot be read in the base: {why}" for name, why in found.unread.items())
    return found, list(said)


def _sides(before: Side | None, now: Side) -> Iterator[Sided]:
    """Every scenario of the head with what it was: two files whatever their ids, those of folders by id."""
    old = before.scenarios if before else {}
    if old and not now.several:
        old = {next(iter(now.scenarios)): next(iter(old.values()))}
    for id_, scenario in now.scenarios.items():
        yield Sided(View(scenario), View(old[id_]) if id_ in old else None, parted(now.files[id_])[0])


def _new(before: Side | None, sides: list[Sided]) -> list[str]:
    unread = before.unread if before else {}
    new = [sided.id for sided in sides if before and sided.before is None and sided.id not in unread]
    return [f"new, judged by absolute limits: {', '.join(new)}"] if new else []


def _gone(base: str, before: Side | None, now: Side) -> list[str]:
    """Scenarios of the base that are there no more, by which all together may cost less."""
    names = [*before.scenarios, *before.unread] if before and now.several else []
    gone = [name for name in names if name not in {*now.scenarios, *now.unread}]
    return [f"deleted since {base}: {', '.join(gone)}"] if gone else []


def _wide(policy: Policy) -> Iterator[str]:
    """Limits on a rise that are more than the whole: a share without % is a factor."""
    for name in ("cost", "total_cost"):
        rule = getattr(policy.rules, name)
        if rule is not None and rule.share is not None and rule.share > 1:
            yield f"rules.{name}.share allows a rise of {shown(rule.share, 'share')}; 10 % is written 10 % or 0.1"


def _lapsed(sides: list[Sided]) -> list[str]:
    """Scenarios that say they are approved, with other inputs than were."""
    found = ((sided.id, sided.after.resolved.loaded) for sided in sides)
    return [f"{name} is {loaded.approval}" for name, loaded in found if loaded.lapsed]
