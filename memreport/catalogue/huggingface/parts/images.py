"""Towers for images made of plain layers (CLIP, SigLIP, InternViT, Pixtral), and what joins them to decoders."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memreport.catalogue.huggingface.reader import Reader

COLOURS = 3
VIP_LAYERS = (-2, -5, -8, -11, 6)
"""Layers whose answers ViP-LLaVA takes where the file does not say."""
WIDTH = "hidden_size|vt_hidden_size|width"
INSIDE = "intermediate_size|vt_intermediate_size"
LAYERS = "num_hidden_layers|vt_num_hidden_layers|depth"


GATHERED = {"n_latents": 64, "depth": 3, "n_heads": 16, "head_dim": 96}
"""What Idefics 2 takes of its resampler where the file does not say."""


def vit_layers(width: int, inside: int, layers: int) -> int:
    """Layers with biased query, key, value, output, two layer norms and a plain MLP."""
    return layers * (4 * (width**2 + width) + 2 * width * inside + inside + width + 4 * width)


def square(read: Reader) -> int:
    """Places of a square image on which positions are learned."""
    return (read.whole("image_size", 336) // max(read.whole("patch_size", 14), 1)) ** 2


def plain(read: Reader) -> tuple[int, int, int, int]:
    """Width, parameters of the layers, of one patch's matrix, and patches of an image."""
    width, patch = read.whole(WIDTH, 1024), max(read.whole("patch_size", 14), 1)
    layers = vit_layers(width, read.whole(INSIDE, 4096), read.whole(LAYERS, 24))
    return width, layers, COLOURS * patch**2 * width, square(read)


def clip(read: Reader) -> tuple[int, int]:
    """CLIP with a class token and a norm at either end: width and parameters."""
    width, layers, patch, patches = plain(read)
    return width, layers + patch + (patches + 2) * width + 4 * width


def pooled(read: Reader) -> int:
    """A pooling head of SigLIP, a layer and a query, that some models leave out."""
    width = read.whole(WIDTH, 1024)
    inside = read.whole(INSIDE, 4096)
    return (vit_layers(width, inside, 1) - width) * read.flag("vision_use_head", True)


def siglip(read: Reader) -> tuple[int, int]:
    """SigLIP: width and parameters."""
    width, layers, patch, patches = plain(read)
    return width, layers + patch + width + patches * width + 2 * width + pooled(read)


def siglip_without_head(read: Reader, positions: int) -> tuple[int, int]:
    """SigLIP with so many positions and a norm: width and parameters."""
    width, layers, patch, _ = plain(read)
    return width, layers + patch + (1 + positions + 2) * width


def pixtral(read: Reader) -> tuple[int, int]:
    """Pixtral: no bias anywhere, gated MLPs."""
    width, patch = read.whole("hidden_size", 1024), read.whole("patch_size", 14)
    layer = 4 * width**2 + 3 * width * read.whole("intermediate_size", 4096) + 2 * width
    return width, read.whole("num_hidden_layers", 24) * layer + COLOURS * patch**2 * width + width


TOWERS_ALONE: Mapping[str, Callable[[Reader], tuple[int, int]]] = {
    "clip_vision_model": clip,
    "siglip_vision_model": siglip,
    "pixtral": pixtral,
}
"""Width and parameters by the model type of the tower."""


def any_tower(read: Reader) -> tuple[int, int]:
    """The tower that the block names, CLIP where it names none."""
    return TOWERS_ALONE.get(read.text("model_type"), clip)(read)


def joined_layers(read: Reader, key: str, otherwise: int) -> int:
    """Layers of the tower whose answers stand side by side."""
    given = read.config.get(key)
    return len(read.listed(key, int)) if isinstance(given, list) else otherwise


def llava(read: Reader, text: int) -> int:
    """Any tower, and two projections of so many layers' answers."""
    width, tower = any_tower(read)
    joined = joined_layers(read, "vision_feature_layer", 1)
    biases = 2 * text * read.flag("multimodal_projector_bias", True)
    return tower + text * width * joined + text**2 + biases


def vipllava(read: Reader, text: int) -> int:
    """LLaVA's, of several layers' answers side by side, behind a norm."""
    width, tower = clip(read)
    joined = joined_layers(read, "vision_feature_layers", len(VIP_LAYERS))
    return tower + (text + 2) * width * joined + text**2 + 2 * text


def llava_next(read: Reader, text: int) -> int:
    """LLaVA's, and a vector between rows of tiles."""
    return llava(read, text) + text


def two_towers(read: Reader, text: int) -> int:
    """Video-LLaVA: one for images, one for video, of the same shape."""
    return llava(read, text) + clip(read)[1]


def deepseek_vl(read: Reader, text: int) -> int:
    """SigLIP and two projections."""
    width, tower = siglip(read)
    return tower + (width + 1) * text + (text + 1) * text


def four_patches(width: int, text: int) -> int:
    """A norm, and two biased projections of four patches."""
    joined = 4 * width
    return 2 * width + (joined + 1) * joined + (joined + 1) * text


def paddleocr(read: Reader, text: int) -> int:
    """SigLIP without its head and two projections of four patches."""
    read.must("spatial_merge_size", 2, "PaddleOCR-VL with another square of patches is not known")
    width, tower = siglip_without_head(read, square(read))
    return tower + four_patches(width, text)


def kimi(read: Reader, text: int) -> int:
    """Kimi's, MoonViT, with a table of positions."""
    high = read.whole("pos_emb_height|init_pos_emb_height", 64)
    wide = read.whole("pos_emb_width|init_pos_emb_width", 64)
    width, tower = siglip_without_head(read, high * wide)
    return tower + four_patches(width, text)


def lfm2(read: Reader, text: int) -> int:
    """SigLIP 2, whose positions are stated, and two projections of a square of patches, perhaps behind a norm."""
    width, tower = siglip_without_head(read, read.whole("num_patches", 256))
    joined, inside = width * read.whole("downsample_factor", 2) ** 2, read.whole("projector_hidden_size", 2560)
    norm = 2 * joined * read.flag("projector_use_layernorm", True)
    return tower + pooled(read) + norm + (joined + 1) * inside + (inside + 1) * text


def gemma3(read: Reader, text: int) -> int:
    """SigLIP, a projection and its norm."""
    width, tower = siglip(read)
    return tower + width * text + width


def onevision(read: Reader, text: int) -> int:
    """SigLIP, LLaVA's two projections, and a vector between rows of tiles."""
    width, tower = siglip(read)
    return tower + text * width + text**2 + text + 2 * text * read.flag("multimodal_projector_bias", True)


def idefics3(read: Reader, text: int) -> int:
    """SigLIP without its head, and one matrix that takes a square of patches."""
    width, tower = siglip_without_head(read, square(read))
    return tower + text * width * read.whole("scale_factor", 2) ** 2


def idefics2(read: Reader, text: int) -> int:
    """SigLIP without its head, a gated projection, and layers that gather patches into a few latents."""
    width, tower = siglip_without_head(read, square(read))
    of = {key: read.whole(f"perceiver_config.resampler_{key}", usual) for key, usual in GATHERED.items()}
    heads = of["n_heads"] + read.whole("perceiver_config.num_key_value_heads", 4)
    layer = 2 * text * of["head_dim"] * heads + 3 * 4 * text**2 + 3 * text
    projected = read.whole("text_config.intermediate_size", 14_336) * (2 * width + text)
    return tower + projected + of["depth"] * layer + (of["n_latents"] + 1) * text


def aria(read: Reader, text: int) -> int:
    """SigLIP without its head, and one attention of queries over patches before two matrices."""
    width, tower = siglip_without_head(read, square(read))
    table = read.block("projector_patch_to_query_dict")
    queries = max((read.outer(table).whole(key) for key in table), default=256)
    attention = 8 * width**2 + 5 * width + 3 * 2 * width
    return tower + queries * width + attention + text * width + text**2


def gathered(inner: Reader, queries: int, text: int) -> int:
    """BLIP-2's querying layers, of which some look at a tower's answers, and a projection."""
    width, seen = inner.whole("hidden_size", 768), inner.whole("encoder_hidden_size", 1408)
    inside, layers = inner.whole("intermediate_size", 3072), inner.whole("num_hidden_layers", 12)
    own = vit_layers(width, inside, layers)
    across = 2 * (width + 1) * width + 2 * (seen + 1) * width + 2 * width
    looking = -(-layers // inner.whole("cross_attention_frequency", 2, 1))
    return own + looking * across + (queries + 2) * width + (width + 1) * text


def blip2(read: Reader, text: int) -> int:
    """A ViT with a class token and a norm at its end, and querying layers."""
    width, layers, patch, patches = plain(read)
    tower = layers + patch + width + (patches + 2) * width + 2 * width
    return tower + gathered(read.outer(read.block("qformer_config")), read.whole("num_query_tokens", 32), text)


def instructblip(read: Reader, text: int) -> int:
    """BLIP-2's, whose querying layers read the question too."""
    inner = read.outer(read.block("qformer_config"))
    width, inside = inner.whole("hidden_size", 768), inner.whole("intermediate_size", 3072)
    layers = inner.whole("num_hidden_layers", 12)
    rows = inner.whole("vocab_size", 30_522) + inner.whole("max_position_embeddings", 512)
    return blip2(read, text) + rows * width + layers * (2 * width * inside + inside + width + 2 * width)


def internvl(read: Reader, text: int) -> int:
    """InternViT: scales after attention and MLP, a class token; two projections of four patches with a norm."""
    width, layers, patch, patches = plain(read)
    number, joined = read.whole("num_hidden_layers", 24), 4 * width
    read.must("use_mean_pooling", True, "InternViT with a norm at its end is not known")
    normed = read.flag("use_qk_norm|qk_normalization", False)
    biased = read.flag("attention_bias|qkv_bias", False)
    layers += number * width * (2 - 3 * (not biased) + 2 * normed)
    layers -= number * 2 * width * (read.text("norm_type") == "rms_norm")
    return layers + patch + (1 + patches + 2) * width + 2 * joined + text * (joined + 1) + text**2 + text


def paligemma(read: Reader, text: int) -> int:
    """SigLIP and one projection."""
    width, tower = siglip(read)
    return tower + (width + 1) * read.whole("projection_dim", text)


def cohere(read: Reader, text: int) -> int:
    """SigLIP, and a gated projection of a square of patches."""
    width, tower = siglip(read)
    inside = read.whole("alignment_intermediate_size", text)
    return tower + (width * read.whole("downsample_factor", 2) ** 2 + 1) * inside + (inside // 2 + 1) * text


def aya(read: Reader, text: int) -> int:
    """Cohere's, with a norm before it."""
    return cohere(read, text) + 2 * read.whole("hidden_size") * read.whole("downsample_factor", 2) ** 2


def mistral(read: Reader, text: int) -> int:
    """Pixtral; Mistral's merger of four patches and two projections."""
    width, tower = pixtral(read)
    return tower + width + 4 * width**2 + width * text + text**2


def video_llama(read: Reader, text: int) -> int:
    """SigLIP without positions, and two projections."""
    width, tower = siglip_without_head(read, 0)
    return tower + (width + 1) * text + (text + 1) * text


def minicpm(read: Reader, text: int) -> int:
    """SigLIP without its head, a layer that merges patches half-way, and two projections of four patches."""
    width, tower = siglip_without_head(read, square(read))
    joined, inside = 4 * width, read.whole(INSIDE, 4304) * 4
    merger = 4 * (width**2 + width) + 2 * width + 2 * joined + (joined + 1) * inside + (inside + 1) * width
    return tower + merger + 2 * joined + (joined + 1) * joined + (joined + 1) * text


def minicpm_v(read: Reader, text: int) -> int:
    """SigLIP without its head, perhaps without its last layer, and one attention of queries over patches."""
    width, tower = siglip_without_head(read, square(read))
    tower -= vit_layers(width, read.whole(INSIDE, 4304), 1) * read.flag("drop_vision_last_layer", False)
    attention = 4 * (text**2 + text) + text**2 + 3 * 2 * text
    return tower + (read.whole("query_num", 64) + width) * text + attention


def molmo(read: Reader, text: int) -> int:
    """SigLIP without a norm at its end, attention over two layers' answers, a gated projection."""
    width, tower = siglip_without_head(read, read.whole("num_position_embeddings", 729))
    inside = read.whole("adapter_config.intermediate_size", 18_944)
    out = read.whole("adapter_config.text_hidden_size", text)
    return tower - 2 * width + 3 * (2 * width + 1) * width + (width + 1) * width + inside * (2 * width + out)


def llama4(read: Reader, text: int) -> int:
    """Llama 4: CLIP, and an adapter that joins four patches."""
    joined, out = read.whole("projector_input_dim", 4096), read.whole("projector_output_dim", 4096)
    adapter = read.whole("intermediate_size", 5632) * joined + out**2 + read.whole("vision_output_dim", 4096) * text
    return clip(read)[1] + adapter


def mllama(read: Reader, text: int) -> int:
    """Llama 3.2 Vision: layers without attention biases, gated ones after them, tables for tiles and shapes."""
    width, _, patch, patches = plain(read)
    inside, gated = read.whole("intermediate_size"), read.whole("num_global_layers", 8)
    tiles = read.whole("max_num_tiles", 4)
    layer = 4 * width**2 + 2 * width * inside + inside + width + 4 * width
    shapes = len(read.config.get("supported_aspect_ratios") or range(8)) + 1
    tables = shapes * tiles * width * (patches + 1 + 2) + (patches + 1) * width + 3
    layers = (read.whole("num_hidden_layers", 32) + gated) * layer + 2 * gated
    return layers + patch + width + tables + 4 * width + (read.whole("vision_output_dim", 7680) + 1) * text
