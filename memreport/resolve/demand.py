"""Lengths of a served request that follow from a demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from memreport.formula.words import larger
from memreport.resolve.records import Origin


def _whole(settings: Mapping[str, Any]) -> Any:
    return settings["prompt_tokens"] + settings["output_tokens"]


FOLLOWING: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "context_length": _whole,
    "max_model_len": lambda settings: larger(_whole(settings), settings["max_model_len"]),
}
"""A running sequence holds prompt and answer, and the engine admits it; in the words of formulas, for the browser."""


def follow_lengths(settings: MutableMapping[str, Any], origins: MutableMapping[str, Origin]) -> None:
    """Set these lengths where nobody stated them."""
    wanted = {name: float(rule(settings)) for name, rule in FOLLOWING.items()}
    for name, tokens in wanted.items():
        if origins[name].kind == "default":
            settings[name] = tokens
            origins[name] = Origin("default", "prompt and answer of the demand")
