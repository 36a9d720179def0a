"""Towers for images whose projectors or layers are of several parts: Muse, HY 4, LFM3, Granite Docling, Florence-2."""

from __future__ import annotations

from memreport.catalogue.huggingface.parts.images import COLOURS, plain, siglip_without_head, square, vit_layers
from memreport.catalogue.huggingface.parts.merged import FRAMES, KERNEL
from memreport.catalogue.huggingface.reader import Reader


def muse(read: Reader, text: int) -> int:
    """Patches of two images in time, a norm at either end, a table of positions, and three matrices."""
    width, layers, patch, _ = plain(read)
    positions = read.whole("pos_emb_height", 32) * read.whole("pos_emb_width", 32)
    inside = read.whole("projector_hidden_size", 4096)
    joined = read.whole("out_hidden_size", read.whole("merge_size", 2) ** 2 * width)
    tower = layers + patch * read.whole("patch_temporal", FRAMES) + (positions + 4) * width
    return tower + inside * (joined + inside + text)


def muse_sound(read: Reader, text: int) -> int:
    """ConvNeXt: stages of which each joins some of what the one before answers, and a projection between norms."""
    kernel, ratio = read.whole("conv_kernel_size", 7), round(float(read.config.get("mlp_ratio") or 4))
    widths, patches = read.listed("hidden_sizes", int), read.listed("patch_sizes", int)
    stages = zip([1, *widths], widths, patches, read.listed("depths", int), strict=False)
    total = 0
    for before, width, patch, depth in stages:
        block = (kernel + 1) * width + width + 2 * ratio * width**2 + (ratio + 1) * width
        total += (before * patch + 2) * width + depth * block
    last, out = widths[-1] if widths else 0, read.whole("out_hidden_size", text)
    return total + last + (last + 1) * out + out


def hy(read: Reader, text: int) -> int:
    """A table of positions with one of the class, and a merger of four patches with a vector between rows."""
    width, layers, patch, _ = plain(read)
    places = (read.whole("max_image_size", 2048) // max(read.whole("patch_size", 16), 1)) ** 2 + 1
    joined = read.whole("spatial_merge_size", 2) ** 2 * width
    return layers + patch + (1 + places) * width + text * (joined + 1) + text**2 + 2 * text + width


def lfm3(read: Reader, text: int) -> int:
    """Gated convolutions in both directions between attention, gated MLPs; a norm and two projections."""
    width, heads = read.whole("hidden_size", 1024), max(read.whole("num_attention_heads", 16), 1)
    keys = width // heads * read.whole("num_key_value_heads", 8)
    layers, inside = read.whole("num_hidden_layers", 14), read.whole("intermediate_size", 2560)
    convolved = int(read.counted("layer_types", "conv", 0))
    joined, out = width * read.whole("spatial_merge_size", 2) ** 2, read.whole("projector_hidden_size", 4096)
    each = 4 * width**2 + read.whole("conv_kernel_size", 3) ** 2 * width
    attention = 2 * width**2 + 2 * width * keys + 2 * (width // heads)
    tower = convolved * each + (layers - convolved) * attention + layers * (3 * width * inside + 2 * width)
    patch = COLOURS * read.whole("temporal_patch_size", FRAMES) * read.whole("patch_size", 16) ** 2 * width
    biases = read.flag("projector_bias", True) * (out + text)
    return tower + patch + width + 2 * width + joined * out + out * text + biases


def granite_docling(read: Reader, text: int) -> int:
    """SigLIP without its head; a coarse and a fine route, each with a merger for each layer that feeds the decoder."""
    width, tower = siglip_without_head(read, square(read))
    out, deep = read.whole("out_hidden_size", text), len(read.listed("deepstack_visual_indexes", int))
    coarse = width * read.whole("scale_factor", 4) ** 2
    routes = [coarse, coarse // 4] if read.flag("use_fine_route", True) else [coarse]
    mergers = sum(out * one + deep * (2 * one + (one + 1) * out + (out + 1) * out) for one in routes)
    return tower + 2 * width + mergers + 2 * 2 * out + out**2


def cosmos(read: Reader, text: int) -> int:
    """SigLIP 2 without its head, a norm, and two projections of four patches."""
    width, tower = siglip_without_head(read, read.whole("num_patches", 256))
    joined, inside = width * read.whole("spatial_merge_size", 2) ** 2, read.whole("projector_hidden_size", 11_520)
    return tower + 2 * width + (joined + 1) * inside + (inside + 1) * text


def nemotron(read: Reader, text: int) -> int:
    """RADIO: scales after attention and MLP, class tokens, patches of images and of video; a norm, two projections."""
    width, number = read.whole("hidden_size", 1280), read.whole("num_hidden_layers", 32)
    layers = vit_layers(width, read.whole("intermediate_size", 5120), number) + number * 2 * width
    patch = max(read.whole("patch_size", 16), 1)
    places = (read.whole("max_img_size", 2048) // patch) ** 2
    tokens = read.whole("num_cls_tokens", 3) + read.whole("num_registers", 7) + places
    patches = COLOURS * (1 + read.whole("video_temporal_patch_size", FRAMES)) * patch**2
    joined, inside = 4 * width, read.whole("projector_hidden_size", 4096)
    return layers + (tokens + patches) * width + joined + inside * (joined + text)


def florence(read: Reader, text: int) -> int:
    """DaViT: stages of attention in windows and over channels in turn, behind convolutions; tables of rows, columns."""
    widths, depths = read.listed("embed_dim", int), read.listed("depths", int)
    before, sizes = [COLOURS, *widths], read.listed("patch_size", int)
    total = 0
    for at, (width, depth, size) in enumerate(zip(widths, depths, sizes, strict=False)):
        normed = before[at] if at else width
        block = vit_layers(width, 4 * width, 1) + 2 * (KERNEL**2 + 1) * width
        total += (before[at] * size**2 + 1) * width + 2 * normed + 2 * depth * block
    last, out = widths[-1] if widths else 0, read.whole("projection_dim", text)
    return total + last * out + 2 * out + read.whole("max_position_embeddings", 50) * last
