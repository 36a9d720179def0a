"""Serving: what the engine takes beside weights and cache: a step's tensors, graphs, workspaces, collectives."""

from memreport.figures.constants import (
    EIGHT,
    LARGE_GPU_SEQUENCES,
    LARGEST_GRAPH,
    ONE_TOKEN,
    SIXTEEN,
    SMALL_GPU_BATCHED_TOKENS,
    SMALL_GPU_SEQUENCES,
    THREE,
    TWO,
    WIDE_GRAPHS_FROM,
)
from memreport.figures.quantities import Bytes, BytesPerSecond, BytesPerToken, Count, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, total, where


@figure("F_max")
def live_mlp_width(
    dense_layers: Count,
    intermediate_size: Count,
    num_experts_per_tok: Count,
    moe_intermediate_size: Count,
    shared_expert_intermediate_size: Count,
) -> Count:
    """Widest MLP that a token passes through in one layer.  Source: vLLM fused MoE keeps one row per chosen expert."""
    return larger(
        where(dense_layers > 0, intermediate_size, 0),
        num_experts_per_tok * moe_intermediate_size + shared_expert_intermediate_size,
    )


@figure("b_live", source="the engine's profile")
def live_element_bytes(live_value_bytes: Bytes, other_element_bytes: Bytes) -> Bytes:
    """One value of a tensor that a step works on: the engine's own type, or that of unquantised weights."""
    return where(live_value_bytes > 0, live_value_bytes, other_element_bytes)


@figure("a_T", basis="measured")
def activation_bytes_per_token(
    residual_copies: Count,
    hidden_size: Count,
    mlp_copies: Count,
    live_mlp_width: Count,
    tensor_parallel_size: Count,
    live_element_bytes: Bytes,
    engine_bytes_per_token: BytesPerToken,
) -> BytesPerToken:
    """Live tensors of one layer per batched token, by the engine's profile.  Source: the engine's profile."""
    return (
        residual_copies * hidden_size + mlp_copies * live_mlp_width / tensor_parallel_size
    ) * live_element_bytes / ONE_TOKEN + engine_bytes_per_token


@figure("T_u", source="vLLM `get_batch_defaults`; SGLang `_handle_gpu_memory_settings`")
def usual_batched_tokens(
    unstated_batched_tokens: Tokens,
    max_num_batched_tokens: Tokens,
    batches_by_gpu: Switch,
    counts_as_large: Switch,
    batches_by_memory: Switch,
    chunk_of_memory: Tokens,
) -> Tokens:
    """Tokens of a step that the engine takes on this GPU, where nobody states them; 0 for what its row says."""
    return (
        (SMALL_GPU_BATCHED_TOKENS * batches_by_gpu * (1 - counts_as_large) + batches_by_memory * chunk_of_memory)
        * (unstated_batched_tokens >= max_num_batched_tokens)
        * (unstated_batched_tokens <= max_num_batched_tokens)
    )


@figure("n_u", scope="one replica", source="vLLM, engine/arg_utils.py `get_batch_defaults`, for its server")
def usual_sequences(
    unstated_sequences: Count, max_num_seqs: Count, batches_by_gpu: Switch, counts_as_large: Switch
) -> Count:
    """Sequences that the engine takes on this GPU, where nobody states them; 0 for those that are planned."""
    return (
        where(counts_as_large > 0, LARGE_GPU_SEQUENCES, SMALL_GPU_SEQUENCES)
        * batches_by_gpu
        * (unstated_sequences >= max_num_seqs)
        * (unstated_sequences <= max_num_seqs)
    )


@figure("T_b", source="vLLM, engine/arg_utils.py `get_batch_defaults`")
def step_tokens(usual_batched_tokens: Tokens, max_num_batched_tokens: Tokens) -> Tokens:
    """Tokens of one forward pass: what is stated, or what the engine takes on this GPU."""
    return where(usual_batched_tokens > 0, usual_batched_tokens, max_num_batched_tokens)


@figure("M_a", basis="measured", title="Activations", shown=("main of training", "with verdicts"))
def activation_bytes(step_tokens: Tokens, activation_bytes_per_token: BytesPerToken) -> Bytes:
    """Live tensors of one layer for a full batch of tokens.  Source: vLLM `profile_run` runs such a batch."""
    return step_tokens * activation_bytes_per_token


@figure("n_log", source="engine profile; vLLM `_dummy_sampler_run` samples for as many sequences as may run")
def logits_rows(
    makes_tokens: Switch, logits_of_all_tokens: Switch, step_tokens: Tokens, max_num_seqs: Count, usual_sequences: Count
) -> Count:
    """Positions whose logits exist at once: one per sequence, or every batched token."""
    return makes_tokens * where(
        logits_of_all_tokens > 0, step_tokens / ONE_TOKEN, larger(max_num_seqs, usual_sequences)
    )


@figure("M_log", basis="measured", shown=("main of training",))
def logits_bytes(logits_rows: Count, vocab_size: Count, logits_value_bytes: Bytes) -> Bytes:
    """Logits with the sampler's copies, whole on every rank.  Source: the engine's profile."""
    return logits_rows * vocab_size * logits_value_bytes


@figure("M_hid", basis="measured")
def hidden_state_bytes(
    step_tokens: Tokens, hidden_size: Count, live_element_bytes: Bytes, keeps_hidden_states: Switch
) -> Bytes:
    """Output of the last layer for every batched token, kept while tokens are sampled.  Source: vLLM `profile_run`."""
    return step_tokens / ONE_TOKEN * hidden_size * live_element_bytes * keeps_hidden_states


@figure("M_xw", basis="measured", source="vLLM fused MoE, `intermediate_cache13` and `intermediate_cache2`")
def expert_workspace_bytes(
    step_tokens: Tokens,
    num_experts_per_tok: Count,
    moe_intermediate_size: Count,
    tensor_parallel_size: Count,
    hidden_size: Count,
    live_element_bytes: Bytes,
    keeps_expert_workspace: Switch,
) -> Bytes:
    """Buffers of the fused experts, which stay allocated: gate and up or the output, and the product."""
    return (
        keeps_expert_workspace * step_tokens / ONE_TOKEN * num_experts_per_tok * live_element_bytes
        * (
            larger(TWO * moe_intermediate_size / tensor_parallel_size, hidden_size * (num_experts_per_tok > 0))
            + moe_intermediate_size / tensor_parallel_size
        )
    )  # fmt: skip


@figure("M_tr", basis="measured", title="Activations and logits", shown=("main",))
def transient_bytes(
    activation_bytes: Bytes,
    logits_bytes: Bytes,
    hidden_state_bytes: Bytes,
    expert_workspace_bytes: Bytes,
    unfused_attention_bytes: Bytes,
    attention_mask_bytes: Bytes,
) -> Bytes:
    """What a step needs for a moment: layers and sampling follow each other.  Source: vLLM `profile_run`."""
    return attention_mask_bytes + larger(
        activation_bytes, logits_bytes + hidden_state_bytes + expert_workspace_bytes, unfused_attention_bytes
    )


@figure("n_row", basis="measured")
def graph_rows(max_num_seqs: Count, usual_sequences: Count, speculative_tokens: Count) -> Count:
    """Rows of the largest decode step: one a sequence, and those of drafted tokens.  Source: arXiv:2211.17192, 2.3."""
    return larger(max_num_seqs, usual_sequences) * (1 + speculative_tokens)


@figure(
    "n_gs", basis="measured", source="vLLM, config/vllm.py `_set_cudagraph_sizes`; parts of a distance count in part"
)
def step_graphs(graph_rows: Count) -> Count:
    """Graphs of whole decode steps: of batches of 1, 2, 4, then every eighth, from 256 every sixteenth."""
    return (
        smaller(graph_rows, THREE)
        + smaller(graph_rows, WIDE_GRAPHS_FROM) / EIGHT
        + larger(smaller(graph_rows, LARGEST_GRAPH) - WIDE_GRAPHS_FROM, 0) / SIXTEEN
    )


@figure("n_pc", basis="measured")
def piece_rows(graph_rows: Count) -> Count:
    """Rows of the largest batch of which the parts between attentions are captured.  Source: vLLM, the same."""
    return TWO * graph_rows


piece_graphs = step_graphs.row(
    "piece_graphs",
    "n_gp",
    "Graphs of the parts between attentions, to batches twice as large.  Source: vLLM `max_cudagraph_capture_size`.",
    {"graph_rows": "piece_rows"},
)


@figure("M_gr", basis="measured")
def cuda_graph_bytes(
    enforce_eager: Switch,
    cuda_graph_base_bytes: Bytes,
    cuda_graph_sequence_bytes: Bytes,
    max_num_seqs: Count,
    cuda_graph_layer_bytes: Bytes,
    piece_graphs: Count,
    step_graphs: Count,
    layers_per_stage: Count,
) -> Bytes:
    """Captured graphs of decode steps; none in eager mode.  Source: the engine's profile."""
    return (1 - enforce_eager) * total(
        cuda_graph_base_bytes,
        cuda_graph_sequence_bytes * max_num_seqs,
        cuda_graph_layer_bytes * (piece_graphs + step_graphs) * layers_per_stage,
    )


@figure("M_work")
def workspace_bytes(library_workspace_bytes: Bytes, dequantised_matrix_bytes: Bytes) -> Bytes:
    """Scratch space of matrix library and kernels.  Source: PyTorch cuBLAS workspaces; engine profile."""
    return library_workspace_bytes + dequantised_matrix_bytes


@figure("M_comm", basis="measured", title="Communication buffers", shown=("main of training",))
def communication_buffer_bytes(
    tensor_parallel_size: Count,
    collective_library_bytes: Bytes,
    collective_bytes_over_pcie: Bytes,
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    bridged_accelerators: Count,
) -> Bytes:
    """All-reduce buffers where GPUs share layers; a pipeline passes on its activations without any.

    Source: the engine's profile.
    """
    return (tensor_parallel_size > 1) * where(
        (link_bytes_per_second > host_link_bytes_per_second) * (bridged_accelerators <= 0) > 0,
        collective_library_bytes,
        collective_bytes_over_pcie,
    )


@figure("M_ovh", title="All but weights and cache", shown=("main",))
def overhead_bytes(
    transient_bytes: Bytes,
    cuda_graph_bytes: Bytes,
    workspace_bytes: Bytes,
    communication_buffer_bytes: Bytes,
    framework_bytes: Bytes,
) -> Bytes:
    """Everything that is neither weights nor cache.  Source: sum of the parts."""
    return total(transient_bytes, cuda_graph_bytes, workspace_bytes, communication_buffer_bytes, framework_bytes)
