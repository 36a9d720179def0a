"""The matrices that adapters are put on and the modules that are trained whole: PEFT's names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

Matrix = Literal["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "linear_attn"]
Module = Literal["embed_tokens", "lm_head"]
TargetModule = Literal[
    Matrix,
    Module,
    "all-linear",
    "qkv_proj",
    "query_key_value",
    "c_attn",
    "q_a_proj",
    "q_b_proj",
    "kv_a_proj_with_mqa",
    "kv_b_proj",
    "attn.c_proj",
    "mlp.c_proj",
    "c_proj",
    "out_proj",
    "dense",
    "gate_up_proj",
    "c_fc",
    "fc1",
    "fc2",
    "fc_in",
    "fc_out",
    "dense_h_to_4h",
    "dense_4h_to_h",
    "in_proj",
    "in_proj_qkv",
    "in_proj_qkvz",
    "in_proj_z",
    "in_proj_a",
    "in_proj_b",
    "in_proj_ba",
    "linear_qkv",
    "linear_proj",
    "linear_fc1",
    "linear_fc2",
]
MATRICES: tuple[Matrix, ...] = get_args(Matrix)
RecomputedModule = Literal["core_attn", "mlp", "moe", "moe_act", "shared_experts", "layernorm", "mla_up_proj"]
ExpertMatrix = Literal["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
WholeModule = Literal[
    Module, "wte", "word_embeddings", "embed_in", "embed_out", "output", "score", "classifier", "v_head"
]
MODULES: tuple[Module, ...] = get_args(Module)
SAME_MODULE: Mapping[str, Module] = {
    **dict.fromkeys(("wte", "word_embeddings", "embed_in"), "embed_tokens"),
    **dict.fromkeys(("embed_out", "output"), "lm_head"),
}
"""Names of embedding and head in other families.  A head of few scores is too small to count."""
INPUTS: tuple[Matrix, ...] = ("q_proj", "k_proj", "v_proj")
STANDS_FOR: Mapping[str, tuple[Matrix, ...]] = {
    "all-linear": MATRICES,
    **dict.fromkeys(("qkv_proj", "query_key_value", "c_attn", "linear_qkv"), INPUTS),
    **dict.fromkeys(("q_a_proj", "q_b_proj"), ("q_proj",)),
    "kv_a_proj_with_mqa": ("k_proj",),
    "kv_b_proj": ("v_proj",),
    **dict.fromkeys(("attn.c_proj", "out_proj", "dense", "linear_proj"), ("o_proj",)),
    **dict.fromkeys(("gate_up_proj", "linear_fc1"), ("gate_proj", "up_proj")),
    **dict.fromkeys(("c_fc", "fc1", "fc_in", "dense_h_to_4h"), ("up_proj",)),
    **dict.fromkeys(("mlp.c_proj", "fc2", "fc_out", "dense_4h_to_h", "linear_fc2"), ("down_proj",)),
    "c_proj": ("o_proj", "down_proj"),
    **dict.fromkeys(("in_proj", "in_proj_qkv", "in_proj_qkvz", "in_proj_z"), ("linear_attn",)),
    **dict.fromkeys(("in_proj_a", "in_proj_b", "in_proj_ba"), ("linear_attn",)),
}
"""GPT-2 calls two matrices `c_proj`; StarCoder2, which has the second only, is given `mlp.c_proj`.

Any matrix of a layer with linear attention stands for all of them.
"""


def matrices(names: Iterable[str]) -> tuple[str, ...]:
    """Every matrix that the names stand for, once, in the order of a layer, then embedding and head."""
    named = (SAME_MODULE.get(name, name) for name in names)
    meant = {matrix for name in named for matrix in STANDS_FOR.get(name, (name,))}
    return tuple(matrix for matrix in (*MATRICES, *MODULES) if matrix in meant)


def whole_modules(names: Iterable[str]) -> tuple[str, ...]:
    """Embedding and head, by whatever names, once each."""
    meant = {SAME_MODULE.get(name, name) for name in names}
    return tuple(module for module in MODULES if module in meant)
