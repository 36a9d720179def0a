"""Counts what models with linear attention save, all layers together, and writes mixed.yaml.

Run it from the repository with torch, transformers and peft installed: python -m tests.saved_tensors.mixed
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import transformers
import yaml

from tests.saved_tensors.counting import HEAD, LAYER, LOSS, SHARED, Settings, count, pretend_device

MIXED = Path(__file__).with_name("mixed.yaml")
SIZES: dict[str, Any] = {"hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8, "vocab_size": 2000} | {
    "num_key_value_heads": 2, "head_dim": 64, "intermediate_size": 1536, "tie_word_embeddings": False,
    "max_position_embeddings": 4096,
}  # fmt: skip
DELTA = {"linear_num_key_heads": 4, "linear_num_value_heads": 8, "linear_key_head_dim": 64} | {
    "linear_value_head_dim": 96, "linear_conv_kernel_dim": 4, "full_attention_interval": 4,
}  # fmt: skip
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256} | {
    "shared_expert_intermediate_size": 256, "decoder_sparse_step": 1, "norm_topk_prob": True, "mlp_only_layers": [],
}  # fmt: skip
STATES = {"mamba_n_heads": 16, "mamba_d_head": 64, "mamba_d_state": 32, "mamba_expand": 2, "mamba_n_groups": 2}
LAGUNA = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256, "sliding_window": 2048} | {
    "shared_expert_intermediate_size": 256, "num_attention_heads_per_layer": [8] * 4, "gating": True,
    "layer_types": ["full_attention"] * 4, "mlp_layer_types": ["sparse"] * 4,
}  # fmt: skip
ROUTED = {"num_local_experts": 4, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1} | {
    "intermediate_size": 1024, "intermediate_size_mlp": 1536, "use_qk_norm": True, "attention_chunk_size": 8192,
}  # fmt: skip
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "jamba": SIZES
    | {"mamba_dt_rank": 32, "mamba_d_state": 16, "attn_layer_period": 4, "attn_layer_offset": 3, "num_experts": 1}
    | {"expert_layer_period": 2, "expert_layer_offset": 1, "num_experts_per_tok": 1, "pad_token_id": 0},
    "mamba": {"hidden_size": 512, "num_hidden_layers": 4, "vocab_size": 2000, "state_size": 16, "expand": 2}
    | {"intermediate_size": 1024, "time_step_rank": 32, "conv_kernel": 4, "tie_word_embeddings": False},
    "exaone4": SIZES | {"sliding_window": None, "layer_types": ["full_attention"] * 4},
    "gemma4_text": SIZES
    | {"global_head_dim": 64, "num_global_key_value_heads": 2, "hidden_size_per_layer_input": 0}
    | {"layer_types": ["full_attention"] * 4, "sliding_window": 512, "num_kv_shared_layers": 0, "pad_token_id": 0}
    | {"final_logit_softcapping": 30.0},
    "hunyuan_v1_dense": SIZES | {"use_qk_norm": True, "pad_token_id": 0},
    "laguna": SIZES | LAGUNA | {"pad_token_id": 0},
    "llama4_text": SIZES | ROUTED | {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
    "qwen3_5_text": SIZES | DELTA,
    "qwen3_next": SIZES | DELTA | EXPERTS,
    "bamba": SIZES | STATES | {"attn_layer_indices": [3]},
    "falcon_h1": SIZES | STATES | {"mamba_d_ssm": 1024},
    "lfm2": SIZES | {"layer_types": ["conv", "conv", "full_attention", "conv"], "block_auto_adjust_ff_dim": False},
    "nemotron_h": SIZES
    | {"hybrid_override_pattern": "M-*-", "mamba_num_heads": 16, "mamba_head_dim": 64, "ssm_state_size": 32}
    | {"n_groups": 2},
}


def wanted() -> Iterator[dict[str, Any]]:
    """The settings that each is counted under."""
    plain = {"checkpointing": "none", "precision": "bf16-pure"}
    for attention in ("sdpa", "eager"):
        yield plain | {"attention": attention}
    yield plain | {"attention": "sdpa", "padded": True}
    yield plain | {"attention": "sdpa", "precision": "bf16-autocast"}


EVERY = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "out_proj")
ADAPTED = {
    "qwen3_5_text": (*EVERY, "in_proj_qkv", "in_proj_z", "in_proj_a", "in_proj_b"),
    "bamba": (*EVERY[:-1], "in_proj"),
}
"""Models whose linear attention is adapted, with the names of all matrices that PEFT takes."""


def adapted(model_type: str) -> Iterator[dict[str, Any]]:
    """Adapters of either type on all matrices."""
    for dtype in ("bf16", "fp32") if model_type in ADAPTED else ():
        given = {"checkpointing": "none", "precision": "bf16-pure", "attention": "sdpa", "adapter_dtype": dtype}
        yield given | {"targets": ADAPTED[model_type]}


def possible(model_type: str, given: dict[str, Any]) -> bool:
    """Whether transformers runs the model so: grouped experts take 16 bit alone, Mamba has no attention."""
    wide = given["precision"] == "bf16-autocast" and model_type in ("qwen3_next", "laguna")
    return not wide and not (model_type == "mamba" and given["attention"] == "sdpa")


def counted(model_type: str, given: dict[str, Any]) -> dict[str, Any]:
    """Settings and bytes of one case."""
    found = count(model_type, CONFIGURATIONS[model_type], Settings(**given)).bytes_of()
    layers = sum(size for part, size in found.items() if part.startswith(LAYER)) + found[SHARED]
    named = {"targets": " ".join(given["targets"])} if "targets" in given else {}
    return given | named | {"layer": layers, "head": found[HEAD], "loss": found[LOSS]}


def main() -> None:
    """Count every case."""
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    pretend_device()
    counts = [
        {
            "config": {"model_type": name} | sizes,
            "cases": [counted(name, given) for given in (*wanted(), *adapted(name)) if possible(name, given)],
        }
        for name, sizes in CONFIGURATIONS.items()
    ]
    versions = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}
    data = {"schema": 1, "date": dt.datetime.now(dt.UTC).date(), "versions": versions, "counts": counts}
    MIXED.write_text(yaml.safe_dump(data, sort_keys=False, width=10000, default_flow_style=None), encoding="utf-8")


if __name__ == "__main__":
    main()
