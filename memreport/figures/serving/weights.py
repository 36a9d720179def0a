"""Weights as a serving engine loads them: quantised where the format says so, the rest in 16 bit."""

from memreport.figures.quantities import Bytes, Count, FlopPerSecond, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, smaller, where


@figure("P_rm")
def rank_matrix_parameters(
    stored_matrix_parameters: Count,
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    stage_share: Share,
    expert_stage_share: Share,
    tensor_parallel_size: Count,
    replicated_matrix_parameters: Count,
    nominal_factor: Count,
) -> Count:
    """Matrices of the layers on one GPU.  Source: arXiv:1909.08053, section 3; arXiv:2006.16668, section 2."""
    return nominal_factor * (
        (
            (stored_matrix_parameters - routed_expert_parameters) * stage_share
            + routed_expert_parameters / expert_parallel_size * expert_stage_share
        )
        / tensor_parallel_size
        + replicated_matrix_parameters * (1 - 1 / tensor_parallel_size)
    )


@figure("P_ra")
def rank_attention_parameters(
    attention_matrix_parameters: Count,
    nominal_factor: Count,
    stage_share: Share,
    tensor_parallel_size: Count,
    replicated_matrix_parameters: Count,
) -> Count:
    """Of these, the matrices of attention.  Source: arXiv:1909.08053, section 3."""
    return nominal_factor * (
        attention_matrix_parameters * stage_share / tensor_parallel_size
        + replicated_matrix_parameters * (1 - 1 / tensor_parallel_size)
    )


@figure("n_eh")
def expert_hidden_multiple(
    fp4_flop_per_second: FlopPerSecond,
    fp8_flop_per_second: FlopPerSecond,
    mxfp4_native_multiple: Count,
    mxfp4_hidden_multiple: Count,
) -> Count:
    """What the hidden size is rounded up to a multiple of in experts: by other kernels where silicon computes in FP4.

    Source: vLLM `mxfp4_round_up_hidden_size_and_intermediate_size`; SGLang, quantization/mxfp4.py.
    """
    return where(fp4_flop_per_second > fp8_flop_per_second, mxfp4_native_multiple, mxfp4_hidden_multiple)


@figure("n_ew")
def expert_width_multiple(
    fp4_flop_per_second: FlopPerSecond,
    fp8_flop_per_second: FlopPerSecond,
    mxfp4_native_multiple: Count,
    mxfp4_width_multiple: Count,
) -> Count:
    """The same of an expert's width on one GPU.  Source: as for the hidden size."""
    return where(fp4_flop_per_second > fp8_flop_per_second, mxfp4_native_multiple, mxfp4_width_multiple)


@figure("f_pad", source="vLLM `mxfp4_round_up_hidden_size_and_intermediate_size`, Marlin kernels")
def expert_padding_factor(
    pads_experts: Switch,
    hidden_size: Count,
    expert_hidden_multiple: Count,
    moe_intermediate_size: Count,
    tensor_parallel_size: Count,
    expert_width_multiple: Count,
) -> Share:
    """How much larger the engine's kernels make an expert: both its sizes are rounded up, the cut one on each GPU."""
    return where(
        pads_experts * moe_intermediate_size > 0,
        ceil(hidden_size / expert_hidden_multiple) * expert_hidden_multiple / hidden_size
        * ceil(moe_intermediate_size / tensor_parallel_size / expert_width_multiple) * expert_width_multiple
        * tensor_parallel_size / larger(moe_intermediate_size, 1),
        1,
    )  # fmt: skip


@figure("M_pad")
def expert_padding_bytes(
    routed_expert_parameters: Count,
    expert_parallel_size: Count,
    expert_stage_share: Share,
    tensor_parallel_size: Count,
    expert_padding_factor: Share,
    weight_element_bytes: Bytes,
) -> Bytes:
    """What that rounding adds on one GPU.  Source: vLLM, quantization/mxfp4.py `create_weights`."""
    return (
        routed_expert_parameters / expert_parallel_size * expert_stage_share / tensor_parallel_size
        * (expert_padding_factor - 1) * weight_element_bytes
    )  # fmt: skip


@figure("M_wm", source="arXiv:2305.14314; gpt-oss model card, MXFP4 for the experts")
def matrix_weight_bytes(
    rank_matrix_parameters: Count,
    rank_attention_parameters: Count,
    weight_element_bytes: Bytes,
    attention_element_bytes: Bytes,
) -> Bytes:
    """Matrices of the layers on one GPU; a format may quantise the experts and leave attention alone."""
    return (
        rank_matrix_parameters - rank_attention_parameters
    ) * weight_element_bytes + rank_attention_parameters * attention_element_bytes


@figure("M_wo", source="arXiv:2305.14314; vLLM, model_executor/models/adapters.py `_create_pooling_model_cls`")
def other_weight_bytes(
    rank_parameters: Count,
    rank_matrix_parameters: Count,
    other_element_bytes: Bytes,
    quantises_head: Switch,
    head_parameters: Count,
    tensor_parallel_size: Count,
    weight_element_bytes: Bytes,
    makes_tokens: Switch,
) -> Bytes:
    """Embeddings, norms, biases and head, which some engines quantise, and none loads where no token is made."""
    return (
        (rank_parameters - rank_matrix_parameters) * other_element_bytes
        - head_parameters / tensor_parallel_size
        * where(makes_tokens > 0, quantises_head * (other_element_bytes - weight_element_bytes), other_element_bytes)
    )  # fmt: skip


@figure("o_oh", workload="serving")
def has_own_head(tie_word_embeddings: Switch, unties_head: Switch) -> Switch:
    """1 where the head has a matrix beside the embedding's.  Source: HF config `tie_word_embeddings`."""
    return 1 - tie_word_embeddings * (1 - unties_head)


@figure("M_we", source="llama.cpp logs a model buffer of the host beside the GPU's")
def host_embedding_bytes(
    embeds_on_host: Switch,
    has_own_head: Switch,
    pipeline_parallel_size: Count,
    embedding_parameters: Count,
    tensor_parallel_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Token embedding that the engine leaves in host memory; a stage that holds the head instead has none to leave."""
    return (
        embeds_on_host * has_own_head * (pipeline_parallel_size <= 1)
        * embedding_parameters / tensor_parallel_size * other_element_bytes
    )  # fmt: skip


@figure("M_wh", source="llama.cpp logs a model buffer of the CPU beside the GPU's")
def host_layer_bytes(gpu_layer_share: Share, matrix_weight_bytes: Bytes, expert_padding_bytes: Bytes) -> Bytes:
    """Matrices of the layers that stay on the host; their norms are too small to count."""
    return (1 - gpu_layer_share) * (matrix_weight_bytes + expert_padding_bytes)


@figure("M_wd")
def draft_weight_bytes(draft_parameters: Count, draft_element_bytes: Bytes, tensor_parallel_size: Count) -> Bytes:
    """Weights of a draft model on one GPU, cut as the model is.  Source: vLLM `draft_tensor_parallel_size`."""
    return draft_parameters * draft_element_bytes / tensor_parallel_size


@figure("M_wp")
def placed_weight_bytes(
    matrix_weight_bytes: Bytes,
    expert_padding_bytes: Bytes,
    other_weight_bytes: Bytes,
    host_embedding_bytes: Bytes,
    host_layer_bytes: Bytes,
) -> Bytes:
    """Weights of one GPU, before any of them are offloaded.  Source: sum of the parts."""
    return matrix_weight_bytes + expert_padding_bytes + other_weight_bytes - host_embedding_bytes - host_layer_bytes


@figure("M_whe")
def host_expert_bytes(
    n_cpu_moe: Count, mixture_layers: Count, rank_expert_parameters: Count, weight_element_bytes: Bytes
) -> Bytes:
    """Routed experts of the layers that leave them on the host.  Source: llama.cpp `--n-cpu-moe`, common/arg.cpp."""
    return smaller(n_cpu_moe / larger(mixture_layers, 1), 1) * rank_expert_parameters * weight_element_bytes


@figure("M_woff")
def offloaded_weight_bytes(cpu_offload_bytes: Bytes, host_expert_bytes: Bytes, placed_weight_bytes: Bytes) -> Bytes:
    """Weights of one GPU in host memory: as much as may be offloaded, or all.  Source: vLLM `cpu_offload_gb`."""
    return smaller(cpu_offload_bytes + host_expert_bytes, placed_weight_bytes)


@figure("M_w", title="Weights", shown=("main",))
def weight_bytes(
    placed_weight_bytes: Bytes, offloaded_weight_bytes: Bytes, draft_weight_bytes: Bytes, lora_buffer_bytes: Bytes
) -> Bytes:
    """Weights on one GPU, with those of a draft model and the buffers of adapters.

    Source: 001 'Training vs Inference Memory Profile'; vLLM logs them together.
    """
    return placed_weight_bytes - offloaded_weight_bytes + draft_weight_bytes + lora_buffer_bytes


@figure("M_save", title="Weights on disk")
def weight_file_bytes(model_weight_bytes: Bytes) -> Bytes:
    """Files of the weights in their format.  Source: safetensors documentation, format."""
    return model_weight_bytes


@figure("M_wall")
def model_weight_bytes(
    stored_matrix_parameters: Count,
    weight_element_bytes: Bytes,
    attention_matrix_parameters: Count,
    attention_element_bytes: Bytes,
    parameters: Count,
    nominal_factor: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """Weights of the whole model, before it is cut.  Source: 001 'Training vs Inference Memory Profile'."""
    return (
        nominal_factor
        * (
            (stored_matrix_parameters - attention_matrix_parameters) * weight_element_bytes
            + attention_matrix_parameters * attention_element_bytes
        )
        + (parameters - nominal_factor * stored_matrix_parameters) * other_element_bytes
    )


@figure("M_deq", source="bitsandbytes `MatMul4Bit.forward`; Lightning Fabric")
def dequantised_matrix_bytes(
    dequantises: Switch,
    dequantised_copies: Count,
    hidden_size: Count,
    dense_layers: Count,
    intermediate_size: Count,
    moe_intermediate_size: Count,
    quantises_head: Switch,
    vocab_size: Count,
    tensor_parallel_size: Count,
    other_element_bytes: Bytes,
) -> Bytes:
    """The largest matrix that a product turns back into 16 bit: twice where it is made in FP16 and cast to BF16."""
    return dequantises * dequantised_copies * hidden_size / tensor_parallel_size * other_element_bytes * larger(
        where(dense_layers > 0, intermediate_size, moe_intermediate_size), quantises_head * vocab_size
    )  # fmt: skip
