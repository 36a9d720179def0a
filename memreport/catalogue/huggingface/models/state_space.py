"""Decoders that mix attention with layers whose state does not grow: Mamba, delta nets, short convolutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memreport.catalogue.huggingface.family import (
    BOTH,
    DELTA_CHUNK,
    FOURFOLD,
    HEAD_MAJOR,
    LAYER_NORM,
    NAMED_W,
    NARROW_BYTES,
    PLAIN,
    RECURRENT,
    THREE,
    UNNAMED_EXPERTS,
    WIDE_BYTES,
    WIDE_NORM,
    WIDE_WEIGHTS,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.shared_rules import (
    BIASES,
    EXPERTS,
    QUERY_OUTPUT,
    delta_adapters,
    lightning_adapters,
    query_output_biases,
    qwen_experts,
    whole_norms,
)
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import ceil, floor, smaller, where


def mamba2(read: Reader, inner: float, heads: float, state: float, kernel: float, normed: float, bias: float) -> Fields:
    """One Mamba-2 mixer, and its state in 16 bit: a matrix a head, and what the convolution keeps."""
    mixed = inner + BOTH * read.whole("mamba_n_groups|n_groups|mamba_ngroups", 1) * state
    biased, projected = read.flag("mamba_conv_bias|use_conv_bias", True), inner + mixed + heads
    return {
        "linear_attention_parameters": read.width * projected + bias * (projected + read.width)
        + mixed * (kernel + biased) + THREE * heads + normed * inner + inner * read.width,
        "linear_attention_state_bytes": (inner * state + mixed * kernel) * NARROW_BYTES,
        "linear_attention_kept_values": projected + inner,
        "linear_attention_input_matrices": 1,
        "linear_attention_adapter_widths": read.width + projected,
        "linear_attention_kept_fp32_values": normed * read.whole("mamba_n_groups|n_groups|mamba_ngroups", 1),
    }  # fmt: skip


def _mamba_of_expansion(read: Reader) -> Fields:
    """As Granite and Bamba state it: a multiple of the hidden size."""
    heads, state = read.whole("mamba_n_heads", 128), read.whole("mamba_d_state", 256)
    inner, kernel = read.whole("mamba_expand", 2) * read.width, read.whole("mamba_d_conv", 4)
    made = mamba2(read, inner, heads, state, kernel, 1, read.flag("mamba_proj_bias", False))
    return made | {"linear_attention_output_size": inner, "linear_attention_joins_output": True}


def _granite_hybrid(read: Reader) -> Fields:
    """A mixture after every mixer, or where there are no experts a dense MLP that is called shared."""
    experts, inside = read.whole("num_local_experts"), read.whole("intermediate_size")
    shared, chosen = read.whole("shared_intermediate_size", 0), read.whole("num_experts_per_tok", 0)
    mamba = read.counted("layer_types", "mamba", read.layers) + read.counted("layer_types", "linear_attention", 0)
    return {
        "num_local_experts": experts,
        "num_experts_per_tok": where(experts > 0, chosen, 0),
        "experts_unnamed": experts > 0,
        "moe_intermediate_size": where(experts > 0, inside, 0),
        "intermediate_size": where(experts > 0, inside, shared),
        "shared_expert_intermediate_size": where(experts > 0, shared, 0),
        "num_linear_attention_layers": mamba,
        "num_leading_linear_attention_layers": read.counted("layer_types", "mamba", 0)
        - read.behind("layer_types", "mamba", "attention"),
    } | _mamba_of_expansion(read)


def _bamba(read: Reader) -> Fields:
    attention = read.at_step("attn_layer_indices", 1, read.layers)
    return {"num_linear_attention_layers": read.layers - attention} | _mamba_of_expansion(read)


def _falcon_h1(read: Reader) -> Fields:
    """Attention and Mamba-2 side by side in every layer."""
    read.must("projectors_bias", False, "Falcon-H1 with biases of its projections is not known")
    inner = read.whole("mamba_d_ssm", read.whole("mamba_expand", 2) * read.width)
    heads, state = read.whole("mamba_n_heads", 128), read.whole("mamba_d_state", 256)
    normed, bias = read.flag("mamba_rms_norm", True), read.flag("mamba_proj_bias", False)
    both = dict.fromkeys(("num_attention_layers", "num_linear_attention_layers"), read.layers)
    made = mamba2(read, inner, heads, state, read.whole("mamba_d_conv", 4), normed, bias)
    # its input is multiplied before it is projected, and what that answers by factors in FP32
    scaled = {"linear_attention_scaled_values": made["linear_attention_kept_values"]}
    return both | made | scaled | {"linear_attention_trained_values": read.width, "linear_attention_input_matrices": 0}


def mamba1(read: Reader, inner: float, rank: float, state: float, kernel: float, bias: float, biased: float) -> Fields:
    """One mixer of the first Mamba, and its state in 16 bit."""
    return {
        "linear_attention_parameters": THREE * inner * read.width + bias * (BOTH * inner + read.width)
        + inner * (kernel + biased) + inner * (rank + BOTH * state) + (rank + 1) * inner + inner * (state + 1),
        "linear_attention_adapter_widths": read.width + BOTH * inner,
        "linear_attention_scan_widths": inner + rank + BOTH * state,
        "linear_attention_step_widths": rank + inner,
        "linear_attention_state_bytes": inner * (state + kernel) * NARROW_BYTES,
    }  # fmt: skip


def _mixers_alone(read: Reader) -> Fields:
    """Layers of a norm and a mixer each: no attention, no MLP."""
    return dict.fromkeys(("num_linear_attention_layers", "num_layers_without_mlp"), read.layers)


def _mamba(read: Reader) -> Fields:
    inner, given = read.whole("intermediate_size", read.whole("expand", 2) * read.width), read.whole("time_step_rank")
    state, kernel = read.whole("state_size", 16), read.whole("conv_kernel", 4)
    bias, biased = read.flag("use_bias", False), read.flag("use_conv_bias", True)
    kept = {"linear_attention_kept_values": THREE * inner + given + FOURFOLD * state}
    kept |= {"linear_attention_input_matrices": 1}
    return _mixers_alone(read) | mamba1(read, inner, given, state, kernel, bias, biased) | kept


def _mamba2_alone(read: Reader) -> Fields:
    heads, state, kernel = read.whole("num_heads"), read.whole("state_size", 128), read.whole("conv_kernel", 4)
    inner = read.whole("expand", 2) * read.width
    return _mixers_alone(read) | mamba2(read, inner, heads, state, kernel, 1, read.flag("use_bias", False))


def _minimax(read: Reader) -> Fields:
    """Lightning attention: query, key, value, gate and output of one width, a norm, a matrix a head in FP32."""
    inside = read.heads * read.head_dim
    listed = read.counted("attn_type_list", 0, floor(read.layers / BOTH))
    linear = read.counted("layer_types", "linear_attention", listed)
    return {
        "num_linear_attention_layers": linear,
        "linear_attention_parameters": BOTH * inside * read.width + THREE * inside * read.width + inside,
        "linear_attention_state_bytes": inside * read.head_dim * WIDE_BYTES,
        **lightning_adapters(read, linear),
    }


def _jamba(read: Reader) -> Fields:
    """Mamba-1 with norms inside; attention and mixtures come at their own periods."""
    inner, rank = read.whole("mamba_expand", 2) * read.width, read.whole("mamba_dt_rank")
    state, kernel = read.whole("mamba_d_state", 16), read.whole("mamba_d_conv", 4)
    bias, biased = read.flag("mamba_proj_bias", False), read.flag("mamba_conv_bias", True)
    mixer = mamba1(read, inner, rank, state, kernel, bias, biased)
    experts = read.whole("num_experts|num_local_experts", 16)
    mixtures = where(experts > 1, periodic(read, "expert_layer_period", "expert_layer_offset"), 0)
    dense = read.layers - mixtures
    return mixer | {
        "num_linear_attention_layers": read.layers - periodic(read, "attn_layer_period", "attn_layer_offset"),
        "num_leading_linear_attention_layers": smaller(read.whole("attn_layer_offset"), read.layers),
        "linear_attention_parameters": mixer["linear_attention_parameters"] + rank + BOTH * state,
        "linear_attention_kept_values": BOTH * (THREE * inner) + rank + BOTH * state,
        "linear_attention_trained_values": BOTH * inner + rank + BOTH * state,
        "linear_attention_kept_fp32_values": rank + BOTH * state + THREE,
        "linear_attention_output_size": inner,
        "linear_attention_input_matrices": 1,
        "num_local_experts": where(mixtures > 0, experts, 0),
        "experts_unnamed": mixtures > 0,
        "num_experts_per_tok": where(mixtures > 0, read.whole("num_experts_per_tok", 2), 0),
        "moe_intermediate_size": where(mixtures > 0, read.whole("intermediate_size"), 0),
        "num_dense_layers": where(mixtures > 0, dense, 0),
        "num_interleaved_dense_layers": where(mixtures > 0, dense - read.whole("expert_layer_offset", 0), 0),
    }


def periodic(read: Reader, period: str, offset: str) -> float:
    """Layers that come at a period, from an offset on."""
    return ceil((read.layers - read.whole(offset)) / read.whole(period, 1, 1))


def _lfm2(read: Reader) -> Fields:
    """Gated short convolutions between attention layers; the MLP is two thirds of what is stated, rounded up."""
    read.must("block_ffn_dim_multiplier", 1, "LFM2 with another multiplier of its MLP is not known")
    read.must("conv_bias", False, "LFM2 with biases of its convolutions is not known")
    kernel, multiple = read.whole("conv_L_cache", 3), read.whole("block_multiple_of", 256, 1)
    stated = read.whole("block_ff_dim", read.whole("intermediate_size", 0))
    adjusted = ceil(floor(BOTH * stated / THREE) / multiple) * multiple
    listed = read.at_step("full_attn_idxs", 1, read.layers)
    attention = read.counted("layer_types", "full_attention", where(listed > 0, listed, read.layers))
    return {
        "intermediate_size": where(read.flag("block_auto_adjust_ff_dim", True), adjusted, stated),
        "qk_norm_size": BOTH * read.head_dim,
        "num_linear_attention_layers": read.layers - attention,
        "linear_attention_parameters": THREE * read.width * read.width + read.width * read.width + kernel * read.width,
        "linear_attention_state_bytes": kernel * read.width * NARROW_BYTES,
    } | convolution_kept(read)


def convolution_kept(read: Reader) -> Fields:
    """Two gates and what they multiply, before and after a convolution, and the input of the last projection."""
    kept = THREE * read.width + BOTH * read.width
    return {
        "linear_attention_kept_values": kept,
        "linear_attention_trained_values": read.width,
        "linear_attention_input_matrices": 1,
        "linear_attention_adapter_widths": FOURFOLD * read.width,
        "linear_attention_output_size": read.width,
        "num_leading_linear_attention_layers": read.counted("layer_types", "conv", 0)
        - read.behind("layer_types", "conv", "full_attention"),
    }


def _lfm2_mixtures(read: Reader) -> Fields:
    """LFM2 with mixtures after a few dense layers, whose width is as stated."""
    return _lfm2(read) | {
        "intermediate_size": read.whole("intermediate_size"),
        "num_local_experts": read.whole("num_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": read.whole("moe_intermediate_size"),
        "num_dense_layers": read.whole("num_dense_layers", 0),
        "router_bias": read.flag("use_expert_bias", True),
    }


def _delta_nets(read: Reader) -> Fields:
    """Gated delta nets with an attention layer after every few, whose query projection has a gate as wide as it."""
    interval, biased = read.whole("full_attention_interval", 4, 1), read.flag("attention_bias", False)
    linear = read.counted("layer_types", "linear_attention", read.layers - floor(read.layers / interval))
    return (
        {"qk_norm_size": BOTH * read.head_dim, "num_linear_attention_layers": linear, "attention_output_gate": True}
        | {"num_leading_linear_attention_layers": leading_layers(read, interval - 1), "gate_in_query": True}
        | {"extra_parameters": (read.layers - linear) * (read.width + biased) * read.heads * read.head_dim}
        | delta_net(read)
        | query_output_biases(read)
    )


def _named_delta_nets(read: Reader) -> Fields:
    """OLMo's, whose matrices are called as attention's, a gate and two numbers a head apart; attention has no gate."""
    made = _delta_nets(read) | whole_norms(read)
    heads, layers = read.whole("linear_num_value_heads"), made["num_linear_attention_layers"]
    keys = read.whole("linear_num_key_heads") * read.whole("linear_key_head_dim")
    values = made["linear_attention_output_size"]
    return (
        made
        | {"extra_parameters": 0, "attention_output_gate": False, "gate_in_query": False}
        | {"linear_attention_adapter_widths": 0, "linear_attention_output_size": 0}
        | delta_adapters(read, layers, (keys + values) / BOTH, THREE * read.width + values + BOTH * heads)
    )


def _delta_mixtures(read: Reader) -> Fields:
    shared = {"shared_expert_intermediate_size": read.whole("shared_expert_intermediate_size")}
    shared |= {"shared_expert_gate": True, "shared_expert_first": True}
    return shared | _delta_nets(read) | qwen_experts(read)


def _joined_delta_mixtures(read: Reader) -> Fields:
    """Qwen3-Next, whose four matrices before a delta net are two."""
    made = _delta_mixtures(read)
    widths = made["linear_attention_adapter_widths"] - BOTH * read.width
    return made | {"linear_attention_input_matrices": BOTH, "linear_attention_adapter_widths": widths}


def leading_layers(read: Reader, otherwise: float) -> float:
    """Layers with linear attention before the first with attention."""
    linear = "linear_attention"
    return read.counted("layer_types", linear, otherwise) - read.behind("layer_types", linear, "full_attention")


def delta_net(read: Reader) -> Fields:
    """Parameters of one delta net, and its state: a matrix a head in FP32, and what the convolution keeps in 16 bit."""
    heads, value_dim = read.whole("linear_num_value_heads"), read.whole("linear_value_head_dim")
    keys, key_dim = read.whole("linear_num_key_heads"), read.whole("linear_key_head_dim")
    kernel = read.whole("linear_conv_kernel_dim", 4)
    mixed = BOTH * keys * key_dim + heads * value_dim
    return {
        "linear_attention_parameters": read.width * (mixed + heads * value_dim + BOTH * heads)
        + mixed * kernel + BOTH * heads + value_dim + heads * value_dim * read.width,
        "linear_attention_state_bytes": heads * key_dim * value_dim * WIDE_BYTES + mixed * kernel * NARROW_BYTES,
        "linear_attention_kept_values": BOTH * mixed + heads * (DELTA_CHUNK + value_dim) + heads,
        "linear_attention_trained_values": BOTH * heads * value_dim,
        "linear_attention_kept_fp32_values": heads * (THREE * value_dim + FOURFOLD) + BOTH * keys,
        "linear_attention_input_matrices": FOURFOLD,
        "linear_attention_adapter_widths": FOURFOLD * read.width + mixed + heads * value_dim + BOTH * heads,
        "linear_attention_output_size": heads * value_dim,
        "linear_attention_scaled_values": heads * value_dim,
    }  # fmt: skip


def _rwkv(read: Reader) -> Fields:
    """Keys, values and a receptance over a decaying sum, then an MLP with a receptance: five sums in FP32."""
    width, inside = read.width, read.whole("attention_hidden_size", read.width)
    return {
        "intermediate_size": read.whole("intermediate_size", FOURFOLD * width),
        "num_linear_attention_layers": read.layers,
        "linear_attention_parameters": FOURFOLD * width * inside + BOTH * inside + width * (width + THREE + BOTH),
        "linear_attention_state_bytes": (BOTH * width + THREE * inside) * WIDE_BYTES,
    }


MAMBA = (
    "mamba_chunk_size mamba_d_head num_logits_to_keep time_step_limit time_step_max time_step_min z_loss_coefficient"
)
SCALED = (
    "attention_in_multiplier attention_multiplier attention_out_multiplier embedding_multiplier key_multiplier"
    " lm_head_multiplier mamba_norm_before_gate mlp_multipliers normalization_function residual_multiplier"
    " ssm_in_multiplier ssm_multipliers ssm_out_multiplier"
)
KERNELS = (
    "chunk_size expand mamba_hidden_act mamba_proj_bias mamba_ssm_cache_dtype mlp_hidden_act moe_shared_expert_overlap"
    " mtp_layers_block_type rescale_prenorm_residual residual_in_fp32 time_step_floor time_step_rank"
    " use_associative_scan use_mamba_kernels use_mambapy"
)
CONVOLUTIONS = (
    "block_dim block_mlp_init_scale block_norm_eps block_use_swiglu block_use_xavier_init conv_dim conv_dim_out"
    " conv_use_xavier_init theta use_pos_enc"
)
NO_HEADS = {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 1}
ANY_LENGTH = {"max_position_embeddings": 1_048_576}
UNUSED = {"intermediate_size": 0, "norms_per_layer": 1} | NO_HEADS | ANY_LENGTH
"""What a card must say of attention, where there is none; a state reads any length."""
FP32_RESIDUAL = {"residual_in_fp32": ("residual_in_fp32", True)}
STEPS = (
    "fused_add_norm d_inner d_model head_dim n_layer ssm_cfg"
    " time_step_init_scheme time_step_max time_step_min time_step_scale norm_before_gate rms_norm"
)
FACTORS = "block_size " + " ".join(
    f"{kind}_{name}_factor" for kind in ("full_attn", "linear_attn", "mlp") for name in ("alpha", "beta")
)
NO_ATTENTION = dict.fromkeys(
    ("num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size", "max_position_embeddings"), ""
)
OLMO = "linear_a_log_max linear_a_log_min linear_allow_neg_eigval linear_dt_init_floor linear_dt_max linear_dt_min"
ALONE = Family(
    names=NO_ATTENTION, constants=UNUSED, flags=FP32_RESIDUAL, passed=f"{KERNELS} {STEPS}", derived=_mamba, tied=True
)
DELTA_NETS = Family(
    passed="attn_output_gate mamba_ssm_dtype mtp_num_hidden_layers mtp_use_dedicated_embeddings",
    constants=WIDE_NORM | HEAD_MAJOR,
    derived=_delta_nets,
)
STATE_SPACE: Mapping[str, Family] = {
    "granitemoehybrid": Family(
        names={"intermediate_size": ""},
        constants={"fused_gate_up": True},
        passed=f"{MAMBA} {SCALED}",
        flags=QUERY_OUTPUT,
        derived=_granite_hybrid,
    ),
    "bamba": Family(constants=HEAD_MAJOR, passed=MAMBA, flags=BIASES, derived=_bamba),
    "falcon_h1": Family(passed=f"{MAMBA} {SCALED}", flags=BIASES, derived=_falcon_h1),
    "jamba": Family(passed=f"{MAMBA} {KERNELS}", derived=_jamba),
    "lfm2": Family(names={"intermediate_size": ""}, passed=CONVOLUTIONS, derived=_lfm2, tied=True),
    "lfm2_moe": Family(
        constants=UNNAMED_EXPERTS,
        names={"intermediate_size": ""},
        passed=CONVOLUTIONS,
        derived=_lfm2_mixtures,
        tied=True,
    ),
    "mamba": ALONE,
    "falcon_mamba": replace(ALONE, passed=f"{KERNELS} {STEPS} mixer_rms_eps"),
    "mamba2": replace(ALONE, passed=f"{KERNELS} {STEPS} {MAMBA}", derived=_mamba2_alone, tied=False),
    "minimax": Family(constants=NAMED_W | WIDE_WEIGHTS, copied=EXPERTS, passed=FACTORS, derived=_minimax),
    "olmo_hybrid": Family(passed=OLMO, constants=WIDE_NORM, derived=_named_delta_nets),
    "rwkv": Family(
        names={**NO_ATTENTION, "max_position_embeddings": "context_length"},
        constants=LAYER_NORM | PLAIN | NO_HEADS | {"embedding_norms": 1},
        passed="rescale_every",
        derived=_rwkv,
        activation="relu2",
        doubt=RECURRENT,
    ),
    "qwen3_next": Family(constants=WIDE_NORM | HEAD_MAJOR, derived=_joined_delta_mixtures),
    "qwen3_5_moe_text": replace(
        DELTA_NETS,
        names={"intermediate_size": "moe_intermediate_size"},
        constants=UNNAMED_EXPERTS | WIDE_NORM | HEAD_MAJOR,
        derived=_delta_mixtures,
    ),
    "qwen3_5_text": DELTA_NETS,
}
