"""What of a tower for images adapters are put on, and what its layers keep when it is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memreport.catalogue.huggingface.parts import sound
from memreport.catalogue.huggingface.parts.images import (
    COLOURS,
    GATHERED,
    INSIDE,
    LAYERS,
    VIP_LAYERS,
    WIDTH,
    joined_layers,
    square,
)
from memreport.catalogue.huggingface.reader import Reader
from memreport.frozen import frozen

SOUND = ("qwen2_audio_encoder", "voxtral_encoder")
CONFORMER = 35
"""Times its width that the matrices of a layer read and answer: two MLPs 20, attention 10, a convolution 5."""
SQUARE = 4
"""Patches that InternVL joins."""
USUAL_PIXELS = 768**2
"""Of an image, for towers without a size of their own.  Source: LLaMA-Factory `image_max_pixels`."""
QUICK, PLAIN, GATED = 3, 2, 4
"""Tensors of an MLP's width that a layer keeps: of CLIP's own GELU one more, of a gated one two."""


@frozen
class TowerStyle:
    """How a tower's layers are made, and by which names adapters find their matrices.

    `splits`: query, key and value are matrices of their own, called `q_proj`, `k_proj` and `v_proj`; `shares_output`:
    the one behind attention is called `o_proj`, as decoders call it; `scales`: a vector scales what sublayers answer;
    `asks`: what its first layer reads is made to ask for a gradient, as the embedding of tokens is; `free`: images are
    of any size; `tiled`: in tiles of its own size.
    """

    splits: bool = True
    shares_output: bool = False
    values: int = PLAIN
    scales: bool = False
    asks: bool = True
    free: bool = False
    tiled: bool = False


_CLIP, _SIGLIP = TowerStyle(values=QUICK), TowerStyle()
STYLES: Mapping[str, TowerStyle] = {
    "clip_vision_model": _CLIP,
    "siglip_vision_model": _SIGLIP,
    **dict.fromkeys(("idefics3_vision", "idefics3", "smolvlm_vision"), TowerStyle(tiled=True)),
    **dict.fromkeys(("paddleocr_vl_vision", "kimi_k25_vision"), TowerStyle(asks=False, free=True)),
    **dict.fromkeys(("video_llama_3_vision", "idefics2_vision", "idefics2"), TowerStyle(free=True)),
    "siglip2_vision_model": TowerStyle(tiled=True),
    "gemma4_vision": TowerStyle(values=GATED, asks=False, free=True),
    **dict.fromkeys(SOUND, TowerStyle()),
    "pixtral": TowerStyle(shares_output=True, values=GATED, free=True),
    **dict.fromkeys(("internvl_vision", "intern_vit_6b"), TowerStyle(scales=True, tiled=True)),
    **dict.fromkeys(("mllama_vision_model", "llama4_vision_model"), TowerStyle(shares_output=True, tiled=True)),
    **dict.fromkeys(("qwen2_vl_vision", "qwen2_vl"), TowerStyle(splits=False, values=QUICK, free=True)),
    **dict.fromkeys(
        ("qwen2_5_vl_vision", "qwen2_5_vl"), TowerStyle(splits=False, values=GATED, free=True)
    ),
    **dict.fromkeys(
        (f"{name}{end}" for name in ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe") for end in ("", "_vision")),
        TowerStyle(splits=False, asks=False, free=True),
    ),
    **dict.fromkeys(
        ("glm4v_vision", "glm4v_moe_vision", "glm_ocr_vision"),
        TowerStyle(splits=False, values=GATED, asks=False, free=True),
    ),
}  # fmt: skip
"""By the tower's model type.  Source: transformers 5.24, modelling code; counted with PEFT 0.21 on the meta device."""


@frozen
class Projector:
    """What joins a tower to a decoder: inputs and outputs of its matrices, whether they have biases, other weights."""

    matrices: tuple[tuple[int, int], ...]
    biased: bool = True
    others: int = 0

    @property
    def widths(self) -> int:
        """Inputs plus outputs."""
        return sum(inputs + outputs for inputs, outputs in self.matrices)

    @property
    def parameters(self) -> int:
        """All its weights."""
        biases = sum(outputs for _, outputs in self.matrices) * self.biased
        return sum(inputs * outputs for inputs, outputs in self.matrices) + biases + self.others


def _two(read: Reader, joined: int, text: int, others: int = 0) -> Projector:
    biased = read.flag("multimodal_projector_bias", True)
    return Projector(((joined, text), (text, text)), biased, others)


def _vipllava(read: Reader, width: int, text: int) -> Projector:
    joined = width * joined_layers(read, "vision_feature_layers", len(VIP_LAYERS))
    return _two(read, joined, text, 2 * joined)


def _mistral(read: Reader, width: int, text: int) -> Projector:
    joined = width * read.whole("spatial_merge_size", 2) ** 2
    return Projector(((joined, width), (width, text), (text, text)), biased=False, others=width)


def _merger(read: Reader, width: int, text: int) -> Projector:
    joined, out = width * read.whole("spatial_merge_size", 2) ** 2, read.whole("out_hidden_size", text)
    deep = len(read.listed("deepstack_visual_indexes", int))
    norm = width if read.text("model_type").startswith("qwen2_5") else 2 * width
    return Projector(((joined, joined), (joined, out)) * (1 + deep), others=norm + deep * 2 * joined)


def _qwen2(read: Reader, width: int, text: int) -> Projector:
    joined = width * read.whole("spatial_merge_size", 2) ** 2
    return Projector(((joined, joined), (joined, read.whole("hidden_size", text))), others=2 * width)


def _four(read: Reader, width: int, text: int) -> Projector:
    joined = width * read.whole("spatial_merge_size", 2) ** 2
    return Projector(((joined, joined), (joined, text)), others=2 * width)


def _glm_ocr(read: Reader, width: int, text: int) -> Projector:
    del width
    out = read.whole("out_hidden_size", text)
    inside = read.whole("projection_intermediate_size", COLOURS * out)
    return Projector(((out, out), (out, inside), (out, inside), (inside, out)), biased=False, others=2 * out)


def _idefics2(read: Reader, width: int, text: int) -> Projector:
    """A gated projection, and the layers that gather patches into latents."""
    of = {key: read.whole(f"perceiver_config.resampler_{key}", usual) for key, usual in GATHERED.items()}
    wide = of["n_heads"] * of["head_dim"]
    narrow = read.whole("perceiver_config.num_key_value_heads", 4) * of["head_dim"]
    inside = read.whole("text_config.intermediate_size", 14_336)
    layer = ((text, wide), (wide, text)) + ((text, narrow),) * 2 + ((text, 4 * text),) * 2 + ((4 * text, text),)
    norms = (3 * of["depth"] + 1 + of["n_latents"]) * text
    return Projector(((width, inside), (width, inside), (inside, text), *layer * of["depth"]), False, norms)


def _lfm2(read: Reader, width: int, text: int) -> Projector:
    joined, inside = width * read.whole("downsample_factor", 2) ** 2, read.whole("projector_hidden_size", 2560)
    return Projector(((joined, inside), (inside, text)), others=2 * joined * read.flag("projector_use_layernorm", True))


def _internvl(read: Reader, width: int, text: int) -> Projector:
    del read
    joined = SQUARE * width
    return Projector(((joined, text), (text, text)), others=2 * joined)


def _glm4v(read: Reader, width: int, text: int) -> Projector:
    del width
    out, inside = read.whole("out_hidden_size", text), read.whole("intermediate_size", 13_696)
    return Projector(((out, out), (out, inside), (out, inside), (inside, out)), biased=False, others=2 * out)


def _cohere(read: Reader, width: int, text: int) -> Projector:
    joined, inside = width * read.whole("downsample_factor", 2) ** 2, read.whole("alignment_intermediate_size", text)
    norm = 2 * joined * (read.text("model_type") == "aya_vision")
    return Projector(((joined, inside), (inside // 2, text)), others=norm)


QWEN3 = ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "qwen2_5_vl")
PROJECTORS: Mapping[str, Callable[[Reader, int, int], Projector]] = {
    **dict.fromkeys(
        ("llava", "llava_next", "llava_next_video", "llava_onevision"),
        lambda read, width, text: _two(read, width * joined_layers(read, "vision_feature_layer", 1), text),
    ),
    "vipllava": _vipllava,
    **dict.fromkeys(("mistral3", "mistral_large4", "lighton_ocr"), _mistral),
    # a matrix that is no module, so that no adapter finds it
    **dict.fromkeys(("gemma3", "shieldgemma2"), lambda _, width, text: Projector((), others=width * text + width)),
    "paligemma": lambda read, width, text: Projector(((width, read.whole("projection_dim", text)),)),
    **dict.fromkeys(QWEN3, _merger),
    "qwen2_vl": _qwen2,
    **dict.fromkeys(("internvl", "internvl_chat"), _internvl),
    **dict.fromkeys(
        ("idefics3", "smolvlm"),
        lambda read, width, text: Projector(((width * read.whole("scale_factor", 2) ** 2, text),), biased=False),
    ),
    "mllama": lambda read, _, text: Projector(((read.whole("vision_output_dim", 7680), text),)),
    **dict.fromkeys(("deepseek_vl", "video_llama_3"), lambda _, width, text: Projector(((width, text), (text, text)))),
    **dict.fromkeys(("paddleocr_vl", "kimi_k25"), _four),
    "glm_ocr": _glm_ocr,
    "qwen2_audio": lambda _, width, text: Projector(((width, text),)),
    "voxtral": lambda read, _, text: Projector(
        ((read.whole("encoder_ffn_dim|intermediate_size", 5120), text), (text, text)), biased=False
    ),
    "idefics2": _idefics2,
    "lfm2_vl": _lfm2,
    "gemma4": lambda _, width, text: Projector(((width, text),), biased=False),
    "llama4": lambda read, _, text: Projector(((read.whole("vision_output_dim", 4096), text),), biased=False),
    **dict.fromkeys(("glm4v", "glm46v", "glm4v_moe"), _glm4v),
    **dict.fromkeys(("cohere2_vision", "aya_vision"), _cohere),
}
"""What joins the tower to the decoder, by the model type of the whole."""


def _sizes(read: Reader, text: int) -> tuple[int, int, int]:
    """Width, width of the MLPs and layers."""
    kind = read.text("model_type")
    if kind.startswith("qwen2_vl"):
        width = read.whole("embed_dim", 1280)
        return width, SQUARE * width, read.whole("depth", 32)
    if kind in SOUND:
        return read.whole(sound.WIDTH, 1280), read.whole(sound.INSIDE, 5120), read.whole(sound.LAYERS, 32)
    width, layers = read.whole(WIDTH, 1024), read.whole(LAYERS, 24)
    if kind.startswith("glm4v"):
        return width, read.whole("out_hidden_size", text), layers
    return (
        width,
        read.whole(INSIDE, 4096),
        layers + (kind == "mllama_vision_model") * read.whole("num_global_layers", 8),
    )


def _apart(read: Reader, width: int, inside: int) -> int:
    """Widths of matrices beside layers: of a pooling head, of Llama 4's adapter and patches."""
    kind, patch = read.text("model_type"), read.whole("patch_size", 14)
    if kind == "llama4_vision_model":
        out = read.whole("projector_output_dim", 4096)
        return inside + read.whole("projector_input_dim", 4096) + 2 * out + COLOURS * patch**2 + width
    if kind == "gemma4_vision":
        heads = read.whole("num_attention_heads", 12)
        every = 2 * heads + 2 * read.whole("num_key_value_heads", heads)
        wider = every * read.whole("head_dim", 64) - 4 * width
        return COLOURS * patch**2 + width + read.whole("num_hidden_layers", 16) * wider
    head = kind in ("siglip_vision_model", "siglip2_vision_model") and read.flag("vision_use_head", True)
    return head * (4 * width + 2 * inside)


def _patches(read: Reader, style: TowerStyle) -> int:
    return USUAL_PIXELS // max(read.whole("patch_size", 14), 1) ** 2 if style.free else square(read)


def heard(read: Reader, text: int) -> int:
    """Widths of the matrices of Gemma 4's conformer, with what joins it to the decoder."""
    width, out = read.whole("hidden_size", 1024), read.whole("output_proj_dims", 1536)
    sampled = 32 * read.whole("subsampling_conv_channels.1", 32) + width
    return read.whole("num_hidden_layers", 12) * CONFORMER * width + sampled + width + out + out + text


def tower_fields(whole: str, read: Reader, text: int) -> dict[str, int | bool]:
    """Fields of a card that say what of a tower is adapted and kept; none where that is not known."""
    kind = read.text("model_type")
    if kind == "gemma4_audio":
        return {"tower_adapter_widths": heard(read, text)}
    style, projector = STYLES.get(kind), PROJECTORS.get(whole)
    if style is None or projector is None:
        return {}
    joining = projector(read, _sizes(read, text)[0], text)
    return _widths(read, text, style, joining) | _kept(read, text, style)


def _widths(read: Reader, text: int, style: TowerStyle, joining: Projector) -> dict[str, int | bool]:
    """Matrices that adapters are put on."""
    width, inside, layers = _sizes(read, text)
    own, gate, gated = 2 * width, width + inside, style.values == GATED
    every = (4 if style.splits else 3) * own + (2 + gated) * gate
    return {"tower_adapter_widths": layers * every + joining.widths + _apart(read, width, inside)}


def _kept(read: Reader, text: int, style: TowerStyle) -> dict[str, int | bool]:
    """What decides how much a layer keeps of how many patches."""
    width, inside, layers = _sizes(read, text)
    return {
        "tower_hidden_size": width,
        "tower_layers": layers,
        "tower_intermediate_size": inside,
        "tower_mlp_values": style.values,
        "tower_patches": 0 if read.text("model_type") in SOUND else _patches(read, style),
        "tower_patch_area": read.whole("patch_size", 14) ** 2 * max(style.free, style.tiled),
        "tower_fused_qkv": not style.splits,
        "tower_scales": style.scales,
        "tower_shares_output": style.shares_output,
        "tower_asks_gradient": style.asks,
    }
