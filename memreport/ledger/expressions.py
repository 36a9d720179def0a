"""Small expressions of figures, as ledgers write them: `weight_bytes + gradient_bytes`, `a / against.a`, `a < b`.

An expression names figures and inputs; it holds no numbers but 0 and 1.  It becomes a recording like a figure's own
formula, so its units are checked and its numbers come from the same words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from memreport.errors import FormulaError
from memreport.formula.recording import walk
from memreport.formula.words import Expr, Ref, ceil, floor, larger, leaf, power, smaller, sqrt, where

AGAINST = "against."
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": smaller,
    "max": larger,
    "ceil": ceil,
    "floor": floor,
    "sqrt": sqrt,
    "power": power,
    "where": where,
}
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
_COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
MAX_LENGTH = 400


def recorded(text: str, look_up: Callable[[str], Ref]) -> Expr:
    """The expression as a recording; `look_up` gives each name its unit and may raise.

    Raises FormulaError for what an expression may not say, UnitError where units do not match.
    """
    if len(text) > MAX_LENGTH:
        raise FormulaError("the expression is too long; what it says should be a figure")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError("is not an expression of figures") from error
    return leaf(_read(tree.body, look_up))


def _read(node: ast.expr, look_up: Callable[[str], Ref]) -> Any:
    if isinstance(node, ast.Name | ast.Attribute):
        return look_up(_dotted(node))
    if isinstance(node, ast.Constant):
        return leaf(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_read(node.left, look_up), _read(node.right, look_up))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
        return _COMPARED[type(node.ops[0])](_read(node.left, look_up), _read(node.comparators[0], look_up))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _function(node.func.id)(*(_read(argument, look_up) for argument in node.args))
    raise FormulaError(f"an expression holds names, 0, 1, + - * / < <= > >= and {', '.join(_FUNCTIONS)}")


def _function(name: str) -> Callable[..., Any]:
    if name not in _FUNCTIONS:
        raise FormulaError(f"an expression knows no {name}(); it knows {', '.join(_FUNCTIONS)}")
    return _FUNCTIONS[name]


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Name):
        return node.id
    raise FormulaError("a name is made of words joined by dots")


def names_in(expression: Expr) -> tuple[str, ...]:
    """The names that an expression reads, in their order."""
    return tuple(dict.fromkeys(node.name for node in walk(expression) if isinstance(node, Ref)))
