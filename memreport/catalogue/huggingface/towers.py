"""Parameters of vision towers and projectors, by the kind of tower that a configuration of several parts names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memreport.catalogue.huggingface.reader import Reader
from memreport.frozen import frozen

COLOURS = 3
PROJECTED = (
    "scale_factor", "downsample_factor", "alignment_intermediate_size", "multimodal_projector_bias",
    "vision_feature_layers", "projector_hidden_size",
)  # fmt: skip
"""Keys of a whole model that say what its projector is like."""
FRAMES = 2
"""Images that Qwen's patches join in time."""
KERNEL = 3
"""Places that Whisper's convolutions see at once."""
VIP_LAYERS = (-2, -5, -8, -11, 6)
"""Layers whose answers ViP-LLaVA takes where the file does not say."""
VISION, SOUND = "vision_config", "audio_config"


def _layers(width: int, inside: int, layers: int) -> int:
    """Layers with biased query, key, value, output, two layer norms and a plain MLP."""
    return layers * (4 * (width**2 + width) + 2 * width * inside + inside + width + 4 * width)


def _plain(read: Reader) -> tuple[int, int, int, int]:
    """Width, parameters of the layers, of one patch's matrix, and patches of an image."""
    width, patch = read.whole("hidden_size", 1024), max(read.whole("patch_size", 14), 1)
    layers = _layers(width, read.whole("intermediate_size", 4096), read.whole("num_hidden_layers", 24))
    return width, layers, COLOURS * patch**2 * width, (read.whole("image_size", 336) // patch) ** 2


def _clip(read: Reader, text: int, joined: int = 1) -> int:
    """CLIP with a class token and a norm at either end, and LLaVA's two projections of so many layers' answers."""
    width, layers, patch, patches = _plain(read)
    biases = 2 * text * read.flag("multimodal_projector_bias", True)
    return layers + patch + (patches + 2) * width + 4 * width + text * width * joined + text**2 + biases


def _vipllava(read: Reader, text: int) -> int:
    """LLaVA's, of several layers' answers side by side, behind a norm."""
    joined = len(read.listed("vision_feature_layers", int)) or len(VIP_LAYERS)
    return _clip(read, text, joined) + 2 * joined * read.whole("hidden_size", 1024)


def _llava_next(read: Reader, text: int) -> int:
    """LLaVA's, and a vector between rows of tiles."""
    return _clip(read, text) + text


def _siglip(read: Reader) -> tuple[int, int]:
    """Width and parameters of SigLIP, with the pooling head, a layer and a query, that some models leave out."""
    width, layers, patch, patches = _plain(read)
    inside = read.whole("intermediate_size", 4096)
    head = (_layers(width, inside, 1) - width) * read.flag("vision_use_head", True)
    return width, layers + patch + width + patches * width + 2 * width + head


def _deepseek_vl(read: Reader, text: int) -> int:
    """SigLIP and two projections."""
    width, tower = _siglip(read)
    return tower + (width + 1) * text + (text + 1) * text


def _siglip_without_head(read: Reader, text: int, positions: int) -> int:
    """SigLIP with so many positions, a norm, and two projections of four patches."""
    width, layers, patch, _ = _plain(read)
    joined = 4 * width
    projected = 2 * width + (joined + 1) * joined + (joined + 1) * text
    return layers + patch + width + positions * width + 2 * width + projected


def _paddleocr(read: Reader, text: int) -> int:
    read.must("spatial_merge_size", 2, "PaddleOCR-VL with another square of patches is not known")
    return _siglip_without_head(read, text, _plain(read)[3])


def _kimi(read: Reader, text: int) -> int:
    """Kimi K2.5's, with a table of positions."""
    return _siglip_without_head(read, text, read.whole("pos_emb_height", 64) * read.whole("pos_emb_width", 64))


def _lfm2(read: Reader, text: int) -> int:
    """SigLIP 2, whose positions are stated, and two projections of a square of patches, behind a norm."""
    width, layers, patch, _ = _plain(read)
    joined, inside = width * read.whole("downsample_factor", 2) ** 2, read.whole("projector_hidden_size", 2560)
    head = (_layers(width, read.whole("intermediate_size", 3072), 1) - width) * read.flag("vision_use_head", True)
    tower = layers + patch + width + read.whole("num_patches", 256) * width + 2 * width + head
    return tower + 2 * joined + (joined + 1) * inside + (inside + 1) * text


def _gemma3(read: Reader, text: int) -> int:
    """SigLIP, a projection and its norm."""
    width, tower = _siglip(read)
    return tower + width * text + width


def _onevision(read: Reader, text: int) -> int:
    """SigLIP, LLaVA's two projections, and a vector between rows of tiles."""
    width, tower = _siglip(read)
    return tower + text * width + text**2 + text + 2 * text * read.flag("multimodal_projector_bias", True)


def _idefics3(read: Reader, text: int) -> int:
    """SigLIP without its head, and one matrix that takes a square of patches."""
    width, layers, patch, patches = _plain(read)
    return layers + patch + (1 + patches + 2) * width + text * width * read.whole("scale_factor", 2) ** 2


def _internvl(read: Reader, text: int) -> int:
    """InternViT: scales after attention and MLP, a class token; LLaVA's projections of four patches with a norm."""
    width, layers, patch, patches = _plain(read)
    number, joined = read.whole("num_hidden_layers", 24), 4 * width
    read.must("use_qk_norm", False, "InternViT with norms of queries and keys is not known")
    read.must("use_mean_pooling", True, "InternViT with a norm at its end is not known")
    layers += number * width * (2 - 3 * (not read.flag("attention_bias", False)))
    return layers + patch + (1 + patches + 2) * width + 2 * joined + text * (joined + 1) + text**2 + text


def _paligemma(read: Reader, text: int) -> int:
    width, tower = _siglip(read)
    return tower + (width + 1) * read.whole("projection_dim", text)


def _merger(width: int, norm: int, text: int) -> int:
    """Qwen's merger of four patches."""
    return norm + (4 * width) ** 2 + 4 * width + 4 * width * text + text


def _qwen2(read: Reader, text: int) -> int:
    """Qwen2-VL's tower: `embed_dim` wide, its `hidden_size` is the language model's."""
    width, patch = read.whole("embed_dim", 1280), read.whole("patch_size", 14)
    layers = _layers(width, 4 * width, read.whole("depth", 32))
    return layers + COLOURS * FRAMES * patch**2 * width + _merger(width, 2 * width, read.whole("hidden_size", text))


def _qwen25(read: Reader, text: int) -> int:
    """Qwen2.5-VL's tower: norms without biases, gated MLPs with them."""
    width, patch = read.whole("hidden_size", 1280), read.whole("patch_size", 14)
    inside, out = read.whole("intermediate_size", 3420), read.whole("out_hidden_size", text)
    layer = 4 * (width**2 + width) + 3 * width * inside + 2 * inside + width + 2 * width
    return read.whole("depth", 32) * layer + COLOURS * FRAMES * patch**2 * width + _merger(width, width, out)


def _qwen3(read: Reader, text: int) -> int:
    """Qwen3-VL's tower: learned positions, and a merger with a wide norm for each layer that feeds the decoder."""
    width, patch, out = read.whole("hidden_size"), read.whole("patch_size", 16), read.whole("out_hidden_size", text)
    layers = _layers(width, read.whole("intermediate_size"), read.whole("depth"))
    deep = len(read.listed("deepstack_visual_indexes", int))
    merged = _merger(width, 2 * width, out) + deep * _merger(width, 8 * width, out)
    positions = read.whole("num_position_embeddings", 2304)
    return layers + (COLOURS * FRAMES * patch**2 + 1 + positions) * width + merged


def _glm4v(read: Reader, text: int) -> int:
    """GLM's tower: no bias in its layers, gated MLPs as wide as its answer; patches joined, then a gated merger."""
    width, patch, out = (
        read.whole("hidden_size", 1536),
        read.whole("patch_size", 14),
        read.whole("out_hidden_size", text),
    )
    layer = 4 * width**2 + 3 * width * read.flag("attention_bias", False) + 3 * width * out + 2 * width
    positions = (read.whole("image_size", 336) // patch) ** 2
    joined = width * out * read.whole("spatial_merge_size", 2) ** 2 + out
    merged = out**2 + 2 * out + 3 * out * read.whole("intermediate_size", 13_696)
    around = COLOURS * FRAMES * patch**2 * width + (1 + positions + 2) * width
    return read.whole("depth", 24) * layer + around + joined + merged


def _glm_ocr(read: Reader, text: int) -> int:
    """GLM's with biases in its layers, norms of each head, no positions, and a merger three times as wide."""
    width, inside = read.whole("hidden_size", 1024), read.whole("intermediate_size", 4096)
    out, patch, heads = read.whole("out_hidden_size", text), read.whole("patch_size", 14), read.whole("num_heads", 16)
    norms = 2 * width + 2 * (width // max(heads, 1))
    layer = 4 * (width**2 + width) + 3 * width * inside + 2 * inside + width + norms
    joined = width * out * read.whole("spatial_merge_size", 2) ** 2 + out
    merged = out**2 + 2 * out + 3 * out * COLOURS * out
    return read.whole("depth", 24) * layer + (COLOURS * FRAMES * patch**2 + 1 + 1) * width + joined + merged


def _sound(read: Reader, width: int, layers: int, inside: int) -> int:
    """Whisper's encoder: two convolutions, positions, keys without biases, a norm at the end."""
    bins, positions = read.whole("num_mel_bins", 128), read.whole("max_source_positions", 1500)
    convolved = KERNEL * width * (bins + width) + 2 * width
    return _layers(width, inside, layers) - layers * width + convolved + positions * width + 2 * width


def _qwen2_audio(read: Reader, text: int) -> int:
    width = read.whole("d_model", 1280)
    tower = _sound(read, width, read.whole("encoder_layers", 32), read.whole("encoder_ffn_dim", 5120))
    return tower + (width + 1) * text


def _voxtral(read: Reader, text: int) -> int:
    """And two projections without biases of as many places as the MLP is wider."""
    inside = read.whole("intermediate_size", 5120)
    tower = _sound(read, read.whole("hidden_size", 1280), read.whole("num_hidden_layers", 32), inside)
    return tower + inside * text + text**2


def _cohere(read: Reader, text: int) -> int:
    """SigLIP, and a gated projection of a square of patches."""
    width, tower = _siglip(read)
    inside = read.whole("alignment_intermediate_size", text)
    return tower + (width * read.whole("downsample_factor", 2) ** 2 + 1) * inside + (inside // 2 + 1) * text


def _aya(read: Reader, text: int) -> int:
    """Cohere's, with a norm before it."""
    return _cohere(read, text) + 2 * read.whole("hidden_size") * read.whole("downsample_factor", 2) ** 2


def _pixtral(read: Reader, text: int) -> int:
    """Pixtral: no bias anywhere, gated MLPs; Mistral's merger of four patches and two projections."""
    width, patch = read.whole("hidden_size", 1024), read.whole("patch_size", 14)
    layer = 4 * width**2 + 3 * width * read.whole("intermediate_size", 4096) + 2 * width
    projection = width + 4 * width**2 + width * text + text**2
    return read.whole("num_hidden_layers", 24) * layer + COLOURS * patch**2 * width + width + projection


def _llama4(read: Reader, text: int) -> int:
    """Llama 4: a class token, norms at either end, and an adapter that joins four patches."""
    width, layers, patch, patches = _plain(read)
    joined, out = read.whole("projector_input_dim", 4096), read.whole("projector_output_dim", 4096)
    adapter = read.whole("intermediate_size", 5632) * joined + out**2 + read.whole("vision_output_dim", 4096) * text
    return layers + patch + (patches + 2) * width + 4 * width + adapter


def _mllama(read: Reader, text: int) -> int:
    """Llama 3.2 Vision: layers without attention biases, gated ones after them, tables for tiles and shapes."""
    width, _, patch, patches = _plain(read)
    inside, gated, tiles = (
        read.whole("intermediate_size"),
        read.whole("num_global_layers", 8),
        read.whole("max_num_tiles", 4),
    )
    layer = 4 * width**2 + 2 * width * inside + inside + width + 4 * width
    shapes = len(read.config.get("supported_aspect_ratios") or range(8)) + 1
    tables = shapes * tiles * width * (patches + 1 + 2) + (patches + 1) * width + 3
    layers = (read.whole("num_hidden_layers", 32) + gated) * layer + 2 * gated
    return layers + patch + width + tables + 4 * width + (read.whole("vision_output_dim", 7680) + 1) * text


@frozen
class Tower:
    """How one kind of whole model is counted; `inside` are the model types of the tower for which that is right."""

    count: Callable[[Reader, int], int]
    inside: tuple[str, ...]
    block: str = VISION


TOWERS: Mapping[str, Tower] = {
    "llava": Tower(_clip, ("clip_vision_model",)),
    **{name: Tower(_llava_next, ("clip_vision_model",)) for name in ("llava_next", "llava_next_video")},
    "llava_onevision": Tower(_onevision, ("siglip_vision_model",)),
    "vipllava": Tower(_vipllava, ("clip_vision_model",)),
    "deepseek_vl": Tower(_deepseek_vl, ("siglip_vision_model",)),
    "paddleocr_vl": Tower(_paddleocr, ("paddleocr_vl_vision",)),
    "kimi_k25": Tower(_kimi, ("kimi_k25_vision",)),
    "lfm2_vl": Tower(_lfm2, ("siglip2_vision_model",)),
    "glm_ocr": Tower(_glm_ocr, ("glm_ocr_vision",)),
    "qwen2_audio": Tower(_qwen2_audio, ("qwen2_audio_encoder",), SOUND),
    "voxtral": Tower(_voxtral, ("voxtral_encoder",), SOUND),
    "idefics3": Tower(_idefics3, ("idefics3_vision", "idefics3", "siglip_vision_model", "")),
    "smolvlm": Tower(_idefics3, ("smolvlm_vision",)),
    "internvl": Tower(_internvl, ("internvl_vision",)),
    **dict.fromkeys(("gemma3", "shieldgemma2"), Tower(_gemma3, ("siglip_vision_model",))),
    "paligemma": Tower(_paligemma, ("siglip_vision_model",)),
    "mistral3": Tower(_pixtral, ("pixtral",)),
    "llama4": Tower(_llama4, ("llama4_vision_model",)),
    **dict.fromkeys(("glm4v", "glm46v", "glm4v_moe"), Tower(_glm4v, ("glm4v_vision", "glm4v_moe_vision"))),
    "cohere2_vision": Tower(_cohere, ("siglip_vision_model",)),
    "aya_vision": Tower(_aya, ("siglip_vision_model",)),
    "mllama": Tower(_mllama, ("mllama_vision_model",)),
    **{
        name: Tower(_qwen3, (name, f"{name}_vision")) for name in ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe")
    },
    "qwen2_vl": Tower(_qwen2, ("qwen2_vl", "qwen2_vl_vision", "")),
    "qwen2_5_vl": Tower(_qwen25, ("qwen2_5_vl", "qwen2_5_vl_vision", "")),
}
"""By the model type of the whole.  Source: transformers 5.24, modelling code; counted on the meta device."""


def tower_parameters(read: Reader, text_width: int) -> int:
    """Parameters of tower and projector; 0 where there is none, or none that is known."""
    tower = TOWERS.get(read.text("model_type"))
    block = read.block(tower.block if tower else VISION)
    beside = {key: read.config[key] for key in PROJECTED if key in read.config}
    vision = read.outer({**block, **beside} if block else {})
    if not tower or not vision.config or vision.text("model_type") not in tower.inside:
        return 0
    return tower.count(vision, text_width)
