"""All figures of a workload as one straight numpy function, without engine: what a patient person would write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import reduce

import numpy as np

from memreport.catalogue.records import Numbers
from memreport.formula.recording import Line
from memreport.formula.words import Expr, Num, Op, Ref

Program = Callable[[Mapping[str, Numbers]], dict[str, Numbers]]
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}
FUNCTIONS = {
    "smaller": lambda *a: reduce(np.minimum, a),
    "larger": lambda *a: reduce(np.maximum, a),
    "total": lambda *a: reduce(np.add, a),
    "ceil": lambda a: np.ceil(np.round(a, 9)),
    "floor": lambda a: np.floor(np.round(a, 9)),
    "sqrt": np.sqrt,
    "power": np.power,
    "where": np.where,
}


def variable(name: str) -> str:
    """The name of a line as the name of a variable."""
    return "v_" + re.sub(r"\W", "__", name)


def source(expression: Expr, bound: Mapping[str, str]) -> str:
    """The text of one formula in Python."""
    if isinstance(expression, Ref):
        return variable(bound[expression.name])
    if isinstance(expression, Num):
        return repr(expression.value)
    assert isinstance(expression, Op)
    parts = [source(arg, bound) for arg in expression.args]
    if expression.word in OPERATORS:
        return f"({f' {OPERATORS[expression.word]} '.join(parts)})"
    return f"{expression.word}({', '.join(parts)})"


def program(lines: Iterable[Line], wanted: Iterable[str]) -> Program:
    """A function of the inputs: one statement a figure, a variable deleted after its last use."""
    listed, keep = list(lines), set(wanted)
    own = {line.name for line in listed}
    last = {read: at for at, line in enumerate(listed) for read in line.reads}
    inputs = sorted({read for line in listed for read in line.reads} - own)
    body = [f"{variable(name)} = inputs[{name!r}]" for name in inputs]
    for at, line in enumerate(listed):
        body.append(f"{variable(line.name)} = {source(line.figure.expression, line.bound)}")
        spent = sorted(read for read in set(line.reads) if last[read] == at and read in own - keep)
        body += [f"del {', '.join(map(variable, spent))}"] if spent else []
    body.append(f"return {{{', '.join(f'{name!r}: {variable(name)}' for name in sorted(keep))}}}")
    text = "def made(inputs):\n    " + "\n    ".join(body)
    space: dict[str, Program] = dict(FUNCTIONS)  # type: ignore[arg-type]  # the words are what the text calls
    exec(compile(text, "straight numpy", "exec"), space)  # noqa: S102  # text made here, from our own figures
    return space["made"]
