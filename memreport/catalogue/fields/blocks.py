"""What the blocks of all files that people write have in common: no field that is not known, real days, units."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, BeforeValidator, ConfigDict

from memreport.catalogue.quantities import parse_quantity


class StrictBlock(BaseModel):
    """Fields of a file; one that is not known is a fault."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


def first_day(text: str) -> date | None:
    """The first day that a date may mean: a year or a month begins it; None where it is no date."""
    parts = text.split("-")
    try:
        return date.fromisoformat("-".join([*parts, "01", "01"][:3])) if len(parts) <= 3 else None
    except ValueError:
        return None


def real_day(text: str) -> str:
    """A date that a calendar has.  Raises ValueError."""
    if first_day(text) is None:
        raise ValueError("is no date, such as 2026-11-20")
    return text


def in_unit(unit: str) -> BeforeValidator:
    """Reads a quantity that is written with a unit as a number in this one."""
    return BeforeValidator(lambda value: parse_quantity(value, unit) if isinstance(value, str) else value)
