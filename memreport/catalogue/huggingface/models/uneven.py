"""Decoders whose experts or layers are of several shapes: MiMo, ERNIE 4.5 VL, Nemotron-H, Kimi Linear, Ling."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.huggingface.family import (
    BOTH,
    FOURFOLD,
    IMAGE_ROWS,
    IMAGE_TOKENS,
    NARROW_BYTES,
    PLAIN,
    RECURRENT,
    THREE,
    UNNAMED_EXPERTS,
    WIDE_BYTES,
    WIDE_NORM,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.mixtures import after_dense_layers
from memreport.catalogue.huggingface.models.shared_rules import (
    BIASES,
    beside,
    crossed_adapters,
    decayed_adapters,
    gated_adapters,
    head_norms,
    in_latent,
    latent_attention,
    query_output_biases,
)
from memreport.catalogue.huggingface.models.state_space import ANY_LENGTH, KERNELS, MAMBA, mamba1, mamba2, periodic
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor, larger, where


def _nemotron_h(read: Reader) -> Fields:
    """Every layer is a mixer, an MLP or a mixture, as one letter each or by name; the state is FP32."""
    mamba = _of_pattern(read, "M", "mamba") + read.counted("layers_block_type", "linear_attention", 0)
    attention = _of_pattern(read, "*", "attention") + read.counted("layers_block_type", "full_attention", 0)
    mixtures, latent = _of_pattern(read, "E", "moe"), read.whole("moe_latent_size", 0)
    leading = _leading(read, "M", "mamba") + _leading(read, "-", "mlp") + _leading(read, "E", "moe")
    heads, state = read.whole("mamba_num_heads"), read.whole("ssm_state_size")
    inner, kernel = heads * read.whole("mamba_head_dim"), read.whole("conv_kernel", 4)
    shared = read.whole("n_shared_experts", 1) * read.whole("moe_shared_expert_intermediate_size", 0)
    made = mamba2(read, inner, heads, state, kernel, 1, read.flag("use_bias", False))
    narrow, wide = inner * state * NARROW_BYTES, inner * state * WIDE_BYTES
    return made | {
        "linear_attention_state_bytes": made["linear_attention_state_bytes"] - narrow + wide,
        "num_linear_attention_layers": mamba,
        "num_leading_linear_attention_layers": leading,
        "num_attention_layers": attention,
        "num_layers_without_mlp": mamba + attention,
        "num_dense_layers": where(mixtures > 0, read.layers - mamba - attention - mixtures, 0),
        "num_local_experts": where(mixtures > 0, read.whole("n_routed_experts", 0), 0),
        "num_experts_per_tok": where(mixtures > 0, read.whole("num_experts_per_tok", 0), 0),
        "moe_intermediate_size": where(
            mixtures > 0, in_latent(read, read.whole("moe_intermediate_size", 0), latent), 0
        ),
        "shared_expert_intermediate_size": where(mixtures > 0, shared, 0),
        "router_bias": mixtures > 0,
        "experts_unnamed": mixtures > 0,
        "router_in_fp32": mixtures > 0,
        "routing_weights_in_fp32": mixtures > 0,
        "moe_latent_size": latent,
        "extra_parameters": mixtures * BOTH * read.width * latent,
    }


def _leading(read: Reader, letter: str, name: str) -> float:
    """Layers of a kind before the first with attention."""
    behind = read.behind("hybrid_override_pattern", letter, "*") + read.behind("layers_block_type", name, "attention")
    return _of_pattern(read, letter, name) - behind


def _of_pattern(read: Reader, letter: str, name: str) -> float:
    return read.counted("hybrid_override_pattern", letter, read.counted("layers_block_type", name, 0))


def _mllama(read: Reader) -> Fields:
    """Layers that attend to an image's tiles alone: two gates, norms of heads, and a cache of one length."""
    crossing, number = read.at_step("cross_attention_layers", 1, read.layers), read.heads * read.head_dim * read.width
    each = read.key_value_heads * read.head_dim
    return {
        "num_linear_attention_layers": crossing,
        "linear_attention_parameters": BOTH * (number + each * read.width) + BOTH * read.head_dim + BOTH,
        "linear_attention_state_bytes": BOTH * each * NARROW_BYTES * IMAGE_TOKENS,
        "extra_parameters": IMAGE_ROWS * read.width,
    } | crossed_adapters(read, crossing)


def _kimi_linear(read: Reader) -> Fields:
    """Delta attention with a decay for each channel, and latent attention after every few; layers count from 1."""
    heads = read.whole("linear_num_heads|linear_attn_config.num_heads", 32)
    each = read.whole("linear_head_dim|linear_attn_config.head_dim", 128)
    named = read.at_step("linear_attn_config.kda_layers", 1, read.layers + 1)
    linear = read.counted("layer_types", "linear_attention", where(named > 0, named, read.layers * THREE / FOURFOLD))
    latent, dense = read.whole("routed_expert_hidden_size", 0), read.whole("first_k_dense_replace", 1)
    return (
        latent_attention(read)
        | after_dense_layers(
            read,
            read.whole("num_local_experts|num_experts"),
            read.whole("n_shared_experts|num_shared_experts", 1),
            dense,
        )
        | query_output_biases(read)
        | {
            "moe_intermediate_size": in_latent(read, read.whole("moe_intermediate_size"), latent),
            "moe_latent_size": latent,
            "extra_parameters": (read.layers - dense) * BOTH * read.width * latent,
            "num_linear_attention_layers": linear,
        }
        | delta_attention(read, heads, each, BOTH * each * (read.width + heads * each))
        | decayed_adapters(read, linear, heads, each)
    )


def delta_attention(read: Reader, heads: float, each: float, gates: float) -> Fields:
    """One layer of Kimi's delta attention with so many weights of decay and gate; its state is FP32 and 16 bit."""
    inside, width = heads * each, read.width
    names = "linear_conv_kernel_dim|linear_attn_config.short_conv_kernel_size|short_conv_kernel_size"
    kernel = read.whole(names, 4)
    return {
        "linear_attention_parameters": FOURFOLD * width * inside + THREE * inside * kernel
        + gates + inside + heads + heads * width + each,
        "linear_attention_state_bytes": inside * each * WIDE_BYTES + THREE * inside * kernel * NARROW_BYTES,
    }  # fmt: skip


def _bailing_hybrid(read: Reader) -> Fields:
    """Delta attention with whole matrices for decay and gate; latent attention with a gate of one number a head."""
    read.must("num_kv_heads_for_linear_attn", 0, "Ling with lightning attention is not known")
    heads, each = read.whole("linear_num_heads", 32), read.whole("linear_head_dim", 128)
    attending = floor(read.layers / read.whole("layer_group_size", 6, 1))
    linear = read.counted("layer_types", "linear_attention", read.layers - attending)
    shared, dense = read.whole("num_shared_experts", 1), read.whole("first_k_dense_replace", 2)
    return (
        latent_attention(read)
        | after_dense_layers(read, read.whole("num_experts"), shared, dense)
        | query_output_biases(read)
        | delta_attention(read, heads, each, BOTH * read.width * heads * each)
        | {"num_linear_attention_layers": linear, "extra_parameters": (read.layers - linear) * read.width * read.heads}
        | gated_adapters(read, linear, heads, each)
    )


def _mimo(read: Reader) -> Fields:
    """Keys wider than values, counted as two of the mean; more heads of them, and sinks, in layers with a window."""
    kept, keys, value = read.key_value_heads, read.head_dim, read.whole("v_head_dim", 128)
    every = read.layers - floor(floor(read.layers / BOTH) / THREE) - 1
    windowed = read.counted("layer_types", "sliding_attention", read.counted("hybrid_layer_pattern", 1, every))
    dense = read.counted("moe_layer_freq", 0, 1)
    mean = floor((keys + value) / BOTH)
    return (
        after_dense_layers(read, read.whole("n_routed_experts"), read.whole("n_shared_experts", 0), dense)
        | query_output_biases(read)
        | {
            "head_dim": mean,
            "num_key_value_heads": read.whole("swa_num_key_value_heads", kept + kept),
            "global_head_dim": mean,
            "num_global_key_value_heads": kept,
            "sliding_window": read.whole("sliding_window|sliding_window_size", 128),
            "num_sliding_window_layers": windowed,
            "extra_parameters": windowed * read.heads,
        }
    )


def _ernie_vision(read: Reader) -> Fields:
    """Experts for text and for images, of which a token goes to one kind: counted as wide as the narrower ones."""
    read.must("use_bias", False, "ERNIE 4.5 with biases is not known")
    wide, narrow = read.whole("moe_intermediate_size.0"), read.whole("moe_intermediate_size.1", 512, 1)
    text = read.whole("moe_num_experts.0|moe_num_experts")
    images = read.whole("moe_num_experts.1|moe_num_experts")
    start = read.whole("moe_layer_start_index.0|moe_layer_start_index", 1)
    dense, times = read.counted("mlp_layer_types", "dense", start), floor(wide / narrow)
    experts = text * times + images
    spare = (experts - text - images) * (read.width + 1)
    return {
        "num_local_experts": experts,
        "num_experts_per_tok": read.whole("moe_k") * times,
        "moe_intermediate_size": narrow,
        "shared_expert_intermediate_size": read.whole("moe_num_shared_experts", 0) * wide,
        "num_dense_layers": dense,
        "router_bias": True,
        "router_in_fp32": True,
        "shared_expert_first": True,
        "extra_parameters": 0 - (read.layers - dense) * spare,
    }


def _ling(read: Reader) -> Fields:
    """Ling and Ring: shared experts whose width may be stated, norms of heads and a router bias where switched on."""
    experts, shared = read.whole("num_experts"), read.whole("num_shared_experts", 0)
    width = read.whole("moe_intermediate_size")
    made = after_dense_layers(read, experts, shared, read.whole("first_k_dense_replace", 0))
    norms = where(read.flag("use_qk_norm", False), BOTH * read.head_dim, 0)
    return made | {
        "shared_expert_intermediate_size": shared * read.whole("moe_shared_expert_intermediate_size", width),
        "router_bias": read.flag("moe_router_enable_expert_bias", False),
        "attention_bias": read.flag("use_qkv_bias", False),
        "attention_output_bias": read.flag("use_bias", False),
        "qk_norm_size": norms,
    }


def _step(read: Reader) -> Fields:
    """More query heads in layers with a window, and a gate of one number a head; experts under two sets of names."""
    full = read.counted("layer_types", "full_attention", floor(read.layers / FOURFOLD))
    windowed, heads = where(read.whole("sliding_window", 0) > 0, read.layers - full, 0), read.heads
    more = read.whole("num_sliding_attention_heads|attention_other_setting.num_attention_heads", heads) - heads
    width = read.whole("moe_intermediate_size")
    dense = read.counted("mlp_layer_types", "dense", read.whole("first_k_dense_replace", 3))
    return head_norms(read) | {
        "num_local_experts": read.whole("n_routed_experts|moe_num_experts|num_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok|moe_top_k"),
        "moe_intermediate_size": width,
        "shared_expert_intermediate_size": read.whole("share_expert_dim", width),
        "num_dense_layers": dense,
        "router_bias": True,
        "router_in_fp32": True,
        "sliding_window": where(windowed > 0, read.whole("sliding_window", 0), 0),
        "num_sliding_window_layers": windowed,
        "extra_parameters": read.layers * heads * read.width
        + (read.layers - full) * more * read.width * (BOTH * read.head_dim + 1),
    }


def _zamba2(read: Reader) -> Fields:
    """Mamba-2 in every layer, before some attention and an MLP over twice the width, whose weights layers share."""
    inner, heads = read.whole("mamba_expand", 2) * read.width, read.whole("n_mamba_heads", 8)
    hybrid, biased = read.counted("layers_block_type", "hybrid", 0), read.flag("add_bias_linear", False)
    mixer = mamba2(read, inner, heads, read.whole("mamba_d_state", 64), read.whole("mamba_d_conv", 4), 1, biased)
    return mixer | _zamba2_adapters(read, hybrid) | {
        "linear_attention_output_size": inner, "linear_attention_joins_output": True,
        "head_dim": floor(BOTH * read.width / read.heads),
        "intermediate_size": read.whole("intermediate_size", FOURFOLD * read.width),
        "num_attention_layers": hybrid, "num_linear_attention_layers": read.layers,
        "num_layers_without_mlp": read.layers - hybrid,
    } | _used_again(_zamba2_beside(read, hybrid), read.whole("num_mem_blocks", 1) * THREE * read.width)  # fmt: skip


def _zamba2_adapters(read: Reader, uses: float) -> Fields:
    """Attention reads twice the width; each use of a shared block holds the small matrices of all uses."""
    wide, inside = BOTH * read.width, read.whole("intermediate_size", FOURFOLD * read.width)
    rank, attends = read.whole("adapter_rank", 128), read.flag("use_shared_attention_adapter", False)
    small = uses * (read.width + BOTH * (rank + inside) + attends * THREE * BOTH * (wide + rank)) + wide
    return beside(uses * read.width / BOTH, uses * read.width, uses * small)


def _zamba2_beside(read: Reader, hybrid: float) -> float:
    """What the shared blocks have beyond a plain layer, less the layers that use them again; adapters of each."""
    width, wide, inside = read.width, BOTH * read.width, read.whole("intermediate_size", FOURFOLD * read.width)
    keys = floor(wide / read.heads) * read.key_value_heads
    plain = BOTH * width * wide + wide * keys + THREE * width * inside
    shared = plain + width * wide + wide * keys
    attends = read.flag("use_shared_attention_adapter", False)
    adapted = read.whole("adapter_rank", 128) * (width + BOTH * inside + attends * THREE * BOTH * wide)
    return read.whole("num_mem_blocks", 1) * shared + hybrid * (width * width + adapted - plain)


def _used_again(matrices: float, norms: float) -> Fields:
    """Matrices beyond those of plain layers, less than 0 where layers use them again; norms of the shared ones."""
    return {"reused_parameters": larger(0 - matrices, 0), "extra_parameters": matrices + norms}


def _zamba(read: Reader) -> Fields:
    """Mamba in every layer; before some of them one attention over twice the width and one MLP, which all share."""
    width, inner = read.width, read.whole("mamba_expand", 2) * read.width
    inside, wide = read.whole("intermediate_size", FOURFOLD * width), BOTH * width
    hybrid = read.counted("layers_block_type", "hybrid", periodic(read, "attn_layer_period", "attn_layer_offset"))
    bias, biased = read.flag("mamba_proj_bias", False), read.flag("mamba_conv_bias", True)
    state, kernel = read.whole("mamba_d_state", 16), read.whole("mamba_d_conv", 4)
    shared = THREE * wide * wide + wide * width + THREE * width * inside
    plain = FOURFOLD * width * wide + THREE * width * inside
    return mamba1(read, inner, read.whole("mamba_dt_rank"), state, kernel, bias, biased) | {
        "head_dim": floor(wide / read.heads),
        "num_attention_layers": hybrid,
        "num_linear_attention_layers": read.layers,
        "num_layers_without_mlp": read.layers - hybrid,
    } | _used_again(shared + hybrid * (width * width - plain), wide + width)  # fmt: skip


def _recurrent_gemma(read: Reader) -> Fields:
    """Gated linear recurrences with a convolution before each, and windowed attention after every few."""
    width, inner = read.width, read.whole("lru_width", read.width)
    attending, others = read.counted("block_types", "attention", 1), read.counted("block_types", "recurrent", BOTH)
    attention, kernel = floor(read.layers * attending / larger(attending + others, 1)), read.whole("conv1d_width", 4)
    gates = BOTH * inner * (floor(inner / read.heads) + 1)
    return {
        "intermediate_size": floor(read.whole("intermediate_size") / BOTH),
        "sliding_window": read.whole("attention_window_size", 2048),
        "num_sliding_window_layers": attention,
        "num_linear_attention_layers": read.layers - attention,
        "linear_attention_parameters": THREE * inner * width + BOTH * inner + width + inner * (kernel + 1)
        + gates + inner,
        "linear_attention_state_bytes": inner * WIDE_BYTES + (kernel - 1) * width * NARROW_BYTES,
        "other_adapter_widths": (read.layers - attention) * THREE * (width + inner),
    }  # fmt: skip


ZAMBA = (
    "attention_head_dim attention_hidden_size hybrid_layer_ids kv_channels mamba_headdim num_query_groups"
    " use_long_context use_mem_eff_path use_mem_rope"
)
KIMI = (
    "moe_layer_freq mla_use_nope moe_renormalize moe_router_activation_func num_expert_group qk_head_dim"
    " use_grouped_topk head_dim"
)
WIDER_KEYS = "keys are wider than values: each is counted as wide as their mean"
TWO_KINDS = "experts for images stand among those for text, all as narrow as the former: both totals are right"
LING = (
    "embedding_dropout output_dropout use_rmsnorm moe_router_enable_expert_bias moe_router_enable_routed_scaling"
    " multi_gate num_nextn_predict_layers score_function router_dtype use_sliding_window max_window_layers norm_head"
    " norm_softmax rope_scaling moe_router_topk_scaling_factor use_bias mtp_loss_scaling_factor topk_method"
)
MORE_HEADS = "query heads that layers with a window have beyond the others' are counted in no product of scores"
STEP = (
    "attention_other_setting moe_layers_enum moe_router_activation moe_router_scaling_factor need_fp32_gate"
    " norm_expert_weight query_pre_attn_scalar swiglu_limits swiglu_limits_shared use_head_wise_attn_gate"
    " use_moe_router_bias use_rope_layers yarn_only_types zero_centered n_shared_experts num_experts moe_every_n_layer"
    " partial_rotary_factors att_impl_type use_moe use_qk_norm max_seq_len share_expert_dims"
)
MIMO = (
    "add_full_attention_sink_bias add_swa_attention_sink_bias attention_chunk_size attention_value_scale"
    " hybrid_block_size layernorm_epsilon swa_head_dim swa_num_attention_heads swa_rope_theta swa_v_head_dim"
    " sliding_window_size moe_router_topk"
)
UNEVEN: Mapping[str, Family] = {
    "nemotron_h": Family(
        names={"num_hidden_layers": "num_hidden_layers|layers_block_type"},
        passed=f"{MAMBA} {KERNELS}",
        constants={"norms_per_layer": 1} | PLAIN | WIDE_NORM,
        flags=BIASES,
        derived=_nemotron_h,
        activation="relu2",
    ),
    "mllama_text_model": Family(derived=_mllama),
    "kimi_linear": Family(
        constants=UNNAMED_EXPERTS,
        names={"head_dim": "", "max_position_embeddings": "max_position_embeddings|model_max_length"},
        passed=KIMI,
        derived=_kimi_linear,
        doubt=RECURRENT,
    ),
    "bailing_hybrid": Family(
        constants=UNNAMED_EXPERTS,
        names={"head_dim": "", "max_position_embeddings": "max_position_embeddings|model_max_length"},
        passed=f"{LING} {KIMI} kda_lower_bound kda_safe_gate short_conv_kernel_size",
        derived=_bailing_hybrid,
        doubt=RECURRENT,
    ),
    "recurrent_gemma": Family(
        names={"intermediate_size": "", "max_position_embeddings": ""},
        constants={"attention_output_bias": True, "mlp_bias": True, "logit_softcap": True} | WIDE_NORM | ANY_LENGTH,
        flags={"attention_bias": ("attention_bias", False)},
        passed="w_init_variance_scale final_w_init_variance_scale logits_soft_cap attention_window_size",
        derived=_recurrent_gemma,
        tied=True,
        activation="gelu_pytorch_tanh",
        doubt=RECURRENT,
    ),
    "zamba": Family(
        names={"head_dim": ""},
        constants={"norms_per_layer": 1},
        passed=f"{MAMBA} {KERNELS} {ZAMBA} hidden_mamba_act n_mamba_heads attn_layer_period",
        derived=_zamba,
        tied=True,
        activation="gelu",
        doubt=RECURRENT,
    ),
    "zamba2": Family(
        names={"intermediate_size": "", "head_dim": ""},
        constants={"norms_per_layer": 1, "fused_gate_up": True},
        passed=f"{MAMBA} {KERNELS} {ZAMBA}",
        derived=_zamba2,
        tied=True,
        activation="gelu",
        doubt=RECURRENT,
    ),
    "mimo_v2_flash": Family(constants=UNNAMED_EXPERTS, passed=MIMO, derived=_mimo, doubt=WIDER_KEYS),
    "ernie4_5_vl_moe_text": Family(
        constants=UNNAMED_EXPERTS,
        passed="moe_norm_min moe_capacity moe_layer_end_index moe_layer_interval moe_use_aux_free",
        derived=_ernie_vision,
        tied=True,
        doubt=TWO_KINDS,
    ),
    "step3p5": Family(
        constants=UNNAMED_EXPERTS,
        names={"num_key_value_heads": "num_attention_groups|num_key_value_heads"},
        passed=STEP,
        derived=_step,
        doubt=MORE_HEADS,
    ),
    "bailing_moe": Family(constants=UNNAMED_EXPERTS, passed=LING, derived=_ling),
}
