"""Functions and records as they may be: short, and of few fields; what is longer is named, with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.house import TREES

LONG = {
    "memreport.advise.search.space._values": "one clause a field whose values depend on the job",
    "memreport.catalogue.huggingface.card.imported": "keys are read in one order, and what is left of them is said",
    "memreport.catalogue.huggingface.models.sparse.compressed._deepseek_v4": "one line a field",
    "memreport.commands.main.main": "one clause a kind of failure",
}


def functions(name: str) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(TREES[name]) if isinstance(node, ast.FunctionDef))


def body(node: ast.FunctionDef) -> list[ast.stmt]:
    """What a function does, without what it says of itself."""
    return node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body


def is_long(node: ast.FunctionDef) -> bool:
    """More than twenty lines; what takes them in ten statements or fewer fills a record or a table."""
    lines = (node.end_lineno or 0) - body(node)[0].lineno + 1
    statements = sum(isinstance(part, ast.stmt) for step in body(node) for part in ast.walk(step))
    return lines > 20 and statements > 10


def test_a_function_outside_the_figures_is_short() -> None:
    named = {f"{name}.{node.name}": node for name in TREES for node in functions(name)}
    found = {name for name, node in named.items() if is_long(node) and not name.startswith("memreport.figures")}
    assert found <= set(LONG)


MOST_FIELDS = 10
WIDE = {
    "advise.candidates.Candidate": 12, "advise.serving.Arrangement": 12, "catalogue.fields.dictionary.Entry": 17,
    "catalogue.records.ModelCard": 16, "formula.recording.Figure": 14, "publish.xlsx.common.draft.Draft": 16,
    "publish.xlsx.sheet.styles.Style": 12, "report.money.focus.Charge": 12, "report.records.report.Report": 20,
}  # fmt: skip
"""Records of more fields than ten, and how many: none gets more, and none is added."""


def fields_of(node: ast.ClassDef) -> int:
    """How many fields a record has; what is read from a file has those of its format."""
    marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
    fields = sum(isinstance(part, ast.AnnAssign) for part in node.body)
    return fields if marks & {"frozen", "dataclass"} else 0


def test_a_record_has_few_fields() -> None:
    records = {
        f"{name.removeprefix('memreport.')}.{node.name}": fields_of(node)
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    assert not {name: fields for name, fields in records.items() if fields > WIDE.get(name, MOST_FIELDS)}
