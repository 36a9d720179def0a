"""Decoders with experts after a few dense layers, or with latent attention, beside DeepSeek's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memreport.catalogue.huggingface.family import (
    BOTH,
    FOURFOLD,
    FUSED,
    HEAD_MAJOR,
    LAYER_NORM,
    NAMED_W,
    UNNAMED_EXPERTS,
    WIDE_NORM,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.shared_rules import (
    BIASES,
    EXPERTS,
    QUERY_OUTPUT,
    every_windowed_but,
    head_norms,
    hunyuan_norms,
    indexer,
    latent_attention,
    latent_mixture,
    layers_with_window,
    query_biases,
    query_output_biases,
    qwen_experts,
    router_adapters,
)
from memreport.catalogue.huggingface.reader import Reader


def after_dense_layers(read: Reader, experts: float, shared: float, dense: float) -> Fields:
    """Mixtures with shared experts as wide as routed ones, after a few dense layers."""
    width = read.whole("moe_intermediate_size")
    return {
        "num_local_experts": experts,
        "num_experts_per_tok": read.whole("num_experts_per_tok|num_experts_per_token"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": shared * width,
        "num_dense_layers": read.counted("mlp_layer_types", "dense", dense),
        "num_interleaved_dense_layers": read.behind("mlp_layer_types", "dense", "sparse"),
        "router_bias": True,
        "router_in_fp32": True,
        "routing_weights_in_fp32": True,
    }


def _afmoe(read: Reader) -> Fields:
    """Attention has a gate as wide as its queries."""
    return (
        after_dense_layers(
            read, read.whole("num_experts"), read.whole("num_shared_experts"), read.whole("num_dense_layers", 1)
        )
        | head_norms(read)
        | query_output_biases(read)
        | every_windowed_but(read, read.whole("global_attn_every_n_layers", 4, 1))
        | {"extra_parameters": read.layers * read.width * read.heads * read.head_dim, "attention_output_gate": True}
        | {"router_in_fp32": False, "shared_expert_first": True}
    )


def _hy_v3(read: Reader) -> Fields:
    experts, shared = read.whole("num_experts"), read.whole("num_shared_experts", 1)
    return after_dense_layers(read, experts, shared, 1) | head_norms(read)


def _exaone_moe(read: Reader) -> Fields:
    experts, shared = read.whole("num_experts"), read.whole("num_shared_experts", 1)
    dense = read.whole("first_k_dense_replace", 1)
    return after_dense_layers(read, experts, shared, dense) | head_norms(read) | every_windowed_but(read, FOURFOLD)


def _solar_open(read: Reader) -> Fields:
    experts, shared = read.whole("n_routed_experts"), read.whole("n_shared_experts", 1)
    return after_dense_layers(read, experts, shared, 0) | query_biases(read)


def _dots(read: Reader) -> Fields:
    experts, shared = read.whole("n_routed_experts"), read.whole("n_shared_experts", 0)
    dense = read.whole("first_k_dense_replace", 0)
    return after_dense_layers(read, experts, shared, dense) | head_norms(read) | query_output_biases(read)


def _hunyuan_mixture(read: Reader) -> Fields:
    """Every layer is a mixture with one shared expert; lists repeat one number for each layer."""
    width = read.whole("moe_intermediate_size", read.whole("intermediate_size"))
    return {
        "num_local_experts": read.whole("num_experts"),
        "num_experts_per_tok": read.whole("moe_topk", 1),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": read.whole("num_shared_expert", 1) * read.whole("intermediate_size"),
        "shared_expert_first": True,
        "router_in_fp32": True,
        "routing_weights_in_fp32": True,
    } | hunyuan_norms(read)


def _latent_dense(read: Reader) -> Fields:
    """Latent attention before dense MLPs."""
    return latent_attention(read) | query_output_biases(read)


def _longcat(read: Reader) -> Fields:
    """Two layers in each, and a mixture beside the MLP of one; experts that do nothing are rows of the router."""
    layers, zero = read.whole("num_layers"), read.whole("zero_expert_num", 0)
    return latent_attention(read) | {
        "num_hidden_layers": BOTH * layers,
        "num_local_experts": read.whole("n_routed_experts"),
        "num_experts_per_tok": read.whole("moe_topk|num_experts_per_tok"),
        "moe_intermediate_size": read.whole("expert_ffn_hidden_size|moe_intermediate_size"),
        "shared_expert_intermediate_size": read.whole("ffn_hidden_size|intermediate_size"),
        "num_dense_layers": layers,
        "router_bias": True,
        "router_in_fp32": True,
        "routing_weights_in_fp32": True,
        "extra_parameters": layers * zero * (read.width + 1),
    }


def _dbrx(read: Reader) -> Fields:
    """Every layer is a mixture; attention and experts are described in blocks of their own."""
    width, experts = read.whole("ffn_config.ffn_hidden_size", 3584), read.whole("ffn_config.moe_num_experts", 4)
    return {
        "num_key_value_heads": read.whole("attn_config.kv_n_heads", 1),
        "intermediate_size": width,
        "num_local_experts": experts,
        "num_experts_per_tok": read.whole("ffn_config.moe_top_k", 1),
        "moe_intermediate_size": width,
        **router_adapters(read, read.layers, experts),
    }


ZERO = "transformers 5 also makes gate and up of experts that compute nothing, which the checkpoint and vLLM lack"


def _cohere_mixture(read: Reader) -> Fields:
    """One norm before attention and mixture; the first layers may have an MLP of another width."""
    read.must("num_shared_experts", 0, "Cohere's mixtures with shared experts are not known")
    dense = read.counted("mlp_layer_types", "dense", read.whole("first_k_dense_replace", 0))
    width = read.whole("intermediate_size")
    return {
        "intermediate_size": read.whole("prefix_dense_intermediate_size", width),
        "num_local_experts": read.whole("num_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": width,
        "num_dense_layers": dense,
        "num_interleaved_dense_layers": read.behind("mlp_layer_types", "dense", "sparse"),
    } | every_windowed_but(read, read.whole("sliding_window_pattern", 4, 1))


def _normed_answers(read: Reader) -> Fields:
    """DeepSeek's, with a norm of what each mixture answers."""
    made = latent_mixture(read)
    mixtures = read.layers - made["num_dense_layers"]
    return made | {"router_bias": True, "extra_parameters": mixtures * read.width}


def _gated_norms(read: Reader) -> Fields:
    """Queries from two copies of their latent, with a gate as wide as values; norms with a gate of low rank."""
    made = latent_mixture(read)
    heads, rank, width = read.heads, read.whole("q_lora_rank"), read.width
    query, value = made["head_dim"], made["v_head_dim"]
    gated, inside = BOTH * read.layers - made["num_dense_layers"], read.whole("gated_norm_rank", 16)
    return (
        made
        | indexer(read)
        | {
            "router_bias": True,
            "extra_parameters": read.layers * heads * rank * (query + BOTH * value) + gated * BOTH * width * inside,
            "other_adapter_widths": read.layers * (rank + heads * value) + gated * BOTH * (width + inside),
        }
    )


def _every_layer(read: Reader, experts: float, shared: float) -> Fields:
    """A mixture in every layer, with shared experts of so much width."""
    return {
        "num_local_experts": experts,
        "num_experts_per_tok": read.whole("num_experts_per_tok|moe_topk"),
        "moe_intermediate_size": read.whole("moe_intermediate_size|intermediate_size"),
        "shared_expert_intermediate_size": shared,
    }


def _aria(read: Reader) -> Fields:
    shared = read.whole("moe_num_shared_experts", 2) * read.whole("intermediate_size")
    return _every_layer(read, read.whole("moe_num_experts"), shared)


def _beam(read: Reader) -> Fields:
    """Attention has a gate as wide as its queries, with a bias for each head."""
    gate = read.width * read.heads * read.head_dim + read.heads
    return (
        after_dense_layers(read, read.whole("num_experts"), 0, 0)
        | head_norms(read)
        | query_output_biases(read)
        | layers_with_window(read, 0)
        | {"extra_parameters": read.layers * gate, "attention_output_gate": True}
    )


def _flint(read: Reader) -> Fields:
    shared = {"shared_expert_intermediate_size": read.whole("shared_expert_intermediate_size", 0)}
    return qwen_experts(read) | shared | head_norms(read) | query_output_biases(read) | layers_with_window(read, 0)


def _kolibri(read: Reader) -> Fields:
    shared = read.whole("shared_expert_intermediate_size", 0)
    return (
        _every_layer(read, read.whole("num_local_experts|num_experts"), shared)
        | head_norms(read)
        | layers_with_window(read, 0)
    )


def _laguna(read: Reader) -> Fields:
    """Attention has a gate of one number a head."""
    read.must("gating", True, "Laguna with gates as wide as its queries is not known")
    return (
        after_dense_layers(read, read.whole("num_experts"), 0, 1)
        | {"shared_expert_intermediate_size": read.whole("shared_expert_intermediate_size", 0)}
        | head_norms(read)
        | query_output_biases(read)
        | layers_with_window(read, 0)
        | {"extra_parameters": read.layers * read.width * read.heads, "attention_output_gate": True}
        | {
            "gate_per_head": True,
            "router_in_fp32": False,
            "other_adapter_widths": read.layers * (read.width + read.heads),
        }
    )


def _arctic(read: Reader) -> Fields:
    """Beside its experts, which see the layer's input, each layer has a dense MLP as wide as the stream."""
    read.must("moe_layer_frequency", 1, "Arctic with layers without experts is not known")
    read.must("use_residual", True, "Arctic without a dense MLP beside its experts is not known")
    read.must("parallel_attn_mlp_res", True, "Arctic with experts after its attention is not known")
    return {"shared_expert_intermediate_size": read.width}


LATENT_DENSE = Family(
    flags={"mlp_bias": ("mlp_bias", False)},
    passed="dim_model_base qk_head_dim scale_depth scale_emb",
    derived=_latent_dense,
    tied=True,
)
MIXTURES: Mapping[str, Family] = {
    "cohere2_moe": Family(
        constants={"norms_per_layer": 1, "parallel_residual": True, "norm": "layernorm-cohere"},
        flags=QUERY_OUTPUT,
        passed="expert_selection_fn logit_scale prefix_dense_sliding_window_pattern shared_expert_combination_strategy",
        derived=_cohere_mixture,
        tied=True,
    ),
    "dbrx": Family(
        names={
            "hidden_size": "d_model",
            "num_hidden_layers": "n_layers",
            "num_attention_heads": "n_heads",
            "max_position_embeddings": "max_seq_len",
            "num_key_value_heads": "",
            "intermediate_size": "",
        },
        constants=UNNAMED_EXPERTS | LAYER_NORM | FUSED | {"norm_bias": False},
        passed="emb_pdrop moe_loss_weight",
        derived=_dbrx,
    ),
    "arctic": Family(
        constants=NAMED_W | {"norms_per_layer": 3},
        copied=EXPERTS,
        passed="enable_expert_tensor_parallelism max_sequence_length moe_eval_capacity_factor moe_min_capacity"
        " moe_token_dropping moe_train_capacity_factor quantization",
        derived=_arctic,
    ),
    "grok-1": Family(
        constants=UNNAMED_EXPERTS | {"norms_per_layer": 4, "attention_softcap": True},
        copied=EXPERTS | {"num_local_experts": "num_experts"},
        passed="attn_output_multiplier embedding_multiplier_scale max_attn_value output_multiplier_scale",
        tied=True,
        activation="gelu",
    ),
    "axk1": Family(constants=UNNAMED_EXPERTS, passed="qk_head_dim", derived=_normed_answers),
    "axk2": Family(constants=UNNAMED_EXPERTS, passed="qk_head_dim layer_types", derived=_gated_norms),
    "aria_text": Family(constants=UNNAMED_EXPERTS, flags=BIASES, derived=_aria),
    "beam": Family(constants={"norms_per_layer": 4}, passed="route_scale", derived=_beam),
    "flint": Family(
        constants=UNNAMED_EXPERTS | {"attention_sinks": True, "router_in_fp32": True, "routing_weights_in_fp32": True},
        derived=_flint,
    ),
    "kolibri1": Family(
        constants=UNNAMED_EXPERTS
        | {"norms_per_layer": 4, "router_bias": True, "router_in_fp32": True, "routing_weights_in_fp32": True},
        names={"intermediate_size": "moe_intermediate_size"},
        derived=_kolibri,
    ),
    "laguna": Family(
        constants=UNNAMED_EXPERTS | HEAD_MAJOR,
        names={"num_attention_heads": "num_attention_heads_per_layer|num_attention_heads"},
        passed="moe_routed_scaling_factor moe_apply_router_weight_on_input moe_router_logit_softcapping",
        derived=_laguna,
    ),
    "minicpm3": LATENT_DENSE,
    "youtu": replace(LATENT_DENSE, passed="embedding_initializer_range qk_head_dim"),
    "afmoe": Family(constants={"norms_per_layer": 4} | WIDE_NORM, passed="mup_enabled route_scale", derived=_afmoe),
    "hy_v3": Family(
        constants=UNNAMED_EXPERTS, flags=BIASES, passed="enable_moe_fp32_combine router_scaling_factor", derived=_hy_v3
    ),
    "exaone_moe": Family(passed="sliding_window_pattern", derived=_exaone_moe),
    "solar_open": Family(names={"intermediate_size": "moe_intermediate_size"}, derived=_solar_open),
    "dots1": Family(derived=_dots),
    "hunyuan_v1_moe": Family(flags=QUERY_OUTPUT, passed="eod_token_id", derived=_hunyuan_mixture),
    "longcat_flash": Family(
        names={"num_hidden_layers": "num_layers", "intermediate_size": "ffn_hidden_size|intermediate_size"},
        passed="qk_head_dim mla_scale_q_lora mla_scale_kv_lora attention_method zero_expert_type router_dtype",
        flags=QUERY_OUTPUT,
        derived=_longcat,
        doubt=ZERO,
    ),
}
