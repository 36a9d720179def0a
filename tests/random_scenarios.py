"""Random scenarios over most fields that decide memory: valid or not, which the loader says."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import strategies as st

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.scenario import dictionary
from tests.support import packaged, scenario_text

POWERS = st.sampled_from([1, 1, 1, 2, 4, 8])
HARDWARE = st.fixed_dictionaries(
    {"accelerator": st.sampled_from(["a100-80gb-sxm", "h100-80gb-sxm", "l4", "mi300x"]), "count": st.just(16)}
)
MODEL = st.builds(
    lambda heads, groups, head, layers, width, vocab, tied: {
        "hidden_size": heads * head,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": max(heads // groups, 1),
        "head_dim": head,
        "intermediate_size": width,
        "vocab_size": vocab,
        "max_position_embeddings": 1 << 20,
        "tie_word_embeddings": tied,
    },
    st.sampled_from([8, 16, 32, 64]),
    st.sampled_from([1, 4, 8]),
    st.sampled_from([32, 64, 128]),
    st.sampled_from([4, 12, 32, 80]),
    st.sampled_from([512, 4096, 28672]),
    st.sampled_from([1000, 32000, 256000]),
    st.booleans(),
)
SPLIT = ("tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size")
LENGTHS = {"sequence_length", "max_model_len", "context_length", "max_num_batched_tokens", "prompt_tokens"}
RANGES = {"fragmentation_share", "fragmentation_share_low", "fragmentation_share_high", "cached_share"}
LEFT_OUT = {"expert_parallel_size", "cached_share_high", *LENGTHS, *RANGES}
"""What other fields bound: lengths, both ends of a range, the number of experts."""
LARGEST = 64


def _values(entry: Entry) -> st.SearchStrategy[Any]:
    """Values that one field allows, each for itself."""
    if entry.name in SPLIT:
        return POWERS
    if entry.kind == "choice":
        return st.sampled_from(list(packaged().tables[entry.table].ids))
    if entry.kind == "switch":
        return st.booleans()
    low = (entry.lowest or 0.0) + (1e-3 if entry.kind == "number" else 0.0)
    high = max(low, LARGEST) if entry.highest is None else entry.highest
    if entry.kind == "whole":
        return st.integers(math.ceil(low), math.floor(high))
    return st.floats(low, high, allow_nan=False)


def _section(workload: str) -> st.SearchStrategy[dict[str, Any]]:
    entries = {
        one.name: _values(one)
        for one in dictionary(workload).values()
        if one.section == workload and one.kind in ("choice", "switch", "whole", "number") and one.name not in LEFT_OUT
    }
    few = st.sets(st.sampled_from(sorted(entries)), max_size=8)
    return few.flatmap(lambda names: st.fixed_dictionaries({name: entries[name] for name in sorted(names)}))


@st.composite
def scenarios(draw: st.DrawFn) -> str:
    """The text of one scenario."""
    workload = draw(st.sampled_from(["training", "training", "serving"]))
    section = draw(_section(workload))
    length = draw(st.sampled_from([16, 512, 4096, 131072]))
    named = LENGTHS & dictionary(workload).keys()
    section |= dict.fromkeys(sorted(named), length)
    if workload == "training":
        section["pipeline_parallel_size"] = draw(st.sampled_from([1, 1, 4]))
    else:
        section.pop("context_parallel_size", None)
    blocks = {"model": draw(MODEL), "hardware": draw(HARDWARE), workload: section}
    return scenario_text(workload=workload, **{name: json.dumps(block) for name, block in blocks.items()})
