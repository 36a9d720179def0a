"""Encoders, and encoders beside decoders: what the modelling code of BERT, T5, BART and their kin adds.

Of the latter each sublayer (self-attention, attention to the encoder, MLP) is a layer of its own with one norm, as in
Nemotron-H.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.huggingface.family import (
    ALL_BIASES,
    BOTH,
    LAYER_NORM,
    NARROW_SOFTMAX,
    OPT_OFFSET,
    PLAIN,
    THREE,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor


def bert(read: Reader) -> dict[str, Any]:
    """An encoder with its pooler; the embedding's norm stands before the layers, and none after them."""
    read.must("position_embedding_type", "absolute", "BERT with relative positions is not known")
    read.must("use_task_id", False, "ERNIE with an embedding of tasks is not known")
    types, width = read.whole("type_vocab_size", 2), read.width
    return {
        "position_embedding_rows": read.whole("max_position_embeddings"),
        "extra_parameters": types * width + width * width + width,
    }


def electra(read: Reader) -> dict[str, Any]:
    """ELECTRA's discriminator: BERT without a pooler."""
    read.must("embedding_size", read.width, "ELECTRA with an embedding narrower than its layers is not known")
    return bert(read) | {"extra_parameters": read.whole("type_vocab_size", 2) * read.width}


def distilbert(read: Reader) -> dict[str, Any]:
    """BERT without pooler and types of tokens."""
    return {"position_embedding_rows": read.whole("max_position_embeddings", 512)}


def modernbert(read: Reader) -> dict[str, Any]:
    """An encoder whose every third layer sees everything; the first lacks the norm that the embedding has."""
    for key in ("attention_bias", "mlp_bias", "norm_bias"):
        read.must(key, False, "ModernBERT with biases is not known")
    every, window = read.whole("global_attn_every_n_layers", 3, 1), read.whole("local_attention", 128)
    whole = floor((read.layers + every - 1) / every)
    return {"sliding_window": window, "num_sliding_window_layers": read.layers - whole}


def _sublayers(encoder: float, decoder: float) -> Fields:
    """Two of each encoder layer, three of each decoder layer; all but the MLPs are attention."""
    attention = encoder + BOTH * decoder
    return {
        "num_hidden_layers": attention + encoder + decoder,
        "num_attention_layers": attention,
        "num_layers_without_mlp": attention,
        "is_encoder_decoder": True,
    }


def _t5(read: Reader) -> Fields:
    """Biases by distance for each head, once in each half; a name of the MLP with a g stands for a gated one."""
    shared = read.whole("relative_attention_num_buckets", 32) * read.heads
    return _sublayers(read.layers, read.whole("num_decoder_layers", read.layers)) | {
        "gated_mlp": read.counted("feed_forward_proj", "g", 0) > 0,
        "extra_parameters": BOTH * shared,
    }


def _umt5(read: Reader) -> Fields:
    """Biases by distance in each layer of either half."""
    layers, shared = read.layers, read.whole("relative_attention_num_buckets", 32) * read.heads
    decoder = read.whole("num_decoder_layers", layers)
    return _sublayers(layers, decoder) | {"gated_mlp": True, "extra_parameters": (layers + decoder) * shared}


def _both_halves(read: Reader) -> Fields:
    """Halves that differ in depth alone."""
    read.must("decoder_ffn_dim", read.whole("encoder_ffn_dim"), "halves with MLPs of two widths are not known")
    read.must("decoder_attention_heads", read.heads, "halves with two numbers of heads are not known")
    return _sublayers(read.layers, read.whole("decoder_layers"))


def _bart(read: Reader) -> Fields:
    """Learned positions of either half, and a norm after either embedding."""
    return _both_halves(read) | {
        "position_embedding_rows": BOTH * (read.whole("max_position_embeddings") + OPT_OFFSET),
        "embedding_norms": BOTH,
    }


def _whisper(read: Reader) -> Fields:
    """Two convolutions over the sound, positions of either half, and keys without biases."""
    halves, width, bins = _both_halves(read), read.width, read.whole("num_mel_bins", 80)
    positions = read.whole("max_source_positions") + read.whole("max_target_positions")
    keys = halves["num_attention_layers"] * width
    return halves | {
        "position_embedding_rows": positions,
        "final_norms": BOTH,
        "extra_parameters": THREE * width * (bins + width) + BOTH * width - keys,
    }


T5_NAMES = {
    "hidden_size": "d_model",
    "num_hidden_layers": "num_layers",
    "num_attention_heads": "num_heads",
    "num_key_value_heads": "num_heads",
    "head_dim": "d_kv",
    "intermediate_size": "d_ff",
    "max_position_embeddings": "",
}
HALVES = {
    "hidden_size": "d_model",
    "num_hidden_layers": "encoder_layers",
    "num_attention_heads": "encoder_attention_heads",
    "intermediate_size": "encoder_ffn_dim",
}
T5_PASSED = (
    "decoder_start_token_id dense_act_fn dropout_rate initializer_factor is_gated_act n_positions output_past"
    " relative_attention_max_distance is_encoder_decoder classifier_dropout"
)
HALVES_PASSED = (
    "activation_dropout add_bias_logits add_final_layer_norm classif_dropout decoder_layerdrop decoder_start_token_id"
    " encoder_layerdrop extra_pos_embeddings force_bos_token_to_be_generated is_encoder_decoder normalize_before"
    " normalize_embedding num_hidden_layers scale_embedding static_position_embeddings early_stopping num_beams"
    " forced_bos_token_id no_repeat_ngram_size max_length min_length length_penalty gradient_checkpointing"
    " apply_spec_augment classifier_proj_size mask_feature_length mask_feature_prob mask_time_length mask_time_prob"
    " mask_feature_min_masks mask_time_min_masks median_filter_width use_weighted_layer_sum begin_suppress_tokens"
    " suppress_tokens alignment_heads lang_ids max_initial_timestamp_index"
)
ONE_NORM: Fields = {"norms_per_layer": 1}
T5_LIKE = {"final_norms": 2, "max_position_embeddings": 1_048_576} | ONE_NORM
BART_LIKE = {"final_norms": 0} | ONE_NORM | PLAIN | ALL_BIASES | LAYER_NORM | NARROW_SOFTMAX
BART = Family(names=HALVES, constants=BART_LIKE, passed=HALVES_PASSED, derived=_bart, tied=True, activation="gelu")
MBART = replace(BART, constants=BART_LIKE | {"final_norms": 2})
ENCODER_DECODERS: Mapping[str, Family] = {
    "t5": Family(names=T5_NAMES, constants=T5_LIKE, passed=T5_PASSED, derived=_t5, tied=True, activation="relu"),
    "umt5": Family(names=T5_NAMES, constants=T5_LIKE, passed=T5_PASSED, derived=_umt5, activation="gelu_new"),
    "bart": BART,
    "mbart": MBART,
    "m2m_100": replace(MBART, derived=_both_halves, activation="relu"),
    "whisper": replace(BART, names={**HALVES, "max_position_embeddings": "max_source_positions"}, derived=_whisper),
}
