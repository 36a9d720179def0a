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
    FOURFOLD,
    FUSED,
    LAYER_NORM,
    NARROW_SOFTMAX,
    OPT_OFFSET,
    PLAIN,
    POSITIONS_A_SECOND,
    THREE,
    UNFUSED,
    Family,
    Fields,
)
from memreport.catalogue.huggingface.models.shared_rules import BIASES
from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import floor, larger, where


def _bert(read: Reader) -> dict[str, Any]:
    """An encoder with its pooler; the embedding's norm stands before the layers, and none after them."""
    read.must("position_embedding_type", "absolute", "BERT with relative positions is not known")
    tasks = read.flag("use_task_id", False) * read.whole("task_type_vocab_size", 0)
    types, width = read.whole("type_vocab_size", 2) + tasks, read.width
    return {
        "position_embedding_rows": read.whole("max_position_embeddings"),
        "extra_parameters": types * width + width * width + width,
    }


def _narrow(read: Reader, types: float) -> Fields:
    """An embedding of a width of its own, with positions, types and norm, and its projection to that of the layers."""
    width, inner = read.width, read.whole("embedding_size", 128)
    positions = read.whole("max_position_embeddings", 512)
    projected = where(width - inner > 0, (inner + 1) * width, 0)
    return {
        "embedding_size": where(width - inner > 0, inner, 0),
        "extra_parameters": types * inner + (positions + BOTH) * (inner - width) + projected,
    }


def _electra(read: Reader) -> dict[str, Any]:
    """ELECTRA's discriminator: BERT without a pooler, with an embedding that may be narrow."""
    return _bert(read) | _narrow(read, read.whole("type_vocab_size", 2))


def _albert(read: Reader) -> Fields:
    """BERT with a narrow embedding, whose layers share the weights of a few."""
    read.must("inner_group_num", 1, "ALBERT with groups of several layers is not known")
    width, inside, narrow = read.width, read.whole("intermediate_size"), _narrow(read, read.whole("type_vocab_size", 2))
    again = read.layers - read.whole("num_hidden_groups", 1)
    matrices = FOURFOLD * width * width + BOTH * width * inside
    others = FOURFOLD * (width + width) + width + inside
    beside = narrow["extra_parameters"] + width * width + width
    return (
        _bert(read)
        | narrow
        | {"reused_parameters": again * matrices, "extra_parameters": beside - again * (matrices + others)}
    )


def _by_distance(read: Reader, rows: float) -> Fields:
    """Scores of content with positions, of positions with content, or both, as a text or a list says."""
    kinds = read.counted("pos_att_type", "2", 0) + read.counted("pos_att_type", "c2p", 0)
    return {"distance_rows": rows, "distance_terms": kinds + read.counted("pos_att_type", "p2c", 0)}


def _deberta(read: Reader) -> Fields:
    """Biased queries and values, two more projections of a table of distances, no pooler."""
    read.must("relative_attention", True, "DeBERTa without relative attention is not known")
    width, types = read.width, read.whole("type_vocab_size", 0)
    distances = BOTH * read.whole("max_position_embeddings", 512)
    return {
        **_by_distance(read, distances),
        "distance_rows_follow": True,
        "position_embedding_rows": read.flag("position_biased_input", True)
        * read.whole("max_position_embeddings", 512),
        "extra_parameters": (types + distances) * width + BOTH * read.layers * width * width,
    }


def _deberta_2(read: Reader) -> Fields:
    """A table of distances with a norm, whose projections are those of queries and keys; v2 convolves once besides."""
    read.must("share_att_key", True, "DeBERTa with projections of its own for distances is not known")
    width, relative, buckets = read.width, read.flag("relative_attention", False), read.whole("position_buckets", 0)
    positions, kernel = read.whole("max_position_embeddings", 512), read.whole("conv_kernel_size", 0)
    normed = read.counted("norm_rel_ebd", "y", 0)
    rows = relative * BOTH * where(buckets > 0, buckets, positions)
    convolved = width * floor(width / read.whole("conv_groups", 1, 1)) * kernel + THREE * width
    return {
        **_by_distance(read, rows),
        "position_embedding_rows": read.flag("position_biased_input", True) * positions,
        "extra_parameters": width * (read.whole("type_vocab_size", 0) + rows)
        + relative * BOTH * normed * width
        + where(kernel > 0, convolved, 0),
    }


def _mpnet(read: Reader) -> Fields:
    """BERT without types of tokens, with a table of distances for its heads."""
    width = read.width
    return {
        "position_embedding_rows": read.whole("max_position_embeddings"),
        "extra_parameters": read.whole("relative_attention_num_buckets", 32) * read.heads + width * width + width,
    }


def _esm(read: Reader) -> Fields:
    """Rotated positions; a pooler, and a weight of each head's map."""
    read.must("position_embedding_type", "rotary", "ESM with learned positions is not known")
    width = read.width
    return {
        "embedding_norms": read.flag("emb_layer_norm_before", False),
        "extra_parameters": width * width + width + read.layers * read.heads + 1,
    }


def _distilbert(read: Reader) -> dict[str, Any]:
    """BERT without pooler and types of tokens."""
    return {"position_embedding_rows": read.whole("max_position_embeddings", 512)}


def _modernbert(read: Reader) -> dict[str, Any]:
    """An encoder whose every third layer sees everything; the first lacks the norm that the embedding has."""
    for key in ("attention_bias", "mlp_bias", "norm_bias"):
        read.must(key, False, "ModernBERT with biases is not known")
    every, window = read.whole("global_attn_every_n_layers", 3, 1), read.whole("local_attention", 128)
    whole = floor((read.layers + every - 1) / every)
    return {"sliding_window": window, "num_sliding_window_layers": read.layers - whole}


def _pooled(read: Reader, types: float, pooled: float) -> Fields:
    """Rotated positions, some types of tokens, and a pooler or none."""
    width = read.width
    return {"extra_parameters": types * width + pooled * (width * width + width)}


def _layoutlm(read: Reader) -> Fields:
    """BERT with tables of places on a page: two coordinates, height and width."""
    bert, places = _bert(read), read.whole("max_2d_position_embeddings", 1024)
    return bert | {"extra_parameters": bert["extra_parameters"] + FOURFOLD * places * read.width}


def _roformer(read: Reader) -> Fields:
    """Rotations held as a table; no pooler."""
    read.must("embedding_size", read.width, "RoFormer with a narrow embedding is not known")
    read.must("rotary_value", False, "RoFormer that rotates values is not known")
    rotations = read.whole("max_position_embeddings") * read.head_dim
    return {"extra_parameters": read.whole("type_vocab_size", 2) * read.width + rotations}


def _xmod(read: Reader) -> Fields:
    """BERT with two matrices for each language in each layer."""
    read.must("adapter_layer_norm", False, "X-MOD with norms of its adapters is not known")
    read.must("pre_norm", False, "X-MOD with norms first is not known")
    bert, width, languages = _bert(read), read.width, read.whole("languages", 1)
    narrow = floor(width / read.whole("adapter_reduction_factor", 2, 1))
    adapters = read.layers * languages * (BOTH * width * narrow + narrow + width)
    return bert | {"extra_parameters": bert["extra_parameters"] + adapters}


def _eurobert(read: Reader) -> Fields:
    """A head of its own where it guesses masked tokens, unless it is tied; none where it answers with vectors."""
    masked = read.counted("architectures", "EuroBertForMaskedLM", 0)
    return {"tie_word_embeddings": larger(read.flag("tie_word_embeddings", False), masked < 1)}


def _roc_bert(read: Reader) -> Fields:
    """BERT with embeddings of sound and shape, joined with that of tokens by one matrix."""
    for key in ("concat_input", "enable_pronunciation", "enable_shape"):
        read.must(key, True, "RoCBert without sounds or shapes is not known")
    bert, width = _bert(read), read.width
    sound, shape = read.whole("pronunciation_embed_dim", 768), read.whole("shape_embed_dim", 512)
    tables = read.whole("pronunciation_vocab_size", 910) * sound + read.whole("shape_vocab_size", 24_858) * shape
    return bert | {"extra_parameters": bert["extra_parameters"] + tables + (width + sound + shape + 1) * width}


def _luke(read: Reader) -> Fields:
    """BERT with an embedding of entities, and queries of its own for each pair of kinds."""
    bert, width, narrow = _bert(read), read.width, read.whole("entity_emb_size", 256)
    rows = read.whole("max_position_embeddings") + read.whole("type_vocab_size", 2) + BOTH
    entities = read.whole("entity_vocab_size") * narrow + where(width - narrow > 0, narrow * width, 0)
    queries = read.flag("use_entity_aware_attention", True) * read.layers * THREE * (width * width + width)
    return bert | {"extra_parameters": bert["extra_parameters"] + entities + rows * width + queries}


def _gte(read: Reader) -> Fields:
    """Gated MLPs of which only the last matrix has a bias."""
    return {"extra_parameters": (read.whole("type_vocab_size", 0) + read.layers) * read.width}


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
        "distance_biases": THREE,
        "distance_index_layers": BOTH,
        "extra_parameters": BOTH * shared,
    }


OF_EACH_LAYER = "of the biases by distance that each layer has of its own, what their gradients take is not counted"


def _umt5(read: Reader) -> Fields:
    """Biases by distance in each layer of either half."""
    layers, shared = read.layers, read.whole("relative_attention_num_buckets", 32) * read.heads
    decoder = read.whole("num_decoder_layers", layers)
    own = {"extra_parameters": (layers + decoder) * shared, "distance_index_layers": layers + decoder}
    return _sublayers(layers, decoder) | {"gated_mlp": True, **own}


def _both_halves(read: Reader) -> Fields:
    """Halves that differ in depth alone."""
    read.must("decoder_ffn_dim", read.whole("encoder_ffn_dim"), "halves with MLPs of two widths are not known")
    read.must("decoder_attention_heads", read.heads, "halves with two numbers of heads are not known")
    return _sublayers(read.layers, read.whole("decoder_layers"))


def _bart_like(read: Reader) -> Fields:
    """Learned positions of either half, and a norm after either embedding."""
    return _both_halves(read) | {
        "position_embedding_rows": BOTH * (read.whole("max_position_embeddings") + OPT_OFFSET),
        "embedding_norms": BOTH,
    }


def _unmoved(read: Reader) -> Fields:
    """Positions of either half, as many as are stated."""
    return _both_halves(read) | {"position_embedding_rows": BOTH * read.whole("max_position_embeddings")}


def _marian(read: Reader) -> Fields:
    read.must("share_encoder_decoder_embeddings", True, "Marian with two embeddings is not known")
    read.must("decoder_vocab_size", read.whole("vocab_size"), "Marian with two vocabularies is not known")
    return _unmoved(read)


def _whisper(read: Reader) -> Fields:
    """Two convolutions over the sound, positions of either half, and keys without biases."""
    halves, width, bins = _both_halves(read), read.width, read.whole("num_mel_bins", 80)
    positions = read.whole("max_source_positions") + read.whole("max_target_positions")
    keys = halves["num_attention_layers"] * width
    return halves | {
        "position_embedding_rows": positions,
        "final_norms": BOTH,
        "audio_seconds": floor(read.whole("max_source_positions") / POSITIONS_A_SECOND),
        "extra_parameters": THREE * width * (bins + width) + BOTH * width - keys,
    }


RELATIVE = (
    "conv_act legacy max_relative_positions padding_idx pooler_dropout pooler_hidden_act pooler_hidden_size"
    " pos_att_type relative_attention share_att_key talking_head"
)
AS_THEY_ARE: Fields = {"loss_in_logit_dtype": True} | NARROW_SOFTMAX
"""Softmax of scores and of logits in the type in which they come."""
BERT: Fields = (
    {"embedding_norms": 1, "final_norms": 0, "is_decoder": False} | AS_THEY_ARE | (PLAIN | ALL_BIASES | LAYER_NORM)
)
ONE_TABLE: Fields = {"distance_biases": 1, "distance_biases_repeated": True}
NORMS_FIRST: Fields = BERT | {"embedding_norms": 0, "final_norms": 1}
ENCODER = Family(constants=BERT, tied=True, activation="gelu")
ENCODERS: Mapping[str, Family] = {
    "bert": replace(ENCODER, derived=_bert),
    "electra": replace(ENCODER, derived=_electra),
    "distilbert": replace(
        ENCODER,
        names={
            "hidden_size": "dim",
            "num_hidden_layers": "n_layers",
            "num_attention_heads": "n_heads",
            "intermediate_size": "hidden_dim",
        },
        derived=_distilbert,
    ),
    "modernbert": replace(
        ENCODER,
        constants={"fused_gate_up": True, "value_keeps_projections": True, "norm": "layernorm", "is_decoder": False}
        | FUSED,
        derived=_modernbert,
    ),
    "xlm-roberta-xl": replace(ENCODER, constants=NORMS_FIRST, derived=_bert),
    "megatron-bert": replace(ENCODER, constants=NORMS_FIRST | UNFUSED, derived=_bert),
    "roberta-prelayernorm": replace(ENCODER, constants=BERT | {"final_norms": 1}, derived=_bert),
    "albert": Family(
        constants=BERT, passed="classifier_dropout_prob", derived=_albert, tied=True, activation="gelu_new"
    ),
    "deberta": replace(ENCODER, constants=BERT | UNFUSED, passed=RELATIVE, derived=_deberta),
    "deberta-v2": replace(ENCODER, constants=BERT | UNFUSED, passed=RELATIVE, derived=_deberta_2),
    "mpnet": replace(ENCODER, constants=BERT | UNFUSED | ONE_TABLE, derived=_mpnet),
    "esm": replace(
        ENCODER,
        constants=BERT | {"final_norms": 1},
        passed="is_folding_model mask_token_id token_dropout",
        derived=_esm,
    ),
    "layoutlm": replace(ENCODER, derived=_layoutlm),
    "roformer": replace(ENCODER, constants=BERT | UNFUSED, derived=_roformer),
    "xmod": replace(ENCODER, passed="adapter_reuse_layer_norm ln_before_adapter default_language", derived=_xmod),
    "roc_bert": replace(ENCODER, derived=_roc_bert),
    "luke": replace(ENCODER, constants=BERT | UNFUSED, passed="cls_entity_prediction", derived=_luke),
    "ibert": replace(ENCODER, constants=BERT | UNFUSED, passed="force_dequant quant_mode", derived=_bert),
    "bert-generation": replace(ENCODER, constants=BERT | {"lm_head_bias": True}, derived=_distilbert),
    "gte": replace(ENCODER, constants=BERT | {"gated_mlp": True, "mlp_bias": False}, derived=_gte),
    "jina_embeddings_v3": replace(
        ENCODER,
        passed="lora_adaptations lora_alpha lora_rank",
        derived=lambda read: _pooled(read, read.whole("type_vocab_size", 1), 1),
    ),
    "eurobert": Family(constants={"is_decoder": False}, flags=BIASES, passed="mask_token_id", derived=_eurobert),
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
    " encoder_no_repeat_ngram_size mask_feature_min_masks mask_time_min_masks median_filter_width"
    " use_weighted_layer_sum begin_suppress_tokens suppress_tokens alignment_heads lang_ids max_initial_timestamp_index"
)
ONE_NORM: Fields = {"norms_per_layer": 1}
T5_LIKE = (
    {"final_norms": 2, "max_position_embeddings": 1_048_576, "norm": "rmsnorm-t5"} | UNFUSED | ONE_NORM | AS_THEY_ARE
)
BART_LIKE = {"final_norms": 0} | ONE_NORM | PLAIN | ALL_BIASES | LAYER_NORM | AS_THEY_ARE
BART = Family(names=HALVES, constants=BART_LIKE, passed=HALVES_PASSED, derived=_bart_like, tied=True, activation="gelu")
MBART = replace(BART, constants=BART_LIKE | {"final_norms": 2})
ENCODER_DECODERS: Mapping[str, Family] = {
    "t5": Family(names=T5_NAMES, constants=T5_LIKE, passed=T5_PASSED, derived=_t5, tied=True, activation="relu"),
    "umt5": Family(
        names=T5_NAMES, constants=T5_LIKE, passed=T5_PASSED, derived=_umt5, activation="gelu_new", doubt=OF_EACH_LAYER
    ),
    "bart": BART,
    "mbart": MBART,
    **dict.fromkeys(
        ("plbart", "mvp"), replace(BART, passed=f"{HALVES_PASSED} use_prompt prompt_length prompt_mid_dim")
    ),
    **dict.fromkeys(("pegasus", "blenderbot"), replace(MBART, derived=_unmoved)),
    "marian": replace(BART, derived=_marian),
    "blenderbot-small": replace(BART, derived=lambda read: _unmoved(read) | {"embedding_norms": BOTH}),
    "m2m_100": replace(MBART, derived=_both_halves, activation="relu"),
    "whisper": replace(BART, names={**HALVES, "max_position_embeddings": "max_source_positions"}, derived=_whisper),
}
