"""Fields of a training job that change its memory alone: loss, compiled layers, what stays whole or is kept apart."""

from __future__ import annotations

from pydantic import field_validator

from memreport.catalogue.fields.dictionary import (
    DEEPEST,
    LARGEST_WHOLE,
    LONGEST,
    MOST,
    Section,
    choice,
    dtype,
    listed,
    number,
    optional,
    share,
    switch,
    whole,
)
from memreport.catalogue.words.target_modules import RecomputedModule

WIDE = 8
"""Bytes of the widest number that a program holds."""


class TrainingMemoryFields(Section):
    """Options of PyTorch, torchtitan, torchtune, Liger, TRL and PEFT beside those that every job states."""

    loss: str = choice("framework", "losses", "how cross-entropy goes through the logits")
    loss_chunks: float = whole(8, "parts of the tokens that a chunked loss goes through", ge=1, le=MOST)
    torch_compile: bool = switch(
        False,
        "layers are compiled: norms and activations fused, what they make computed again",
        "PyTorch torch.compile",
    )
    fp8_recipe: str = choice(
        "torchao-tensorwise",
        "fp8_recipes",
        "how FP8 products scale, and what they keep for the backward pass; unless it is stated, as the framework does",
    )
    fp8_param_gather: bool = switch(
        False, "the layers' matrices are held and gathered in FP8 alone, beside their master copy", "Megatron-LM"
    )
    enable_fsdp_float8_all_gather: bool = switch(
        False, "FSDP casts the layers' matrices to FP8 before it gathers them", "torchao Float8LinearConfig"
    )
    decoder_first_pipeline_num_layers: float = whole(
        0, "layers of the first stage of a pipeline, 0 for as many as the others", le=DEEPEST, source="Megatron-LM"
    )
    decoder_last_pipeline_num_layers: float = whole(
        0, "layers of the last stage of a pipeline, 0 for as many as the others", le=DEEPEST, source="Megatron-LM"
    )
    num_layers_per_virtual_pipeline_stage: float = whole(
        0,
        "layers of a part of a stage, from which follows how many parts it has; 0 where those are stated",
        le=DEEPEST,
        source="Megatron-LM",
    )
    account_for_embedding_in_pipeline_split: bool = switch(
        False, "the embedding counts as a layer where layers are split over stages", "Megatron-LM"
    )
    account_for_loss_in_pipeline_split: bool = switch(
        False, "head and loss count as a layer where layers are split over stages", "Megatron-LM"
    )
    pin_memory: bool = switch(
        True,
        "buffers of offloading are page-locked; false takes less of the host's memory and copies more slowly",
        "DeepSpeed pin_memory, true by default from 0.19 on",
    )
    activation_offload: bool = switch(
        False,
        "stored activations are moved to the host and back, beside the work on other layers",
        "torchtune enable_activation_offloading; TRL activation_offloading",
    )
    recompute_num_layers: float = whole(
        0,
        "layers of each stage that gradient_checkpointing recomputes, the others are stored whole; 0 for all",
        le=DEEPEST,
        source="Megatron-LM recompute_method block",
    )
    recompute_modules: tuple[RecomputedModule, ...] = listed(
        (),
        "parts of a layer that selective checkpointing computes again, beside attention's scores",
        {f"recompute_{name}": name for name in ("mlp", "moe", "moe_act", "shared_experts", "layernorm", "mla_up_proj")},
    )
    activation_func_fp8_input_store: bool = switch(
        False, "the activation function of a gated MLP keeps its inputs in FP8", "Megatron-LM; DeepSeek-V3"
    )
    attention_output_element_bytes: float = number(
        0,
        "byte",
        "one value of attention's output, kept once for its own backward pass and the next product's, as 1.5 of "
        "DeepSeek-V3's E5M6; 0 for what the framework keeps",
        le=WIDE,
        source="arXiv:2412.19437, section 3.3.3",
    )
    trained_layers: float = whole(
        0,
        "layers that are trained at a time while the others are frozen, 0 for all; time is that of all layers",
        le=DEEPEST,
        source="LLaMA-Factory freeze_trainable_layers; BAdam; LISA",
    )
    trained_layers_move: bool = switch(
        False, "other layers in turn, where they are otherwise the last ones: all keep what is stored", "BAdam; LISA"
    )
    trains_embeddings: bool = switch(
        False, "embedding and head are trained beside them", "LISA; LLaMA-Factory freeze_extra_modules"
    )
    freezes_towers: bool = switch(
        False,
        "towers for images and sound, with what joins them to the decoder, are frozen under full, and get no adapters",
        "LLaMA-Factory freeze_vision_tower; ms-swift freeze_vit",
    )
    images_per_sequence: float = whole(0, "images that a tower sees for each sequence", le=MOST)
    image_pixels: float = whole(
        0,
        "pixels of each, all tiles together, where a tower takes any size; 0 for its own, or 768 x 768",
        le=LARGEST_WHOLE,
    )
    gradient_element_bytes: float | None = optional(
        "byte", "one gradient as it is accumulated", le=WIDE, source="Megatron-LM main_grads_dtype"
    )
    master_element_bytes: float | None = optional(
        "byte",
        "one weight of the master copy, or what it adds to the weights",
        le=WIDE,
        source="Megatron-LM main_params_dtype",
    )
    gathered_units: float | None = optional(
        "", "sharded layers gathered at once, the one at work and those prefetched", ge=1, source="PyTorch fully_shard"
    )
    zero_hpz_partition_size: float = whole(
        0, "GPUs of a node that together hold a second copy of sharded weights, 0 without", le=MOST, source="ZeRO++"
    )
    expandable_segments: bool = switch(
        False,
        "segments of the allocator grow, so that its free blocks join: what a monitor shows beyond the peak",
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    )
    objective: str = choice(
        "sft", "objectives", "what is learned from: other models that it holds, sequences of a sample"
    )
    frozen_parameters: float = number(
        0, "", "parameters of other models that are held frozen, as a teacher or a vision tower", source="TRL"
    )
    frozen_model_dtype: str = dtype("bf16", "frozen_element_bytes", "type of models that are held frozen")
    rollout_memory_share: float = share(
        0,
        "share of the capacity that a generation engine on the same GPUs takes",
        source="TRL vllm_gpu_memory_utilization",
    )
    rollout_sleeps: bool = switch(
        False,
        "that engine sleeps while training, and takes its share when the step is over",
        "TRL vllm_enable_sleep_mode",
    )
    rollout_tokens: float = number(
        0,
        "token",
        "tokens of each sequence that the same GPUs generate before a step; 0 where they come from elsewhere",
        le=LONGEST,
        source="TRL max_completion_length, vllm_mode colocate",
    )
    optimizer_in_backward: bool = switch(
        False, "each gradient is used and set free at once, so that no step follows", "torchtune optimizer_in_bwd"
    )
    galore_rank: float = whole(128, "rank of the gradients that GaLore keeps moments of", ge=1, le=MOST)

    @field_validator("recompute_modules", mode="after")
    @classmethod
    def without_scores(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Attention's scores are what selective checkpointing computes again without being asked."""
        return tuple(name for name in names if name != "core_attn")
