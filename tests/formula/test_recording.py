"""A figure is an ordinary function: what is read from it, what it may not lack, and the order of lines."""

from __future__ import annotations

from types import ModuleType
from typing import Annotated, Any, cast

import numpy as np
import pytest

from memreport.errors import FormulaError, UnitError
from memreport.formula.recording import (
    Figure,
    FigureRows,
    Line,
    figure,
    figures_in,
    names_read,
    ordered,
    plain_line,
    replay,
    walk,
)
from memreport.formula.units import Unit
from memreport.formula.words import Constant, Num, Op, Ref, leaf, where

Bytes = Annotated[float, "byte"]
Count = Annotated[float, ""]
PAIR = Constant("PAIR", 2, "", "a test's own number", "this test")


@figure("M_x", basis="measured", labels=("small", "large"))
def cache_bytes(vectors: Count, vector_bytes: Bytes) -> Bytes:
    """Two vectors each,
    over two lines.  Source: a test,
    section 1.
    """
    return PAIR * vectors * vector_bytes


@figure("n_x")
def vectors(heads: Count) -> Count:
    """How many there are.  Source: a test."""
    return where(heads > 0, heads, 1)


def test_name_inputs_units_meaning_and_source_come_from_the_function() -> None:
    assert cache_bytes.name == "cache_bytes"
    assert {name: str(unit) for name, unit in cache_bytes.inputs.items()} == {"vectors": "1", "vector_bytes": "byte"}
    assert str(cache_bytes.unit) == "byte"
    assert cache_bytes.meaning == "Two vectors each, over two lines."
    assert cache_bytes.source == "a test, section 1."
    assert (cache_bytes.symbol, cache_bytes.basis, cache_bytes.labels) == ("M_x", "measured", ("small", "large"))


def test_a_source_may_stand_in_the_registration() -> None:
    @figure("n_y", source="a test of registrations")
    def heads(vectors: Count) -> Count:
        """How many there are."""
        return vectors

    assert (heads.meaning, heads.source) == ("How many there are.", "a test of registrations.")


def test_a_row_is_a_figure_of_its_own_with_the_formula_of_its_family() -> None:
    words = "Vectors of the draft.  Source: a test of rows."
    row = cache_bytes.row("draft_bytes", "M_d", words, {"vectors": "draft_vectors"}, workload="serving")
    assert (row.name, row.symbol, row.workload, row.basis) == ("draft_bytes", "M_d", "serving", "measured")
    assert (row.meaning, row.source) == ("Vectors of the draft.", "a test of rows.")
    assert list(row.inputs) == ["draft_vectors", "vector_bytes"]
    assert row.formula(draft_vectors=3, vector_bytes=4) == 24
    assert replay(row.expression, {"draft_vectors": 3, "vector_bytes": 4}) == 24


def test_rows_stand_in_their_module_as_if_each_stood_there_by_itself() -> None:
    module = ModuleType("rows_of_a_test")
    vars(module)["ROWS"] = FigureRows(vectors.row(f"{one}_vectors", "n", "A count.", {"heads": one}) for one in "ab")
    assert [one.name for one in figures_in(module)] == ["a_vectors", "b_vectors"]


def test_the_function_still_computes() -> None:
    assert cache_bytes.formula(vectors=3, vector_bytes=4) == 24
    assert np.array_equal(cache_bytes.formula(np.asarray([1.0, 2.0]), 4.0), [8, 16])
    assert replay(cache_bytes.expression, {"vectors": 3, "vector_bytes": 4}) == 24


def test_the_recording_names_its_inputs_and_constants() -> None:
    nodes = list(walk(cache_bytes.expression))
    assert [node.word for node in nodes if isinstance(node, Op)] == ["mul", "mul"]
    assert [node.name for node in nodes if isinstance(node, Num | Ref)] == ["PAIR", "vectors", "vector_bytes"]


def test_a_condition_that_is_known_leaves_the_names_of_one_branch() -> None:
    heads, pairs, ones = (cast(Any, Ref(name, Unit.parse(""))) for name in ("heads", "pairs", "ones"))
    chosen = where(heads > 0, pairs * heads, ones)
    assert vectors.chooses
    assert not cache_bytes.chooses
    assert list(names_read(leaf(chosen), {})) == ["heads", "pairs", "heads", "ones"]
    assert list(names_read(leaf(chosen), {"heads": np.asarray([2.0])})) == ["pairs", "heads"]
    assert list(names_read(leaf(chosen), {"heads": 0.0, "pairs": 1.0})) == ["ones"]


def test_a_result_in_another_unit_than_promised_is_a_fault() -> None:
    @figure("x")
    def wrong_bytes(heads: Count) -> Bytes:
        """A count that calls itself bytes.  Source: a test."""
        return heads

    with pytest.raises(UnitError, match="wrong_bytes promises byte but its formula gives 1"):
        _ = wrong_bytes.expression


def test_a_result_of_nothing_fits_every_unit() -> None:
    @figure("x")
    def no_bytes(heads: Count) -> Bytes:  # noqa: ARG001  # what is tried
        """Nothing.  Source: a test."""
        return 0

    assert isinstance(no_bytes.expression, Num)


def test_an_input_without_a_unit_is_a_fault() -> None:
    def careless(heads, size: Count) -> Count:  # type: ignore[no-untyped-def]  # noqa: ANN001
        """Two inputs, one without a unit.  Source: a test."""
        return float(heads * size)

    with pytest.raises(FormulaError, match="careless: every input and the result need a unit"):
        figure("x")(careless)


def test_a_result_without_a_unit_is_a_fault() -> None:
    def careless(size: Count):  # type: ignore[no-untyped-def]  # noqa: ANN202
        """No unit of the result.  Source: a test."""
        return size

    with pytest.raises(FormulaError, match="careless"):
        figure("x")(careless)


def test_a_figure_without_a_docstring_is_a_fault() -> None:
    def careless(size: Count) -> Count:
        return size

    with pytest.raises(FormulaError, match=r"careless.* and the figure a docstring"):
        figure("x")(careless)


def test_lines_come_in_the_order_in_which_they_depend() -> None:
    lines = ordered([plain_line(cache_bytes), plain_line(vectors)])
    assert [line.name for line in lines] == ["vectors", "cache_bytes"]
    assert plain_line(cache_bytes).reads == ("vectors", "vector_bytes")


def test_a_line_may_read_under_other_names() -> None:
    line = Line("cache_bytes.draft", cache_bytes, {"vectors": "vectors.draft", "vector_bytes": "vector_bytes"})
    assert line.reads == ("vectors.draft", "vector_bytes")


def test_two_lines_of_one_name_are_a_fault() -> None:
    with pytest.raises(FormulaError, match="two lines are called vectors"):
        ordered([plain_line(vectors), plain_line(vectors)])


def test_a_circle_is_a_fault_that_names_its_members() -> None:
    @figure("h")
    def heads(cache_bytes: Bytes, vector_bytes: Bytes) -> Count:
        """Back to the start.  Source: a test."""
        return cache_bytes / vector_bytes

    with pytest.raises(FormulaError, match=r"in a circle: .*heads"):
        ordered([plain_line(one) for one in (cache_bytes, vectors, heads)])


def test_figures_are_frozen() -> None:
    with pytest.raises(AttributeError):
        cache_bytes.name = "other"  # type: ignore[misc]  # what is tried
    assert isinstance(cache_bytes, Figure)
