"""The register of figures and inputs: complete, consistent in units, short enough for a workbook's line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest

from memreport import figures
from memreport.catalogue.huggingface.families import FAMILIES
from memreport.catalogue.huggingface.plain import family_rules
from memreport.catalogue.names import attributes_of
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.tables.efficiency_words import EFFICIENCY
from memreport.catalogue.tables.reading import BASES as CARD_BASES
from memreport.errors import FormulaError
from memreport.figures import constants
from memreport.figures.constants import times
from memreport.figures.money.quotes import QUOTE_FIGURES
from memreport.figures.quantities import Count
from memreport.figures.registry import GROUPS, PHASES, figures_by_name, lines_of, shown_in
from memreport.formula.printing import to_excel, to_maths
from memreport.formula.recording import BASES, PLACES, Figure, Line, figure, figures_in, ordered, walk
from memreport.formula.units import Unit
from memreport.formula.words import Constant, Num
from tests.support import packaged, published

WORKLOADS = ("training", "serving")
LINES = [(workload, line) for workload in WORKLOADS for line in lines_of(workload)]
FIGURES: Mapping[str, Figure] = {line.figure.name: line.figure for _, line in LINES}
EXCEL_2007 = {"IF", "LN", "MAX", "MIN", "POWER", "ROUND", "ROUNDDOWN", "ROUNDUP", "SQRT", "SUM"}
LONGEST = 120
LONG_LINES: dict[str, str] = {}
"""Lines longer than that in the workbook, each with the reason why it cannot be cut."""

SERVED = {name for name in EFFICIENCY if name.startswith(("product_share", "expert_", "prefill_", "decode_"))}
"""Columns that times of serving are computed from."""
UNLESS_STATED = "says what a field is unless it is stated, which resolve reads"
NOT_READ = {
    "training": {
        **dict.fromkeys(
            (
                "checkpoints_layers",
                "chunks_loss",
                "cuts_loss",
                "delayed_fp8_scales",
                "limits_loss",
                "offloads_checkpoints",
                "scores_in_tiles",
                "shards_weights",
                "trains_in_tiles",
            ),
            UNLESS_STATED,
        ),
        **dict.fromkeys(
            (
                "cuts_adapted_bases",
                "has_bitsandbytes",
                "has_pipeline",
                "has_tensor_parallel",
                "has_zero_1",
                "has_zero_2",
                "has_zero_3",
            ),
            "a rule between fields",
        ),
        "host_thread_rating": "launches of training are those of one host",
        "max_position_embeddings": "shown beside the sequence length; a longer sequence is a question, not a fault",
        **dict.fromkeys(
            ("linear_attention_state_bytes", "batch_state_bytes"), "a cache exists only where a model serves"
        ),
        "generates": "a job that states no engine beside it is told so, and what one would take",
        "num_layers_per_virtual_pipeline_stage": "from it follow the parts of a stage",
        **dict.fromkeys(("counts_as_large", "chunk_of_memory"), "decides the batches of an engine"),
        **dict.fromkeys(("pools", "audio_seconds"), "what a model answers counts only where it serves"),
        "is_decoder": "an encoder differs in its cache and its logits only where it serves",
        "marketed_capacity_bytes": "shown beside the capacity that the driver reports",
        "rent_or_buy": "asks for a comparison, whose figures are left out without it",
    },
    "serving": {
        **dict.fromkeys(("runs_one_sequence", "spreads_layers"), UNLESS_STATED),
        "cuts_batches": "a rule between fields",
        "max_position_embeddings": "shown beside max_model_len",
        "marketed_capacity_bytes": "shown beside the capacity that the driver reports",
        "rent_or_buy": "asks for a comparison, whose figures are left out without it",
        "from_ollama": "decides `weight_dtype` where neither it nor the card states one",
        "pools": "decides `pooling` where nobody states it",
        "nvme_bytes": "nothing is offloaded to disks where a model serves",
        "usable_share": "an engine's own share, gpu_memory_utilization, is used",
    },
}


def supplied(workload: str) -> dict[str, str]:
    """Unit by name of every input that a field or a choice supplies."""
    units: dict[str, str] = {}
    for entry in dictionary(workload).values():
        columns = attributes_of(entry, packaged())
        units |= {name: packaged().tables[entry.table].columns[column].unit for name, column in columns.items()}
        if entry.kind in ("number", "whole", "switch"):
            units[entry.name] = entry.unit
        units |= dict.fromkeys(entry.gives, "") if entry.kind == "list" else {}
    return units


def short_text(line: Line) -> str:
    cells = {name: f"C{200 + at}" for at, name in enumerate(line.figure.inputs)}
    return to_excel(line.figure.expression, lambda name: cells.get(name, name))


def test_every_figure_says_what_it_is_and_where_it_comes_from() -> None:
    silent = [name for name, one in FIGURES.items() if not (one.meaning.strip() and one.source.strip() and one.symbol)]
    assert not silent
    assert not [name for name, one in FIGURES.items() if one.basis not in BASES]


def test_every_figure_records_in_the_unit_that_it_promises() -> None:
    assert not [name for name, one in FIGURES.items() if one.expression.unit != one.unit]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_input_is_computed_or_in_the_dictionary_or_supplied_by_a_choice(workload: str) -> None:
    known = {line.name for line in lines_of(workload)} | set(supplied(workload))
    assert not {line.name: set(line.reads) - known for line in lines_of(workload) if set(line.reads) - known}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_input_is_read_or_excused(workload: str) -> None:
    read = {name for line in lines_of(workload) for name in line.reads}
    unread = set(supplied(workload)) - read
    assert unread - set(EFFICIENCY) == set(NOT_READ[workload])  # what is reached in training is nothing to serving


def test_every_column_of_efficiency_is_read_by_a_workload() -> None:
    read = {name for workload in WORKLOADS for line in lines_of(workload) for name in line.reads}
    assert set(EFFICIENCY) - read <= SERVED


@pytest.mark.parametrize("workload", WORKLOADS)
def test_producers_and_consumers_agree_on_units(workload: str) -> None:
    units = {name: Unit.parse(text) for name, text in supplied(workload).items()}
    units |= {line.name: line.figure.unit for line in lines_of(workload)}
    wrong = [
        f"{line.name} reads {line.bound[name]} as {unit}, but it is in {units[line.bound[name]]}"
        for line in lines_of(workload)
        for name, unit in line.figure.inputs.items()
        if units[line.bound[name]] != unit
    ]
    assert not wrong


@pytest.mark.parametrize("workload", WORKLOADS)
def test_no_name_is_both_an_input_and_a_figure(workload: str) -> None:
    assert not set(supplied(workload)) & set(figures_by_name(workload))
    assert len(ordered(lines_of(workload))) == len(lines_of(workload))


def test_the_same_name_means_the_same_unit_in_both_workloads() -> None:
    training, serving = (figures_by_name(workload) for workload in WORKLOADS)
    shared = set(training) & set(serving)
    assert len(shared) > 100
    assert not [name for name in shared if training[name].unit != serving[name].unit]


def test_a_formula_holds_no_number_without_a_name() -> None:
    leaves = [(name, leaf) for name, one in FIGURES.items() for leaf in walk(one.expression) if isinstance(leaf, Num)]
    assert not [(name, leaf.value) for name, leaf in leaves if not leaf.name and leaf.value not in (0, 1)]


def test_every_constant_has_a_unit_a_meaning_a_source_and_a_reader() -> None:
    listed = {name: one for name, one in {**vars(constants), **vars(times)}.items() if isinstance(one, Constant)}
    assert not [name for name, one in listed.items() if one.name != name]
    assert not [name for name, one in listed.items() if not (one.meaning and one.source)]


def test_every_line_fits_into_one_line_of_the_workbook() -> None:
    long = {line.name for _, line in LINES if len(short_text(line)) > LONGEST}
    assert long == set(LONG_LINES)


def test_only_functions_that_excel_2007_knew_are_used() -> None:
    used = {name for _, line in LINES for name in re.findall(r"([A-Z][A-Z0-9.]*)\(", short_text(line))}
    assert used <= EXCEL_2007
    assert {"IF", "MAX", "MIN", "SUM"} <= used


def test_no_formula_calls_a_function_with_too_many_or_too_deep_arguments() -> None:
    depths = [text.count("(") for text in (short_text(line) for _, line in LINES)]
    assert max(depths) < 64  # levels of brackets that Excel 2007 allows


def test_mathematics_of_every_figure_has_its_brackets_closed() -> None:
    for one in FIGURES.values():
        text = to_maths(one.expression)
        assert text.count("(") == text.count(")")
        assert text.count("<span") == text.count("</span>")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_figure_is_shown_in_exactly_one_group(workload: str) -> None:
    names = [figure.name for group in GROUPS[workload] for figure in group.figures]
    assert len(names) == len(set(names))
    assert len(names) < len(lines_of(workload))
    assert all(phase.kernels for phase in PHASES[workload])


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_field_says_what_it_means(workload: str) -> None:
    assert not [name for name, entry in dictionary(workload).items() if not entry.meaning]


def test_every_number_of_the_tables_has_a_source_and_a_basis() -> None:
    for table in packaged().tables.values():
        for column in table.columns.values():
            assert len(column.values) == len(table.ids) == len(column.sources)
            assert not [at for at, source in enumerate(column.sources) if not source.title], (table.name, column.name)
    bases = {basis for column in packaged().tables["accelerators"].columns.values() for basis in column.bases}
    assert bases <= set(CARD_BASES)


def test_labels_name_every_value_that_a_figure_may_have() -> None:
    for one in published():
        for line in one.lines:
            if line.figure.labels:
                codes = np.unique(one.values[line.name])
                assert set(codes) <= set(range(1, len(line.figure.labels) + 1))


def test_all_columns_are_float64_so_that_whole_numbers_cannot_overflow() -> None:
    for one in published():
        columns = {**one.resolved.inputs, **one.resolved.codes, **one.resolved.overrides}
        assert not [name for name, column in columns.items() if column.dtype != np.float64]
        assert not [name for name, column in one.values.items() if column.dtype != np.float64]


def test_six_flop_times_parameters_times_tokens_is_beyond_a_64_bit_whole_number() -> None:
    parameters, tokens = np.asarray([175e9]), np.asarray([300e9])
    assert 6 * parameters * tokens > np.iinfo(np.int64).max
    assert int(np.int64(175 * 10**9)) * 6 * 300 * 10**9 > np.iinfo(np.int64).max


MODULES = [import_module(one.name) for one in walk_packages(figures.__path__, "memreport.figures.")]


def test_every_figure_of_every_module_is_a_line_of_some_workload() -> None:
    written = {one.name for module in MODULES for one in figures_in(module)}
    assert len(written) > 250
    of_quotes = {one.name for one in QUOTE_FIGURES}  # a line a quote, on Cost
    assert written - of_quotes <= {line.name for _, line in LINES}


def test_a_figure_has_one_title_in_both_workloads() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        for one in figures_in(module):
            found[one.name].add(one.title)
    assert not {name: titles for name, titles in found.items() if len(titles) > 1}


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_every_place_shows_what_is_registered_there(workload: str) -> None:
    known = figures_by_name(workload)
    for place in PLACES:
        listed = shown_in(place, workload)
        assert len(listed) == len(set(listed))
        assert set(listed) <= set(known)
    assert {"peak_bytes", "headroom_bytes", "cost_total_usd"} <= set(shown_in("main", workload))
    assert shown_in("nowhere", workload) == ()


@pytest.mark.parametrize("words", [{"shown": ("mian",)}, {"scope": "one GPU"}])
def test_a_place_or_scope_that_is_none_is_refused(words: dict[str, Any]) -> None:
    def made(count: Count) -> Count:
        """A figure.  Source: none."""
        return count

    with pytest.raises(FormulaError, match=r"made: '.*' is none of"):
        figure("x", **words)(made)


def test_rules_of_model_types_are_in_the_words_of_formulas() -> None:
    """A page reads configurations by them: one that cannot be recorded fails every build."""
    rules = family_rules()
    assert all(f'"{name}":' in rules for name, family in FAMILIES.items() if family.derived)
    named = {*re.findall(r"\b[A-Z][A-Z_]{4,}\b", re.sub(r'"[^"]*"', "", rules))}
    assert not named, "a constant that CONSTANTS of plain.py lacks"
