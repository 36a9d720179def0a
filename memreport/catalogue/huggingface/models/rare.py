"""Model types that share little: those whose code lies beside their weights, and decoders with gates and scales."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.huggingface.family import (
    BOTH,
    FOURFOLD,
    FUSED,
    HEAD_MAJOR,
    LAYER_NORM,
    NARROW_BYTES,
    PLAIN,
    THREE,
    UNFUSED,
    UNNAMED_EXPERTS,
    WIDE_NORM,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.shared_rules import (
    BIASES,
    QUERY_OUTPUT,
    head_norms,
    in_latent,
    layers_with_window,
    query_output_biases,
    qwen_experts,
)
from memreport.catalogue.huggingface.models.state_space import delta_net
from memreport.catalogue.huggingface.parts.usual import COLUMNS
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor, larger, where


def _chatglm(read: Reader) -> Fields:
    """Few groups of keys and values; one projection for all three, one for gate and up."""
    read.must("add_bias_linear", False, "ChatGLM with biases of its linear layers is not known")
    read.must("rmsnorm", True, "ChatGLM with layer norms is not known")
    grouped = read.flag("multi_query_attention", False)
    return {"num_key_value_heads": where(grouped, read.whole("multi_query_group_num", 1), read.heads)}


def _qwen(read: Reader) -> Fields:
    """The stated width is that of gate and up together."""
    read.must("no_bias", True, "Qwen with biases of its MLPs is not known")
    return {"intermediate_size": floor(read.whole("intermediate_size") / BOTH)}


def _nomic(read: Reader) -> Fields:
    """BERT with rotated positions and gated MLPs, without a pooler."""
    read.must("num_experts", 0, "Nomic's embedder with experts is not known")
    read.must("qkv_proj_bias", False, "Nomic's embedder with biases is not known")
    return {"extra_parameters": read.whole("type_vocab_size", 2) * read.width}


def _doge(read: Reader) -> Fields:
    """Weights of either residual stream, and a mask from values: one more projection for each head's key."""
    read.must("is_moe", False, "Doge with experts behind keys of two parts is not known")
    keys, biased = read.key_value_heads, read.flag("attention_bias", False)
    mask = keys * (keys * read.head_dim + 1 + biased)
    return head_norms(read) | {"extra_parameters": read.layers * (BOTH * read.width + mask)}


def _modernbert_decoder(read: Reader) -> Fields:
    """The first layer has no norm before attention; the head has a layer and a norm of its own."""
    for key in ("attention_bias", "mlp_bias", "norm_bias"):
        read.must(key, False, "ModernBERT with biases is not known")
    return layers_with_window(read, 0) | {"extra_parameters": read.width * read.width}


def _lara(read: Reader) -> Fields:
    """Delta nets, windows and full attention in turn, each before a mixture with a shared expert."""
    linear = read.counted("layer_types", "linear_attention", 0)
    return (
        {"num_linear_attention_layers": linear, "shared_expert_first": True}
        | {"shared_expert_intermediate_size": read.whole("shared_expert_intermediate_size")}
        | delta_net(read)
        | qwen_experts(read)
        | head_norms(read)
        | query_output_biases(read)
        | layers_with_window(read, 0)
    )


def _lfm3(read: Reader) -> Fields:
    """Gated short convolutions between attention with windows or without, each with one gate a head."""
    read.must("conv_bias", False, "LFM3 with biases of its convolutions is not known")
    convolved, kernel = read.counted("layer_types", "conv", 0), read.whole("conv_L_cache", 3)
    gates = read.flag("use_attention_gate", True) * (read.layers - convolved) * read.heads * read.width
    return (
        head_norms(read)
        | query_output_biases(read)
        | layers_with_window(read, 0)
        | {
            "norms_per_layer": where(read.flag("use_sandwich_norm", True), FOURFOLD, BOTH),
            "num_linear_attention_layers": convolved,
            "linear_attention_parameters": FOURFOLD * read.width * read.width + kernel * read.width,
            "linear_attention_state_bytes": kernel * read.width * NARROW_BYTES,
            "extra_parameters": gates,
        }
    )


def _zaya(read: Reader) -> Fields:
    """Convolved queries and keys, scales of every residual stream, a router that is an MLP."""
    read.must("cca_time0", 2, "Zaya with longer convolutions is not known")
    read.must("cca_time1", 2, "Zaya with longer convolutions is not known")
    width, head, keys, inner = read.width, read.head_dim, read.key_value_heads, read.whole("router_hidden_size", 256)
    experts, mixed = read.whole("num_experts"), (read.heads + keys) * head
    convolved = mixed * (BOTH * head + BOTH + 1 + 1) + keys
    router = inner * (width + 1 + 1 + BOTH * (inner + 1) + 1) + (experts + 1) * (inner + 1)
    scales = BOTH * width * FOURFOLD
    return query_output_biases(read) | {
        "num_local_experts": experts,
        "num_experts_per_tok": read.whole("num_experts_per_tok", 1),
        "moe_intermediate_size": read.whole("moe_intermediate_size"),
        "lm_head_bias": read.flag("lm_head_bias", False),
        "extra_parameters": read.layers * (convolved + router + scales - experts * width) + BOTH * width - inner,
        # Values are of two matrices, each of half the heads; the router has four.
        "other_adapter_widths": read.layers * (width + width + inner + BOTH * (BOTH * inner) + inner + experts + 1),
    }


def _minimax_m3(read: Reader) -> Fields:
    """Mixtures with a shared expert; where attention is sparse, an indexer with a key of its own."""
    block, width = "sparse_attention_config", read.width
    listed = read.counted(f"{block}.sparse_attention_freq", 1, 0)
    sparse = read.counted("layer_types", "minimax_m3_sparse", listed)
    each = read.whole(f"index_head_dim|{block}.sparse_index_dim", 128)
    heads = read.whole(f"index_n_heads|{block}.sparse_num_index_heads", 4)
    return head_norms(read) | {
        "intermediate_size": read.whole("dense_intermediate_size"),
        "num_local_experts": read.whole("num_local_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": read.whole("intermediate_size"),
        "shared_expert_intermediate_size": read.whole("shared_intermediate_size", 0),
        "num_dense_layers": read.counted("mlp_layer_types", "dense", read.counted("moe_layer_freq", 0, 0)),
        "num_interleaved_dense_layers": read.behind("mlp_layer_types", "dense", "sparse"),
        "extra_parameters": sparse * each * (width * (heads + 1) + BOTH),
    }


def _inkling(read: Reader) -> Fields:
    """More keys in layers with a window; short convolutions behind keys, values and both sublayers."""
    read.must("swa_num_attention_heads", read.heads, "Inkling with two numbers of heads is not known")
    read.must("swa_head_dim", read.head_dim, "Inkling with two widths of heads is not known")
    layers, width, head, some = read.layers, read.width, read.head_dim, read.key_value_heads
    windowed, many = read.counted("layer_types", "hybrid_sliding", 0), read.whole("swa_num_key_value_heads")
    kernel, distance = read.whole("conv_kernel_size", 4), read.whole("d_rel", 16)
    window, shared = read.whole("sliding_window_size"), read.whole("n_shared_experts", 0)
    keys = windowed * many + (layers - windowed) * some
    far = windowed * window + (layers - windowed) * read.whole("rel_extent", 1024)
    inner = read.whole("moe_intermediate_size")
    return head_norms(read) | {
        "num_key_value_heads": many,
        "global_head_dim": head,
        "num_global_key_value_heads": some,
        "sliding_window": window,
        "num_sliding_window_layers": windowed,
        "num_local_experts": read.whole("n_routed_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": inner,
        "shared_expert_intermediate_size": shared * inner,
        "num_dense_layers": read.counted("mlp_layer_types", "dense", 0),
        "num_interleaved_dense_layers": read.behind("mlp_layer_types", "dense", "sparse"),
        "extra_parameters": BOTH * kernel * (keys * head + layers * width)
        + distance * (layers * width * read.heads + far)
        + (layers - read.counted("mlp_layer_types", "dense", 0)) * shared * width
        + layers,
    }


def _of_blocks(read: Reader) -> Fields:
    """Layers without attention or without an MLP, and MLPs of several widths, which are counted in their mean."""
    blocks, layers, width = "block_configs", read.layers, read.width
    silent, linear = read.switched(blocks, "attention.no_op"), read.switched(blocks, "attention.replace_with_linear")
    bare, straight = read.switched(blocks, "ffn.no_op"), read.switched(blocks, "ffn.replace_with_linear")
    attending, wide = layers - silent - linear, layers - bare - straight
    widths = read.summed(blocks, "ffn.ffn_mult", BOTH * width / THREE, 256)
    mean = floor(larger(widths - silent - bare, 0) / larger(wide, 1))
    return {
        "num_key_value_heads": floor(
            read.heads * attending / larger(read.summed(blocks, "attention.n_heads_in_group"), 1)
        ),
        "intermediate_size": mean,
        "num_attention_layers": attending,
        "num_linear_attention_layers": layers - attending,
        "num_layers_without_mlp": layers - wide,
        "extra_parameters": width * THREE * (widths - mean * wide)
        + width * (width * (linear + straight) - silent - bare),
    }


def _muse(read: Reader) -> Fields:
    """A gate as wide as queries, norms of heads without weights, windows in most layers."""
    gate = read.layers * read.width * read.heads * read.head_dim
    return (
        {"num_unweighted_qk_norm_layers": read.layers, "attention_output_gate": True, "extra_parameters": gate}
        | layers_with_window(read, 0)
        | query_output_biases(read)
    )


def _muse_mixture(read: Reader) -> Fields:
    """Experts in a latent between two norms of it; the residual stream has a gate after each sublayer."""
    made, latent, width = _muse(read), read.whole("moe_hidden_size"), read.width
    dense = read.counted("mlp_layer_types", "dense", 0)
    projected = (read.layers - dense) * BOTH * latent * (width + 1)
    return made | {
        "num_local_experts": read.whole("num_local_experts"),
        "num_experts_per_tok": read.whole("num_experts_per_tok"),
        "moe_intermediate_size": in_latent(read, read.whole("moe_intermediate_size"), latent),
        "moe_latent_size": latent,
        "num_dense_layers": dense,
        "num_interleaved_dense_layers": read.behind("mlp_layer_types", "dense", "sparse"),
        "router_bias": True,
        "extra_parameters": made["extra_parameters"] + projected + read.layers * BOTH * width,
    }


def _t5_gemma(read: Reader) -> Fields:
    """Gemma 2 in either half, each with an embedding of its own; a decoder's layer attends to the other half too."""
    for key in ("hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size"):
        read.must(f"encoder.{key}", read.whole(f"decoder.{key}"), "T5Gemma with halves of two widths is not known")
    encoder, decoder = read.whole("encoder.num_hidden_layers"), read.whole("decoder.num_hidden_layers")
    attention = encoder + BOTH * decoder
    return {
        "num_hidden_layers": attention + encoder + decoder,
        "num_attention_layers": attention,
        "num_layers_without_mlp": attention,
        "is_encoder_decoder": True,
        "extra_parameters": read.whole("decoder.vocab_size") * read.width,
    }


PASSED = (
    "add_bias_linear apply_query_key_layer_scaling apply_residual_connection_post_layernorm bias fp16 bf16 fp32"
    " fp32_residual_connection original_rope post_layer_norm layernorm_epsilon model_max_length z_loss_weight"
    " emb_dropout_prob attn_dropout_prob onnx_safe scale_attn_weights softmax_in_fp32 use_cache_kernel"
    " use_cache_quantization use_dynamic_ntk use_flash_attn use_logn_attn no_bias attn_implementation"
    " attention_softmax_in_fp32 classifier_dropout kv_channels pre_seq_len prefix_projection quantization_bit"
    " dim_model_base scale_depth scale_emb gradient_checkpointing_enabled tokenizer_type use_cache rope_ratio"
)
NOMIC = (
    "causal dense_seq_output fused_bias_fc fused_dropout_add_ln mlp_fc1_bias mlp_fc2_bias parallel_block prenorm"
    " rotary_emb_fraction rotary_emb_interleaved rotary_emb_scale_base use_flash_attn use_rms_norm"
    " max_trained_positions"
    " pad_vocab_size_multiple use_xentropy last_layer_subset rotary_scaling_factor parallel_block_tied_norm expand_pos"
    " moe_top_k moe_every_n_layers moe_normalize_expert_weights moe_resid_pdrop moe_impl ffn_div router_aux_loss_coef"
)
INKLING = (
    "chain_hidden_post_norm log_scaling_alpha logits_mup_width_multiplier mtp_hidden_states_first number_of_conv_states"
    " rel_extent rms_norm_eps_moe_gate route_scale shared_expert_sink"
)
MUSE = "layer_rope_theta output_multiplier post_norm_eps qk_scale_factor residual_gate_temperature"
RARE: Mapping[str, Family] = {
    "diffllama": Family(
        flags=QUERY_OUTPUT,
        passed="lambda_std_dev",
        derived=lambda read: {"extra_parameters": FOURFOLD * read.layers * read.head_dim},
        doubt="of its attention what the second of the two passes keeps is not counted",
    ),
    "doge": Family(
        flags=BIASES,
        passed="keep_window_size num_experts num_experts_per_tok",
        derived=_doge,
        doubt="the mask that it makes of values in each layer is not counted",
    ),
    "modernbert-decoder": Family(
        constants={"fused_gate_up": True, "norm": "layernorm", "embedding_norms": 1, "lm_head_bias": True},
        passed="local_attention",
        derived=_modernbert_decoder,
        tied=True,
        activation="gelu",
    ),
    "gpt_neox_japanese": Family(
        names={"intermediate_size": ""},
        constants=PLAIN | LAYER_NORM | FUSED | HEAD_MAJOR | UNFUSED | {"value_keeps_projections": True},
        derived=lambda read: {
            "intermediate_size": read.whole("intermediate_multiple_size", 4) * read.width,
            "extra_parameters": read.width,
        },
        tied=True,
        activation="gelu",
    ),
    "lara_mini": Family(
        names={"intermediate_size": "moe_intermediate_size"},
        constants=UNNAMED_EXPERTS | WIDE_NORM,
        derived=_lara,
        tied=True,
    ),
    "lfm3": Family(derived=_lfm3, tied=True),
    "zaya": Family(
        constants=UNNAMED_EXPERTS,
        names={"intermediate_size": "moe_intermediate_size"},
        passed="layer_types",
        derived=_zaya,
        tied=True,
    ),
    "minimax_m3_vl_text": Family(
        names={"intermediate_size": "dense_intermediate_size"},
        constants=UNNAMED_EXPERTS | {"router_bias": True} | WIDE_NORM,
        passed="index_block_size index_topk_blocks index_local_blocks swiglu_alpha first_k_dense_replace"
        " n_shared_experts moe_intermediate_size qk_norm_type use_gemma_norm use_qk_norm use_routing_bias"
        " num_mtp_modules",
        derived=_minimax_m3,
    ),
    "nanochat": Family(
        constants={"norm_weight": False, "logit_softcap": True} | PLAIN,
        flags=QUERY_OUTPUT,
        derived=lambda read: {"num_unweighted_qk_norm_layers": read.layers},
        activation="relu2",
    ),
    "muse_glimmer_text": Family(
        constants={"norms_per_layer": 4, "logit_softcap": True} | WIDE_NORM, passed=MUSE, derived=_muse
    ),
    "muse_spark_text": Family(
        constants=UNNAMED_EXPERTS | {"norms_per_layer": 3, "logit_softcap": True} | WIDE_NORM,
        passed=MUSE,
        derived=_muse_mixture,
    ),
    "t5gemma": Family(
        names={name: f"decoder.{name}" for name in COLUMNS},
        constants={"attention_softcap": True, "logit_softcap": True, "final_norms": 2} | WIDE_NORM,
        passed="classifier_dropout_rate dropout_rate is_encoder_decoder vocab_size",
        derived=_t5_gemma,
        tied=True,
        activation="gelu_pytorch_tanh",
        doubt="windows of its layers are not: attention and cache are those of layers that see everything",
    ),
    "nemotron-nas": Family(
        names={"num_key_value_heads": "", "intermediate_size": ""},
        flags=BIASES,
        derived=_of_blocks,
        doubt="layers of several widths are counted in their mean",
    ),
    "inkling_text": Family(
        constants=UNNAMED_EXPERTS | {"router_bias": True, "embedding_norms": 1}, passed=INKLING, derived=_inkling
    ),
}
REPOSITORY_CODE: Mapping[str, Family] = {
    "internlm2": Family(
        constants=FUSED | {"value_keeps_projections": True},
        passed=PASSED,
        flags={"attention_bias": ("bias", True), "attention_output_bias": ("bias", True)},
    ),
    "baichuan": Family(
        names={"max_position_embeddings": "max_position_embeddings|model_max_length"},
        constants=FUSED | {"value_keeps_projections": True},
        passed=PASSED,
    ),
    "chatglm": Family(
        names={
            "num_hidden_layers": "num_layers",
            "vocab_size": "padded_vocab_size|vocab_size",
            "intermediate_size": "ffn_hidden_size",
            "max_position_embeddings": "seq_length",
            "head_dim": "kv_channels",
            "num_key_value_heads": "",
        },
        constants=FUSED | HEAD_MAJOR | {"fused_gate_up": True, "value_keeps_projections": True},
        flags={"attention_bias": ("add_qkv_bias", False)},
        passed=PASSED,
        derived=_chatglm,
    ),
    "qwen": Family(
        names={"intermediate_size": "", "head_dim": "kv_channels", "max_position_embeddings": "seq_length"},
        constants=FUSED | {"attention_bias": True, "value_keeps_projections": True},
        passed=f"{PASSED} max_position_embeddings",
        derived=_qwen,
    ),
    "minicpm": Family(flags={"attention_bias": ("attention_bias", False)}, passed=PASSED, tied=True),
    "nomic_bert": Family(
        names={
            "hidden_size": "n_embd|hidden_size",
            "num_hidden_layers": "n_layer|num_hidden_layers",
            "num_attention_heads": "n_head|num_attention_heads",
            "max_position_embeddings": "n_positions|max_position_embeddings",
            "intermediate_size": "n_inner|intermediate_size",
        },
        constants={"embedding_norms": 1, "final_norms": 0, "is_decoder": False} | LAYER_NORM | FUSED,
        passed=NOMIC,
        derived=_nomic,
        tied=True,
    ),
}
