"""How long the training of a question runs, in tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memreport.catalogue.question.numbers import (
    ABOUT,
    EACH_TIME,
    MANY,
    MANY_IN_ALL,
    MANY_TOKENS,
    MOST_LENGTH,
    STATED,
    amount_said,
    number_said,
    tokens_said,
)
from memreport.catalogue.question.stated import beside_question, block_of, question_of
from memreport.catalogue.records import SEQUENCE_LENGTH

TRAINED_ON = re.compile(
    rf"\b(on|over|of|for|with) (?:about |around |our |a )*{STATED} ?({'|'.join(MANY_IN_ALL)})?"
    rf"[ -]?tokens?\b(?!{EACH_TIME})"
)
TRAINED_SAMPLES = re.compile(
    rf"\b(?:on|over|of|with|for) (?:about |around |our |a )*{STATED} ?{MANY} (?:[a-z-]+ )?"
    r"(?:samples|examples|pairs|rows|conversations|instructions)\b"
    rf"(?: (?:of|with) {ABOUT}{MANY_TOKENS}[ -]?tokens?\b)?"
)
OF_A_LENGTH = ("of", "for", "with")
"""What stands before the length of a sequence, too: `with 4096 tokens` trains on more than these."""
EPOCHS_SAID = re.compile(rf"\b{STATED} epochs?\b")
STEPS_SAID = re.compile(
    rf"\b(?:for|of|over|take|run|do) (?:about |around )?{STATED} ?{MANY} (?:[a-z]+ )?steps\b(?!{EACH_TIME})"
)
LENGTH_OF_RUN = (
    "training_tokens",
    "max_steps",
    "num_train_epochs",
    "train_samples",
    "dataset_tokens",
    "dataset_samples",
)


def tokens_asked(data: Mapping[str, Any]) -> float:
    """Tokens that a question trains on, all its epochs together, where no field says how long the run is; else 0.

    A sample is as long as the sequences.
    """
    question, rest = question_of(data), beside_question(data)
    if data.get("workload") != "training" or any(name in rest for name in LENGTH_OF_RUN):
        return 0.0
    epochs = EPOCHS_SAID.search(question)
    return _tokens_of_a_pass(question, block_of(data, "training")) * (number_said(epochs[1]) if epochs else 1)


def steps_asked(data: Mapping[str, Any]) -> int:
    """Steps that a question trains for, where neither it nor a field says how long the run is otherwise; else 0."""
    said = STEPS_SAID.search(question_of(data))
    stated = any(name in beside_question(data) for name in LENGTH_OF_RUN)
    if not said or stated or data.get("workload") != "training" or tokens_asked(data):
        return 0
    return int(amount_said(said[1], said[2]))


def _tokens_of_a_pass(question: str, training: Mapping[str, Any]) -> float:
    if said := TRAINED_SAMPLES.search(question):
        stated = training.get("sequence_length", SEQUENCE_LENGTH)
        length = tokens_said(*filter(None, said.groups()[2:])) if said[3] else stated
        return amount_said(said[1], said[2]) * length if isinstance(length, int) else 0.0
    said = TRAINED_ON.search(question)
    tokens = amount_said(said[2], said[3], MANY_IN_ALL) if said else 0.0
    return 0.0 if said and said[1] in OF_A_LENGTH and tokens <= MOST_LENGTH else tokens
