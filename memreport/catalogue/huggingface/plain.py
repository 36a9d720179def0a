"""Model types that a page reads by itself: what their configurations say key by key, as data."""

from __future__ import annotations

from typing import Any

from memreport.catalogue.huggingface.card import (
    ACTIVATION_KEYS,
    COMMON,
    INSIDE,
    KNOWN_ACTIVATIONS,
    NOTED,
    ONE_ACTIVATION,
    SAME_ACTIVATION,
)
from memreport.catalogue.huggingface.families import FAMILIES, SAME_AS, Family
from memreport.catalogue.huggingface.reader import IRRELEVANT, OF_TRAINING, Reader


def plain_families() -> dict[str, Any]:
    """How to read them, and which keys may be passed over."""
    plain = {name: one for name, one in FAMILIES.items() if one.derived is None or one.unless}
    return {
        "families": {name: _family(one) for name, one in plain.items()},
        "sameAs": SAME_AS,
        "common": COMMON,
        "activationKeys": ACTIVATION_KEYS,
        "activations": sorted(KNOWN_ACTIVATIONS),
        "sameActivation": SAME_ACTIVATION,
        "inside": INSIDE,
        "passedOver": sorted({*IRRELEVANT, *OF_TRAINING, *NOTED}),
    }


def _family(one: Family) -> dict[str, Any]:
    return {
        "names": one.names,
        "constants": one.constants,
        "flags": one.flags,
        "copied": one.copied,
        "unless": one.unless,
        "read": sorted(_read_by(one)),
        "tied": one.tied,
        "activation": one.activation,
        "oneActivation": one.activation in ONE_ACTIVATION,
    }


def _read_by(one: Family) -> set[str]:
    """The keys that its own rule looks at."""
    read = Reader({}, one.names, "")
    if one.derived:
        one.derived(read)
    return read.seen
