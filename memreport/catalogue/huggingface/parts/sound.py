"""Towers for sound: Whisper's encoder and its kin, conformers, and what joins them to a language model."""

from __future__ import annotations

from memreport.catalogue.huggingface.parts.images import gathered, vit_layers
from memreport.catalogue.huggingface.parts.merged import KERNEL
from memreport.catalogue.huggingface.reader import Reader

WIDTH, INSIDE, LAYERS = "d_model|hidden_size", "encoder_ffn_dim|intermediate_size", "encoder_layers|num_hidden_layers"


def whisper(read: Reader, positions: int) -> tuple[int, int, int]:
    """Width, inner width and parameters of Whisper's encoder: two convolutions, keys without biases, a norm."""
    width, inside, layers = read.whole(WIDTH, 1280), read.whole(INSIDE, 5120), read.whole(LAYERS, 32)
    bins = read.whole("num_mel_bins", 128)
    convolved = KERNEL * width * (bins + width) + 2 * width
    around = convolved + positions * width + 2 * width
    return width, inside, vit_layers(width, inside, layers) - layers * width + around


def learned(read: Reader) -> tuple[int, int, int]:
    """Whisper's, with its table of positions."""
    return whisper(read, read.whole("max_source_positions", 1500))


def qwen2_audio(read: Reader, text: int) -> int:
    """And one projection."""
    width, _, tower = learned(read)
    return tower + (width + 1) * text


def two_projections(read: Reader, text: int) -> int:
    """And two projections."""
    width, _, tower = learned(read)
    return tower + (width + 1) * text + (text + 1) * text


def voxtral(read: Reader, text: int) -> int:
    """And two projections without biases of as many places as the MLP is wider."""
    _, inside, tower = learned(read)
    return tower + inside * text + text**2


def voxtral_realtime(read: Reader, text: int) -> int:
    """Heads wider together than the model, norms without biases, gated MLPs; projections as Voxtral's."""
    width, inside = read.whole("hidden_size", 1280), read.whole("intermediate_size", 5120)
    layers = read.whole(LAYERS, 32)
    heads = read.whole("num_attention_heads", 32) * read.whole("head_dim", 64)
    layer = 4 * width * heads + 2 * heads + width + 3 * width * inside + width + 2 * width
    convolved = KERNEL * width * (read.whole("num_mel_bins", 128) + width) + 2 * width
    return layers * layer + convolved + width + inside * text + text**2


def glm_asr(read: Reader, text: int) -> int:
    """Rotated positions, and two projections, the first of as many places as the MLP is wider."""
    _, inside, tower = whisper(read, 0)
    return tower + (inside + 1) * 2 * text + (2 * text + 1) * text


def qwen_omni(read: Reader, text: int) -> int:
    """Qwen2.5-Omni: positions that are no weights, one projection, two vectors for begin and end."""
    width, _, tower = whisper(read, 0)
    out = read.whole("output_dim", text)
    return tower + (width + 1) * out + 2 * out


def _convolved_thrice(read: Reader) -> tuple[int, int]:
    """Qwen3's encoder: three convolutions over time and bins, layers with all biases, a norm."""
    width, inside, layers = read.whole(WIDTH, 1280), read.whole(INSIDE, 5120), read.whole(LAYERS, 32)
    channels, bins = read.whole("downsample_hidden_size", 480), read.whole("num_mel_bins", 128)
    convolved = KERNEL**2 * channels * (1 + 2 * channels) + 3 * channels + width * channels * -(-bins // 8)
    return width, vit_layers(width, inside, layers) + convolved + 2 * width


def qwen3(read: Reader, text: int) -> int:
    """And two projections."""
    width, tower = _convolved_thrice(read)
    return tower + (width + 1) * width + (width + 1) * read.whole("output_dim", text)


def gemma4(read: Reader, text: int) -> int:
    """A conformer: two MLPs, attention with relative keys and a convolution in each layer; a projection."""
    width, heads = read.whole("hidden_size", 1024), read.whole("num_attention_heads", 8)
    first, second = (read.whole(f"subsampling_conv_channels.{at}", usual) for at, usual in enumerate((128, 32)))
    out, kernel = read.whole("output_proj_dims", 1536), read.whole("conv_kernel_size", 5)
    layer = 24 * width**2 + (9 + kernel) * width + width // max(heads, 1)
    sampled = KERNEL**2 * first * (1 + second) + first + second + 32 * second * width
    return read.whole("num_hidden_layers", 12) * layer + sampled + (width + 1) * out + out * text


PHI4_DISTANCES = 1000
"""Distances in time that its attention tells apart, on both sides.  Source: `t5_bias_max_distance` 500."""


def phi4(read: Reader, text: int) -> int:
    """Phi-4-multimodal's conformer, and a projection of two layers for speech and one for what is seen besides."""
    inner = read.outer(read.block("config"))
    width, inside = inner.whole("attention_dim", 1024), inner.whole("linear_units", 1536)
    layers = inner.whole("num_blocks", 24)
    kernel, heads = inner.whole("kernel_size", 3), inner.whole("attention_heads", 16)
    mlp = 2 * width + 2 * inside * (width + 1) + (inside + 1) * width
    attention = 4 * (width + 1) * width + 2 * width
    glu = (width + 1) * 2 * width + 2 * width
    convolved = 2 * width + glu + (kernel + 1) * width + 2 * (width + 1) * width
    layer = 2 * mlp + attention + convolved + 2 * width
    bins = inner.whole("input_size", 80)
    sampled = 3 * (KERNEL**2 + 1) * width + 2 * (width + 1) * width + (width * bins // 8 + 1) * width
    tower = layers * layer + sampled + PHI4_DISTANCES * heads
    return tower + 2 * bins + 2 * ((width + 1) * text + (text + 1) * text)


def granite(read: Reader, text: int) -> int:
    """A conformer that answers characters half-way, and layers that gather its answers into a few queries."""
    width, heads = read.whole("hidden_dim", 1024), read.whole("num_heads", 8) * read.whole("dim_head", 128)
    mlp = read.whole("feedforward_mult", 4) * width
    wide = read.whole("conv_expansion_factor", 2) * width
    ends = 2 * (2 * width + (width + 1) * mlp + (mlp + 1) * width)
    places = 2 * read.whole("max_pos_emb", 512) + 1
    attention = 2 * width + 3 * width * heads + (heads + 1) * width + places * read.whole("dim_head", 128)
    convolved = 2 * width + (width + 1) * 2 * wide + wide * read.whole("conv_kernel_size", 15) + 2 * wide
    layer = ends + attention + convolved + (wide + 1) * width + 2 * width
    out = read.whole("output_dim", 42)
    queries = read.whole("window_size", 15) // read.whole("downsample_rate", 5, 1)
    around = (read.whole("input_dim", 160) + 1) * width + (width + 1) * out + (out + 1) * width
    return (
        read.whole("num_layers", 10) * layer
        + around
        + gathered(read.outer(read.block("projector_config")), queries, text)
    )
