"""Parameters of vision towers and projectors, by the kind of tower that a configuration of several parts names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memreport.catalogue.huggingface.reader import Reader

COLOURS = 3
FRAMES = 2
"""Images that Qwen's patches join in time."""


def _layers(width: int, inside: int, layers: int) -> int:
    """Layers with biased query, key, value, output, two layer norms and a plain MLP."""
    return layers * (4 * (width**2 + width) + 2 * width * inside + inside + width + 4 * width)


def _plain(read: Reader) -> tuple[int, int, int, int]:
    """Width, parameters of the layers, of one patch's matrix, and patches of an image."""
    width, patch = read.whole("hidden_size", 1024), max(read.whole("patch_size", 14), 1)
    layers = _layers(width, read.whole("intermediate_size", 4096), read.whole("num_hidden_layers", 24))
    return width, layers, COLOURS * patch**2 * width, (read.whole("image_size", 336) // patch) ** 2


def _clip(read: Reader, text: int) -> int:
    """CLIP with a class token and a norm at either end, and LLaVA's two projections."""
    width, layers, patch, patches = _plain(read)
    return layers + patch + (patches + 2) * width + 4 * width + text * (width + 1) + text**2 + text


def _siglip(read: Reader, text: int) -> int:
    """SigLIP without its pooling head, and Gemma 3's projection with its norm."""
    width, layers, patch, patches = _plain(read)
    return layers + patch + width + patches * width + 2 * width + width * text + width


def _merger(width: int, norm: int, text: int) -> int:
    """Qwen's merger of four patches."""
    return norm + (4 * width) ** 2 + 4 * width + 4 * width * text + text


def _qwen2(read: Reader, text: int) -> int:
    """Qwen2-VL's tower: `embed_dim` wide, its `hidden_size` is the language model's."""
    width, patch = read.whole("embed_dim", 1280), read.whole("patch_size", 14)
    layers = _layers(width, 4 * width, read.whole("depth", 32))
    return layers + COLOURS * FRAMES * patch**2 * width + _merger(width, 2 * width, text)


def _qwen25(read: Reader, text: int) -> int:
    """Qwen2.5-VL's tower: norms without biases, gated MLPs with them."""
    width, patch = read.whole("hidden_size", 1280), read.whole("patch_size", 14)
    inside = read.whole("intermediate_size", 3420)
    layer = 4 * (width**2 + width) + 3 * width * inside + 2 * inside + width + 2 * width
    return read.whole("depth", 32) * layer + COLOURS * FRAMES * patch**2 * width + _merger(width, width, text)


@dataclass(frozen=True)
class Tower:
    """How one kind of whole model is counted; `inside` are the model types of the tower for which that is right."""

    count: Callable[[Reader, int], int]
    inside: tuple[str, ...]


TOWERS: Mapping[str, Tower] = {
    "llava": Tower(_clip, ("clip_vision_model",)),
    "gemma3": Tower(_siglip, ("siglip_vision_model",)),
    "qwen2_vl": Tower(_qwen2, ("qwen2_vl", "")),
    "qwen2_5_vl": Tower(_qwen25, ("qwen2_5_vl", "")),
}
"""By the model type of the whole.  Source: transformers 5.23, modelling code; counted on the meta device."""


def tower_parameters(read: Reader, text_width: int) -> int:
    """Parameters of tower and projector; 0 where there is none, or none that is known."""
    tower, vision = TOWERS.get(read.text("model_type")), read.outer(read.block("vision_config"))
    if not tower or not vision.config or vision.text("model_type") not in tower.inside:
        return 0
    return tower.count(vision, text_width)
