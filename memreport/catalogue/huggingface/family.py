"""What a model type of Hugging Face is read by: names, constants, and rules in the words of formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from memreport.catalogue.huggingface.reader import Reader
from memreport.formula.words import Constant
from memreport.frozen import frozen

Fields = dict[str, Any]
Rule = Callable[[Reader], Fields]

BOTH = Constant("BOTH", 2, "", "queries and keys, two norms, or every other layer", "transformers, modelling code")
THREE = Constant(
    "THREE", 3, "", "projections of a convolution, or numbers of each Mamba head", "transformers, modelling code"
)
FOURFOLD = Constant("FOURFOLD", 4, "", "width of an MLP over that of the model", "transformers, modelling code")
WIDE_BYTES = Constant("WIDE_BYTES", 4, "", "bytes of a number in FP32", "IEEE 754")
NARROW_BYTES = Constant("NARROW_BYTES", 2, "", "bytes of a 16-bit number", "IEEE 754; bfloat16")
OPT_OFFSET = Constant("OPT_OFFSET", 2, "", "rows before the first position of OPT", "transformers, OPT embedding")
POSITIONS_A_SECOND = Constant("POSITIONS_A_SECOND", 50, "", "places of a second of sound", "arXiv:2212.04356, 2.2")
IMAGE_TOKENS = Constant("IMAGE_TOKENS", 6404, "", "four tiles of 1,601 patches of Llama 3.2 Vision", "vLLM, mllama")
IMAGE_ROWS = Constant("IMAGE_ROWS", 8, "", "rows of the embedding beyond the vocabulary", "transformers, mllama")
DELTA_CHUNK = Constant(
    "DELTA_CHUNK", 64, "", "tokens of a chunk of the delta rule", "flash-linear-attention, chunk_size"
)
LAYER_NORM: Fields = {"norm_bias": True, "norm": "layernorm"}
PLAIN: Fields = {"gated_mlp": False}
ALL_BIASES: Fields = {"attention_bias": True, "attention_output_bias": True, "mlp_bias": True}
FUSED: Fields = {"fused_qkv": True}
HEAD_MAJOR: Fields = {"head_major_query": True}
UNFUSED: Fields = {"unfused_attention": True}
NARROW_SOFTMAX: Fields = {"softmax_in_fp32": False}
WIDE_WEIGHTS: Fields = {"routing_weights_in_fp32": True}
AFTER_SUBLAYERS: Fields = {"norms_after_sublayers": True}
WIDE_NORM: Fields = {"norm": "rmsnorm-wide"}
NAMED_W: Fields = {"mlp_named_w": True}
UNNAMED_EXPERTS: Fields = {"experts_unnamed": True}

RECURRENT = "what recurrent layers keep for the backward pass is taken for what attention keeps"


@frozen
class Family:
    """How one model type is read: names of the common fields where they differ, constants, and derived fields.

    `flags` gives the key of a switch and what a missing one means, `copied` the key of a whole number, `passed` keys
    that change no size, `doubt` what is not counted although the parameters are.  Rules are written in the words of
    formulas, so that a page for the browser reads a configuration by the same ones.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    constants: Fields = field(default_factory=dict)
    flags: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    passed: str = ""
    derived: Rule | None = None
    tied: bool = False
    activation: str = "silu"
    doubt: str = ""
