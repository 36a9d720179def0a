"""Decoders and encoders whose modelling code lies beside their weights rather than in transformers."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.huggingface.family import BOTH, FUSED, HEAD_MAJOR, LAYER_NORM, Family, Fields
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor, where


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
            "hidden_size": "n_embd",
            "num_hidden_layers": "n_layer",
            "num_attention_heads": "n_head",
            "max_position_embeddings": "n_positions",
            "intermediate_size": "n_inner",
        },
        constants={"embedding_norms": 1, "final_norms": 0, "is_decoder": False} | LAYER_NORM | FUSED,
        passed=NOMIC,
        derived=_nomic,
        tied=True,
    ),
}
