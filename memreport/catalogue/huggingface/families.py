"""Hugging Face configurations by `model_type`: which key becomes which field, and what the modelling code adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memreport.catalogue.huggingface.family import (
    AFTER_SUBLAYERS,
    ALL_BIASES,
    BOTH,
    FOURFOLD,
    FUSED,
    HEAD_MAJOR,
    LAYER_NORM,
    NAMED_W,
    NARROW_SOFTMAX,
    OPT_OFFSET,
    PLAIN,
    UNFUSED,
    UNNAMED_EXPERTS,
    WIDE_NORM,
    WIDE_WEIGHTS,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.decoders import DECODERS
from memreport.catalogue.huggingface.models.encoders import ENCODER_DECODERS, ENCODERS
from memreport.catalogue.huggingface.models.mixtures import MIXTURES
from memreport.catalogue.huggingface.models.rare import RARE, REPOSITORY_CODE
from memreport.catalogue.huggingface.models.shared_rules import (
    BIASES,
    EXPERTS,
    QUERY_OUTPUT,
    every_windowed_but,
    head_norms,
    indexer,
    latent_mixture,
    layers_with_window,
    query_biases,
    query_output_biases,
    qwen_experts,
    routed_experts,
    whole_norms,
    windowed,
)
from memreport.catalogue.huggingface.models.sparse.compressed import COMPRESSED_KEYS
from memreport.catalogue.huggingface.models.sparse.indexed import INDEXED
from memreport.catalogue.huggingface.models.state_space import STATE_SPACE
from memreport.catalogue.huggingface.models.uneven import UNEVEN
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor, larger, where


def _qwen3_moe(read: Reader) -> Fields:
    """Norms of queries and keys, and experts; PEFT finds those of a model that sees by no name."""
    return head_norms(read) | query_output_biases(read) | qwen_experts(read)


def _qwen_window(read: Reader) -> Fields:
    """Qwen counts a window only where it is switched on, and then from `max_window_layers` up."""
    used, first = read.flag("use_sliding_window", False), read.whole("max_window_layers", 0)
    return layers_with_window(read, larger(read.layers - first, 0), used)


def _gemma3(read: Reader) -> Fields:
    pattern = read.whole("sliding_window_pattern", read.whole("_sliding_window_pattern", 6, 1), 1)
    return head_norms(read) | query_output_biases(read) | every_windowed_but(read, pattern)


def _qwen2_moe(read: Reader) -> Fields:
    shared = {
        "shared_expert_intermediate_size": read.whole("shared_expert_intermediate_size"),
        "shared_expert_gate": True,
        "shared_expert_first": True,
    }
    return {"attention_bias": read.flag("qkv_bias", True)} | qwen_experts(read) | shared | _qwen_window(read)


def _phi(read: Reader) -> Fields:
    read.must("qk_layernorm", False, "Phi with norms of queries and keys is not known")
    return {}


def _gpt2(read: Reader) -> Fields:
    return {"position_embedding_rows": read.whole("n_positions"), "intermediate_size": _inner_width(read, "n_inner")}


def _inner_width(read: Reader, key: str) -> float:
    """The width of an MLP that is four times that of the model where the file does not say."""
    given = read.whole(key, 0)
    return where(given > 0, given, FOURFOLD * read.width)


def _gpt_neox(read: Reader) -> Fields:
    both = read.flag("attention_bias", True)
    parallel = read.flag("use_parallel_residual", True)
    return {"attention_bias": both, "attention_output_bias": both, "parallel_residual": parallel}


def _opt(read: Reader) -> Fields:
    biased = read.flag("enable_bias", True)
    read.must("layer_norm_elementwise_affine", True, "OPT with norms that have no weights is not known")
    inner, kept = read.whole("word_embed_proj_dim", read.width), 1 - read.flag("_remove_final_layer_norm", False)
    narrow = read.width - inner > 0
    return {
        **dict.fromkeys(ALL_BIASES, biased),
        "position_embedding_rows": read.whole("max_position_embeddings") + OPT_OFFSET,
        "final_norms": read.flag("do_layer_norm_before", True) * kept,
        "embedding_size": where(narrow, inner, 0),
        "extra_parameters": where(narrow, BOTH * read.width * inner, 0),
    }


def _falcon(read: Reader) -> Fields:
    newer, biased = read.flag("new_decoder_architecture", False), read.flag("bias", False)
    shares_one = read.flag("multi_query", True)
    every, some = read.heads, read.whole("num_kv_heads", 0)
    parallel = read.flag("parallel_attn", True)
    norms = read.whole("num_ln_in_parallel_attn", 0)
    in_parallel = where(norms > 0, norms, where(newer, BOTH, 1))
    return {
        "num_key_value_heads": where(newer, where(some > 0, some, every), where(shares_one, 1, every)),
        "repeats_key_values": newer,
        "intermediate_size": _inner_width(read, "ffn_hidden_size"),
        "norms_per_layer": where(parallel, in_parallel, BOTH),
        "parallel_residual": parallel,
        **dict.fromkeys(ALL_BIASES, biased),
        "max_position_embeddings": read.whole("max_position_embeddings", 2048),
    }


def _bloom(read: Reader) -> Fields:
    return {"intermediate_size": FOURFOLD * read.width, "max_position_embeddings": read.whole("seq_length", 2048)}


def _starcoder2(read: Reader) -> Fields:
    biased = read.flag("use_bias", True)
    read.must("mlp_type", "default", "StarCoder2 with another kind of MLP is not known")
    read.must("norm_type", "layer_norm", "StarCoder2 with another kind of norm is not known")
    return dict.fromkeys(ALL_BIASES, biased) | windowed(read)


def _deepseek_v3(read: Reader) -> Fields:
    return latent_mixture(read) | {"router_bias": True}


def _glm4_moe(read: Reader) -> Fields:
    norms = where(read.flag("use_qk_norm", False), BOTH * read.head_dim, 0)
    return routed_experts(read) | query_biases(read) | {"qk_norm_size": norms}


def _minicpm(read: Reader) -> Fields:
    """MiniCPM-V: Qwen 2 with its biases, or, where the file states a head's width, Qwen 3 with its norms."""
    stated = read.whole("head_dim", 0)
    return {"attention_bias": where(stated > 0, 0, 1), "qk_norm_size": BOTH * stated}


def _phi4_adapters(read: Reader) -> Fields:
    """Phi-4-multimodal's weights for images and for speech: LoRA on every matrix of every layer."""
    queries, keys = read.heads * read.head_dim, read.key_value_heads * read.head_dim
    inside = read.whole("intermediate_size")
    ends = read.width + queries + BOTH * keys + queries + read.width + read.width + BOTH * inside + inside + read.width
    ranks = read.whole("vision_lora.r", 0) + read.whole("speech_lora.r", 0)
    return windowed(read) | {"extra_parameters": read.layers * ranks * ends}


def _gpt_oss(read: Reader) -> Fields:
    both = read.flag("attention_bias", True)
    windows = layers_with_window(read, floor(read.layers / BOTH))
    return windows | {"attention_bias": both, "attention_output_bias": both}


GPT_NAMES = {
    "hidden_size": "n_embd",
    "num_hidden_layers": "n_layer",
    "num_attention_heads": "n_head",
    "max_position_embeddings": "n_positions",
    "intermediate_size": "",
}
LLAMA = Family(flags=BIASES)
PHI3 = Family(constants={"fused_gate_up": True, "value_keeps_projections": True} | FUSED | HEAD_MAJOR, derived=windowed)
MINICPM = (
    "batch_vision_input drop_vision_last_layer query_num slice_config slice_mode use_image_id version vision_batch_size"
    " image_size patch_size batch_3d_resampler max_window_layers use_sliding_window sliding_window"
)
SEEN = "embd_layer img_processor audio_processor full_attn_mod interpolate_factor"
GPT2 = Family(
    names=GPT_NAMES,
    constants=PLAIN | ALL_BIASES | LAYER_NORM | FUSED | NARROW_SOFTMAX,
    derived=_gpt2,
    tied=True,
    activation="gelu_new",
)
FAMILIES: Mapping[str, Family] = {
    **DECODERS,
    **MIXTURES,
    **STATE_SPACE,
    **UNEVEN,
    **COMPRESSED_KEYS,
    **INDEXED,
    **ENCODERS,
    **ENCODER_DECODERS,
    **RARE,
    **REPOSITORY_CODE,
    "llama": LLAMA,
    "mistral": Family(derived=windowed),
    "mixtral": Family(constants=NAMED_W | WIDE_WEIGHTS, copied=EXPERTS, derived=windowed),
    "qwen2": Family(constants={"attention_bias": True}, derived=_qwen_window),
    "qwen2_moe": Family(derived=_qwen2_moe),
    "qwen3": Family(derived=lambda read: head_norms(read) | query_output_biases(read) | _qwen_window(read)),
    "qwen3_moe": Family(derived=_qwen3_moe),
    "qwen3_vl_moe_text": Family(constants=UNNAMED_EXPERTS, derived=_qwen3_moe),
    "gemma": Family(constants=WIDE_NORM, flags=QUERY_OUTPUT, tied=True, activation="gelu_pytorch_tanh"),
    "gemma2": Family(
        constants={"norms_per_layer": 4, "attention_softcap": True, "logit_softcap": True} | WIDE_NORM,
        derived=lambda read: query_output_biases(read) | every_windowed_but(read, BOTH),
        tied=True,
        activation="gelu_pytorch_tanh",
    ),
    "gemma3_text": Family(
        constants={"norms_per_layer": 4} | WIDE_NORM, derived=_gemma3, tied=True, activation="gelu_pytorch_tanh"
    ),
    "phi": Family(
        constants={"lm_head_bias": True, "norms_per_layer": 1, "parallel_residual": True}
        | HEAD_MAJOR
        | PLAIN
        | ALL_BIASES
        | LAYER_NORM,
        derived=_phi,
        activation="gelu_new",
    ),
    "phi3": PHI3,
    "phi3_v": replace(PHI3, passed=SEEN),
    "phi4mm": replace(PHI3, passed=SEEN, derived=_phi4_adapters, tied=True),
    "minicpmv": Family(passed=MINICPM, derived=_minicpm),
    "molmo2_text": Family(
        flags=QUERY_OUTPUT,
        passed="norm_after qk_norm_type",
        derived=lambda read: (
            head_norms(read) | {"extra_parameters": read.whole("additional_vocab_size", 128) * read.width}
        ),
    ),
    "exaone": Family(names={"num_hidden_layers": "num_layers|num_hidden_layers"}),
    "gpt2": GPT2,
    "gpt_bigcode": replace(
        GPT2,
        constants=PLAIN | ALL_BIASES | LAYER_NORM | FUSED,
        passed="inference_runner max_batch_size pad_key_length scale_attention_softmax_in_fp32",
        derived=lambda read: (
            _gpt2(read) | {"num_key_value_heads": where(read.flag("multi_query", True), 1, read.heads)}
        ),
        activation="gelu_pytorch_tanh",
    ),
    "openai-gpt": replace(GPT2, constants={"final_norms": 0} | GPT2.constants, passed="afn"),
    "gptj": Family(
        names=GPT_NAMES,
        constants={"mlp_bias": True, "lm_head_bias": True, "norms_per_layer": 1, "parallel_residual": True}
        | {"scores_in_fp32": True}
        | PLAIN
        | LAYER_NORM,
        derived=lambda read: {"intermediate_size": _inner_width(read, "n_inner")},
        activation="gelu_new",
    ),
    "gpt_neox": Family(
        constants={"mlp_bias": True, "value_keeps_projections": True} | PLAIN | LAYER_NORM | FUSED | HEAD_MAJOR,
        derived=_gpt_neox,
        activation="gelu",
    ),
    "opt": Family(
        names={"intermediate_size": "ffn_dim"}, constants=PLAIN | LAYER_NORM, derived=_opt, tied=True, activation="relu"
    ),
    "falcon": Family(
        names={"intermediate_size": "", "max_position_embeddings": ""},
        constants=PLAIN | LAYER_NORM | FUSED | NARROW_SOFTMAX | {"gives_causal_mask": True},
        derived=_falcon,
        tied=True,
        activation="gelu",
    ),
    "bloom": Family(
        names={
            "hidden_size": "hidden_size|n_embed",
            "num_hidden_layers": "n_layer|num_hidden_layers",
            "num_attention_heads": "n_head|num_attention_heads",
            "intermediate_size": "",
            "max_position_embeddings": "",
        },
        constants={"embedding_norms": 1} | PLAIN | ALL_BIASES | LAYER_NORM | FUSED | UNFUSED,
        derived=_bloom,
        tied=True,
        activation="bloom_gelu",
    ),
    "starcoder2": Family(constants=PLAIN | LAYER_NORM, derived=_starcoder2, tied=True, activation="gelu_pytorch_tanh"),
    "olmo": Family(constants={"norm_weight": False, "norm": "layernorm-wide"}, flags=QUERY_OUTPUT),
    "olmo2": Family(
        constants=WIDE_NORM | AFTER_SUBLAYERS, derived=lambda read: whole_norms(read) | query_output_biases(read)
    ),
    "deepseek": Family(flags=BIASES, derived=routed_experts),
    "deepseek_v2": Family(derived=latent_mixture),
    "deepseek_v3": Family(passed="qk_head_dim", derived=_deepseek_v3),
    "deepseek_v32": Family(
        passed="layer_types mlp_bias qk_head_dim index_topk_freq",
        constants={"gives_causal_mask": True},
        derived=lambda read: _deepseek_v3(read) | indexer(read),
    ),
    "glm4_moe": Family(derived=_glm4_moe, constants={"router_bias": True} | HEAD_MAJOR),
    "gpt_oss": Family(
        constants={"router_bias": True, "expert_bias": True, "attention_sinks": True, "hidden_act": "swigluoai"}
        | {"softmax_type_named": True}
        | WIDE_NORM
        | NARROW_SOFTMAX,
        copied=EXPERTS,
        derived=_gpt_oss,
    ),
    "smollm3": LLAMA,
    "helium": Family(flags=BIASES, constants=WIDE_NORM),
}
"""Model types that are known."""
SAME_AS = {
    **dict.fromkeys(("ministral3", "cwm", "internlm3", "xverse"), "llama"),
    "ministral": "mistral",
    "hunyuan_vl_text": "hunyuan_v1_dense",
    "cohere_compass_text": "cohere2",
    "deepseek_ocr2_text": "deepseek",
    **dict.fromkeys(("kimi_k2", "glm4_moe_lite", "sarvam_mla"), "deepseek_v3"),
    **dict.fromkeys(("glm4v_moe_text", "sarvam_moe"), "glm4_moe"),
    "qwen3_omni_moe_text": "qwen3_moe",
    "gpt-sw3": "gpt2",
    **dict.fromkeys(("granite_docling_text", "granite4_vision_text"), "granite"),
    "cosmos3_edge_text": "arcee",
    "codegen": "gptj",
    "apertus1p5_text": "apertus",
    "mt5": "t5",
    "glm_moe_dsa": "deepseek_v32",
    "hy_v4_vl_text": "hy_v4",
    "mistral4": "deepseek_v2",
    **dict.fromkeys(("roberta", "xlm-roberta", "camembert", "data2vec-text", "ernie"), "bert"),
    **dict.fromkeys(("qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_omni_text"), "qwen2"),
    "exaone4_5_text": "exaone4",
    "mimo": "qwen2",
    **dict.fromkeys(("minimax_text_01", "minimax_m1"), "minimax"),
    "step3p7": "step3p5",
    "minimax_m3": "minimax_m3_vl_text",
    "ernie4_5_moe_vl": "ernie4_5_vl_moe_text",
    "bailing_moe_v2": "bailing_moe",
    "glm_ocr_text": "glm4",
    "paddleocr_vl_text": "ernie4_5",
    "qwen3_vl_text": "qwen3",
}
