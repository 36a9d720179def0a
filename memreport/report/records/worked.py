"""The derivation as records: every step with symbols, with numbers put in, and with its result."""

from __future__ import annotations

from memreport.frozen import frozen


@frozen
class Working:
    """A formula with symbols, the same with numbers put in, the result.  Formulas are HTML."""

    formula: str
    numbers: str
    result: str


@frozen
class WorkedFigure:
    """A step of the calculation."""

    name: str
    symbol: str
    meaning: str
    working: Working
    value: float
    unit: str
    basis: str
    source: str
    overridden: bool


@frozen
class WorkedGroup:
    """Worked figures under one heading; `left_out` counts those that are zero or unused here and stand in the workbook.

    `read` explains the symbols of figures that these read, and that are zero or unused here or parts of the roofline.
    """

    title: str
    figures: tuple[WorkedFigure, ...]
    read: tuple[SymbolMeaning, ...]
    left_out: int
    variant: str


@frozen
class SymbolMeaning:
    """A symbol of an input: what it stands for, and its value in the headline's variant."""

    symbol: str
    name: str
    meaning: str
    text: str


@frozen
class Derivation:
    """Every step of the chosen variant's figures, with the symbols of its inputs; empty where not asked for."""

    symbols: tuple[SymbolMeaning, ...] = ()
    groups: tuple[WorkedGroup, ...] = ()
