"""Choices that nobody stated: whether they still are what a scenario with these inputs would take, behind Checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from memreport.catalogue.names import title_of
from memreport.formula.printing import to_excel
from memreport.formula.recording import recorded
from memreport.frozen import frozen
from memreport.publish.xlsx.common.draft import FIRST, LINE_COLUMN, NAME_COLUMN
from memreport.publish.xlsx.common.lines import HERE, Block, Text
from memreport.publish.xlsx.common.titles import INPUTS
from memreport.publish.xlsx.file.cells import Value
from memreport.publish.xlsx.sheet.book import Formula, letter
from memreport.publish.xlsx.sheet.styles import LABEL, TEXT_BARE, WORD
from memreport.resolve import Case
from memreport.resolve.following import (
    DECIDING,
    OF_GPU,
    RuleEffect,
    effects,
    followed,
    following,
    otherwise,
    read_of,
    stating,
)

TITLE = "Choices that nobody stated, and what they would be with the inputs that stand now"
LOOK = "General"
Cells = dict[str, str]
"""Where each field stands that follows another, as far as rules have been applied."""


@frozen
class LeftOpen:
    """The lines, in a block; `built` is the row of Checks above the inputs at build."""

    block: Block
    built: int

    def write(self) -> None:
        """A line a rule, then whether each field is otherwise, then all of these in words; notes where that stands."""
        block = self.block
        block.heading(TITLE)
        cells = {name: self._begins(name) for name in self._fields}
        for at, follower in enumerate(following(block.draft.view.workload)):
            if follower.field in cells and any(case[at].decides for case in self._cases):
                cells[follower.field] = self._ruled(at, cells)
        words = [self._otherwise(name, cell) for name, cell in cells.items()]
        block.sheet.put(block.row, LINE_COLUMN, "all of them, in words", LABEL)
        block.sheet.put(block.row, FIRST, Formula("&".join(words) or '""', ""), TEXT_BARE)
        block.draft.cells.left_open = block.sheet.address(block.row, FIRST)

    @cached_property
    def _cases(self) -> list[tuple[RuleEffect, ...]]:
        """By variant, what each rule comes to."""
        view = self.block.draft.view
        read = view.resolved.catalogue, view.workload
        return [tuple(effects(case.settings, self._is_stated(case), case.card, *read)) for case in view.variants]

    def _is_stated(self, case: Case) -> Any:
        return stating(case.origins, self.block.draft.view.scenario.demand is not None)

    @cached_property
    def _fields(self) -> list[str]:
        """Fields that a rule may set in some variant, and that have a row of Inputs."""
        draft = self.block.draft
        decided = {each.follower.field for case in self._cases for each in case if each.decides}
        return [name for name in followed(draft.view.workload) if name in draft.inputs.rows and name in decided]

    def _input(self, name: str) -> str:
        return f"{INPUTS}!{HERE}{self.block.draft.inputs.rows[name]}"

    def _constants(self, name: str, meaning: str, values: Sequence[Value]) -> str:
        """A line of constants; where they stand, as a template."""
        block = self.block
        block.sheet.row(block.row, NAME_COLUMN, [name, meaning], LABEL)
        for index, value in enumerate(values):
            block.sheet.put(block.row, FIRST + index, value, WORD)
        block.rows[name] = block.row
        block.row += 1
        return block.cell(name)

    def _begins(self, name: str) -> str:
        """What a field is before any rule where nobody stated or typed it, else what stands on Inputs."""
        draft, block, view = self.block.draft, self.block, self.block.draft.view
        free: list[Value] = [float(not self._is_stated(case)(name)) for case in view.variants]
        usual = [_plain(otherwise(name, case.card, view.resolved.catalogue, view.workload)) for case in view.variants]
        here, title = self._input(name), title_of(name)
        left = self._constants(f"{name} left open", f"{title}: 1 where nobody stated it", free)
        first = self._constants(f"{name} otherwise", f"{title}: before any rule", usual)
        then = f"{HERE}{self.built + draft.inputs.rows[name] - draft.inputs.header}"
        block.put(Text(f"{name} untyped", f"{title}: 1 where nobody typed it"), f"{left}*({here}={then})", free, "0")
        given = [draft.setting(case, name) for case in view.variants]
        now = [first_ if is_free else value for first_, is_free, value in zip(usual, free, given, strict=True)]
        untyped = block.cell(f"{name} untyped")
        block.put(Text(f"{name} at first", f"{title}: to begin with"), f"IF({untyped}=1,{first},{here})", now)
        return block.cell(f"{name} at first")

    def _ruled(self, at: int, cells: Cells) -> str:
        """A field after a rule, where it decides."""
        block, view = self.block, self.block.draft.view
        here, follower = [case[at] for case in self._cases], following(view.workload)[at]
        name, title, said = follower.field, title_of(follower.field), f"{follower.field} by rule {at + 1}"
        decides = self._constants(
            f"{said} decides", f"{title}: 1 where rule {at + 1} decides", [float(each.decides) for each in here]
        )
        acts, then = f"{decides}*{block.cell(f'{name} untyped')}", self._printed(at, cells)
        if follower.choice is not None:
            chosen = [_plain(follower.choice)] * len(here)
            acts = f"{acts}*({then})"
            then = self._constants(f"{said} choice", f"{title}: what rule {at + 1} chooses", chosen)
        after: list[Value] = [
            block.draft.setting(case, name) if each.value is None else _plain(each.value)
            for each, case in zip(here, view.variants, strict=True)
        ]
        block.put(Text(said, f"{title}: after rule {at + 1}"), f"IF({acts}>0,{then},{cells[name]})", after)
        return block.cell(said)

    def _printed(self, at: int, cells: Cells) -> str:
        """A rule as a formula."""
        rule = following(self.block.draft.view.workload)[at].rule
        return to_excel(recorded(rule), lambda name: self._read(name, cells))

    def _read(self, name: str, cells: Mapping[str, str]) -> str:
        """Where a rule reads a name: a field that follows, an input, a column of the GPU or of the program."""
        if name in cells:
            return cells[name]
        if name in self.block.draft.inputs.rows:
            return self._input(name)
        tables = {**({"accelerator": "accelerators"} if name in OF_GPU else {}), **DECIDING}
        return next((found for field, table in tables.items() if (found := self._column(field, table, name))), "0")

    def _column(self, field: str, table: str, name: str) -> str:
        """A line of its own, written once, for a column of the row that a field picks; nothing where there is none."""
        draft, block, said = self.block.draft, self.block, f"{name} of the {field}"
        place = draft.tables.get(table)
        if place is None or name not in place.columns or field not in draft.inputs.rows:
            return ""
        if said not in block.rows:
            catalogue, picked = draft.view.resolved.catalogue, [case.settings[field] for case in draft.view.variants]
            values: list[Value] = [read_of(field, choice, name, catalogue) for choice in picked]
            template = f"INDEX({place.columns[name]},MATCH({self._input(field)},{place.ids},0))"
            block.put(Text(said, f"{title_of(name)} of the {title_of(field)}"), template, values, LOOK)
        return block.cell(said)

    def _otherwise(self, name: str, cell: str) -> str:
        """Whether a field is not what the rules come to now; where that stands in words."""
        block, title = self.block, title_of(name)
        zeros: list[Value] = [0.0] * len(block.cases)
        flag = f"{block.cell(f'{name} untyped')}*({self._input(name)}<>{cell})"
        block.put(Text(f"{name} otherwise now", f"{title}: 1 where it would be another now"), flag, zeros, "0")
        rows = block.rows[f"{name} otherwise now"], int(cell.removeprefix(HERE))
        flags, values = (f"{letter(FIRST)}{row}:{letter(block.last_column)}{row}" for row in rows)
        words = f'"{title} would be "&INDEX({values},MATCH(1,{flags},0))&"; "'
        block.sheet.row(block.row, NAME_COLUMN, [f"{name} in words", f"{title}: in words"], LABEL)
        block.sheet.put(block.row, FIRST, Formula(f'IF(SUM({flags})=0,"",{words})', ""), TEXT_BARE)
        block.row += 1
        return block.sheet.address(block.row - 1, FIRST)


def _plain(value: Any) -> Value:
    return value if isinstance(value, str) else float(value)
