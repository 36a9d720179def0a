"""Served points at a constant concurrency: what was measured, and the scenario variant that stands for each."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memreport.catalogue.yaml import strict as strict_yaml
from tests.split import CARDS, FOLDERS, Measured, shape_of

SOURCE = "https://github.com/ai-dynamo/aiconfigurator, silicon_sample.csv at commit 095f58a"
SATURATED = "https://github.com/NVIDIA/TensorRT-LLM, docs/source/developer-guide/perf-overview.md at commit 03e27c7"
HOSTS = {"h100-80gb-sxm": "dgx-h100", "h200-141gb-sxm": "dgx-h200", "b200": "dgx-b200"}
WEIGHTS = {"bf16": "bf16", "fp8": "fp8", "fp4": "nvfp4"}
CACHE = {"trtllm": {"bf16": "bf16", "fp8": "fp8", "fp4": "fp8"}}
"""vLLM and SGLang keep a 16-bit cache unless they are told otherwise (kv-cache-dtype auto), and the published launch
commands do not; TensorRT-LLM follows the checkpoint, and NVIDIA's FP8 and FP4 ones ask for FP8."""
ENGINES = {"vllm": "vllm-0.15", "sglang": "sglang", "trtllm": "trtllm"}
"""The row of each engine's version: all points of vLLM were measured with 0.12.0, or dated October 2025 (0.11)."""
MEASURES = ("time_per_output_token_seconds", "time_to_first_token_seconds", "tokens_per_second")
RANKS_OF_A_NODE = 8
WARMED_SINCE = "2026-01-21"
"""The benchmark (SemiAnalysisAI/InferenceX, change 480) sends requests that it does not count only since this day."""
COMPILES_WHEN_USED = ("sglang",)
"""Engines that compile kernels at their first use (DeepGEMM, FlashInfer), for seconds to a minute."""
RECV_INTERVALS, MANY_SEQUENCES = (10, 30), 16
"""Steps between looks for new requests, below and from so many sequences (InferenceX `dsr1_fp4_b200.sh`)."""
STARTED = {("b200", "fp4"): (0.85, 16384), ("b200", "fp8"): (0.82, 32768), ("h200-141gb-sxm", "fp8"): (0.82, 32768)}
STARTED_ON_FOUR = (0.95, 8192)
"""Static share of memory and tokens of a chunk of the dated runs of SGLang; the latter in FP8 on four B200.

Source: InferenceX at 1cb92d2, benchmarks/single_node `dsr1_fp4_b200.sh`, `dsr1_fp8_b200.sh`, `dsr1_fp8_h200.sh`.
"""
BATCHING_WAIT = 60
"""Steps that an attention rank waits for prompts of others at most (`attention_dp_config`, InferenceX)."""
DRAFT_SHARE = 1 / 61
"""That draft layer is one beside 61."""


@dataclass(frozen=True)
class Point:
    """One row of serving-points.csv; lengths are those that were run, not the nominal ones."""

    row: Mapping[str, str]

    @property
    def id(self) -> str:
        """Unique in a part: everything but what was measured."""
        return "-".join(value for name, value in self.row.items() if name not in {"ttft_ms", "tpot_ms", "runs"})

    @property
    def group(self) -> str:
        """Model, GPU and engine: what is scored together."""
        return " ".join(self.row[name] for name in ("model", "accelerator", "engine"))

    @property
    def prompt_tokens(self) -> int:
        """Tokens of a prompt, on average."""
        return round(self.number("input_tokens") * self.number("length_factor"))

    @property
    def output_tokens(self) -> int:
        """Tokens of an answer, on average."""
        return round(self.number("output_tokens") * self.number("length_factor"))

    @property
    def expressible(self) -> bool:
        """The tables hold the format of its weights, and all its runs drafted tokens or none did."""
        return WEIGHTS[self.row["precision"]] in _weight_formats() and self.row["speculative_tokens"] != ""

    @property
    def drafted(self) -> bool:
        """The model's own draft layer proposed tokens."""
        return self.number("speculative_tokens") > 0

    @property
    def cold(self) -> bool:
        """First requests waited for kernels to be compiled: their time to the first token is not the engine's."""
        return self.row["engine"] in COMPILES_WHEN_USED and "" < self.row["measured_on"] < WARMED_SINCE

    @property
    def attention_ranks(self) -> int:
        """Ranks that hold attention whole: as published, or where that is not told what the experts' layout leaves.

        Experts lie on all ranks, of tensor parallelism times those that attend for their own sequences.
        """
        named = int(self.number("attention_data_parallel"))
        spread = self.number("expert_tensor_parallel") * self.number("expert_parallel") / self.number("tensor_parallel")
        return int(spread) if named == 1 and spread > 1 and self._mixture else named

    @property
    def _mixture(self) -> bool:
        return shape_of(self.row["model"], {}).count("x") > 1

    def number(self, name: str) -> float:
        """A column as a number."""
        return float(self.row[name])

    def measured(self) -> dict[str, float]:
        """Means of the run; tokens per second are of answers that follow one another at this concurrency."""
        first, later = self.number("ttft_ms") / 1000, self.number("tpot_ms") / 1000
        if self.cold:
            return {MEASURES[0]: later}
        answers = self.sequences / (first + (self.output_tokens - 1) * later)
        return dict(zip(MEASURES, (later, first, self.output_tokens * answers), strict=True))

    def variant(self) -> dict[str, Any]:
        """The point in the words of a scenario."""
        return {
            "model": self.row["model"],
            "hardware.accelerator": self.row["accelerator"],
            "hardware.host": HOSTS[self.row["accelerator"]],
            **{f"serving.{name}": value for name, value in self._formats().items()},
            **{f"serving.{name}": value for name, value in {**self._lengths(), **self._admission()}.items()},
            **self._started(),
            **self._spread(),
            **(self._drafts() if self.drafted else {}),
        }

    def _started(self) -> dict[str, float]:
        """What a dated run of SGLang was told of memory and chunks; how the others were started is not known."""
        launch = STARTED.get((self.row["accelerator"], self.row["precision"]))
        if self.row["engine"] != "sglang" or not self.row["measured_on"] or launch is None:
            return {}
        on_four = self.row["precision"] == "fp8" and self.number("tensor_parallel") == 4
        share, chunk = STARTED_ON_FOUR if on_four else launch
        return {"serving.gpu_memory_utilization": share, "serving.max_num_batched_tokens": chunk}

    def _drafts(self) -> dict[str, float]:
        return {
            "serving.speculative_tokens": int(self.number("speculative_tokens")),
            "serving.draft_step_share": DRAFT_SHARE,
        }

    def _formats(self) -> dict[str, str]:
        precision = self.row["precision"]
        return {
            "engine": ENGINES[self.row["engine"]],
            "weight_dtype": WEIGHTS[precision],
            "kv_cache_dtype": "fp8" if self._polls else CACHE.get(self.row["engine"], {}).get(precision, "bf16"),
        }

    @property
    def _polls(self) -> bool:
        """SGLang on B200: its published launch scripts ask for an 8-bit cache, and for rare looks for new requests."""
        return (self.row["engine"], self.row["accelerator"]) == ("sglang", "b200")

    def _admission(self) -> dict[str, Any]:
        """What keeps a request from the batch: rare looks, ranks that wait for each other's prompts, a lost place.

        Llama 3.1 8B waited as if one place less than the concurrency was free (the wait grows with the answers, and as
        the inverse of the concurrency); how the other undated runs were started is not known.
        """
        if self.group == "llama-3.1-8b h100-80gb-sxm trtllm":
            return {"cuda_graph_padding": True}
        if self.row["engine"] == "trtllm" and self.attention_ranks > 1:
            return {"scheduler_recv_interval": BATCHING_WAIT}
        interval = RECV_INTERVALS[self.number("concurrency") >= MANY_SEQUENCES]
        return {"scheduler_recv_interval": interval} if self._polls else {}

    def _lengths(self) -> dict[str, int]:
        longest = self.prompt_tokens + self.output_tokens
        return {
            "prompt_tokens": self.prompt_tokens,
            "output_tokens": self.output_tokens,
            "context_length": self.prompt_tokens + self.output_tokens // 2,
            "max_model_len": max(4096, longest),
        }

    @property
    def sequences(self) -> int:
        """Running sequences of all ranks; where ranks are not told, the file counts those of one."""
        told = int(self.number("attention_data_parallel")) == self.attention_ranks
        return int(self.number("concurrency")) * (1 if told else self.attention_ranks)

    @property
    def _twice(self) -> int:
        """How often ranks are counted.

        The file holds the very same measurements once as 64 ranks with 8 x 8 experts and once as 8 with 1 x 8.
        """
        widths = (self.number(name) for name in ("tensor_parallel", "attention_data_parallel"))
        return int(self.number("expert_parallel")) if math.prod(widths) > RANKS_OF_A_NODE else 1

    def _spread(self) -> dict[str, int]:
        """Experts beside tensor parallelism of attention are cut as the matrices are: the same bytes on each GPU."""
        tensor, attention = int(self.number("tensor_parallel")), self.attention_ranks
        tensor, attention = (each // self._twice if each > 1 else each for each in (tensor, attention))
        return {
            "hardware.count": tensor * attention,
            "serving.tensor_parallel_size": tensor,
            "serving.expert_parallel_size": attention,
            "serving.max_num_seqs": -(-self.sequences // attention),
        }


@cache
def _weight_formats() -> frozenset[str]:
    data = strict_yaml.read(CARDS.parent / "reference" / "weight_formats.yaml").data
    return frozenset(row["id"] for row in data["rows"])


def points(part: str) -> list[Point]:
    """The points of one part, fitted or judged."""
    with (FOLDERS[part] / "serving-points.csv").open(encoding="utf-8", newline="") as file:
        return [Point(row) for row in csv.DictReader(file)]


def files() -> list[Path]:
    """Both files of points."""
    return [folder / "serving-points.csv" for folder in FOLDERS.values()]


def as_measured(found: Iterable[Point]) -> list[Measured]:
    """The points as the rule of the split sees them."""
    return [
        Measured(
            id=point.id,
            kind="serving",
            shape=shape_of(point.row["model"], {}),
            accelerator=point.row["accelerator"],
            settings=frozenset(point.row.items()),
            source=SOURCE,
        )
        for point in found
    ]


def saturated(part: str) -> list[Measured]:
    """The rows of serving-saturated.csv: tokens per second of a GPU where requests are always waiting."""
    with (FOLDERS[part] / "serving-saturated.csv").open(encoding="utf-8", newline="") as file:
        return [
            Measured(
                id="-".join(row.values()),
                kind="serving",
                shape=shape_of(row["model"], {}),
                accelerator=row["accelerator"],
                settings=frozenset(row.items()),
                source=SATURATED,
            )
            for row in csv.DictReader(file)
        ]


def scenario(found: Iterable[Point]) -> dict[str, Any]:
    """All points as the variants of one scenario."""
    listed = list(found)
    first = listed[0].variant()
    return {
        "schema": 1,
        "id": "serving-points",
        "version": 1,
        "title": "Measured serving points",
        "model": first["model"],
        "workload": "serving",
        "hardware": {"accelerator": first["hardware.accelerator"]},
        "variants": {f"row {at}": point.variant() for at, point in enumerate(listed)},
    }
