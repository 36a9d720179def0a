"""The matrices that adapters are put on and the modules that are trained whole: PEFT's names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Literal, get_args

Matrix = Literal[
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    "q_a_proj", "q_b_proj", "linear_attn", "linear_out", "x_proj", "dt_proj", "router", "shared_expert_gate", "others",
    "mlp_w",
]  # fmt: skip
Module = Literal["embed_tokens", "lm_head"]
TargetModule = Literal[
    Matrix, Module, "all-linear",
    "embeddings", "tok_embeddings", "wte", "word_embeddings", "embed_in", "embed_out", "output",
    "qkv_proj", "query_key_value", "c_attn", "kv_a_proj_with_mqa", "kv_b_proj", "attn.c_proj", "mlp.c_proj", "c_proj",
    "out_proj", "dense", "gate", "q", "k", "v", "o", "wi", "wi_0", "wi_1", "wo", "query", "key", "value",
    "query_proj", "key_proj", "value_proj", "q_lin", "k_lin", "v_lin", "out_lin", "lin1", "lin2",
    "w1", "w2", "w3", "wq", "wk", "wv", "wqkv", "Wqkv", "Wi", "Wo", "W_pack", "att_proj", "attn_out", "ff_proj",
    "ff_out", "gate_up_proj", "c_fc", "fc1", "fc2", "fc_in", "fc_out", "dense_h_to_4h", "dense_4h_to_h",
    "in_proj", "in_proj_qkv", "in_proj_qkvz", "in_proj_z", "in_proj_a", "in_proj_b", "in_proj_ba",
    "linear_qkv", "linear_proj", "linear_fc1", "linear_fc2",
]  # fmt: skip
MATRICES: tuple[Matrix, ...] = get_args(Matrix)
RecomputedModule = Literal["core_attn", "mlp", "moe", "moe_act", "shared_experts", "layernorm", "mla_up_proj"]
ExpertMatrix = Literal["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
WholeModule = Literal[
    Module, "wte", "word_embeddings", "embed_in", "embed_out", "output", "score", "classifier", "v_head", "embeddings",
    "tok_embeddings", "norms", "norm", "ln_f", "input_layernorm", "post_attention_layernorm", "layernorm", "layer_norm",
]  # fmt: skip
MODULES: tuple[Module, ...] = get_args(Module)
NORMS = ("norm", "ln_f", "input_layernorm", "post_attention_layernorm", "layernorm", "layer_norm")
SAME_MODULE: Mapping[str, str] = {
    **dict.fromkeys(("wte", "word_embeddings", "embed_in", "embeddings", "tok_embeddings"), "embed_tokens"),
    **dict.fromkeys(("embed_out", "output"), "lm_head"),
    **dict.fromkeys(NORMS, "norms"),
}
"""Names of embedding and head in other families; of some norms, for which all are counted.

A head of few scores is too small to count.
"""
INPUTS: tuple[Matrix, ...] = ("q_proj", "k_proj", "v_proj")
STANDS_FOR: Mapping[str, tuple[Matrix, ...]] = {
    "all-linear": tuple(name for name in MATRICES if name not in ("q_a_proj", "q_b_proj")),
    **dict.fromkeys(("qkv_proj", "query_key_value", "c_attn", "linear_qkv"), INPUTS),
    **dict.fromkeys(("wqkv", "Wqkv", "W_pack", "att_proj"), INPUTS),
    **dict.fromkeys(("q", "query", "query_proj", "q_lin", "wq"), ("q_proj",)),
    **dict.fromkeys(("k", "key", "key_proj", "k_lin", "wk"), ("k_proj",)),
    **dict.fromkeys(("v", "value", "value_proj", "v_lin", "wv"), ("v_proj",)),
    **dict.fromkeys(("o", "out_lin", "attn_out", "wo"), ("o_proj",)),
    "w1": ("gate_proj", "mlp_w"),
    "w2": ("down_proj", "mlp_w"),
    "w3": ("up_proj", "mlp_w"),
    "wi_0": ("gate_proj",),
    **dict.fromkeys(("wi", "wi_1", "lin1"), ("up_proj",)),
    **dict.fromkeys(("lin2", "ff_out"), ("down_proj",)),
    **dict.fromkeys(("Wi", "ff_proj"), ("gate_proj", "up_proj")),
    "Wo": ("o_proj", "down_proj"),
    "gate": ("router",),
    "out_proj": ("o_proj", "linear_out"),
    "kv_a_proj_with_mqa": ("k_proj",),
    "kv_b_proj": ("v_proj",),
    **dict.fromkeys(("attn.c_proj", "dense", "linear_proj"), ("o_proj",)),
    **dict.fromkeys(("gate_up_proj", "linear_fc1"), ("gate_proj", "up_proj")),
    **dict.fromkeys(("c_fc", "fc1", "fc_in", "dense_h_to_4h"), ("up_proj",)),
    **dict.fromkeys(("mlp.c_proj", "fc2", "fc_out", "dense_4h_to_h", "linear_fc2"), ("down_proj",)),
    "c_proj": ("o_proj", "down_proj"),
    **dict.fromkeys(("in_proj", "in_proj_qkv", "in_proj_qkvz", "in_proj_z"), ("linear_attn",)),
    **dict.fromkeys(("in_proj_a", "in_proj_b", "in_proj_ba"), ("linear_attn",)),
}
"""GPT-2 calls two matrices `c_proj`; StarCoder2, which has the second only, is given `mlp.c_proj`.

Any matrix that reads the input of linear attention stands for all that do.
"""
BESIDE: Mapping[tuple[str, frozenset[str]], tuple[Matrix, ...]] = {
    ("dense", frozenset(("query", "key", "value"))): ("o_proj", "up_proj", "down_proj"),
    ("wo", frozenset(("q", "k", "v", "o", "wi", "wi_0", "wi_1"))): ("down_proj",),
}
"""Names that mean otherwise beside those of their own family: BERT's layers have three `dense`, T5's `wo` is an MLP's.

Source: HF `BertLayer`, `T5LayerFF`; InternLM2 calls attention's output `wo`.
"""


def matrices(names: Iterable[str]) -> tuple[str, ...]:
    """Every matrix that the names stand for, once, in the order of a layer, then embedding and head."""
    named = frozenset(SAME_MODULE.get(name, name) for name in names)
    family = {name: meant for (name, beside), meant in BESIDE.items() if named & beside}
    meant = {matrix for name in named for matrix in family.get(name, STANDS_FOR.get(name, (name,)))}
    return tuple(matrix for matrix in (*MATRICES, *MODULES) if matrix in meant)


def whole_modules(names: Iterable[str]) -> tuple[str, ...]:
    """Embedding, head and norms, by whatever names, once each."""
    meant = {SAME_MODULE.get(name, name) for name in names}
    return tuple(module for module in (*MODULES, "norms") if module in meant)


BLOCKS: Mapping[tuple[str, ...], frozenset[Matrix]] = {
    ("self_attn", "attn", "attention", "self_attention"): frozenset((*INPUTS, "o_proj")),
    ("mlp", "feed_forward"): frozenset(("gate_proj", "up_proj", "down_proj")),
    ("linear_attn",): frozenset(("linear_attn", "linear_out")),
}
"""What a layer's blocks are called, and which matrices each has."""
STEMS = (
    "model.layers", "layers", "model.language_model.layers", "language_model.model.layers", "transformer.h",
    "model.decoder.layers", "gpt_neox.layers", "transformer.encoder.layers",
)  # fmt: skip
LAYERS = ("0", "1", "10", "20", "30")
"""Layers on which a pattern is tried; one that names other layers alone finds none."""
PATTERN = re.compile(r"[][()*+?^$|\\]")
LONGEST_PATTERN = 1000


def named(names: str | Iterable[object]) -> tuple[object, ...]:
    """Modules as they are listed, or those of a layer whose whole name a pattern fits; a block before a name is left.

    Source: PEFT `check_target_module_exists`; LLaMA-Factory puts commas between names.
    """
    if isinstance(names, str):
        names = [names] if PATTERN.search(names) else (name.strip() for name in names.split(","))
    return tuple(found for name in names for found in (_found(name) if isinstance(name, str) else (name,)))


def _found(name: str) -> tuple[str, ...]:
    """What one name stands for: itself where it is known or nothing is found."""
    allowed, last = _names(), name.rpartition(".")[2]
    if PATTERN.search(name) and len(name) <= LONGEST_PATTERN:
        return tuple(_fitting(name)) or (name,)
    return (last if name not in allowed and last in allowed and _block(last) else name,)


def _names() -> frozenset[str]:
    return frozenset((*MATRICES, *STANDS_FOR))


def _block(name: str) -> tuple[str, ...]:
    """What the block of a matrix is called, where it is in one alone."""
    meant = {*STANDS_FOR.get(name, (name,))}
    return next((block for block, inside in BLOCKS.items() if meant <= inside), ())


def _fitting(pattern: str) -> Iterator[str]:
    """Names of a layer's modules that the pattern fits as a whole."""
    try:
        fits = re.compile(pattern).fullmatch
    except re.error:
        return
    for name in sorted(_names()):
        whole = (f"{stem}.{layer}.{block}.{name}" for stem, layer, block in product(STEMS, LAYERS, _block(name)))
        if any(map(fits, whole)):
            yield name
