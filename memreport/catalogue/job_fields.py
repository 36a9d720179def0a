"""The fields of a scenario that figures read: hardware, training, serving.  Names follow the frameworks' own options."""

from __future__ import annotations

from typing import Literal, get_args

from memreport.catalogue.dictionary import Section, choice, listed, number, switch, whole

TargetModule = Literal["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
ACCELERATOR_FIGURES = (
    "capacity_bytes",
    "marketed_capacity_bytes",
    "memory_bytes_per_second",
    "bf16_flop_per_second",
    "fp16_flop_per_second",
    "fp8_flop_per_second",
    "int8_flop_per_second",
    "tf32_flop_per_second",
    "fp32_flop_per_second",
    "link_bytes_per_second",
    "host_link_bytes_per_second",
    "board_power_watts",
)
HOST_FIGURES = (
    "cards_per_node",
    "host_memory_bytes",
    "host_memory_bytes_per_second",
    "nvme_bytes",
    "nvme_bytes_per_second",
    "network_bytes_per_second",
    "node_power_watts",
)
RATES = ("bf16", "fp16", "fp8", "int8", "tf32", "fp32")
DEFAULT_TARGETS: tuple[TargetModule, ...] = ("q_proj", "k_proj", "v_proj", "o_proj")
COMPUTES = {f"computes_in_{rate}": f"computes_in_{rate}" for rate in RATES}


class HardwareFields(Section):
    """What the job runs on."""

    accelerator: str = choice(None, "accelerators", "the card", source="hardware/accelerators")
    count: float = whole(1, "accelerators of the job", ge=1, symbol="N")
    per_node: float = whole(0, "accelerators of the job on one node, 0 for as many as the host holds")
    host: str = choice("server", "hosts", "the machine that holds the cards", source="hardware/hosts.yaml")
    usable_share: float = number(1, "", "share of the capacity that the job may use", gt=0, le=1, symbol="u")


class TrainingFields(Section):
    """A training job, in the words of PyTorch, DeepSpeed, Megatron-LM and PEFT."""

    method: str = choice("full", "methods", "what is trained")
    optimizer: str = choice("adamw", "optimizers", "the optimizer")
    optimizer_implementation: str = choice("fused", "optimizer_implementations", "how the optimizer step runs")
    precision: str = choice("bf16-mixed", "precisions", "bytes of weights, gradients, master copy, moments, activations")
    micro_batch_size: float = whole(1, "sequences that one accelerator takes at once", ge=1, symbol="B")
    sequence_length: float = whole(2048, "tokens of a sequence", ge=1, unit="token", symbol="T")
    gradient_accumulation_steps: float = whole(1, "micro-batches per optimizer step", ge=1, symbol="K")
    gradient_checkpointing: str = choice("none", "checkpointing_modes", "what is stored and what is recomputed")
    checkpoint_interval: float = whole(4, "layers of a segment under every-k", ge=1)
    attention: str = choice("flash", "attention_kernels", "implementation of attention")
    framework: str = choice("huggingface", "frameworks", "who trains: decides what is saved and kept")
    activation_model: str = choice("saved_tensors", "activation_models", "how activations are counted")
    activation_constant: float = number(15, "", "values per hidden unit under act_c", gt=0, symbol="C", source="001 Activations: 10 to 20")
    zero_stage: int = choice(0, "zero_stages", "what is cut over the data-parallel group")  # type: ignore[assignment]
    tensor_parallel_size: float = whole(1, "accelerators that share each layer", ge=1, symbol="TP")
    pipeline_parallel_size: float = whole(1, "stages into which the layers are cut", ge=1, symbol="PP")
    context_parallel_size: float = whole(1, "accelerators that share each sequence", ge=1, symbol="CP")
    expert_parallel_size: float = whole(1, "accelerators over which experts are spread", ge=1, symbol="EP")
    sequence_parallel: bool = switch(True, "tensor parallelism also cuts norms and linear inputs")
    optimizer_offload: str = choice(
        "none",
        "offload_targets",
        "where optimizer states and master weights live",
        {"optimizer_offloaded": "off_device", "optimizer_on_nvme": "on_nvme"},
    )
    parameter_offload: str = choice(
        "none",
        "offload_targets",
        "where weights live",
        {"parameters_offloaded": "off_device", "parameters_on_nvme": "on_nvme"},
    )
    lora_rank: float = whole(16, "rank of the adapters", ge=1, symbol="r")
    target_modules: tuple[TargetModule, ...] = listed(
        DEFAULT_TARGETS, "matrices that get an adapter", {f"lora_{name}": name for name in get_args(TargetModule)}
    )
    base_weight_dtype: str = choice(
        "nf4-double-quant",
        "weight_formats",
        "format of the frozen base under qlora",
        {"base_weight_element_bytes": "matrix_bytes", "base_other_element_bytes": "other_bytes"},
    )
    adapter_dtype: str = choice("fp32", "dtypes", "type of adapters, their gradients and moments", {"adapter_element_bytes": "element_bytes"})
    fragmentation_share: float = number(0.03, "", "reserved but unusable, expected", le=1, source="PyTorch caching allocator; ZeRO section 3.2")
    fragmentation_share_low: float = number(0, "", "the same at its lowest", le=1, source="PyTorch expandable segments")
    fragmentation_share_high: float = number(0.1, "", "the same at its highest", le=1, source="PyTorch caching allocator; ZeRO section 3.2")
    model_flop_utilization: float = number(0.4, "", "share of the peak rate reached, recomputation not counted", gt=0, le=1, symbol="MFU", source="dense models 0.35 to 0.45: arXiv:2407.21783, Table 4")
    memory_bandwidth_share: float = number(0.8, "", "share of the peak bandwidth reached", gt=0, le=1, source="streaming kernels 0.7 to 0.93; 0.8 in NVIDIA's estimator")
    training_tokens: float = number(1e9, "token", "tokens to train on", gt=0, symbol="D")


class ServingFields(Section):
    """A serving job, in the words of vLLM."""


class CostFields(Section):
    """What the job costs."""
