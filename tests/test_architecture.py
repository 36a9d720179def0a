"""The house as its imports show it: one direction, small modules, figures that are nothing but a formula."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from memreport.commands import parser
from memreport.figures import beside
from memreport.figures.registry import GROUPS, figures_by_name
from tests.house import (
    LAYERS,
    LONGEST,
    MOST_MODULES,
    PACKAGE,
    PACKAGES,
    PAGE,
    TREES,
    imported,
    imported_names,
    layer,
    multiplies,
    names_in,
    page,
    used_by,
    within,
)

LATE = {("memreport", "memreport.notebook")}  # `estimate` is offered at the top and imported when it is called
HEAVY = {"numpy", "pandas", "pydantic", "yaml", "openpyxl", "weasyprint", "jinja2", "dataclasses", "typing"}
PURE = ("memreport.formula", "memreport.figures", "__future__", "typing", "collections", "dataclasses", "functools")
READERS = (
    "yaml", "memreport.catalogue.load", "memreport.catalogue.yaml.strict", "memreport.catalogue.yaml.packaged",
    "memreport.resolve.drafts",
)  # fmt: skip
READ_ITS_OWN = {
    "memreport.publish.pdf.render": "style sheets",
    "memreport.publish.svg.typefaces": "typefaces",
    "memreport.publish.web.page.render": "scripts",
}


def test_imports_point_one_way() -> None:
    pairs = [(me, one) for me in TREES for one in imported(me) if one.split(".")[0] == "memreport"]
    assert not [pair for pair in pairs if layer(pair[1]) > layer(pair[0]) and pair not in LATE]


def test_the_drawing_has_every_part_below_what_it_imports() -> None:
    order = [part for members in LAYERS for part in members]
    pairs = {tuple(".".join(one.split(".")[:2]) for one in (me, one)) for me in TREES for one in imported(me)}
    inner = [pair for pair in pairs if pair[1] in order and pair[0] != pair[1] and pair not in LATE]
    assert not [(me, one) for me, one in inner if order.index(one) > order.index(me)]


MAY_IMPORT_BY_NAME = {
    "memreport.distributed": "dask, where it is installed",
    "memreport.commands.parser": "its commands",
}


def test_nobody_imports_by_a_name_that_this_test_cannot_read() -> None:
    assert {name for name in TREES if "importlib.import_module" in imported_names(name)} == set(MAY_IMPORT_BY_NAME)
    calls = {(name, call) for name in TREES for _, call in called(name)}
    assert not calls & {(name, call) for name in TREES for call in ("__import__", "run_module", "find_spec")}
    assert {name for name, call in calls if call == "import_module"} == set(MAY_IMPORT_BY_NAME)


def parted(me: str, other: str) -> tuple[str, str, str]:
    """The folder in which two modules part, and the member of it that each belongs to: its own is `__init__`."""
    mine, theirs = ([*name.split("."), "__init__"] if name in PACKAGES else name.split(".") for name in (me, other))
    at = next(at for at, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two)
    return ".".join(mine[:at]), mine[at], theirs[at]


def levels() -> Mapping[str, Mapping[str, set[str]]]:
    """Of every folder, which of its members import which others, imports for types included."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    pairs = ((me, one) for me in TREES for one in imported(me) if one in TREES and one != me and (me, one) not in LATE)
    for folder, mine, theirs in (parted(*pair) for pair in pairs):
        found[folder][mine].add(theirs)
    return found


def circle(members: Mapping[str, set[str]]) -> list[str]:
    """Members that import each other in a circle; empty where there is none."""
    try:
        TopologicalSorter(members).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_a_circle_would_be_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert parted("memreport.resolve.rules", "memreport.resolve") == ("memreport.resolve", "rules", "__init__")


def test_no_circle_at_any_level() -> None:
    assert not {folder: circle(members) for folder, members in levels().items() if circle(members)}


def test_no_folder_holds_too_many_modules() -> None:
    counts = Counter(path.parent for path in PACKAGE.rglob("*.py"))
    assert not {folder.name: count for folder, count in counts.items() if count > MOST_MODULES}


def test_no_public_class_name_stands_for_two_things() -> None:
    classes = (
        (node.name, name) for name, tree in TREES.items() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    places: dict[str, list[str]] = defaultdict(list)
    for name, module in classes:
        places[name].append(module)
    assert not {name: where for name, where in places.items() if len(where) > 1 and not name.startswith("_")}


def test_every_package_says_what_it_is_for() -> None:
    assert not [name for name in PACKAGES if not ast.get_docstring(TREES[name])]


def test_the_page_on_the_architecture_is_drawn_from_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "docs/architecture.md is old: run `make docs`, read the difference"
    )


def test_modules_and_templates_are_short() -> None:
    paths = [*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "templates").rglob("*.j2")]
    paths += [path for kind in ("*.js", "*.css") for path in (PACKAGE.parent / "templates").rglob(kind)]
    paths += (PACKAGE.parent / "tests").rglob("*.py")
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert len(lengths) > 400
    assert not {name: length for name, length in lengths.items() if length > LONGEST}


def test_nobody_imports_the_command_line() -> None:
    assert [name for name in TREES if "memreport.commands.main" in imported(name)] == ["memreport.__main__"]


def test_the_language_knows_no_figure() -> None:
    allowed = ("memreport.errors", "memreport.formula")
    ours = {(me, one) for me in within("formula") for one in imported(me) if one.startswith("memreport")}
    assert not [pair for pair in ours if not pair[1].startswith(allowed)]


def test_figures_know_no_file_and_no_library() -> None:
    assert not [(me, one) for me in within("figures") for one in imported(me) if not one.startswith(PURE)]


def test_nothing_from_the_report_on_reads_a_scenario() -> None:
    late = {name for part in ("report", "publish") for name in within(part)}
    pairs = {(me, one) for me in late for one in imported_names(me)}
    assert not {(me, one) for me, one in pairs if one.startswith(READERS) and not one.endswith(".Keys")}
    assert not {me for me, one in pairs if one.startswith("memreport.resolve.resolve")}
    assert {me for me, one in pairs if one.startswith("memreport.files.read_")} == set(READ_ITS_OWN)


@pytest.mark.parametrize("name", ["memreport", "memreport.__main__", "memreport.commands.main", "memreport.errors"])
def test_what_help_imports_is_light(name: str) -> None:
    top = [node for node in TREES[name].body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in top if isinstance(node, ast.ImportFrom)}
    assert not {one.split(".")[0] for one in names} & HEAVY


COMMANDS = {f"memreport.commands.{name.replace('-', '_')}" for name in parser.COMMANDS}


@pytest.mark.parametrize(
    "name", sorted({"memreport.commands", "memreport.commands.main", "memreport.commands.parser", *COMMANDS})
)
def test_a_command_is_light_until_it_runs(name: str) -> None:
    top = [node for node in TREES[name].body if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = [alias.name for node in top if isinstance(node, ast.Import) for alias in node.names]
    modules += [str(node.module) for node in top if isinstance(node, ast.ImportFrom)]
    assert {one for one in modules if one.startswith("memreport")} <= {
        "memreport.commands",
        "memreport.commands.parser",
        "memreport.errors",
        "memreport.escaping",
    }
    assert not {one.split(".")[0] for one in modules} & (HEAVY - {"dataclasses", "typing"})


def test_every_command_is_a_module() -> None:
    assert set(within("commands")) >= COMMANDS


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


def test_a_figure_writes_no_other_number_than_zero_and_one() -> None:
    def numbers(node: ast.FunctionDef) -> set[object]:
        return {part.value for part in ast.walk(node.body[-1]) if isinstance(part, ast.Constant)}

    assert not {name: numbers(node) for name, node in FUNCTIONS.items() if not numbers(node) <= {0, 1}}


def test_a_figure_never_chooses_inside_a_choice() -> None:
    outer = [(name, part) for name, node in FUNCTIONS.items() for part in ast.walk(node) if _calls(part, "where")]
    assert not [name for name, part in outer if sum(_calls(inner, "where") for inner in ast.walk(part)) > 1]


OPENERS = {"open", "fdopen", "read_text", "read_bytes"}
MAY_OPEN = {
    "memreport.files": "the one reader and the one writer",
    "memreport.catalogue.git.revisions": "writes what git gives into a folder of its own",
    "memreport.commands": "puts something in place of a stream that was closed",
    "memreport.build.gate.posting": "an address, no file",
}
PARSERS = {"loads": "json", "compose": "yaml", "parse": "yaml", "load": "yaml"}
MAY_PARSE = {
    "memreport.strict_json": "bounded",
    "memreport.audit.contained": "what a process of our own says and is told",
    "memreport.cache": "what carries a digest of itself",
    "memreport.publish.svg.typefaces": "what the program brings with it",
    "memreport.publish.xlsx.sheet.record": "the record of a workbook, checked field by field",
    "memreport.catalogue.yaml.packaged": "what the program brings with it",
    "memreport.audit.yaml_edit": "text that strict_yaml has read",
}
OF_BOOKS = ("draft", "self.draft")
"""`draft.open` begins a sheet of a workbook."""


@cache
def called(name: str) -> tuple[tuple[str, str], ...]:
    """What a module calls, as (owner, name)."""
    return tuple(_called(name))


def _called(name: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield "", node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func.value), node.func.attr


def from_the_reader(name: str) -> set[str]:
    return {one.rpartition(".")[2] for one in imported_names(name) if one.startswith("memreport.files.")}


def test_nobody_but_the_reader_opens_a_file() -> None:
    found = {
        (name, owner, call)
        for name in set(TREES) - set(MAY_OPEN)
        for owner, call in called(name)
        if call in OPENERS and owner not in OF_BOOKS and not (owner == "" and call in from_the_reader(name))
    }
    assert not found


def test_nobody_but_the_strict_readers_parses() -> None:
    found = {
        (name, owner)
        for name in set(TREES) - set(MAY_PARSE)
        for owner, call in called(name)
        if PARSERS.get(call) == owner
    }
    assert not found


def test_what_may_open_or_parse_still_does() -> None:
    assert not {name for name in MAY_OPEN if not {call for _, call in called(name)} & OPENERS}
    assert not {
        name for name in MAY_PARSE if not {(call, owner) for owner, call in called(name)} & set(PARSERS.items())
    }


COMPUTING = ("memreport.compute.calculate", "memreport.compute.compute")
DECIDED_BEFORE = ("memreport.report", "memreport.publish")


def computing() -> set[str]:
    """Every function that computes figures, or calls what does."""
    calls = {
        f"{module}.{node.name}": used_by(module, node)
        for module, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    found, before = set(COMPUTING), 0
    while len(found) > before:
        before = len(found)
        found |= {name for name, used in calls.items() if used & found}
    return found


def test_nothing_from_the_report_on_computes_a_figure() -> None:
    """What computes is called before: neither by itself, nor through a function of any module."""
    found = computing()
    assert "memreport.advise.decide.decide" in found
    assert not {name for name in found if name.startswith(DECIDED_BEFORE)}


def test_nothing_from_the_report_on_calls_a_formula() -> None:
    """What reports say beside the calculation is computed with it: `beside` of a computed scenario."""
    late = [name for part in ("report", "publish", "audit", "build") for name in within(part)]
    calls = ((name, owner) for name in late for owner, call in called(name) if call == "formula")
    assert not {(name, owner) for name, owner in calls if owner in names_in(name) or owner.endswith("figure")}


@pytest.mark.parametrize("workload", list(GROUPS))
def test_no_line_of_the_calculation_is_computed_beside_it(workload: str) -> None:
    lines = list(beside.lines_beside(workload))
    assert {line.figure.family for line in lines if line.figure.source != "sum"} == {True}
    assert not {line.name for line in lines} & set(figures_by_name(workload))


def functions_of(name: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions of a module and methods of its classes, as `report.speed._reached` without `report.`."""
    short = name.removeprefix("memreport.report.")
    classes = {one.name: one for one in TREES[name].body if isinstance(one, ast.ClassDef)}
    bodies = {short: TREES[name].body, **{f"{short}.{each}": one.body for each, one in classes.items()}}
    for owner, body in bodies.items():
        yield from ((f"{owner}.{node.name}", node) for node in body if isinstance(node, ast.FunctionDef))


def test_a_product_of_figures_would_be_found() -> None:
    text = (
        "def f(view):\n    low, mid = (view.value(name, 0) for name in NAMES)\n    share = low / {}\n    return share"
    )
    assert multiplies(ast.parse(text.format("mid")))
    assert not multiplies(ast.parse(text.format("GIB")))


def test_a_report_multiplies_no_figure() -> None:
    found = {name for module in within("report") for name, node in functions_of(module) if multiplies(node)}
    assert not found
