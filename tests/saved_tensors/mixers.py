"""Kernels of linear attention as their packages make them: what they keep for the backward pass, and no numbers.

Without these packages transformers runs code of its own, which keeps several times as much.  Sources: causal-conv1d 1.7
`CausalConv1dFn`, fla-core 0.6 `ChunkGatedDeltaRuleFunction`, mamba-ssm 2 `MambaSplitConv1dScanCombinedFn`,
`MambaInnerFn`, `SelectiveScanFn`.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any
from unittest import mock

import torch

CHUNK = 64
"""Tokens of a chunk of fla's delta rule."""


class Kernel(torch.autograd.Function):
    """Answers `made`, keeps what it is told to; only forward passes are counted."""

    @staticmethod
    def forward(ctx: Any, made: torch.Tensor, kept: list[torch.Tensor], *_: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*kept)
        return made.detach()


def causal_conv1d_fn(x: Any, weight: Any, *_: Any, **__: Any) -> Any:
    """Keeps its input; its activation function is computed again."""
    return Kernel.apply(torch.empty_like(x), [x], x, weight)


def chunk_gated_delta_rule(query: Any, key: Any, value: Any, g: Any, beta: Any, **_: Any) -> Any:
    """Keeps normalised queries and keys, values, the sums of the gates, and a matrix of a chunk's width a token."""
    whole = [torch.empty_like(one, memory_format=torch.contiguous_format) for one in (query, key, value)]
    statistics = [torch.empty(one.shape[:-1], dtype=torch.float32) for one in (query, key)]
    within = torch.empty(*beta.shape, CHUNK, dtype=key.dtype)
    kept = [*whole, *statistics, torch.empty_like(g), beta, within]
    return Kernel.apply(torch.empty_like(whole[2]), kept, query, key, value, g, beta), None


def mamba2_split_conv1d_scan_combined(projected: Any, weight: Any, *_: Any, **options: Any) -> Any:
    """Convolution, scan, gated norm and projection in one: keeps its input, the scan's result and statistics."""
    output, groups = options["outproj_weight"], options["ngroups"]
    scanned = torch.empty(*projected.shape[:2], output.shape[1], dtype=projected.dtype)
    statistics = torch.empty(*projected.shape[:2], groups, dtype=torch.float32)
    normed = [statistics] if options["rmsnorm_weight"] is not None else []
    made = torch.empty(*projected.shape[:2], output.shape[0], dtype=projected.dtype)
    return Kernel.apply(made, [projected, scanned, *normed], projected, weight, output)


def mamba_inner_fn(xz: Any, conv: Any, _: Any, reads: Any, steps: Any, writes: Any, *__: Any, **___: Any) -> Any:
    """Convolution, scan, gate and projection in one: keeps its input, what the scan is steered by, its result."""
    batch, inner, tokens = xz.shape[0], xz.shape[1] // 2, xz.shape[2]
    steering, states = reads.shape[0], reads.shape[0] - steps.shape[1]
    kept = [torch.empty(batch, size, tokens, dtype=xz.dtype) for size in (2 * inner, steering, states, inner)]
    return Kernel.apply(torch.empty(batch, tokens, writes.shape[0], dtype=xz.dtype), kept, xz, conv, reads, writes)


def mamba_selective_scan(x: Any, dt: Any, a: Any, b: Any, c: Any, **options: Any) -> Any:
    """Keeps its input, the steps, what is written and read, the gate, each along time, and its result."""
    gate = options["z"]
    kept = [torch.empty(one.shape, dtype=one.dtype) for one in (x, b, c, gate, x)]
    made = torch.empty(x.shape, dtype=x.dtype)
    return Kernel.apply(made, [dt, *kept], x, dt, a, b, c, gate)


KERNELS = {
    "mamba_inner_fn": mamba_inner_fn,
    "mamba_selective_scan": mamba_selective_scan,
    "causal_conv1d_fn": causal_conv1d_fn,
    "torch_chunk_gated_delta_rule": chunk_gated_delta_rule,
    "mamba2_split_conv1d_scan_combined": mamba2_split_conv1d_scan_combined,
}


def with_kernels() -> ExitStack:
    """All models that transformers has loaded run these kernels."""
    stack = ExitStack()
    loaded = [module for name, module in sys.modules.items() if name.startswith("transformers.models.")]
    for module in loaded:
        for name in KERNELS.keys() & vars(module).keys():
            stack.enter_context(mock.patch.object(module, name, KERNELS[name]))
    return stack
