"""The format of a published checkpoint, as its `quantization_config` says: what an engine loads by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Block = Mapping[str, Any]
INTEGERS = {"4": "int4", "8": "int8"}
BY_BITS: Mapping[str, Mapping[str, str]] = {
    "fp8": {"": "fp8"},
    "fbgemm_fp8": {"": "fp8"},
    "mxfp4": {"": "mxfp4-experts"},
    "gptq": INTEGERS,
    "awq": INTEGERS,
}
"""By `quant_method` and bits, or "" where there is but one: the row of `weight_formats`."""


def _bitsandbytes(block: Block) -> str:
    if block.get("load_in_8bit"):
        return "int8"
    double = block.get("bnb_4bit_use_double_quant")
    return ("nf4-double-quant" if double else "nf4") if block.get("bnb_4bit_quant_type") == "nf4" else ""


def _compressed_tensors(block: Block) -> str:
    """The weights of the first group; what lies beside groups stays as it is."""
    named = str(block.get("format"))
    if "nvfp4" in named or "mxfp4" in named:
        return "nvfp4" if "nvfp4" in named else "mxfp4-experts"
    groups = block.get("config_groups")
    first: object = next(iter(groups.values()), None) if isinstance(groups, dict) else None
    weights = first.get("weights") if isinstance(first, dict) else None
    if not isinstance(weights, dict):
        return ""
    bits = str(weights.get("num_bits"))
    if bits == "4" and weights.get("type") == "int" and "self_attn" in str(block.get("ignore")):
        return "int4-experts"
    return INTEGERS.get(bits, "") if weights.get("type") != "float" else "fp8" if bits == "8" else ""


def _modelopt(block: Block) -> str:
    return {"FP8": "fp8", "NVFP4": "nvfp4"}.get(str(block.get("quant_algo")), "")


def _quark(block: Block) -> str:
    """By the types of weights and of what they are multiplied with."""
    found = block.get("global_quant_config")
    parts = [found.get(name) for name in ("weight", "input_tensors")] if isinstance(found, dict) else []
    types = " ".join(str(part.get("dtype")) for part in parts if isinstance(part, dict))
    return {"fp4 fp4": "mxfp4-activations", "fp8_e4m3 fp8_e4m3": "fp8"}.get(types, "")


METHODS: Mapping[str, Callable[[Block], str]] = {
    "bitsandbytes": _bitsandbytes,
    "compressed-tensors": _compressed_tensors,
    "modelopt": _modelopt,
    "quark": _quark,
}
"""By `quant_method`, what reads more than bits.  Source: Hugging Face, quantization configurations."""


BY_EXPERTS: Mapping[str, Mapping[str, str]] = {"fp4": {"fp8": "mxfp4-experts-fp8"}}
"""By `expert_dtype` and the format of the rest.  Source: DeepSeek-V4, config.json."""


def format_of(block: Block, experts: str = "") -> str:
    """The id of a weight format, or "" where the checkpoint is not quantised or in a way that no row stands for.

    `experts` is their own type, where the file says one.
    """
    method = str(block.get("quant_method"))
    plain = BY_BITS.get(method, {})
    found = plain.get("") or plain.get(str(block.get("bits", block.get("w_bit", 4))), "")
    rest = METHODS[method](block) if method in METHODS else found
    return BY_EXPERTS.get(experts, {}).get(rest, rest)
