"""The formats of weights that words mean, here and in other programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.words.tables import meanings
from memreport.errors import as_spelt


def formats_known(words: Iterable[str], tables: Callable[[], Tables]) -> Iterator[str]:
    """The formats that words in small letters mean, each once, in their order."""
    ids, elsewhere = [*map(str, tables()["weight_formats"].ids)], _formats_elsewhere()
    yield from filter(None, dict.fromkeys(as_spelt(said, ids) or elsewhere.get(said, "") for said in words))


@cache
def _formats_elsewhere() -> Mapping[str, str]:
    """Formats as other programs call them, as far as they are no common words."""
    return {
        word: str(meaning.settings["weight_dtype"])
        for (field, word), meaning in meanings("serving").items()
        if field == "weight_dtype" and "weight_dtype" in meaning.settings and re.search(r"\d|gptq|awq", word)
    }
