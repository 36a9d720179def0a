"""What clouds call their machines, and the GPUs of each: `a2-ultragpu-8g`, `g5.12xlarge`, `ND96isr_H100_v5`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from memreport.catalogue.question.numbers import STATED, number_said


class Machine(NamedTuple):
    """The GPUs of a machine, and how many."""

    gpu: str
    held: int


AWS: Mapping[str, Mapping[str, tuple[str, int]]] = {
    "p3": {"2x": ("v100-16gb-sxm", 1), "8x": ("v100-16gb-sxm", 4), "16x": ("v100-16gb-sxm", 8)},
    "p3dn": {"24x": ("v100-32gb-sxm", 8)},
    "p4d": {"24x": ("a100-40gb-sxm", 8)},
    "p4de": {"24x": ("a100-80gb-sxm", 8)},
    "p5": {"4x": ("h100-80gb-sxm", 1), "48x": ("h100-80gb-sxm", 8)},
    "p5e": {"48x": ("h200-141gb-sxm", 8)},
    "p5en": {"48x": ("h200-141gb-sxm", 8)},
    "p6-b200": {"48x": ("b200", 8)},
    "p6-b300": {"48x": ("b300", 8)},
    "p6e-gb200": {"36x": ("gb200", 4)},
    "g4dn": {"1x 2x 4x 8x 16x": ("t4", 1), "12x": ("t4", 4), "metal": ("t4", 8)},
    "g5": {"1x 2x 4x 8x 16x": ("a10g", 1), "12x 24x": ("a10g", 4), "48x": ("a10g", 8)},
    "g6": {"1x 2x 4x 8x 16x": ("l4", 1), "12x 24x": ("l4", 4), "48x": ("l4", 8)},
    "gr6": {"4x 8x": ("l4", 1)},
    "g6e": {"1x 2x 4x 8x 16x": ("l40s", 1), "12x 24x": ("l40s", 4), "48x": ("l40s", 8)},
    "g7e": {
        "2x 4x 8x": ("rtx-pro-6000-server", 1),
        "12x": ("rtx-pro-6000-server", 2),
        "24x": ("rtx-pro-6000-server", 4),
        "48x": ("rtx-pro-6000-server", 8),
    },
    "inf2": {"1x 8x": ("inferentia2", 1), "24x": ("inferentia2", 6), "48x": ("inferentia2", 12)},
    "trn1n?": {"2x": ("trainium1", 1), "32x": ("trainium1", 16)},
    "trn2": {"3x": ("trainium2", 1), "48x": ("trainium2", 16)},
}
"""Families, and their sizes.  Source: AWS, EC2 accelerated computing instance types (read 2026-11)."""
OTHERS: Mapping[str, tuple[str, int]] = {
    **{f"a2-highgpu-{count}g": ("a100-40gb-sxm", count) for count in (1, 2, 4, 8)},
    "a2-megagpu-16g": ("a100-40gb-sxm", 16),
    **{f"a2-ultragpu-{count}g": ("a100-80gb-sxm", count) for count in (1, 2, 4, 8)},
    **{f"a3-highgpu-{count}g": ("h100-80gb-sxm", count) for count in (1, 2, 4, 8)},
    "a3-(?:mega|edge)gpu-8g": ("h100-80gb-sxm", 8),
    "a3-ultragpu-8g": ("h200-141gb-sxm", 8),
    "a4-highgpu-8g": ("b200", 8),
    "a4x-highgpu-4g": ("gb200", 4),
    "a4x-max(?:gpu)?-4g(?:-metal)?": ("gb300", 4),
    "g2-standard-(?:4|8|12|16|32)": ("l4", 1),
    **{f"g2-standard-{12 * count}": ("l4", count) for count in (2, 4, 8)},
    **{f"g4-standard-{48 * count}": ("rtx-pro-6000-server", count) for count in (1, 2, 4, 8)},
    "nc(?:4|8|16)as[ _-]t4[ _-]v3": ("t4", 1),
    "nc64as[ _-]t4[ _-]v3": ("t4", 4),
    **{f"nc{6 * count}r?s[ _-]v3": ("v100-16gb-sxm", count) for count in (1, 2, 4)},
    **{f"nc{24 * count}ads[ _-]a100[ _-]v4": ("a100-80gb-pcie", count) for count in (1, 2, 4)},
    "ncc?40ad(?:i?)s[ _-]h100[ _-]v5": ("h100-94gb-nvl", 1),
    "nc80adis[ _-]h100[ _-]v5": ("h100-94gb-nvl", 2),
    "nd40rs[ _-]v2": ("v100-32gb-sxm", 8),
    "nd96asr(?:[ _-]a100)?[ _-]v4": ("a100-40gb-sxm", 8),
    "nd96amsr(?:[ _-]a100)?[ _-]v4": ("a100-80gb-sxm", 8),
    "nd96is(?:r?f?)[ _-]h100[ _-]v5": ("h100-80gb-sxm", 8),
    "nd96isr[ _-]h200[ _-]v5": ("h200-141gb-sxm", 8),
    "nd96isr[ _-]mi300x[ _-]v5": ("mi300x", 8),
    "nd128isr[ _-](?:ndr[ _-])?gb200[ _-]v6": ("gb200", 4),
    "nd128isr[ _-](?:ndr[ _-])?gb300[ _-]v6": ("gb300", 4),
    **{f"nv{36 * count}adm?s[ _-]a10[ _-]v5": ("a10", count) for count in (1, 2)},
}
"""Names of Google Cloud and Azure.

Source: Google Cloud, GPU machine types; Azure, GPU-accelerated virtual machine sizes (read 2026-11).
"""
CALLED = r"(?:(?:aws|amazon|ec2|gcp|google|azure|nodes?|instances?|machines?|vms?|of) )*"
BEFORE = rf"(?:\b(?P<number>{STATED}) ?(?:[x×*] ?)?|\b){CALLED}(?<![\w.-])(?:ml\.|standard_)?"
"""How many there are, and whose."""
LIKE_ONE = re.compile(
    r"(?<![\w.-])(?:ml\.)?(?:[a-z]+\d+[a-z]*(?:-[a-z]+\d+)?\.(?:\d*xlarge|metal)\b"
    r"|[a-z]+\d+[a-z]*-(?:[a-z]+gpu-\d+g|standard-\d+)\b|(?:standard_)?n[cdv]\d+[a-z]+_\w+)"
)
"""What can be nothing but the name of a machine, and of a GPU in no case."""


def machines_said(question: str) -> Iterator[tuple[re.Match[str], int, Machine]]:
    """Machines that a question in small letters names: where, how many of them, and what each holds."""
    for pattern, machine in _known():
        for said in pattern.finditer(question):
            yield said, int(number_said(said["number"] or "1")), machine


@cache
def _known() -> tuple[tuple[re.Pattern[str], Machine], ...]:
    """The pattern of each name, and its machine."""
    names = {
        rf"{family}\.(?:{'|'.join(map(_size, sizes.split()))})": machine
        for family, of in AWS.items()
        for sizes, machine in of.items()
    }
    every = {**names, **OTHERS}
    return tuple((re.compile(rf"{BEFORE}{name}(?![\w-])"), Machine(*machine)) for name, machine in every.items())


def _size(short: str) -> str:
    """The size of an instance by its number: `1x` is an xlarge."""
    return short if short == "metal" else f"{short.removesuffix('x') if short != '1x' else ''}xlarge"
