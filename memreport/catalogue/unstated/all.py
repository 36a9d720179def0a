"""All that is filled into a scenario, in the order in which one needs the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.unstated.asked import with_asked
from memreport.catalogue.unstated.billing import with_cost_asked
from memreport.catalogue.unstated.compared import with_compared
from memreport.catalogue.unstated.engine import with_engine
from memreport.catalogue.unstated.gpus import with_gpu_forms
from memreport.catalogue.unstated.model import with_model_named
from memreport.catalogue.unstated.run import with_run_asked
from memreport.catalogue.unstated.variants import with_unstated
from memreport.catalogue.words.reading import Read, WordRead
from memreport.catalogue.yaml.strict import Document

STATED = frozenset({"model", "hardware", "training", "serving", "variants", "tables"})
"""What a scenario states beside its question."""


class Known(Protocol):
    """The names that words are looked up among."""

    @property
    def tables(self) -> Tables:
        """Tables of choices, hardware and prices."""

    @property
    def model_names(self) -> Mapping[str, str]:
        """The card of every name that one answers to."""


def completed(document: Document, words: tuple[WordRead, ...], known: Callable[[], Known]) -> Read:
    """The scenario with what its question, variants and hardware say of fields that are open, and what is assumed."""

    def tables() -> Tables:
        return known().tables

    def names() -> Mapping[str, str]:
        return known().model_names

    alone = STATED.isdisjoint(document.data)
    steps: tuple[Callable[[Document, tuple[WordRead, ...]], Read], ...] = (
        partial(with_compared, tables=tables, names=names),
        partial(with_model_named, names=names),
        *(partial(step, tables=tables) for step in (with_unstated, with_asked)),
        partial(with_run_asked, alone=alone),
        partial(with_gpu_forms, tables=tables),
        partial(with_engine, tables=tables, alone=alone),
        partial(with_cost_asked, tables=tables),
    )
    for step in steps:
        document, words = step(document, words)
    return document, words
