"""How quantities are read and written, as data: what `catalogue.quantities` knows, for the page's own small reader."""

from __future__ import annotations

from typing import Any

from memreport.catalogue import quantities
from memreport.catalogue.fields.dictionary import LARGEST, LARGEST_WHOLE


def number_words() -> dict[str, Any]:
    """Units with their factors, ladders of scales with their thresholds, and the largest numbers."""
    units = {unit: {name: float(factor) for name, factor in names.items()} for unit, names in quantities.UNITS.items()}
    return {
        "units": units,
        "aliases": quantities.ALIASES,
        "ladders": {unit: _rungs(ladder) for unit, ladder in quantities.LADDERS.items()},
        "largest": [LARGEST, LARGEST_WHOLE],
        "digits": quantities.MAX_DIGITS,
        "scaleWords": sorted(quantities.SCALE_WORDS),
        "bits": quantities.BIT_NAMES.pattern,
        "share": quantities.SHARE.pattern,
    }


def _rungs(ladder: quantities.Ladder) -> list[list[Any]]:
    return [[float(scale.threshold), float(scale.factor), scale.template] for scale in ladder]
