"""What people read is read by people: no module finds out from a sentence what it is about to say or do."""

from __future__ import annotations

import ast
from collections.abc import Collection

import pytest

from tests.house import TREES, names_for

PROSE = {"detail", "headline", "origin", "says", "sentence", "verdict"}
"""Attributes that hold what people read."""
ALSO_NAMES = {"title", "words"}
"""Those that hold other things, too: the title of a sheet, the words of a question."""
PARTS = {
    "capitalize", "casefold", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "rpartition", "rstrip",
    "split", "splitlines", "strip", "upper",
}  # fmt: skip
"""Methods that give a text, or parts of one."""
LOOKS = {"count", "endswith", "find", "index", "startswith"}
MATCHES = {"findall", "finditer", "fullmatch", "match", "search"}


def reads_prose(tree: ast.AST) -> bool:
    """Whether anything is compared with, or looked for in, what people read, or a part of it, by whatever name."""
    names = names_for(tree, is_prose)
    return any(_looks(node, names) for node in ast.walk(tree))


def is_prose(node: ast.expr, names: Collection[str]) -> bool:
    """What people read: `answer.headline`, a name for it, its first words."""
    if isinstance(node, ast.Attribute):
        return node.attr in PROSE
    if isinstance(node, ast.Subscript):
        return is_prose(node.value, names)
    part = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PARTS
    return is_prose(node.func.value, names) if part else isinstance(node, ast.Name) and node.id in names  # type: ignore[attr-defined]


def _looks(node: ast.AST, names: Collection[str]) -> bool:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(is_prose(one, names) or _is_named(one) for one in sides) and any(map(_is_text, sides))
    if isinstance(node, ast.Match):
        return is_prose(node.subject, names)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    looks = node.func.attr in LOOKS and (is_prose(node.func.value, names) or _is_named(node.func.value))
    return looks or (node.func.attr in MATCHES and any(is_prose(one, names) for one in node.args))


def _is_text(node: ast.expr) -> bool:
    listed = isinstance(node, ast.Tuple | ast.List | ast.Set) and any(map(_is_text, node.elts))
    return listed or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != "")


def _is_named(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ALSO_NAMES


@pytest.mark.parametrize(
    "text",
    [
        "x = 'fits' in answer.headline",
        "x = option.words == 'as submitted'",
        "x = answer.headline.startswith('Yes')",
        "said = answer.headline\nx = said.startswith('Yes')",
        "x = answer.headline[:3] == 'Yes'",
        "x = answer.headline.split()[0] in ('Yes', 'No')",
        "x = 'yes' in answer.headline.lower()",
        "x = re.search('fits', answer.detail)",
        "match verdict.sentence:\n    case 'Yes':\n        x = 1",
        "first, last = answer.headline, 1\nx = first.endswith('?')",
        "if (said := plan.says) and said == 'Passed over':\n    x = 1",
    ],
)
def test_a_look_into_prose_would_be_found(text: str) -> None:
    assert reads_prose(ast.parse(text))


def test_whether_there_is_prose_may_be_asked() -> None:
    assert not reads_prose(ast.parse("x = answer.headline == '' or other.headline not in answer.headline"))


def test_nobody_reads_state_from_prose() -> None:
    functions = ((name, node) for name in TREES for node in ast.walk(TREES[name]) if isinstance(node, ast.FunctionDef))
    assert not {f"{name}.{node.name}" for name, node in functions if reads_prose(node)}
