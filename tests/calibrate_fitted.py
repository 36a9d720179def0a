"""Constants that are fitted on whole steps and served points: few, each within what physics allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Fitted:
    """A constant: the row and the column that hold it, what it is fitted on, its limits and its step."""

    row: str
    column: str
    low: float
    high: float
    step: float
    figure: str = "step_seconds"
    on: str = ""
    """The kind of rows that it is fitted on, if not those of its own row."""
    squared: bool = False
    """Squares of errors are added up: of few machines none is then taken for all."""

    @property
    def fitted_on(self) -> str:
        """The kind of rows that it is fitted on."""
        return self.on or self.row

    @property
    def key(self) -> tuple[str, str]:
        """The kind of rows that it applies to, and its column."""
        return self.fitted_on if self.row == "any" else self.row, self.column

    @property
    def written(self) -> tuple[str, str]:
        """Where it stands."""
        return self.row, self.column

    @property
    def middle(self) -> float:
        """Where a fit begins."""
        return self.tries()[len(self.tries()) // 2]

    def tries(self) -> Sequence[float]:
        """Every value that is tried."""
        return [float(f"{value:.6g}") for value in np.arange(self.low, self.high + self.step / 2, self.step)]


US, MS = 1e-6, 1e-3
_TOKEN, _FIRST, _RATE = "time_per_output_token_seconds", "time_to_first_token_seconds", "tokens_per_second"


def _engine(name: str) -> tuple[Fitted, ...]:
    """Host time of an engine's step, fixed and per sequence, and what the first token waits for beside its prefill.

    A request with its tokeniser takes 10 to 20 ms (one user of SGLang: 5 to 14 ms beside the prompt, AccelMark and
    GPUStack); a prompt that meets a busy engine is seen, run and answered within ten steps.
    """
    return (
        Fitted(name, "host_step_seconds", 0, 2 * MS, 0.05 * MS, _TOKEN),
        Fitted(name, "host_sequence_seconds", 5 * US, 50 * US, US, _TOKEN),
        Fitted(name, "first_token_floor_seconds", 10 * MS, 20 * MS, 5 * MS, _FIRST),
        Fitted(name, "first_token_steps", 0, 10, 1, _FIRST),
    )


def _server(name: str) -> tuple[Fitted, ...]:
    """What one process takes for a request and for a token, on the rates that many sequences reach: few rows show it.

    TensorRT-LLM's 20 ms lie inside the grid: Llama 3.1 8B on four and eight GPUs answers no more requests a second
    than on two, with prompts of 1,024 tokens and of 2,048; 16 to 23 ms fit within 2 %.  SGLang's 1 ms is the lowest
    that is tried: no measurement.  A token is put into text, JSON and HTTP by Python in tens of us.
    """
    return (
        Fitted(name, "request_server_seconds", MS, 40 * MS, MS, _RATE, squared=True),
        Fitted(name, "token_server_seconds", 20 * US, 80 * US, 5 * US, _RATE, squared=True),
    )


FITTED = (
    # From the lowest to the highest that tables of single operators hold.
    Fitted("ampere", "sustained_share_16bit", 0.70, 0.81, 0.01),
    # FlashAttention 2: half to 0.73 of the peak (arXiv:2307.08691, abstract).
    Fitted("ampere", "attention_forward_share", 0.40, 0.73, 0.01),
    Fitted("hopper", "sustained_share_16bit", 0.58, 0.77, 0.01),
    # Of kernels that libraries had in 2023: 600 to 660 TFLOP/s where those of 2025 reach 770.
    Fitted("hopper", "older_products_factor", 0.75, 1.0, 0.01),
    Fitted("hopper", "sustained_share_8bit", 0.48, 0.72, 0.01),
    Fitted("hopper", "attention_forward_share", 0.30, 0.38, 0.01),
    Fitted("blackwell", "sustained_share_16bit", 0.47, 0.69, 0.01),
    # Its own: 1,200 W in a rack that water cools, where the architecture's steps are of one machine of 1,000 W.
    Fitted("gb200", "sustained_share_16bit", 0.47, 0.69, 0.01),
    Fitted("blackwell", "sustained_share_8bit", 0.40, 0.62, 0.01),
    # DeepSeek on MI325X, 64 sequences: narrow products in scaled FP8 take 30 to 123 us each, six to 25 launches, where
    # tuned ones take two (SemiAnalysisAI/InferenceX, issue 863).
    Fitted("cdna3", "scaled_product_starts", 0, 25, 1, _TOKEN),
    # A systolic array is full but for its edges.
    Fitted("tpu", "sustained_share_16bit", 0.60, 0.95, 0.01),
    # A launch from Python takes 10 to 30 us; the fullest of eight ranks has up to half more than the mean, and where
    # routers are forced to choose at random, as in the runs that it is fitted on, a few hundredths more.
    Fitted("megatron", "host_seconds_per_kernel", 10 * US, 30 * US, US, on="mixtures"),
    Fitted("any", "expert_load_ratio", 1.05, 1.5, 0.05, on="mixtures"),
    *_engine("vllm-0.15"),
    *_engine("sglang"),
    *_engine("trtllm"),
    *_server("sglang"),
    *_server("trtllm"),
    # vLLM's change 20065 counts 6 to 8 ms a request of a chat.
    Fitted("vllm-0.15", "request_server_seconds", MS, 10 * MS, MS, "request_seconds", squared=True),
    # A launch from Python takes 10 to 30 us; beside each kernel that is counted run one or two of copies and scales.
    Fitted("sglang", "prompt_kernel_seconds", 20 * US, 60 * US, 5 * US, "request_seconds", "group sglang-cookbook"),
    # A session in C++ without a server; query heads that share keys and values read them again, from the cache or not.
    Fitted("trtllm-0.6", "host_step_seconds", 0, 2 * MS, 0.05 * MS, "request_seconds"),
    Fitted("trtllm-0.6", "shared_head_rereads", 0, 1, 0.05, "request_seconds"),
    # 32 KB under way in each multiprocessor over 3 to 4 us of loaded memory; vendors' kernels keep more under way.
    Fitted("llama.cpp-bench-b2800", "unit_bytes_per_second", 6e9, 12e9, 0.25e9, "request_seconds"),
    Fitted("llama.cpp-bench", "unit_bytes_per_second", 6e9, 14e9, 0.5e9, "request_seconds"),
    # Weights: 2 to 6 KB under way over some 700 cycles; packed and 16-bit ones alike, on A100 and H100.
    Fitted("llama.cpp-bench-b2800", "unit_bytes_per_cycle", 3, 9, 0.25, "request_seconds"),
    Fitted("llama.cpp-bench", "unit_bytes_per_cycle", 3, 9, 0.25, "request_seconds"),
    # Kernels start in graphs since; sampling and the next step's inputs are left.
    Fitted("llama.cpp-bench", "host_step_seconds", 0, 1 * MS, 0.1 * MS, "request_seconds"),
    # Shifts, masks, a scale and a sum of each weight, in the shaders of Apple's GPUs; scales of scales beside.
    Fitted("llama.cpp-bench", "unpack_flop", 4, 40, 1, "request_seconds", "apple"),
    Fitted("llama.cpp-bench", "unpack_superblock_flop", 4, 40, 1, "request_seconds", "apple"),
    # A launch from Python takes 10 to 30 us with a gradient, less without one.
    Fitted("transformers-4.52", "eager_kernel_seconds", 8 * US, 20 * US, 0.5 * US, "request_seconds", squared=True),
    # Copies of two bytes a thread with indices to divide: 32 lanes issue one of some 10 to 30 instructions in a cycle.
    Fitted("transformers-4.52", "copy_bytes_per_cycle", 2, 12, 0.2, "request_seconds", "group generate-h20"),
    # Loads, conversions and scaling beside each product of 64 integers, in units of 32 lanes.
    Fitted("llama.cpp-bench", "packed_product_slots", 0.3, 0.8, 0.01, "request_seconds"),
)
