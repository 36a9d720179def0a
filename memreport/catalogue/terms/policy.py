"""The policy of a gate: which rules changes of scenarios must keep, and who waived which of them until when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from memreport.catalogue.fields.blocks import StrictBlock, in_unit, real_day
from memreport.catalogue.fields.validation import validated
from memreport.catalogue.quantities import parse_quantity
from memreport.catalogue.scenario import Line, Name
from memreport.catalogue.yaml import strict as strict_yaml
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault, InputError

FARTHEST = 180
"""Days that a waiver may lie ahead: without an end in sight it would be a change of the rule."""
RULE_UNITS: Mapping[str, str] = {
    "fits": "share", "headroom": "share", "cost": "USD", "total_cost": "USD", "budgets": "USD", "price_age": "1",
    "owner": "", "approval": "USD", "assumed_mfu": "share",
}  # fmt: skip
"""Every rule with the unit of the number that it judges; an owner is no number."""
RuleName = Literal["fits", "headroom", "cost", "total_cost", "budgets", "price_age", "owner", "approval", "assumed_mfu"]
Level = Literal["advisory", "approve", "block"]
Case = Literal["low", "likely", "high"]


Usd = Annotated[float, in_unit("USD")]
PolicyShare = Annotated[float, in_unit("share")]
LastDay = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(real_day)]


class PolicyRule(StrictBlock):
    """A rule: advisory warns, approve fails unless it is waived, block fails whatever is waived."""

    level: Level = Field(default="approve", description="advisory warns; approve can be waived; block cannot")


class RuleOnRange(PolicyRule):
    """A rule on an estimate that has a range."""

    on: Case = Field(default="likely", description="which end of the estimate is judged: low, likely or high")


class HeadroomRule(RuleOnRange):
    """The least headroom of the variant that decides."""

    at_least: PolicyShare = Field(ge=0, lt=1, description="share of the usable memory, such as 5 %")


class CostRule(RuleOnRange):
    """Limits of a cost: on its rise, which fails only past both of what is stated, and on the cost itself."""

    share: PolicyShare | None = Field(default=None, ge=0, description="the largest rise as a share, such as 10 %")
    amount: Usd | None = Field(default=None, ge=0, description="the largest rise in USD")
    at_most: Usd | None = Field(default=None, ge=0, description="the largest cost in USD")

    @model_validator(mode="after")
    def some_limit(self) -> CostRule:
        """A rule without a limit would always pass."""
        if self.share is None and self.amount is None and self.at_most is None:
            raise ValueError("needs a limit: share, amount or at_most")
        return self


class BudgetsRule(PolicyRule):
    """What the scenarios of each owner may cost together; a portfolio's own budgets are judged beside them."""

    owners: dict[Name, Usd] | None = Field(default=None, min_length=1, description="USD by owner")


class PriceAgeRule(PolicyRule):
    """How old a price may be."""

    days: int = Field(ge=1, le=3660, description="days between a price's date and today, at most")


class ApprovalRule(PolicyRule):
    """From which amount a scenario needs an approval."""

    over: Usd = Field(default=0, ge=0, description="USD above which a scenario has to be approved")


class AssumedMfuRule(PolicyRule):
    """How much model FLOP utilisation may be assumed."""

    at_most: PolicyShare = Field(gt=0, le=1, description="the largest assumed MFU, such as 50 %")


class PolicyRules(StrictBlock):
    """The rules by name; one that is not written is not judged."""

    fits: RuleOnRange | None = Field(default=None, description="no variant turns from fits to does not")
    headroom: HeadroomRule | None = Field(default=None, description="the least headroom")
    cost: CostRule | None = Field(default=None, description="the cost of each scenario")
    total_cost: CostRule | None = Field(default=None, description="what all scenarios have to have approved together")
    budgets: BudgetsRule | None = Field(default=None, description="what the scenarios of an owner may cost together")
    price_age: PriceAgeRule | None = Field(default=None, description="how old prices may be")
    owner: PolicyRule | None = Field(default=None, description="every scenario has an owner")
    approval: ApprovalRule | None = Field(default=None, description="scenarios over an amount are approved")
    assumed_mfu: AssumedMfuRule | None = Field(default=None, description="the largest assumed MFU")


class Waiver(StrictBlock):
    """A rule that need not hold for one scenario, up to the value that it was granted for and until a day in UTC."""

    rule: RuleName = Field(description="the rule that is waived")
    scenario: Name = Field(description="the scenario; for budgets the owner, for total_cost the word all")
    reason: Annotated[str, Field(min_length=1, max_length=2000)] = Field(description="why")
    by: Name = Field(description="who granted it")
    until: LastDay = Field(description="its last day, in UTC, such as 2026-12-31")
    value: float | None = Field(default=None, description="the value that it was granted for")
    ticket: Line = Field(default="", description="where it was asked for")

    @field_validator("value", mode="before")
    @classmethod
    def in_unit(cls, value: object, info: ValidationInfo) -> object:
        """A quantity in the unit of what the rule judges."""
        unit = RULE_UNITS.get(info.data.get("rule", ""), "")
        return parse_quantity(value, unit) if isinstance(value, str) and unit else value

    @model_validator(mode="after")
    def has_value(self) -> Waiver:
        """A waiver of a number ends where the number gets worse, so it names it."""
        if self.value is None and RULE_UNITS[self.rule]:
            raise ValueError("needs the value that it was granted for, such as value: 12000 USD")
        return self


class Policy(StrictBlock):
    """A policy file."""

    schema_: Literal[1] = Field(alias="schema", description="version of this file format")
    rules: PolicyRules = Field(description="what must hold")
    waivers: list[Waiver] = Field(default_factory=list, max_length=500, description="what need not hold, until when")


def read_policy(path: Path, today: str) -> Policy:
    """The policy of a file; waivers farther ahead than 180 days from `today` are faults.  Raises InputError."""
    document = strict_yaml.read(path)
    faults: list[Fault] = []
    policy = validated(document, Policy, faults)
    if policy is not None:
        faults += _waiver_faults(document, policy, today)
    if faults or policy is None:
        raise InputError(faults)
    return policy


def _waiver_faults(document: Document, policy: Policy, today: str) -> Iterator[Fault]:
    farthest = str(date.fromisoformat(today) + timedelta(days=FARTHEST))
    seen: set[tuple[str, str]] = set()
    for index, waiver in enumerate(policy.waivers):
        if waiver.until > farthest:
            message = f"is more than {FARTHEST} days ahead of {today} (UTC)"
            yield document.fault(("waivers", index, "until"), message, found=waiver.until, expected=f"up to {farthest}")
        if (waiver.rule, waiver.scenario) in seen:
            yield document.fault(("waivers", index), f"{waiver.rule} of {waiver.scenario} is waived twice")
        seen.add((waiver.rule, waiver.scenario))
