"""Which part of a configuration of several parts is the language model, and what the whole says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

INSIDE = ("text_config", "llm_config", "language_config")
WRAPPED = "thinker_config"
"""A model that hears, sees and writes, inside one that speaks besides."""
TIED = "tie_word_embeddings"
KEPT = ("quantization_config", "transformers_version", "_name_or_path")
_OF = {
    "llama": "deepseek_vl glmasr idefics3 janus llava llava_next llava_next_video perception_lm smolvlm video_llava"
    " vipllava voxtral",
    "qwen2": "fast_vlm got_ocr2 internvl llava_onevision ovis2 qwen2_audio video_llama_3",
    "qwen3": "lighton_ocr qianfan_ocr qwen3_asr",
    "qwen3_5_text": "minicpmv4_6 minicpmv4_7 minicpm_ocr",
    "mistral": "idefics2 mistral3",
    "cohere2": "aya_vision cohere2_vision",
    "lfm3": "lfm3_vl",
    "nemotron_h": "nemotron_h_omni",
    "bart": "florence2",
    "glm4v_text": "glm46v glmga",
    "granite": "granite_speech granite_speech_plus",
    "deepseek_v2": "deepseek_vl_v2",
    "deepseek_v3": "kimi_k25 kimi_vl",
    "gemma": "paligemma",
    "gemma3_text": "shieldgemma2",
    "exaone4": "exaone4_5",
    "lfm2": "lfm2_vl",
    "hyperclovax": "hyperclovax_vision_v2",
    "step3p5": "step3p7",
    "mllama_text_model": "mllama",
    "qwen2_5_omni_text": "qwen2_5_omni_thinker",
    "qwen3_omni_moe_text": "qwen3_omni_moe_thinker",
}
_OWN = (
    "aria ernie4_5_vl_moe gemma3 gemma3n gemma4 gemma4_unified glm4v glm4v_moe glm_ocr granite_docling llama4"
    " minimax_m3_vl molmo2 voxtral_realtime paddleocr_vl qwen2_5_vl qwen2_vl qwen3_5 qwen3_5_moe qwen3_vl qwen3_vl_moe"
    " mistral_large4 glm5_next hy_v4_vl muse_glimmer muse_spark hunyuan_vl cohere_compass granite4_vision cosmos3_edge"
    " deepseek_ocr2"
)
TEXT_OF = {
    **{whole: kind for kind, wholes in _OF.items() for whole in wholes.split()},
    **{whole: f"{whole}_text" for whole in _OWN.split()},
}
"""The language model's type where its part does not say, by that of the whole.  Source: transformers 5.24."""


def unwrapped(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """What hears, sees and writes, with what the whole says of its numbers."""
    inside = config.get(WRAPPED)
    return {**{key: config[key] for key in KEPT if key in config}, **inside} if isinstance(inside, dict) else config


def inner_part(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The part that is the language model; None where the whole is one."""
    return next((config[name] for name in INSIDE if isinstance(config.get(name), dict)), None)


def language(config: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """The language model of several parts; embeddings that are tied are said outside too, which counts since 5.0."""
    outer = {TIED: config[TIED]} if TIED in config else {}
    kind = TEXT_OF.get(str(config.get("model_type")))
    named = {"model_type": kind} if kind and not inner.get("model_type") else {}
    return {**inner, **named, **outer} if _since_5(config) else {**outer, **inner, **named}


def _since_5(config: Mapping[str, Any]) -> bool:
    return str(config.get("transformers_version")).startswith("5.")


def tied_twice(config: Mapping[str, Any], inner: Mapping[str, Any] | None) -> Iterator[str]:
    """A note where both say of the embeddings something else."""
    if inner is not None and TIED in config and inner.get(TIED, config[TIED]) != config[TIED]:
        taken = "the whole model" if _since_5(config) else "the language model"
        yield f"{TIED} is said twice and differently: what {taken} says is taken."


def spoken_note(config: Mapping[str, Any]) -> Iterator[str]:
    """What is not counted of a model that speaks."""
    if isinstance(config.get(WRAPPED), dict):
        yield "What hears, sees and writes is counted, as engines serve it; not the talker and what makes sound of it."
