"""What follows from a demand: lengths of a served request, and the API that it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, cast

from memreport.catalogue.records import Key, Table
from memreport.catalogue.scenario import dictionary
from memreport.formula.words import larger, smaller, where
from memreport.resolve.records import Origin


def _whole(settings: Mapping[str, Any]) -> Any:
    return settings["prompt_tokens"] + settings["output_tokens"]


def _readable(settings: Mapping[str, Any]) -> Any:
    """The usual length, or what the model reads where that is less."""
    usual, most = settings["max_model_len"], settings["max_position_embeddings"]
    return where(most > 0, smaller(usual, most), usual)


LENGTHS = ("max_model_len", "context_length", "prompt_tokens")
FOLLOWING: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "context_length": _whole,
    "max_model_len": lambda settings: larger(_whole(settings), _readable(settings)),
}
"""A running sequence holds prompt and answer, and the engine admits it; in the words of formulas, for the browser."""


def follow_lengths(settings: MutableMapping[str, Any], origins: MutableMapping[str, Origin]) -> None:
    """Where one of the lengths is stated, those that are not stay within it: an engine admits what runs."""
    usual = {name: float(cast(float, dictionary("serving")[name].default)) for name in LENGTHS}
    if origins["max_model_len"].kind == "default":
        settings["max_model_len"] = max(usual["max_model_len"], settings["context_length"])
    for name in LENGTHS[1:]:
        if origins[name].kind == "default":
            settings[name] = min(usual[name], settings["max_model_len"])


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
