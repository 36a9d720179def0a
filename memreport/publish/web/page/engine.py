"""The figures of a workload as JavaScript: each a function of numbered values, and what each value is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from memreport.advise.verdict import verdict_number
from memreport.catalogue.constraints import CONSTRAINTS, WARNINGS
from memreport.catalogue.fields.rules import Constraint
from memreport.catalogue.names import title_of
from memreport.catalogue.scenario import dictionary
from memreport.formula.printing import repr_number, shorter, to_javascript, without_units
from memreport.formula.recording import Line, recorded, walk
from memreport.formula.words import Expr, Num, Ref
from memreport.frozen import frozen
from memreport.report.live.ranges import COST, TIME, RangedAmount
from memreport.report.live.verdict_sentences import SLOTS, VERDICTS, SentenceCase, names_in
from memreport.resolve.demand import request_usd
from memreport.resolve.following import Following, following

Rule = Callable[[Mapping[str, Any]], Any]
PLACE = "v[999]"
"""How the place of most values is written."""


@frozen
class PageEngine:
    """Lines of a workload in dependency order, with a number for every constant, input and line."""

    workload: str
    lines: tuple[Line, ...]

    @cached_property
    def constants(self) -> dict[str, Num]:
        """Named constants that are written by their places: those whose numbers are longer."""
        return {name: node for name, node in self._named.items() if shorter(node, PLACE) == PLACE}

    @cached_property
    def _named(self) -> dict[str, Num]:
        """Named constants of all lines and rules."""
        trees = [*(line.figure.expression for line in self.lines), *(rule.expression for rule in self.constraints)]
        return {node.name: node for tree in trees for node in walk(tree) if isinstance(node, Num) and node.name}

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """What must hold between fields, then what is doubtful where it does not."""
        return tuple(constraint for constraint in (*CONSTRAINTS, *WARNINGS) if self.workload in constraint.workloads)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names that lines and rules read and no line computes."""
        named = {line.name for line in self.lines}
        read = [name for line in self.lines for name in line.reads]
        read += [name for rule in self.constraints for name in rule.reads]
        read += [name for rule in self._read_by_name for name in _refs(recorded(rule))]
        return tuple(name for name in dict.fromkeys(read) if name not in named)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The place of every input, constant and line among the values."""
        names = (*self.inputs, *self.constants, *(line.name for line in self.lines))
        return {name: index for index, name in enumerate(names)}

    @property
    def following(self) -> tuple[Following, ...]:
        """What fields are where nobody states them."""
        return following(self.workload)

    @property
    def _read_by_name(self) -> tuple[Rule, ...]:
        """Rules on settings, before there are values."""
        rules = tuple(follower.rule for follower in self.following)
        return (*rules, request_usd) if self.workload == "serving" else rules

    def script(self) -> str:
        """The engine as a JavaScript object of functions of `v`, the values."""
        parts = {
            "figures": _listed(self._of(line.figure.expression, line.bound) for line in self.lines),
            "rules": _listed(self._of(rule.expression) for rule in self.constraints),
            "verdict": self._of_rule(verdict_number),
            "cases": _listed(self._of_rule(sentence.applies) for sentence in self.sentences),
            "slots": _keyed({name: _listed(map(self._of_rule, SLOTS[name].rules)) for name in self._slots}),
            "following": _listed(map(_by_name, self._read_by_name)),
        }
        return _keyed(parts)

    def _of_rule(self, rule: Rule) -> str:
        return self._of(recorded(rule))

    def _of(self, expression: Expr, bound: Mapping[str, str] | None = None) -> str:
        places = bound or {}
        plain = without_units(expression)
        return f"v=>{without_braces(to_javascript(plain, lambda name: self._written(places.get(name, name))))}"

    def _written(self, name: str) -> str:
        """A constant as its number where that is the shorter, else the place of a value."""
        return f"v[{self.numbers[name]}]" if name in self.numbers else shorter(self._named[name], PLACE)

    def has(self, names: Iterable[str]) -> bool:
        """Whether all of these are computed or given."""
        return all(name in self.numbers for name in names)

    @cached_property
    def sentences(self) -> tuple[SentenceCase, ...]:
        """The sentences that this workload can say."""
        return tuple(verdict for verdict in VERDICTS if self.has(verdict.needs))

    @cached_property
    def _slots(self) -> tuple[str, ...]:
        said = dict.fromkeys(name for sentence in self.sentences for name in names_in(sentence.pattern))
        return tuple(name for name in said if name in SLOTS)

    @cached_property
    def amounts(self) -> dict[str, RangedAmount]:
        """Time and, where it is billed, cost."""
        wanted = (("time", TIME), ("cost", COST))
        return {name: of[self.workload] for name, of in wanted if self.has(of[self.workload].figures)}

    def data(self) -> dict[str, Any]:
        """What the functions are called, in their order."""
        return {
            "constants": [[name, constant.value, str(constant.unit)] for name, constant in self.constants.items()],
            "figures": list(map(_described, self.lines)),
            "labels": {line.name: line.figure.labels for line in self.lines if line.figure.labels},
            "following": list(self._followers()),
            "rules": [[rule.field, rule.message, rule in CONSTRAINTS] for rule in self.constraints],
            "sentences": [sentence.pattern for sentence in self.sentences],
            "slots": {name: SLOTS[name].form for name in self._slots},
            "amounts": {name: [amount.title, amount.unit, amount.figures] for name, amount in self.amounts.items()},
        }

    def _followers(self) -> Iterator[list[object]]:
        """Fields that follow a choice: what they are else, the choice, what sets it aside, what it gives."""
        fields = dictionary(self.workload)
        for rule in self.following:
            yield [rule.field, fields[rule.field].default, rule.choice, rule.unless, rule.given]


def without_braces(text: str) -> str:
    """A text without the braces around all of it."""
    depths = [*accumulate({"(": 1, ")": -1}.get(sign, 0) for sign in text)]
    return text[1:-1] if text.startswith("(") and depths.index(0) == len(text) - 1 else text


def _refs(expression: Expr) -> Iterator[str]:
    return (node.name for node in walk(expression) if isinstance(node, Ref))


def _by_name(rule: Rule) -> str:
    """A function of what gives the number of a name; a constant is its number."""
    tree = recorded(rule)
    constants = {node.name: repr_number(node.value) for node in walk(tree) if isinstance(node, Num) and node.name}
    return f"v=>{to_javascript(tree, lambda name: constants.get(name, f'v({json.dumps(name)})'))}"


def _described(line: Line) -> list[Any]:
    """Name, title, symbol, unit, basis, meaning and source."""
    figure = line.figure
    return [
        line.name,
        title_of(line.name),
        figure.symbol,
        str(figure.unit),
        figure.basis,
        figure.meaning,
        figure.source,
    ]


def _listed(texts: Iterable[str]) -> str:
    return f"[{','.join(texts)}]"


def _keyed(texts: Mapping[str, str]) -> str:
    return "{" + ",\n".join(f"{name}:{text}" for name, text in texts.items()) + "}"


def engine_of(workload: str, lines: Sequence[Line]) -> PageEngine:
    """The engine of lines in dependency order."""
    return PageEngine(workload, tuple(lines))
