"""The house as its imports show it, and `docs/architecture.md`, which is drawn from them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "memreport"
PAGE = ROOT / "docs" / "architecture.md"
LONGEST, MOST_MODULES = 400, 15
"""Lines of a module; modules of a folder."""
WIDE = 104
"""Characters of a line of the drawing that are seen without moving the page."""
# Each part may import itself and what stands above it; the first row knows nothing of the project.
LAYERS = (
    (
        "memreport",
        "memreport.escaping",
        "memreport.errors",
        "memreport.frozen",
        "memreport.files",
        "memreport.cache",
        "memreport.paths",
        "memreport.mistakes",
        "memreport.strict_json",
    ),
    ("memreport.formula",),
    ("memreport.figures",),
    ("memreport.catalogue",),
    ("memreport.resolve",),
    ("memreport.compute",),
    ("memreport.distributed",),
    ("memreport.checks", "memreport.ledger", "memreport.advise"),
    ("memreport.frame",),
    ("memreport.portfolio",),
    ("memreport.report",),
    ("memreport.publish",),
    ("memreport.audit",),
    ("memreport.build",),
    ("memreport.notebook",),
    ("memreport.commands",),
    ("memreport.__main__",),
)


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class _Trees(Mapping[str, ast.Module]):
    """Every module by name, read when it is asked for: each process of a test run needs the names, one the modules."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = {dotted(path): path for path in paths}
        self._read: dict[str, ast.Module] = {}

    def __getitem__(self, name: str) -> ast.Module:
        if name not in self._read:
            self._read[name] = ast.parse(self._paths[name].read_text(encoding="utf-8"))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


TREES = _Trees(sorted(PACKAGE.rglob("*.py")))

PACKAGES = {dotted(path) for path in PACKAGE.rglob("__init__.py")}


def layer(name: str) -> int:
    part = ".".join(name.split(".")[:2])
    found = [at for at, members in enumerate(LAYERS) if part in members]
    assert found, f"{name} has no place in LAYERS"
    return found[0]


@cache
def imported(name: str) -> tuple[str, ...]:
    """Every module that is imported, inside functions too."""
    return tuple(_imported(TREES[name], name))


def _imported(tree: ast.AST, name: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (one if one in TREES else str(node.module) for one in full)


def within(part: str) -> list[str]:
    return [name for name in TREES if name.startswith(f"memreport.{part}")]


def imported_names(name: str) -> Iterator[str]:
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def without_types(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function that run: its annotations do not."""
    typed = (one for one in ast.walk(node) if isinstance(one, ast.arg | ast.AnnAssign))
    types = {id(one.annotation) for one in typed}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [
            part for name, part in ast.iter_fields(one) if name != "returns"
            for part in (part if isinstance(part, list) else [part])
            if isinstance(part, ast.AST) and id(part) not in types
        ]  # fmt: skip


@cache
def names_in(module: str) -> dict[str, str]:
    """What a module's names stand for: its own functions, and what it imports, in full."""
    found = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(TREES[module])
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return found | {one.name: f"{module}.{one.name}" for one in TREES[module].body if isinstance(one, ast.FunctionDef)}


def used_by(module: str, node: ast.AST) -> set[str]:
    """Functions, of any module, that a node refers to: by name, or as a member of a module that is imported."""
    known, parts = names_in(module), list(without_types(node))
    plain = {known[one.id] for one in parts if isinstance(one, ast.Name) and one.id in known}
    members = (one for one in parts if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name))
    return plain | {f"{known[one.value.id]}.{one.attr}" for one in members if one.value.id in known}  # type: ignore[attr-defined]


def bound(node: ast.AST) -> tuple[list[ast.expr], ast.expr | None]:
    """The names that a statement or a comprehension binds, and what it binds them to."""
    if isinstance(node, ast.Assign):
        return node.targets, node.value
    if isinstance(node, ast.AnnAssign | ast.NamedExpr):
        return [node.target], node.value
    return ([node.target], node.iter) if isinstance(node, ast.comprehension | ast.For) else ([], None)


def names_for(tree: ast.AST, is_such: Callable[[ast.expr, Collection[str]], bool]) -> set[str]:
    """Names that are bound to an expression of some kind, or to one that such a name makes of that kind."""
    found: set[str] = set()
    pairs = [pair for targets, value in map(bound, ast.walk(tree)) if value for pair in _parts(targets[0], value)]
    for _ in pairs:
        found |= {target.id for target, value in pairs if isinstance(target, ast.Name) and is_such(value, found)}
    return found


def _parts(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is bound to what: of `a, b = one, two` each by itself."""
    both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
    return list(zip(target.elts, value.elts, strict=True)) if both else [(target, value)]  # type: ignore[attr-defined]


def of_figures(function: ast.AST) -> set[str]:
    """Names of a function that hold what `.value` gave, or what is made of it."""
    found: set[str] = set()
    pairs = [pair for pair in map(bound, ast.walk(function)) if pair[1]]
    for _ in pairs:
        held = [targets for targets, value in pairs if value and reads_figure(value, found)]
        found |= {one.id for targets in held for part in targets for one in ast.walk(part) if isinstance(one, ast.Name)}
    return found


def reads_figure(node: ast.AST, held: set[str]) -> bool:
    parts = list(ast.walk(node))
    return any(isinstance(one, ast.Attribute) and one.attr == "value" for one in parts) or any(
        isinstance(one, ast.Name) and one.id in held for one in parts
    )


UNITS = {"GIB", "TERA", "HOURS_PER_DAY", "PERCENT"}


def multiplies(function: ast.AST) -> bool:
    """Whether a product or quotient reads a figure, but for one that turns it into another unit."""
    held = of_figures(function)
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult | ast.Div | ast.Pow)
        and reads_figure(node, held)
        and not (isinstance(node.right, ast.Name) and node.right.id in UNITS)
        for node in ast.walk(function)
    )


ABOUT = """# Architecture

One figure is one small pure function whose parameter names are the names of its inputs. It is read as numbers, as a
formula of a spreadsheet, as mathematics, as JavaScript and as units, so that these cannot part. Data flows one way:
load, resolve, compute, verify, report, publish; each step takes what those before it made, and returns a new record.

The drawing is made from the code by `make docs`. Every part may import what stands above it, and nothing below; a test
reads the imports and fails on any other direction, on a circle at any level, and on a folder of more than fifteen
files.

"""
LATER = """
What each change touches stands in [CONTRIBUTING](../CONTRIBUTING.md).
"""


def page() -> str:
    """The page as the code is now."""
    return f"{ABOUT}```text\n{drawing()}```\n{LATER}"


def drawing() -> str:
    """Every part from the first to the last, with what it is for, what it imports, and its folders."""
    parts = [part for members in LAYERS for part in members if part not in ("memreport", "memreport.__main__")]
    return "\n".join(f"{box(part)}\n    ↓" for part in parts[:-1]) + f"\n{box(parts[-1])}\n"


def box(part: str) -> str:
    """A part: its name and purpose, its folders, and the parts above it that it draws on."""
    lines = [_line(f"{_short(part):<14}", part)]
    lines += [_line(f"  {_short(name):<29}", name) for name in _folders(part)]
    above = sorted({".".join(one.split(".")[:2]) for name in _modules(part) for one in imported(name)} - {part})
    drawn = [_short(one) for one in above if one.startswith("memreport.")]
    imports = wrap(f"  imports {', '.join(drawn)}", WIDE, subsequent_indent=" " * 10)
    return "\n".join([*lines, *(imports if drawn else ())])


def _line(name: str, part: str) -> str:
    """A name and its purpose, on as many lines as a page is wide for."""
    return "\n".join(wrap(_purpose(part), WIDE, initial_indent=name, subsequent_indent=" " * len(name)))


def _short(name: str) -> str:
    return name.removeprefix("memreport.").replace(".", "/") + ("/" if name in PACKAGES else "")


def _purpose(name: str) -> str:
    return (ast.get_docstring(TREES[name]) or "").splitlines()[0]


def _folders(part: str) -> list[str]:
    return sorted(name for name in PACKAGES if name.startswith(f"{part}."))


def _modules(part: str) -> list[str]:
    return [name for name in TREES if name == part or name.startswith(f"{part}.")]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
