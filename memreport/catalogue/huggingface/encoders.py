"""Encoders: what the modelling code of BERT and its kin adds to the common fields."""

from __future__ import annotations

from typing import Any

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
