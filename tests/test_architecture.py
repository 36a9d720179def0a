"""The house as its imports show it: one direction, small modules, figures that are nothing but a formula."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT

PACKAGE = ROOT / "memreport"
LONGEST = 400
# Each part may import itself and what stands above it; the first row knows nothing of the project.
LAYERS = (
    ("memreport", "memreport.errors", "memreport.files", "memreport.paths", "memreport.stamps"),
    ("memreport.formula",),
    ("memreport.figures",),
    ("memreport.catalogue",),
    ("memreport.resolve",),
    ("memreport.compute",),
    ("memreport.verify", "memreport.advise"),
    ("memreport.publish",),
    ("memreport.audit", "memreport.doctor", "memreport.previous"),
    ("memreport.workers",),
    ("memreport.build", "memreport.diffing", "memreport.schema", "memreport.showing"),
    ("memreport.command",),
    ("memreport.__main__",),
)
LATE = {("memreport", "memreport.showing")}  # `estimate` is offered at the top and imported when it is called
HEAVY = {"numpy", "pandas", "pydantic", "yaml", "openpyxl", "weasyprint", "jinja2", "dataclasses", "typing"}
PURE = ("memreport.formula", "memreport.figures", "__future__", "typing", "collections", "dataclasses", "functools")
READERS = ("yaml", "memreport.catalogue.load", "memreport.catalogue.strict_yaml", "memreport.catalogue.trusted_yaml")


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {dotted(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def layer(name: str) -> int:
    part = ".".join(name.split(".")[:2])
    found = [at for at, members in enumerate(LAYERS) if part in members]
    assert found, f"{name} has no place in LAYERS"
    return found[0]


def imported(name: str) -> Iterator[str]:
    """Every module that is imported, inside functions too."""
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (one if one in TREES else str(node.module) for one in full)


def within(part: str) -> list[str]:
    return [name for name in TREES if name.startswith(f"memreport.{part}")]


def test_imports_point_one_way() -> None:
    pairs = [(me, one) for me in TREES for one in imported(me) if one.split(".")[0] == "memreport"]
    assert not [pair for pair in pairs if layer(pair[1]) > layer(pair[0]) and pair not in LATE]


def test_modules_are_short() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert not {name: length for name, length in lengths.items() if length > LONGEST}


def test_nobody_imports_the_command_line() -> None:
    assert [name for name in TREES if "memreport.command" in imported(name)] == ["memreport.__main__"]


def test_the_language_knows_no_figure() -> None:
    ours = {(me, one) for me in within("formula") for one in imported(me) if one.startswith("memreport")}
    assert not [pair for pair in ours if not pair[1].startswith(("memreport.errors", "memreport.formula"))]


def test_figures_know_no_file_and_no_library() -> None:
    assert not [(me, one) for me in within("figures") for one in imported(me) if not one.startswith(PURE)]


def test_publishing_reads_no_yaml() -> None:
    assert not [(me, one) for me in within("publish") for one in imported(me) if one in READERS]


@pytest.mark.parametrize("name", ["memreport", "memreport.__main__", "memreport.command", "memreport.errors"])
def test_what_help_imports_is_light(name: str) -> None:
    top = [node for node in TREES[name].body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in top if isinstance(node, ast.ImportFrom)}
    assert not {one.split(".")[0] for one in names} & HEAVY


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


FUNCTIONS = {
    f"{name}.{node.name}": node
    for name in within("figures")
    for node in ast.walk(TREES[name])
    if isinstance(node, ast.FunctionDef) and any(_calls(mark, "figure") for mark in node.decorator_list)
}


def test_there_are_figures_to_look_at() -> None:
    assert len(FUNCTIONS) > 250


def test_a_figure_is_a_docstring_and_one_return() -> None:
    def is_plain(node: ast.FunctionDef) -> bool:
        return len(node.body) == 2 and bool(ast.get_docstring(node)) and isinstance(node.body[1], ast.Return)

    assert not [name for name, node in FUNCTIONS.items() if not is_plain(node)]


def test_a_figure_writes_no_other_number_than_nought_and_one() -> None:
    def numbers(node: ast.FunctionDef) -> set[object]:
        return {part.value for part in ast.walk(node.body[-1]) if isinstance(part, ast.Constant)}

    assert not {name: numbers(node) for name, node in FUNCTIONS.items() if not numbers(node) <= {0, 1}}


def test_a_figure_never_chooses_inside_a_choice() -> None:
    outer = [(name, part) for name, node in FUNCTIONS.items() for part in ast.walk(node) if _calls(part, "where")]
    assert not [name for name, part in outer if sum(_calls(inner, "where") for inner in ast.walk(part)) > 1]
