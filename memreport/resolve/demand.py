"""What follows from a demand: lengths of a served request, and the API that it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, cast

from memreport.catalogue.records import Key, Table
from memreport.catalogue.scenario import dictionary
from memreport.formula.words import larger, smaller, where
from memreport.resolve.records import FOLLOWS_CARD, Origin


def _whole(settings: Mapping[str, Any]) -> Any:
    return settings["prompt_tokens"] + settings["output_tokens"]


def _readable(settings: Mapping[str, Any]) -> Any:
    """The usual length, or what the model reads where that is less."""
    usual, most = settings["max_model_len"], settings["max_position_embeddings"]
    return where(most > 0, smaller(usual, most), usual)


LENGTHS, REQUEST = ("context_length", "prompt_tokens"), ("prompt_tokens", "output_tokens")
FOLLOWED_LENGTHS = ("sequence_length", "max_model_len", *LENGTHS)
"""Lengths that another choice decides, unless they are stated."""
FOLLOWING: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "context_length": _whole,
    "max_model_len": lambda settings: larger(_whole(settings), _readable(settings)),
}
"""A running sequence holds prompt and answer, and the engine admits it; in the words of formulas, for the browser."""


def follow_lengths(settings: MutableMapping[str, Any], origins: MutableMapping[str, Origin]) -> None:
    """Lengths of a service that nobody stated: a sequence holds the prompt and answer that are, an engine admits it."""
    stated = any(origins[name].kind not in FOLLOWS_CARD for name in REQUEST)
    if stated and origins["context_length"].kind == "default":
        settings["context_length"] = _whole(settings)
    if origins["max_model_len"].kind == "default":
        settings["max_model_len"] = max(_usual("serving", "max_model_len", settings), settings["context_length"])
    for name in (name for name in LENGTHS if origins[name].kind == "default"):
        wanted = settings[name] if stated else _usual("serving", name, settings)
        settings[name] = min(wanted, settings["max_model_len"])


def follow_positions(settings: MutableMapping[str, Any], origins: Mapping[str, Origin]) -> None:
    """A trained sequence that nobody stated is no longer than the model reads."""
    if origins["sequence_length"].kind == "default":
        settings["sequence_length"] = _usual("training", "sequence_length", settings)


def _usual(workload: str, name: str, settings: Mapping[str, Any]) -> float:
    """The default of a length, or what the model reads where that is less."""
    default = float(cast(float, dictionary(workload)[name].default))
    return float(_readable({**settings, "max_model_len": default}))


def follow_demand(
    settings: MutableMapping[str, Any], origins: MutableMapping[str, Origin], card: str, apis: Table
) -> None:
    """Set the lengths, and the API that offers the model for least, where nobody stated them."""
    wanted = {name: float(rule(settings)) for name, rule in FOLLOWING.items()}
    for name, tokens in wanted.items():
        if origins[name].kind == "default":
            settings[name] = tokens
            origins[name] = Origin("default", "prompt and answer of the demand")
    if origins["api_price"].kind == "default":
        settings["api_price"] = _cheapest(apis, card, settings)
        origins["api_price"] = Origin("default", "the list price that is lowest for the model, if one is known")


def _cheapest(apis: Table, card: str, settings: Mapping[str, Any]) -> Key:
    """The API at which a request to the model costs least; none where no list price is known."""
    lengths = {"api_input_usd": settings["prompt_tokens"], "api_output_usd": settings["output_tokens"]}

    def usd(one: Key) -> float:
        return sum(float(apis.columns[name].values[apis.row(one)] * tokens) for name, tokens in lengths.items())

    return min((id_ for id_ in apis.ids if apis.text("model", id_) == card), key=usd, default="none")
