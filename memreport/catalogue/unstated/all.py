"""All that is filled into a scenario, in the order in which one needs the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.cards import card_named
from memreport.catalogue.records import ModelCard
from memreport.catalogue.unstated.asked import with_asked
from memreport.catalogue.unstated.billing import with_cost_asked
from memreport.catalogue.unstated.compared import with_compared
from memreport.catalogue.unstated.engine import with_draft, with_engine
from memreport.catalogue.unstated.gpus import with_gpu_forms
from memreport.catalogue.unstated.model import with_model_named
from memreport.catalogue.unstated.named_gpus import without_numbers
from memreport.catalogue.unstated.run import with_run_asked
from memreport.catalogue.unstated.variants import with_unstated
from memreport.catalogue.words.meaning import Read, WordRead
from memreport.catalogue.words.unread import with_unread
from memreport.catalogue.yaml.strict import Document

ASKED = frozenset({"model", "hardware", "variants", "tables"})
"""What a question alone says."""
STATED = ASKED | {"training", "serving"}
"""What a scenario states beside its question."""


class Known(Protocol):
    """The names that words are looked up among."""

    @property
    def tables(self) -> Tables:
        """Tables of choices, hardware and prices."""

    @property
    def model_names(self) -> Mapping[str, str]:
        """The card of every name that one answers to."""

    def model(self, name: str) -> ModelCard | None:
        """A model card by name."""


def is_alone(document: Document) -> bool:
    """Whether a scenario states nothing beside its question."""
    return STATED.isdisjoint(document.data)


def completed(document: Document, words: tuple[WordRead, ...], known: Callable[[], Known], *, alone: bool) -> Read:
    """The scenario with what its question, variants and hardware say of fields that are open, and what is assumed.

    A question that stands alone leaves more open than a file does.
    """

    def tables() -> Tables:
        return known().tables

    def names() -> Mapping[str, str]:
        return known().model_names

    steps: tuple[Callable[[Document, tuple[WordRead, ...]], Read], ...] = (
        partial(with_compared, tables=tables, names=names),
        partial(with_model_named, names=names),
        partial(with_unstated, tables=tables),
        partial(_without_names, with_asked, tables),
        partial(with_run_asked, card=partial(_card, known), alone=alone),
        partial(with_gpu_forms, tables=tables),
        partial(with_engine, tables=tables, card=partial(_card, known), alone=alone),
        partial(with_draft, card=partial(_card, known)),
        partial(with_cost_asked, tables=tables),
        *((with_unread,) if ASKED.isdisjoint(document.data) else ()),
    )
    for step in steps:
        document, words = step(document, words)
    return document, words


def _card(known: Callable[[], Known], name: str) -> ModelCard | None:
    """The card of a model by any of its names; None of a model that nobody names."""
    card = card_named(name, known().model_names)
    return known().model(card) if card else None


def _without_names(
    step: Callable[..., Read], tables: Callable[[], Tables], document: Document, words: tuple[WordRead, ...]
) -> Read:
    """What a step reads of a question whose names of hardware give no numbers."""
    question = document.data.get("question")
    if not isinstance(question, str) or (numbered := without_numbers(question, tables)) == question:
        return step(document, words, tables=tables)
    document, words = step(replace(document, data={**document.data, "question": numbered}), words, tables=tables)
    return replace(document, data={**document.data, "question": question}), words
