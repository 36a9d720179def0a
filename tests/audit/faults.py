"""Faults as people and programs put them into workbooks; each with the rule that must say so, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.audit import changes as c
from tests.audit.changes import TABLE
from tests.audit.spoiling import Book


@dataclass(frozen=True)
class Fault:
    """A fault, the batch of faults with which it is put into one workbook, and the rule that must find it."""

    name: str
    batch: str
    rule: str
    change: Callable[[Book], object]


FAULTS = (
    Fault("wrong column in every variant", "lines", "formulas", c.whole("memory_bytes_per_second", "$J$", "$K$")),
    Fault("wrong sign in every variant", "lines", "formulas", c.whole("headroom_bytes", "-", "+")),
    Fault("wrong sign in one variant", "lines", "one-formula", c.line("peak_bytes_low", "={c}{r2}+{c}{r1}", at=1)),
    Fault("a constant for a formula", "lines", "typed", c.line("weight_bytes", 1e9)),
    Fault("a constant on Cost", "lines", "typed", c.line("cost_total_usd", 42, "Cost")),
    Fault("a constant on Roofline", "lines", "typed", c.put("Roofline", "C14", 5e15)),
    Fault("a constant in a table's calculation", "lines", "typed", c.line("layers_per_stage", 1, TABLE)),
    Fault("a sum one row short", "lines", "sum", c.short_parts),
    Fault("a number typed into a formula", "lines", "literal", c.line("usable_bytes", "={c}6*0.9")),
    Fault("a volatile function", "lines", "function", c.put("Summary", "E5", "=NOW()")),
    Fault("OFFSET", "lines", "function", c.line("gradient_bytes", "=OFFSET({c}{r},-1,0)")),
    Fault("a function of newer programs", "lines", "function", c.line("fits", "=XLOOKUP(1,{c}6:{c}7,{c}8:{c}9)")),
    Fault("a count rounded up without ROUND", "lines", "rounding", c.line("layers_per_stage", "=ROUNDUP({c}{r1}/3,0)")),
    Fault("a remainder of fractions", "lines", "rounding", c.line("master_weight_bytes", "=MOD({c}{r1},0.1)")),
    Fault("a cell that repeats a repeated one", "words", "chain", c.chain),
    Fault("three choices in a row", "lines", "length", c.line("edge_parameters", "=IF(1>0,IF(1>0,IF(1>0,1,0),0),0)")),
    Fault("a formula too long to read", "lines", "length", c.line("optimizer_shards", "=1" + "+{c}6" * 100)),
    Fault("a number as text over a formula", "lines", "text-number", c.line("logits_bytes", "123")),
    Fault("a formula unlocked", "lines", "protection", c.unlock("Calculation", "optimizer_state_bytes")),
    Fault("a formula among a table's axes", "lines", "formulas", c.put(TABLE, "E7", "=1+1")),
    Fault("division by zero", "lines", "value", c.line("step_seconds", "=1/(0*{c}6)")),
    Fault("a formula added", "lines", "formulas", c.put("Sources", "K7", "=1", "A7")),
    Fault("a missing unit", "words", "unit", c.unit("peak_bytes", None)),
    Fault("a wrong unit", "words", "unit", c.unit("usable_bytes", "GB")),
    Fault("a changed label", "words", "words", c.word("Calculation", "headroom_bytes", "B", "What is needed")),
    Fault("a changed data sheet number", "words", "words", c.word("Hardware", "h100-80gb-sxm", "J", 9e12)),
    Fault("a tolerance made large", "words", "words", c.word("Reference", "TOLERANCE", "E", 1)),
    Fault("a value at build changed", "words", "words", c.word("Checks", "peak_bytes B", "F", 1e9)),
    Fault("a source removed", "words", "words", c.word("Calculation", "weight_bytes", "E", None)),
    Fault("another answer on the cover", "words", "words", c.word("Summary", "Answer as built", "C", "It fits.")),
    Fault("a title removed", "words", "title", c.put("Hardware", "A1", None)),
    Fault("an input's number as text", "inputs", "text-number", c.input_typed("micro_batch_size", "4")),
    Fault("an input out of range", "inputs", "allowed", c.input_typed("count", -1)),
    Fault("half an adapter rank", "inputs", "allowed", c.input_typed("lora_rank", 1.5)),
    Fault("a name that is not in the list", "inputs", "allowed", c.input_typed("optimizer", "adamz")),
    Fault("an input left empty", "inputs", "allowed", c.input_typed("precision", None)),
    Fault("a calculation among the inputs", "inputs", "input", c.input_typed("hidden_size", "=2048*2")),
    Fault("a variant that follows another row", "inputs", "input", c.input_typed("vocab_size", "=$F8", "G")),
    Fault("an input without a label", "inputs", "input", c.input_typed("num_hidden_layers", None, "B")),
    Fault("an input without an origin", "inputs", "input", c.input_typed("head_dim", None, "E")),
    Fault("a validation removed", "inputs", "input", c.no_validation),
    Fault("a validation without limits", "inputs", "input", c.no_limits),
    Fault("an input that is not blue", "looks", "input", c.black_input),
    Fault("a hidden row", "looks", "hidden", c.hide("row_dimensions", 7)),
    Fault("a hidden column", "looks", "hidden", c.hide("column_dimensions", "E")),
    Fault("a number format that hides", "looks", "hidden", c.hidden_number),
    Fault("white text on white", "looks", "contrast", c.font),
    Fault("merged cells", "looks", "merged", c.merged),
    Fault("protection removed", "looks", "protection", c.attribute("Checks", "protection.sheet", value=False)),
    Fault("a label unlocked", "looks", "protection", c.unlock("Inputs", "hidden_size", "B")),
    Fault("a link to nowhere", "looks", "link", c.link("M1", location="Gone!A1")),
    Fault("a link to the disk", "looks", "outside", c.link("M2", target="file:///etc/passwd")),
    Fault("upright paper", "looks", "print", c.attribute("Calculation", "page_setup.orientation", value="portrait")),
    Fault("no header on further pages", "looks", "print", c.attribute("Inputs", "print_title_rows", value=None)),
    Fault("no footer", "looks", "print", c.attribute("Cost", "oddFooter.left.text", value=None)),
    Fault("panes not frozen", "looks", "print", c.attribute("Inputs", "freeze_panes", value=None)),
    Fault("no title in the file", "looks", "properties", c.untitled),
    Fault("a master check that counts a part", "guards", "check", c.short_master),
    Fault("a check that compares a route with itself", "guards", "check", c.self_compared),
    Fault("a tolerance that does not grow with the sums", "unscaled", "check", c.unscaled),
    Fault("a check taken out", "guards", "check", c.cleared_row),
    Fault("a chart taken out", "guards", "chart", c.chart("Cost", c.no_charts)),
    Fault("a chart without axis titles", "guards", "chart", c.chart(TABLE, c.no_axis_title)),
    Fault("a description that states a result", "guards", "chart", c.description(b"It needs 80 GiB")),
    Fault("a wrong value beside a formula", "guards", "recalculated", c.lie("Calculation", "weight_bytes", 123.0)),
    Fault("a value a little off", "guards", "recalculated", c.lie("Calculation", "usable_bytes", 85899346200.0)),
    Fault("a wrong word beside one", "guards", "recalculated", c.lie("Calculation", "verdict (words)", "Splendid")),
    Fault("a reference to a missing sheet", "references", "reference", c.line("weight_bytes", "=Gone!A1")),
    Fault("a broken reference", "references", "reference", c.line("logits_bytes", "=#REF!*1")),
    Fault("a name that nobody defined", "references", "reference", c.line("gradient_bytes", "=in_nothing*1")),
    Fault("a cell of another workbook", "references", "outside", c.line("usable_bytes", "='[1]Sheet1'!A1")),
    Fault("a name that reads as a cell", "references", "name", c.name("H100", "Hardware!$A$8")),
    Fault("a name that leads nowhere", "references", "name", c.name("list_hosts", "#REF!")),
    Fault("a name that nobody uses", "references", "name", c.name("spare", "Hardware!$A$8")),
    Fault("a renamed sheet", "sheets", "sheets", c.renamed),
    Fault("a sheet by a reserved name", "sheets", "sheets", c.reserved_name),
    Fault("a further sheet", "sheets", "sheets", c.added),
    Fault("sheets in another order", "sheets", "sheets", c.moved),
    Fault("a hidden sheet", "sheets", "hidden", c.attribute("Reference", "sheet_state", value="veryHidden")),
    Fault("a link to another workbook", "sheets", "outside", c.part("xl/externalLinks/externalLink1.xml")),
    Fault("macros", "sheets", "outside", c.part("xl/vbaProject.bin")),
    Fault("a data connection", "sheets", "outside", c.part("xl/connections.xml")),
    Fault("no record of the build", "record", "record", c.no_record),
)
