"""Parameters of towers and projectors, by the kind of tower that a configuration of several parts names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memreport.catalogue.huggingface.parts import images, joined, merged, sound
from memreport.catalogue.huggingface.parts.adapted import tower_fields
from memreport.catalogue.huggingface.parts.usual import TOWERS_USUAL
from memreport.catalogue.huggingface.reader import Reader
from memreport.frozen import frozen

PROJECTED = (
    "scale_factor", "downsample_factor", "alignment_intermediate_size", "multimodal_projector_bias",
    "vision_feature_layers", "vision_feature_layer", "projector_hidden_size", "projector_use_layernorm",
    "projector_config", "window_size", "downsample_rate", "perceiver_config", "projector_patch_to_query_dict",
    "adapter_config", "text_config", "query_num", "drop_vision_last_layer", "qformer_config", "num_query_tokens",
    "out_hidden_size", "projector_bias",
)  # fmt: skip
"""Keys of a whole model that say what its projector is like."""
VISION, SOUND, PROCESSOR = "vision_config", "audio_config", "audio_processor"
HEARING = (SOUND, "encoder_config", PROCESSOR)
WIDTHS = "tower_adapter_widths"
BLOCKS = (VISION, SOUND, "encoder_config", "vq_config", "gen_vision_config", "high_res_vision_config")
"""Blocks that describe more than the language model."""
GEMMA_3N = 983_281_504
"""Towers and embeddings of Gemma 3n.  Source: the weights of E2B (5,439,438,272) and of E4B (7,849,978,192), each less
its language model with keys and values in every layer."""


def _gemma3n(read: Reader, text: int) -> int:
    """Towers of one shape in both published sizes."""
    read.must("architecture", "mobilenetv5_300m_enc", "Gemma 3n with another tower is not known")
    if text != 2048:
        read.must("hidden_size", 0, "Gemma 3n's towers beside another width are not known")
    return GEMMA_3N


def _beside(read: Reader, text: int) -> int:
    """Counted with the tower before."""
    del read, text
    return 0


@frozen
class Tower:
    """How one tower of a kind of whole model is counted; `inside` are the model types of it for which that is right.

    A block without a model type is of the first.
    """

    count: Callable[[Reader, int], int]
    inside: tuple[str, ...]
    block: str = VISION


@frozen
class Towers:
    """The towers of a whole model: parameters, what they take, the blocks that are left, and keys that are taken.

    `fields` say what of a tower for images is adapted and kept, where that is known.
    """

    parameters: int
    kind: str
    left: tuple[str, ...]
    taken: Mapping[str, Mapping[str, Any]]
    fields: Mapping[str, int | bool]


ANY_PLAIN = tuple(images.TOWERS_ALONE)
SIGLIP = ("siglip_vision_model",)
QWEN3 = ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe")
QWEN25_VISION = Tower(merged.qwen25, ("qwen2_5_vl_vision", "qwen2_5_vl"))
WHISPER = Tower(sound.two_projections, ("audioflamingo3_encoder",), SOUND)
GRANITE = Tower(sound.granite, ("granite_speech_encoder", "granite_speech_plus_encoder"), "encoder_config")
OMNI = "qwen2_5_omni_vision_encoder", "qwen2_5_omni_audio_encoder"
OMNI3 = "qwen3_omni_moe_vision_encoder", "qwen3_omni_moe_audio_encoder"
MINICPM = ("minicpmv4_6_vision", "minicpmv4_7_vision")
TOWERS: Mapping[str, tuple[Tower, ...]] = {
    "llava": (Tower(images.llava, ANY_PLAIN),),
    **dict.fromkeys(("llava_next", "llava_next_video"), (Tower(images.llava_next, ANY_PLAIN),)),
    "llava_onevision": (Tower(images.onevision, SIGLIP),),
    "vipllava": (Tower(images.vipllava, ("clip_vision_model",)),),
    "video_llava": (Tower(images.two_towers, ("clip_vision_model",)),),
    "deepseek_vl": (Tower(images.deepseek_vl, SIGLIP),),
    "deepseek_vl_v2": (Tower(merged.deepseek_vl2, ("vision",)),),
    "paddleocr_vl": (Tower(images.paddleocr, ("paddleocr_vl_vision",)),),
    "kimi_k25": (Tower(images.kimi, ("kimi_k25_vision", "kimi_k25")),),
    "kimi_vl": (Tower(images.kimi, ("moonvit",)),),
    "lfm2_vl": (Tower(images.lfm2, ("siglip2_vision_model",)),),
    "glm_ocr": (Tower(merged.glm_ocr, ("glm_ocr_vision",)),),
    "glm5_next": (Tower(merged.glm_ocr, ("glm5_next_vision",)),),
    "muse_glimmer": (Tower(joined.muse, ("muse_glimmer_vision",)),),
    "muse_spark": (Tower(joined.muse, ("muse_spark_vision",)), Tower(joined.muse_sound, ("muse_spark_audio",), SOUND)),
    "hy_v4_vl": (Tower(joined.hy, ("hy_v4_vl_vision",)),),
    "lfm3_vl": (Tower(joined.lfm3, ("lfm3_vl_vision",)),),
    "granite_docling": (Tower(joined.granite_docling, ("granite_docling_vision",)),),
    "cosmos3_edge": (Tower(joined.cosmos, ("cosmos3_edge_vision",)),),
    "florence2": (Tower(joined.florence, ("florence_vision",)),),
    "nemotron_h_omni": (Tower(joined.nemotron, ("radio",)),),
    "qwen2_audio": (Tower(sound.qwen2_audio, ("qwen2_audio_encoder",), SOUND),),
    "voxtral": (Tower(sound.voxtral, ("voxtral_encoder",), SOUND),),
    "voxtral_realtime": (Tower(sound.voxtral_realtime, ("voxtral_realtime_encoder",), SOUND),),
    **dict.fromkeys(("audioflamingo3", "musicflamingo"), (WHISPER,)),
    "glmasr": (Tower(sound.glm_asr, ("glmasr_encoder",), SOUND),),
    "qwen3_asr": (Tower(sound.qwen3, ("qwen3_asr_encoder",), SOUND),),
    **dict.fromkeys(("granite_speech", "granite_speech_plus"), (GRANITE,)),
    "qwen2_5_omni_thinker": (Tower(merged.qwen25, OMNI[:1]), Tower(sound.qwen_omni, OMNI[1:], SOUND)),
    "qwen3_omni_moe_thinker": (Tower(merged.qwen3, OMNI3[:1]), Tower(sound.qwen3, OMNI3[1:], SOUND)),
    "idefics2": (Tower(images.idefics2, ("idefics2_vision", "idefics2")),),
    "aria": (Tower(images.aria, ("idefics3_vision", "idefics3")),),
    "idefics3": (Tower(images.idefics3, ("idefics3_vision", "idefics3", "siglip_vision_model")),),
    "smolvlm": (Tower(images.idefics3, ("smolvlm_vision",)),),
    **dict.fromkeys(("internvl", "qianfan_ocr"), (Tower(images.internvl, ("internvl_vision", "qianfan_ocr_vision")),)),
    "internvl_chat": (Tower(images.internvl, ("intern_vit_6b",)),),
    **dict.fromkeys(("gemma3", "shieldgemma2"), (Tower(images.gemma3, SIGLIP),)),
    "gemma3n": (Tower(_gemma3n, ("gemma3n_vision",)), Tower(_beside, ("gemma3n_audio",), SOUND)),
    "gemma4": (Tower(merged.gemma4, ("gemma4_vision",)), Tower(sound.gemma4, ("gemma4_audio",), SOUND)),
    "paligemma": (Tower(images.paligemma, SIGLIP),),
    **dict.fromkeys(("mistral3", "mistral_large4"), (Tower(images.mistral, ("pixtral",)),)),
    "lighton_ocr": (Tower(images.mistral, ("pixtral",)),),
    "llama4": (Tower(images.llama4, ("llama4_vision_model",)),),
    **dict.fromkeys(
        ("glm4v", "glm46v", "glm4v_moe", "glmga"), (Tower(merged.glm4v, ("glm4v_vision", "glm4v_moe_vision")),)
    ),
    "cohere2_vision": (Tower(images.cohere, SIGLIP),),
    "aya_vision": (Tower(images.aya, SIGLIP),),
    "mllama": (Tower(images.mllama, ("mllama_vision_model",)),),
    **{name: (Tower(merged.qwen3, (f"{name}_vision", name)),) for name in QWEN3},
    "cosmos3_omni": (Tower(merged.qwen3, ("qwen3_vl_vision",)),),
    "qwen2_vl": (Tower(merged.qwen2, ("qwen2_vl_vision", "qwen2_vl")),),
    "qwen2_5_vl": (QWEN25_VISION,),
    "exaone4_5": (Tower(merged.qwen25, ("exaone4_5_vision",)),),
    "ernie4_5_vl_moe": (Tower(merged.ernie, ("ernie4_5_vl_moe_vision", "DFNRope_vision_transformer")),),
    "minimax_m3_vl": (Tower(merged.minimax, ("minimax_m3_vl_vision",)),),
    "step3p7": (Tower(merged.step, ("step3p5_vision",)),),
    "got_ocr2": (Tower(merged.got_ocr, ("got_ocr2_vision",)),),
    "pp_chart2table": (Tower(merged.got_ocr, ("pp_chart2table_vision",)),),
    "video_llama_3": (Tower(images.video_llama, ("video_llama_3_vision",)),),
    **dict.fromkeys(
        ("minicpm_ocr", "minicpmv4_6", "minicpmv4_7"), (Tower(images.minicpm, (*MINICPM, "minicpm_ocr_vision")),)
    ),
    "minicpmv": (Tower(images.minicpm_v, ("siglip_vision_model", "siglip", "idefics2")),),
    "molmo2": (Tower(images.molmo, ("molmo2_vision",)),),
    "blip-2": (Tower(images.blip2, ("blip_2_vision_model",)),),
    **dict.fromkeys(
        ("instructblip", "instructblipvideo"),
        (Tower(images.instructblip, ("instructblip_vision_model", "instructblipvideo_vision_model")),),
    ),
    "hyperclovax_vision_v2": (Tower(merged.hyperclovax, ("qwen2_5_vl_vision", "qwen2_5_vl")),),
    "ovis2": (Tower(merged.ovis, ("ovis2_vision",)),),
    "phi3_v": (Tower(merged.phi3, ("phi3_v",), "img_processor"),),
    "phi4mm": (Tower(merged.phi4, ("phi4mm",), "embd_layer"), Tower(sound.phi4, ("phi4mm",), PROCESSOR)),
}
"""By the model type of the whole.  Source: transformers 5.24, modelling code; counted on the meta device."""


def counted_towers(read: Reader, text_width: int) -> Towers:
    """Towers and projectors beside a language model so wide; what none is known for is left."""
    found = {tower.block: _counted(read, tower, text_width) for tower in TOWERS.get(read.text("model_type"), ())}
    known = {block: one for block, one in found.items() if one is not None}
    left = tuple(block for block in BLOCKS if block not in known and read.config.get(block))
    hears, sees = set(known) & set(HEARING), set(known) - set(HEARING)
    adapted = [tower_fields(read.text("model_type"), reader, text_width) for _, reader in known.values()]
    return Towers(
        sum(number for number, _ in known.values()),
        "Vision and audio" if hears and sees else "Audio" if hears else "Vision",
        left,
        {str(reader.config["model_type"]): reader.taken for _, reader in known.values()},
        _together(adapted),
    )


def _together(towers: Sequence[Mapping[str, int | bool]]) -> Mapping[str, int | bool]:
    """The first tower's fields, the one for images, and the matrices of all; nothing where one is not known."""
    if not towers or not all(towers):
        return {}
    return {**towers[0], WIDTHS: sum(tower[WIDTHS] for tower in towers)}


def _counted(read: Reader, tower: Tower, text_width: int) -> tuple[int, Reader] | None:
    """Parameters of one tower and the reader that read them; None where the block is lacking or of another kind."""
    block = read.block(tower.block)
    beside = {key: read.config[key] for key in PROJECTED if key in read.config}
    kind = str(block.get("model_type") or tower.inside[0])
    if not block or kind not in tower.inside:
        return None
    part = read.outer(
        {**beside, **block, "model_type": kind}, TOWERS_USUAL.get(kind, TOWERS_USUAL.get(tower.inside[0]))
    )
    return tower.count(part, text_width), part
