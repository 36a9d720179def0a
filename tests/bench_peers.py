"""Other estimators of training memory, looped over combinations: run by tests/bench.py with a Python that has them.

Reads combinations as JSON from standard input and prints, for each peer that is installed, its version, what it gives,
and the processor seconds that a combination takes it, of the quickest of a few loops, as JSON.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from typing import Any

Combination = Mapping[str, Any]
REPEATS = 3
RECOMPUTED = {"none": "NONE", "selective": "SELECTIVE", "full": "FULL"}
STAGES = ("NONE", "STAGE_1", "STAGE_2", "STAGE_3")


def llm_analysis(fixed: Mapping[str, Any]) -> Callable[[Combination], object]:
    """Weights, gradients, optimizer states, activations and the time of a step, with its message log off."""
    analysis, config = (import_module(f"llm_analysis.{part}") for part in ("analysis", "config"))
    import_module("llm_analysis.logger").logger.setLevel(logging.CRITICAL)
    model, card = config.ModelConfig(name="model", **fixed["model"]), config.GPUConfig(name="card", **fixed["card"])
    dtype = config.get_dtype_config_by_name("w16a16e16")

    def estimate(one: Combination) -> object:
        tensor, pipeline = one["tensor_parallel_size"], one["pipeline_parallel_size"]
        shape = config.ParallelismConfig(tp_size=tensor, pp_size=pipeline, dp_size=one["count"] // (tensor * pipeline))
        return analysis.LLMAnalysis(model, card, dtype, shape, flops_efficiency=fixed["utilization"]).training(
            batch_size_per_gpu=one["micro_batch_size"],
            gradient_accumulation_steps=one["gradient_accumulation_steps"],
            seq_len=fixed["sequence_length"],
            total_num_tokens=fixed["training_tokens"],
            activation_recomputation=analysis.ActivationRecomputation[RECOMPUTED[one["gradient_checkpointing"]]],
            ds_zero=analysis.DSZeRO[STAGES[one["zero_stage"]]],
            mlp_gated_linear_units=True,
        )

    return estimate


def deepspeed(fixed: Mapping[str, Any]) -> Callable[[Combination], object]:
    """Weights, gradients and optimizer states under ZeRO-2 or 3 alone: one product, no activations, no time."""
    zero = "deepspeed.runtime.zero"
    stage_2 = import_module(f"{zero}.stage_1_and_2").estimate_zero2_model_states_mem_needs
    stage_3 = import_module(f"{zero}.stage3").estimate_zero3_model_states_mem_needs
    parameters, layer = fixed["parameters"], fixed["layer_parameters"]

    def estimate(one: Combination) -> object:
        nodes = one["count"] // 8
        if one["zero_stage"] == 3:
            return stage_3(parameters, layer, 8, nodes, cpu_offload=False, cpu_offload_params=False)
        return stage_2(parameters, 8, nodes, cpu_offload=False)

    return estimate


PEERS = {"llm-analysis": (llm_analysis, "whole"), "deepspeed": (deepspeed, "states")}
"""Each with what of a budget it gives: the whole, or the states alone."""


def seconds_each(estimate: Callable[[Combination], object], combinations: list[Combination]) -> float:
    """Processor seconds of one estimate, of the quickest loop."""
    found = []
    for _ in range(REPEATS):
        started = time.process_time()
        for one in combinations:
            estimate(one)
        found.append(time.process_time() - started)
    return min(found) / len(combinations)


def main() -> None:
    """Time every peer that can be imported."""
    given, found = json.load(sys.stdin), []
    for name, (made, scope) in PEERS.items():
        try:
            estimate = made(given["fixed"])
        except ImportError:
            continue
        gives = str(made.__doc__).rstrip(".")
        each = seconds_each(estimate, given["combinations"])
        found.append({"name": name, "version": version(name), "gives": gives, "scope": scope, "seconds": each})
    sys.stdout.write("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
