"""Towers for images that merge patches or have gated MLPs: Qwen, GLM, Gemma 4, ERNIE, Step, DeepSeek-OCR."""

from __future__ import annotations

from memreport.catalogue.huggingface.parts.images import COLOURS, plain, vit_layers
from memreport.catalogue.huggingface.reader import Reader

FRAMES = 2
"""Images that Qwen's patches join in time."""
KERNEL = 3
"""Places that a convolution sees at once in one direction."""


def merger(width: int, norm: int, text: int) -> int:
    """Qwen's merger of four patches."""
    return norm + (4 * width) ** 2 + 4 * width + 4 * width * text + text


def qwen2(read: Reader, text: int) -> int:
    """Qwen2-VL's tower: `embed_dim` wide, its `hidden_size` is the language model's."""
    width, patch = read.whole("embed_dim", 1280), read.whole("patch_size", 14)
    layers = vit_layers(width, 4 * width, read.whole("depth", 32))
    return layers + COLOURS * FRAMES * patch**2 * width + merger(width, 2 * width, read.whole("hidden_size", text))


def qwen25_layers(read: Reader, shared: int) -> int:
    """Norms without biases, gated MLPs with them; keys and values of so many of the heads."""
    width, heads = read.whole("hidden_size", 1280), max(read.whole("num_heads", 16), 1)
    inside, keys = read.whole("intermediate_size", 3420), width // heads * (shared or heads)
    layer = 2 * (width**2 + width) + 2 * keys * (width + 1) + 3 * width * inside + 2 * inside + width + 2 * width
    return read.whole("depth", 32) * layer


def qwen25(read: Reader, text: int) -> int:
    """Qwen2.5-VL's tower."""
    width, patch = read.whole("hidden_size", 1280), read.whole("patch_size", 14)
    out = read.whole("out_hidden_size", text)
    layers = qwen25_layers(read, read.whole("num_key_value_heads", 0))
    return layers + COLOURS * FRAMES * patch**2 * width + merger(width, width, out)


def hyperclovax(read: Reader, text: int) -> int:
    """Qwen2.5-VL's tower with its merger, and one projection."""
    return qwen25(read, text) + (read.whole("out_hidden_size", 3584) + 1) * text


def qwen3(read: Reader, text: int) -> int:
    """Qwen3-VL's tower: learned positions, and a merger with a wide norm for each layer that feeds the decoder."""
    width, patch, out = read.whole("hidden_size"), read.whole("patch_size", 16), read.whole("out_hidden_size", text)
    layers = vit_layers(width, read.whole("intermediate_size"), read.whole("depth"))
    deep = len(read.listed("deepstack_visual_indexes", int))
    merged = merger(width, 2 * width, out) + deep * merger(width, 8 * width, out)
    positions = read.whole("num_position_embeddings", 2304)
    return layers + (COLOURS * FRAMES * patch**2 + 1 + positions) * width + merged


def glm4v(read: Reader, text: int) -> int:
    """GLM's tower: no bias in its layers, gated MLPs as wide as its answer; patches joined, then a gated merger."""
    width, patch = read.whole("hidden_size", 1536), read.whole("patch_size", 14)
    out = read.whole("out_hidden_size", text)
    layer = 4 * width**2 + 3 * width * read.flag("attention_bias", False) + 3 * width * out + 2 * width
    positions = (read.whole("image_size", 336) // patch) ** 2
    joined = width * out * read.whole("spatial_merge_size", 2) ** 2 + out
    merged = out**2 + 2 * out + 3 * out * read.whole("intermediate_size", 13_696)
    around = COLOURS * FRAMES * patch**2 * width + (1 + positions + 2) * width
    return read.whole("depth", 24) * layer + around + joined + merged


def glm_ocr(read: Reader, text: int) -> int:
    """GLM's with biases in its layers, norms of each head, no positions, and a merger three times as wide."""
    width, inside = read.whole("hidden_size", 1024), read.whole("intermediate_size", 4096)
    out, patch, heads = read.whole("out_hidden_size", text), read.whole("patch_size", 14), read.whole("num_heads", 16)
    norms = 2 * width + 2 * (width // max(heads, 1))
    layer = 4 * (width**2 + width) + 3 * width * inside + 2 * inside + width + norms
    joined = width * out * read.whole("spatial_merge_size", 2) ** 2 + out
    merged = out**2 + 2 * out + 3 * out * read.whole("projection_intermediate_size", COLOURS * out)
    return read.whole("depth", 24) * layer + (COLOURS * FRAMES * patch**2 + 1 + 1) * width + joined + merged


def gemma4(read: Reader, text: int) -> int:
    """Gemma 4's tower: gated MLPs between four norms, norms of heads, positions along either side, a projection."""
    width, patch, head = read.whole("hidden_size", 768), read.whole("patch_size", 16), read.whole("head_dim", 64)
    heads = read.whole("num_attention_heads", 12)
    shared = read.whole("num_key_value_heads", heads)
    read.must("attention_bias", False, "Gemma 4's tower with biases is not known")
    layer = 2 * width * head * (heads + shared) + 3 * width * read.whole("intermediate_size", 3072) + 4 * width
    layers = read.whole("num_hidden_layers", 16) * (layer + 2 * head)
    positions = 2 * read.whole("position_embedding_size", 10_240)
    return layers + (COLOURS * patch**2 + positions + text) * width


def ernie(read: Reader, text: int) -> int:
    """ERNIE 4.5 VL: no bias of its patches, a norm, and a resampler of four patches, then of two images in time."""
    width, patch = read.whole("hidden_size|embed_dim", 1280), read.whole("patch_size", 14)
    inside = read.whole("intermediate_size", 4 * width)
    joined = width * read.whole("spatial_merge_size", 2) ** 2
    layers = vit_layers(width, inside, read.whole("depth", 32)) + COLOURS * patch**2 * width + 2 * width
    spatial = 2 * (joined + 1) * joined + 2 * joined
    temporal = (FRAMES * joined + 1) * joined + (joined + 1) * joined + 2 * joined
    return layers + spatial + temporal + (joined + 1) * text + text


def minimax(read: Reader, text: int) -> int:
    """MiniMax-M3: CLIP without positions, two projections, then two of four patches."""
    width, layers, patch, _ = plain(read)
    projected = (width + 1) * text + (text + 1) * text
    return layers + FRAMES * patch + 2 * width + projected + (4 * text + 1) * text + (text + 1) * text


def step(read: Reader, text: int) -> int:
    """Step 3.7: scales after attention and MLP, a norm before them, two convolutions that halve, one projection."""
    width, layers, patch, patches = plain(read)
    scales = 2 * width * read.whole("num_hidden_layers", 47)
    halved = KERNEL**2 * (2 * width) * width + 2 * width + KERNEL**2 * (4 * width) * (2 * width) + 4 * width
    return layers + scales + patch + patches * width + 2 * width + halved + 4 * width * text


SAM_GRID, SAM_WINDOW, SAM_OUT = 64, 14, 256
CLIP_PLACES = 257
"""Positions of CLIP-L at 224 pixels with its class token.  Source: DeepSeek-OCR, deepencoder.py."""


def sam(width: int, layers: int, whole: int) -> int:
    """SAM's encoder: positions of a square, distances of each layer's heads (64 wide), and its neck."""
    distances = 2 * 64 * ((layers - whole) * (2 * SAM_WINDOW - 1) + whole * (2 * SAM_GRID - 1))
    around = (SAM_GRID**2 + COLOURS * 16**2 + 1) * width
    neck = width * SAM_OUT + 2 * SAM_OUT + KERNEL**2 * SAM_OUT**2 + 2 * SAM_OUT
    return vit_layers(width, 4 * width, layers) + distances + around + neck


def got_ocr(read: Reader, text: int) -> int:
    """SAM's encoder, two convolutions that halve, one projection."""
    read.must("image_size", 1024, "SAM with another size of images is not known")
    whole = len(read.listed("global_attn_indexes", int)) or 4
    tower = sam(read.whole("hidden_size", 768), read.whole("num_hidden_layers", 12), whole)
    halved = KERNEL**2 * (2 * SAM_OUT * SAM_OUT + 4 * SAM_OUT * 2 * SAM_OUT)
    return tower + halved + (4 * SAM_OUT + 1) * text


def deepseek_vl2(read: Reader, text: int) -> int:
    """SigLIP-SO400M with two projections of four patches, or DeepSeek-OCR's SAM beside CLIP with one projection."""
    if read.text("model_name") == "deeplip_b_l":
        halved = KERNEL**2 * (2 * SAM_OUT * SAM_OUT + 4 * SAM_OUT * 2 * SAM_OUT)
        clip = vit_layers(1024, 4096, 24) + (1 + CLIP_PLACES + 2 + COLOURS * 14**2) * 1024
        return sam(768, 12, 4) + halved + clip + (2 * 1024 + 1) * text + 2 * text
    width, layers = read.whole("width", 1152), read.whole("layers", 27)
    tower = (
        vit_layers(width, 4304, layers) + (COLOURS * 14**2 + 1 + 27**2 + 2) * width + vit_layers(width, 4304, 1) - width
    )
    return tower + (4 * width + 1) * text + (text + 1) * text + 2 * text


def phi4(read: Reader, text: int) -> int:
    """Phi-4-multimodal's SigLIP at 448 pixels, of whose 27 layers the file says nothing, and two projections."""
    del read
    width, inside, side = 1152, 4304, 32
    tower = vit_layers(width, inside, 28) - width + (COLOURS * 14**2 + 1 + side**2 + 2) * width
    return tower + 2 * width + (width + 1) * text + (text + 1) * text


def phi3(read: Reader, text: int) -> int:
    """Phi-3-vision's CLIP-L at 336 pixels, of which the file says the name, and two projections of four patches."""
    read.must("name", "clip_vision_model", "Phi-3-vision with another tower is not known")
    width, joined = 1024, 4 * 1024
    tower = vit_layers(width, 4 * width, 24) + (COLOURS * 14**2 + 24**2 + 2 + 4) * width
    return tower + (joined + 1) * text + (text + 1) * text + 2 * joined


def ovis(read: Reader, text: int) -> int:
    """Ovis 2: gated MLPs, norms without biases, and a table of visual words."""
    width, _, patch, patches = plain(read)
    inside, words = read.whole("intermediate_size", 2816), read.whole("vocab_size", 16_384)
    biased = read.flag("qkv_bias", False) * 4 * width
    layer = 4 * width**2 + biased + 3 * width * inside + 2 * width
    own = words - read.whole("num_visual_indicator_tokens", 5)
    head = own * width * read.whole("hidden_stride", 1) ** 2 + 2 * own
    return read.whole("num_hidden_layers", 24) * layer + patch + (1 + patches + 1 + 1) * width + head + words * text
