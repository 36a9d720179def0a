"""Lengths of a served request that follow from a demand."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from memreport.resolve.records import Origin


def follow_lengths(settings: MutableMapping[str, Any], origins: MutableMapping[str, Origin]) -> None:
    """Let a running sequence hold prompt and answer, and the engine admit it, where nobody stated these lengths."""
    whole = settings["prompt_tokens"] + settings["output_tokens"]
    wanted = {"context_length": whole, "max_model_len": max(whole, settings["max_model_len"])}
    for name, tokens in wanted.items():
        if origins[name].kind == "default":
            settings[name] = tokens
            origins[name] = Origin("default", "prompt and answer of the demand")
