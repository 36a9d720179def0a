"""Configurations of an unknown model type that say all that they say in the fields of a known family.

Makers rename a Llama or a Qwen without changing it.  Modelling code is told apart by the class that the file names, or
else by keys that only one family has; where a key is left over, nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from memreport.catalogue.huggingface.families import FAMILIES

READ_AS = "whose fields it has; compare the parameters with what its makers publish."
NEEDED = frozenset({"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "intermediate_size"})
FOREIGN = frozenset(
    {"clip_qkv", "layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon", "norm_epsilon", "norm_eps"}
)
"""Keys of decoders with other norms; with gated MLPs and root-mean-square norms no two families are alike."""
GATED = ("silu", "swish")
TOLD_BY: tuple[tuple[str, frozenset[str]], ...] = (
    ("deepseek_v3", frozenset({"kv_lora_rank", "n_routed_experts", "scoring_func", "topk_method"})),
    ("qwen3_moe", frozenset({"num_experts", "decoder_sparse_step", "head_dim"})),
    ("qwen2_moe", frozenset({"num_experts", "decoder_sparse_step", "shared_expert_intermediate_size"})),
    ("mixtral", frozenset({"num_local_experts", "num_experts_per_tok"})),
    ("qwen3", frozenset({"max_window_layers", "use_sliding_window", "head_dim"})),
    ("qwen2", frozenset({"max_window_layers", "use_sliding_window"})),
    ("mistral", frozenset({"sliding_window"})),
    ("llama", frozenset()),
)
"""Families with the keys by which they are known, the most telling first.  Source: transformers, configuration code."""


_BOTH_SIDES = "an encoder and a decoder of a kind that is not counted; nearest are t5 and bart"
_SHARED = "layers that share weights in a way that is not counted; nearest are zamba2 and albert"
_RECURRENT = "recurrent layers of a kind that is not counted; nearest are mamba2 and rwkv"
_LINEAR = "linear attention of a kind that is not counted; nearest are qwen3_next and kimi_linear"
_RELATIVE = "attention over relative positions or in blocks, whose tensors are not counted; nearest is deberta-v2"
_TOWER = "a tower for images or sound, which is counted beside a language model alone; nearest is modernbert"
_SEVERAL = "a talker or towers beside the language model: give the configuration of that, its text_config, alone"
_ALONE = "code of its own that few use now; write a card by hand"
_LOOPED = "layers that run several times, with a cache for each"
_TWO_LATENTS = "an indexer, or latents of another width, in some layers alone"
_DRAFTER = "no keys and values of its own: it drafts for another model, and is counted by that one's draft fields"
_OTHER_MIXTURE = "layers of a kind that is not counted; write a card by hand, nearest are mixtral and phi3"
INEXPRESSIBLE: Mapping[str, str] = {
    **dict.fromkeys(("longt5", "pegasus_x", "bigbird_pegasus", "t5gemma2"), _BOTH_SIDES),
    **dict.fromkeys(("led", "prophetnet", "nllb-moe", "switch_transformers"), _BOTH_SIDES),
    **dict.fromkeys(("rwkv5", "rwkv6", "rwkv7", "xlstm"), _RECURRENT),
    **dict.fromkeys(("hymba",), _LINEAR),
    **dict.fromkeys(("xlnet", "longformer", "big_bird"), _RELATIVE),
    **dict.fromkeys(("vit", "clip", "siglip", "siglip2", "dinov2", "wav2vec2", "hubert", "wavlm", "swin"), _TOWER),
    **dict.fromkeys(("clip_text_model", "siglip_text_model", "siglip2_text_model", "audio_spectrogram"), _TOWER),
    **dict.fromkeys(("phi4_multimodal", "minicpmo"), _SEVERAL),
    "openelm": "layers of different widths, where a card has one of each",
    "mimo_v2": "keys and values of two widths, where a card has one",
    **dict.fromkeys(("dory", "hrm_text", "inkling2_loop_text"), _LOOPED),
    **dict.fromkeys(("dots3_note", "dots3_note_text", "qwen4_exp", "qwen4_exp_text"), _TWO_LATENTS),
    **dict.fromkeys(("gemma4_assistant", "gemma4_unified_assistant"), _DRAFTER),
    **dict.fromkeys(("ctrl", "xlm", "cpmant", "blt", "moshi"), _ALONE),
    **dict.fromkeys(("jetmoe", "inkling2_text", "phi3small", "step3"), _OTHER_MIXTURE),
}  # fmt: skip
"""Model types with what a card has no fields for.  Source: transformers 5.24, modelling code."""


def lookalike(config: Mapping[str, Any], reads: Callable[[str], bool]) -> str:
    """The family as which a configuration can be read, or "".  `reads` says whether a family leaves no key over."""
    named = _of_class(config.get("architectures"))
    told = next((name for name, keys in TOLD_BY if _like(config, keys)), "")
    return next((name for name in (named, told) if name and reads(name)), "")


def _of_class(architectures: object) -> str:
    """The family that a class such as LlamaForCausalLM belongs to, or ""."""
    names = architectures if isinstance(architectures, list) else []
    classes = {re.split("For|LMHead", str(name))[0].lower() for name in names}
    return next((name for name in FAMILIES if name.replace("_", "") in classes), "")


def _like(config: Mapping[str, Any], keys: frozenset[str]) -> bool:
    present = {key for key, value in config.items() if value is not None}
    gated = config.get("hidden_act") in GATED and not set(config) & FOREIGN
    return gated and present >= NEEDED and set(config) >= keys
