"""The fields of a scenario that figures read.  Names follow the frameworks' own options."""

from __future__ import annotations

from pydantic import field_validator

from memreport.catalogue.fields.adapters import AdapterFields
from memreport.catalogue.fields.dictionary import (
    LONGEST,
    MOST,
    WIDEST,
    Section,
    choice,
    dtype,
    listed,
    number,
    one_or_more,
    optional,
    share,
    switch,
    tokens,
    whole,
)
from memreport.catalogue.fields.serving_memory import ServingMemoryFields
from memreport.catalogue.records import MAX_NUM_SEQS, OUTPUT_TOKENS, PROMPT_TOKENS, SEQUENCE_LENGTH
from memreport.catalogue.words.target_modules import MATRICES, MODULES, TargetModule, matrices, named

RATES = ("bf16", "fp16", "fp8", "int8", "fp4", "tf32", "fp32")
ACCELERATOR_FIGURES = (
    *("capacity_bytes", "marketed_capacity_bytes", "memory_bytes_per_second"),
    *(f"{rate}_flop_per_second" for rate in RATES),
    *("link_bytes_per_second", "host_link_bytes_per_second", "board_power_watts"),
)
HOST_FIGURES = (
    *("host_accelerators", "link_domain_accelerators", "host_memory_bytes", "host_memory_bytes_per_second"),
    *("host_thread_rating", "nvme_bytes", "nvme_bytes_per_second", "network_bytes_per_second", "node_power_watts"),
)
DEFAULT_TARGETS: tuple[TargetModule, ...] = ("q_proj", "k_proj", "v_proj", "o_proj")
COMPUTES = {f"computes_in_{rate}": f"computes_in_{rate}" for rate in RATES}


MACHINE = ("host", "per_node", "link_domain")
"""Fields that say how GPUs stand together: they follow from which they are, and are no change of their own."""


class HardwareFields(Section):
    """What the job runs on."""

    accelerator: str = choice(
        None, "accelerators", "the GPU that the job runs on", source="hardware/accelerators", decisive=True
    )
    count: float = one_or_more("GPUs of the job", symbol="N", title="GPUs", decisive=True)
    per_node: float = whole(
        0, "GPUs of the job on one node, 0 for as many as the host holds", le=MOST, title="GPUs per node"
    )
    link_domain: float = whole(
        0, "GPUs that the link joins, as in a rack; 0 for what the host says, else for those of a node"
    )
    host: str = choice(
        "server",
        "hosts",
        "the machine that holds the GPUs; unless it is stated, the usual one of the GPU",
        source="hardware/hosts.yaml",
    )
    peer_access: float | None = optional("", "1 where GPUs read each other's memory over PCIe", le=1, switched=(0, 1))
    transfer_bytes: float = number(1e9, "byte", "amount of data whose transfer times are shown", gt=0)
    usable_share: float = share(1, "share of the capacity that the job may use", gt=0, symbol="u")


CHECKPOINTING = (
    "checkpoints", "interval_of_one", "interval_given", "interval_of_root", "recomputes_scores", "keeps_products",
    "one_in_interval",
)  # fmt: skip


class TrainingFields(AdapterFields):
    """A training job, in the words of PyTorch, DeepSpeed, Megatron-LM and PEFT."""

    method: str = choice("full", "methods", "what is trained", decisive=True)
    optimizer: str = choice("adamw", "optimizers", "the optimizer", decisive=True)
    optimizer_implementation: str = choice("fused", "optimizer_implementations", "how the optimizer step runs")
    precision: str = choice(
        "bf16-mixed",
        "precisions",
        "bytes of weights, gradients, master copy, moments, activations; unless stated, of FP16 on a GPU without BF16",
        decisive=True,
    )
    micro_batch_size: float = one_or_more("sequences that one GPU takes at once", symbol="B", decisive=True)
    sequence_length: float = tokens(SEQUENCE_LENGTH, "tokens of a sequence", ge=1, symbol="T", decisive=True)
    gradient_accumulation_steps: float = one_or_more("micro-batches per optimizer step", symbol="K")
    gradient_checkpointing: str = choice(
        "none",
        "checkpointing_modes",
        "what is stored and what is recomputed; true is full, as in Hugging Face's TrainingArguments",
        {name: name for name in CHECKPOINTING} | {"segment_recompute_share": "recompute_share"},
        decisive=True,
        switched=("none", "full"),
    )
    checkpoint_interval: float = whole(
        4, "layers of a segment under every-k; of which one is recomputed under every-nth", ge=1
    )
    attention: str = choice("flash", "attention_kernels", "implementation of attention")
    framework: str = choice("huggingface", "frameworks", "who trains: decides what is saved and kept", decisive=True)
    use_liger_kernel: bool = switch(
        False, "Liger's fused norms, gated MLPs and loss, which never makes all logits", "HF TrainingArguments"
    )
    activation_model: str = choice("saved_tensors", "activation_models", "how activations are counted")
    activation_constant: float = number(
        15, "", "values per hidden unit under act_c", gt=0, symbol="C", source="001 Activations: 10 to 20"
    )
    zero_stage: int = choice(0, "zero_stages", "what is cut over the data-parallel group", decisive=True)
    reshard_after_forward: bool = switch(
        True,
        "FSDP sets gathered weights free after the forward pass, all but the root's; a pipeline's stage keeps them",
        "PyTorch fully_shard; torchtitan apply_fsdp",
    )
    reduce_dtype: str = dtype(
        "bf16",
        "reduce_element_bytes",
        "type in which FSDP reduces gradients, where it is wider than that of the gathered weights",
        source="PyTorch MixedPrecisionPolicy",
    )
    sync_each_batch: bool = switch(
        False, "FSDP reduces the gradients of every micro-batch, not of the last one alone", "Accelerate"
    )
    tensor_parallel_size: float = one_or_more("GPUs that share each layer", symbol="TP", decisive=True)
    pipeline_parallel_size: float = one_or_more("stages into which the layers are cut", symbol="PP")
    virtual_pipeline_parallel_size: float = one_or_more(
        "parts into which each stage is cut and interleaved", symbol="VP"
    )
    pipeline_schedule: str = choice(
        "1f1b", "pipeline_schedules", "order of micro-batches in a pipeline: how many are kept, how long a stage waits"
    )
    context_parallel_size: float = whole(1, "GPUs that share each sequence", ge=1, symbol="CP")
    expert_parallel_size: float = one_or_more("GPUs over which experts are spread", symbol="EP")
    expert_tensor_parallel_size: float = whole(
        0, "GPUs that cut each expert, 0 for those that cut each layer", le=MOST, source="Megatron-LM"
    )
    moe_expert_capacity_factor: float = number(
        0,
        "",
        "places in the experts over tokens routed to them, filled up to it; 0 where none is dropped and none added",
        source="Megatron-LM",
    )
    data_parallel_shard_degree: float = whole(
        0, "GPUs over which FSDP cuts, each such group holding a copy; 0 for all", le=MOST, source="torchtitan"
    )
    hybrid_shard: bool = switch(
        False, "FSDP cuts over the GPUs of a node, each node holding a copy", "PyTorch FSDP HYBRID_SHARD"
    )
    sequence_parallel: float | None = optional(
        "", "1 where tensor parallelism also cuts norms and linear inputs", le=1, source="Megatron-LM", switched=(0, 1)
    )
    tp_comm_overlap: bool = switch(
        False,
        "tensor parallelism sends while the products before and after it work",
        "Megatron-LM; torchtitan async TP",
    )
    moe_enable_deepep: bool = switch(
        False, "a token goes once to each GPU that has experts for it, not once to each expert", "Megatron-LM"
    )
    overlap_moe_expert_parallel_comm: bool = switch(
        False, "tokens travel to and from experts beside the work on another micro-batch", "Megatron-LM"
    )
    cuda_graph_impl: str = choice("none", "training_graphs", "how kernels are launched: one by one or as CUDA graphs")
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
    lora_rank: float = whole(16, "rank of the adapters", ge=1, le=WIDEST, symbol="r")
    target_modules: tuple[TargetModule, ...] = listed(
        DEFAULT_TARGETS,
        "matrices that get an adapter, as PEFT names them; routed experts are target_parameters",
        {f"targets_{name}": name for name in MATRICES} | {f"adapts_{name}": name for name in MODULES},
    )
    base_weight_dtype: str = choice(
        "nf4-double-quant",
        "weight_formats",
        "format of the frozen base under qlora",
        {
            "base_weight_element_bytes": "matrix_bytes",
            "base_constant_bytes": "constant_bytes",
            "base_other_element_bytes": "other_bytes",
            "base_casts_rest": "casts_rest",
            "base_keeps_dequantised": "keeps_dequantised",
            "base_unpacking_bytes": "unpacking_bytes",
        },
    )
    adapter_dtype: str = dtype("fp32", "adapter_element_bytes", "type of adapters, their gradients and moments")
    lora_dropout: float = share(0, "share of an adapter's input that is dropped", source="PEFT LoraConfig")
    hidden_dropout: float = share(
        0, "share of the residual sums' values that is dropped", source="HF config resid_pdrop"
    )
    attention_dropout: float = share(
        0, "share of the attention scores that is dropped", source="HF config attention_dropout"
    )
    fragmentation_share: float = share(
        0.03, "reserved but unusable, expected", source="PyTorch caching allocator; ZeRO section 3.2"
    )
    fragmentation_share_low: float = share(0, "the same at its lowest", source="PyTorch expandable segments")
    fragmentation_share_high: float = share(
        0.1, "the same at its highest", source="PyTorch caching allocator; ZeRO section 3.2"
    )
    length_pattern: str = choice(
        "fixed",
        "length_patterns",
        "whether batches differ in length: what the allocator keeps, and whether attention is given a mask",
    )
    cached_share: float | None = optional("", "of what comes and goes within a step, what the allocator still keeps")
    cached_share_high: float | None = optional("", "the same at its highest")
    model_flop_utilization: float = share(
        0,
        "share of the peak that the model's work reaches over a step, in place of a computed time; 0 computes it",
        symbol="MFU",
        source="stated by the scenario",
    )
    cuda_version: float = number(
        13, "", "version of CUDA whose libraries multiply: before 12.6 slower on Hopper", ge=11, le=20
    )
    measured_time_factor: float = number(
        1, "", "measured time of a step over the computed one, as the block `measured` finds it", gt=0, source="stated"
    )
    attention_computed_share: float | None = optional(
        "", "share of the scores that the kernel computes; unless given, what the implementation does", gt=0, le=1
    )
    training_tokens: float = number(1e9, "token", "tokens to train on", gt=0, symbol="D", decisive=True)

    @field_validator("target_parameters", "modules_to_save", "recompute_modules", mode="before")
    @classmethod
    def one_or_many(cls, names: object) -> object:
        """PEFT takes `all-linear` without a list, LLaMA-Factory names with commas between them."""
        return tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names

    @field_validator("target_modules", mode="before")
    @classmethod
    def as_named(cls, names: object) -> object:
        """Patterns and names with their block before them are those of modules."""
        return named(names) if isinstance(names, str | list | tuple) else names

    @field_validator("target_modules", mode="after")
    @classmethod
    def as_matrices(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of any family become the matrices they stand for."""
        return matrices(names)


UNSTATED = (
    "{} that nobody stated: while it is as many, the engine takes its own number on this GPU; 0 where it is stated"
)
BY_GPU = "vLLM, engine/arg_utils.py `get_batch_defaults`"
PARALLEL = "vLLM engine arguments"


class ServingFields(ServingMemoryFields):
    """A serving job, in the words of vLLM."""

    engine: str = choice(
        "vllm", "engines", "who serves: decides what is reserved beside weights and cache", decisive=True
    )
    weight_dtype: str = choice(
        "bf16",
        "weight_formats",
        "format of the weights as loaded; unless stated, that of the published checkpoint, FP16 on a GPU without BF16",
        {
            "weight_element_bytes": "matrix_bytes",
            "attention_element_bytes": "attention_bytes",
            "other_element_bytes": "other_bytes",
            "pads_experts": "pads_experts",
            "dequantises": "dequantises",
            "superblocks": "superblocks",
            **COMPUTES,
        },
        decisive=True,
    )
    kv_cache_dtype: str = dtype("bf16", "kv_element_bytes", "type of cached keys and values", decisive=True)
    max_model_len: float = tokens(
        4096,
        "longest sequence that the engine admits",
        ge=1,
        title="Longest context allowed",
        source=PARALLEL,
        decisive=True,
    )
    context_length: float = tokens(4096, "tokens of a running sequence, prompt and output", ge=1, decisive=True)
    max_num_seqs: float = whole(
        MAX_NUM_SEQS,
        "sequences that may run at once on one replica",
        ge=1,
        le=MOST,
        symbol="S",
        title="Sequences at once",
        source=PARALLEL,
        decisive=True,
    )
    max_num_batched_tokens: float | None = optional(
        "token", "tokens of one forward pass", ge=1, le=LONGEST, title="Batched tokens", source=PARALLEL
    )
    unstated_sequences: float = whole(0, UNSTATED.format("max_num_seqs"), le=MOST, source=BY_GPU)
    unstated_batched_tokens: float = tokens(0, UNSTATED.format("max_num_batched_tokens"), source=BY_GPU)
    gpu_memory_utilization: float | None = optional("", "share of the GPU that the engine may take", gt=0, le=1)
    block_size: float | None = optional("token", "tokens of one block of the cache", ge=1)
    first_token_steps: float | None = optional("", "steps until the engine sends the first token")
    paged: float | None = optional(
        "", "1 for blocks as a sequence grows, 0 for a reservation of max_model_len", le=1, switched=(0, 1)
    )
    enforce_eager: bool = switch(False, "no captured graphs", PARALLEL)
    tensor_parallel_size: float = one_or_more("GPUs that share each layer", symbol="TP", source=PARALLEL, decisive=True)
    pipeline_parallel_size: float = one_or_more("stages into which the layers are cut", symbol="PP", source=PARALLEL)
    context_parallel_size: float = one_or_more(
        "GPUs that share each prompt and its cache", symbol="CP", source=PARALLEL
    )
    expert_parallel_size: float = one_or_more(
        "ranks over which experts are spread, each with attention and a cache of its own (data-parallel attention)",
        symbol="EP",
        source="vLLM data_parallel_size with enable_expert_parallel; SGLang enable_dp_attention",
    )
    expert_tensor_parallel_size: float = whole(0, "GPUs that cut each expert, 0 for those that cut each layer", le=0)
    whole_experts: bool = switch(
        False, "experts are spread whole over the GPUs that cut each layer", "vLLM enable_expert_parallel"
    )
    prompt_tokens: float = tokens(PROMPT_TOKENS, "tokens of a prompt", ge=1)
    output_tokens: float = tokens(OUTPUT_TOKENS, "tokens of an answer", ge=1)
    prefill_sequences: float = one_or_more("prompts processed together")
    prompts_ahead: float = whole(0, "prompts that wait before this one", le=MOST)
    prefix_cached_share: float = share(
        0, "share of a prompt that the prefix cache holds", source="vLLM automatic prefix caching"
    )
    burst_share: float = share(
        0.1,
        "share of the requests that come all at once, as in the first of ten rounds of a benchmark",
        source="InferenceMAX, num-prompts is ten times max-concurrency",
    )
    measured_time_factor: float = number(
        1,
        "",
        "measured time of an answer over the computed one, as the block `measured` finds it",
        gt=0,
        source="stated",
    )
    cuda_graph_padding: bool = switch(
        False,
        "a request that fills captured graphs takes the place of one sequence",
        "TensorRT-LLM cuda_graph_config.enable_padding, max_batch_size as large as the concurrency",
    )
    scheduler_recv_interval: float = one_or_more(
        "steps between two looks for new requests", source="SGLang scheduler-recv-interval"
    )
    speculative_tokens: float = whole(0, "tokens that are drafted for each step", le=MOST, source=PARALLEL)
    acceptance_rate: float = number(
        0.7, "", "share of drafted tokens that are accepted", le=0.999, source="arXiv:2211.17192, table 1: 0.5 to 0.9"
    )
    draft_step_share: float = number(
        0.05, "", "time of drafting one token over that of a step", source="arXiv:2211.17192, table 1: 0.02 to 0.1"
    )
    disaggregated: bool = switch(False, "prefills run on GPUs of their own", "arXiv:2401.09670 (DistServe), section 3")
    enable_dbo: bool = switch(
        False, "tokens travel to and from experts beside the work on the other half of a batch", "vLLM enable_dbo"
    )
    attention_computed_share: float = share(
        0.5, "share of the scores computed: half with causal masks", gt=0, source="arXiv:2307.08691, section 3.1"
    )
    weight_overhead_share: float = number(
        0.2, "", "allowance on the weights for a first count of GPUs", source="004: 10 to 25 %"
    )
