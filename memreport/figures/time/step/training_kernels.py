"""Kernels of one training step on one GPU: forward, backward and recomputation of all its micro-batches.

Traffic is what the algorithm cannot avoid: each operand read once and each result written once per use.
"""

from memreport.figures.constants import FLOP_PER_MULTIPLY_ADD, ONE_TOKEN, TRAINING_PASSES, TWO
from memreport.figures.constants.times import ELEMENTWISE_FLOP, NORM_FLOP, OPTIMIZER_FLOP, SOFTMAX_FLOP
from memreport.figures.quantities import Bytes, Count, Flop, Share, Switch, Tokens
from memreport.figures.time.roofline import Kernel, kernel
from memreport.formula.recording import Line, bound_line, figure
from memreport.formula.words import where


@figure("W", family=True, source="arXiv:2001.08361, section 2.1; arXiv:2106.09685")
def layer_matmul_flop(
    kernel_active_weights: Count, rank_tokens_per_step: Tokens, trainable_share: Share, recompute_share: Share
) -> Flop:
    """Work of a layer's matrices: forward, input gradient, gradient of what is trained, recomputation."""
    return (
        FLOP_PER_MULTIPLY_ADD
        * kernel_active_weights
        * (rank_tokens_per_step / ONE_TOKEN)
        * (TWO + trainable_share + recompute_share)
    )


@figure("Q_W", family=True)
def layer_weight_traffic(
    kernel_weights: Count, gradient_accumulation_steps: Count, activation_element_bytes: Bytes
) -> Bytes:
    """Weights of a kernel, read once for every micro-batch in the type they are multiplied in.  Source: counting."""
    return kernel_weights * gradient_accumulation_steps * activation_element_bytes


@figure("Q_x", family=True)
def layer_input_traffic(kernel_inputs: Count, rank_tokens_per_step: Tokens, activation_element_bytes: Bytes) -> Bytes:
    """Inputs of a kernel, read once.  Source: counting."""
    return kernel_inputs * (rank_tokens_per_step / ONE_TOKEN) * activation_element_bytes


@figure("Q_y", family=True)
def layer_output_traffic(kernel_outputs: Count, rank_tokens_per_step: Tokens, activation_element_bytes: Bytes) -> Bytes:
    """Outputs of a kernel, written once.  Source: counting."""
    return kernel_outputs * (rank_tokens_per_step / ONE_TOKEN) * activation_element_bytes


@figure("Q_l", family=True, source="counting")
def layer_matmul_load_bytes(
    weight_traffic: Bytes, input_traffic: Bytes, output_traffic: Bytes, trainable_share: Share, recompute_share: Share
) -> Bytes:
    """Loads of forward (input, weight), input gradient (output gradient, weight), weight gradient (both), recompute."""
    return (
        (TWO + recompute_share) * weight_traffic
        + (1 + trainable_share + recompute_share) * input_traffic
        + (1 + trainable_share) * output_traffic
    )


@figure("Q_s", family=True)
def layer_matmul_store_bytes(
    weight_traffic: Bytes, input_traffic: Bytes, output_traffic: Bytes, trainable_share: Share, recompute_share: Share
) -> Bytes:
    """Stores of forward (output), input gradient, weight gradient, recomputation.  Source: counting."""
    return trainable_share * weight_traffic + input_traffic + (1 + recompute_share) * output_traffic


@figure("W_sdp")
def attention_flop(
    rank_tokens_per_step: Tokens,
    attended_tokens: Tokens,
    query_size: Count,
    value_size: Count,
    tensor_parallel_size: Count,
    recompute_share: Share,
) -> Flop:
    """Scores and weighted values, forward and backward.  Source: arXiv:2307.08691 (FlashAttention-2), section 4.1."""
    return (
        FLOP_PER_MULTIPLY_ADD
        * (rank_tokens_per_step / ONE_TOKEN)
        * (attended_tokens / ONE_TOKEN)
        * ((query_size + value_size) / tensor_parallel_size)
        * (TRAINING_PASSES + recompute_share)
    )


@figure("Q_latt")
def attention_load_bytes(
    attention_input_traffic: Bytes,
    attention_output_traffic: Bytes,
    score_values: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
) -> Bytes:
    """Query, key, value, output and its gradient; and the scores where they are stored.  Source: counting."""
    return (
        (TWO + recompute_share) * attention_input_traffic
        + TWO * attention_output_traffic
        + (TRAINING_PASSES + recompute_share + 1) * score_values * activation_element_bytes
    )


@figure("Q_satt")
def attention_store_bytes(
    attention_input_traffic: Bytes,
    attention_output_traffic: Bytes,
    score_values: Count,
    activation_element_bytes: Bytes,
    recompute_share: Share,
) -> Bytes:
    """Output, gradients of query, key and value; and the scores where they are stored.  Source: counting."""
    return (
        attention_input_traffic
        + (1 + recompute_share) * attention_output_traffic
        + (TWO + recompute_share) * score_values * activation_element_bytes
    )


@figure("W_sm")
def softmax_flop(score_values: Count, recompute_share: Share) -> Flop:
    """Softmax as a kernel of its own; none with flash attention.  Source: 004 'Mental Model: The Roofline'."""
    return SOFTMAX_FLOP * score_values * (TWO + recompute_share)


@figure("Q_lsm")
def softmax_load_bytes(score_values: Count, activation_element_bytes: Bytes, recompute_share: Share) -> Bytes:
    """Scores, then probabilities and their gradient.  Source: counting."""
    return (TRAINING_PASSES + recompute_share) * score_values * activation_element_bytes


@figure("Q_ssm")
def softmax_store_bytes(score_values: Count, activation_element_bytes: Bytes, recompute_share: Share) -> Bytes:
    """Probabilities, then the gradient of the scores.  Source: counting."""
    return (TWO + recompute_share) * score_values * activation_element_bytes


@figure("W_n")
def norm_flop(rank_norm_values: Count, rank_tokens_per_step: Tokens, recompute_share: Share) -> Flop:
    """Norms, forward and backward.  Source: 004 'Mental Model: The Roofline'."""
    return NORM_FLOP * rank_norm_values * (rank_tokens_per_step / ONE_TOKEN) * (TRAINING_PASSES + recompute_share)


@figure("Q_ln")
def norm_load_bytes(norm_input_traffic: Bytes, recompute_share: Share) -> Bytes:
    """Input, then input again and the output's gradient.  Source: counting."""
    return (TRAINING_PASSES + recompute_share) * norm_input_traffic


@figure("Q_sn")
def norm_store_bytes(norm_input_traffic: Bytes, recompute_share: Share) -> Bytes:
    """Output, then the input's gradient.  Source: counting."""
    return (TWO + recompute_share) * norm_input_traffic


@figure("W_pw")
def pointwise_flop(rank_pointwise_outputs: Count, rank_tokens_per_step: Tokens, recompute_share: Share) -> Flop:
    """Residual sums, rotations and activations, forward and backward.  Source: 004 'Mental Model: The Roofline'."""
    return (
        ELEMENTWISE_FLOP
        * rank_pointwise_outputs
        * (rank_tokens_per_step / ONE_TOKEN)
        * (TRAINING_PASSES + recompute_share)
    )


@figure("Q_lpw")
def pointwise_load_bytes(
    pointwise_input_traffic: Bytes, pointwise_output_traffic: Bytes, recompute_share: Share
) -> Bytes:
    """Inputs, then inputs again and the outputs' gradients.  Source: counting."""
    return (TWO + recompute_share) * pointwise_input_traffic + pointwise_output_traffic


@figure("Q_spw")
def pointwise_store_bytes(
    pointwise_input_traffic: Bytes, pointwise_output_traffic: Bytes, recompute_share: Share
) -> Bytes:
    """Outputs, then the inputs' gradients.  Source: counting."""
    return (1 + recompute_share) * pointwise_output_traffic + pointwise_input_traffic


@figure("W_e")
def embedding_flop(rank_tokens_per_step: Tokens, hidden_size: Count) -> Flop:
    """Sums of the embedding's gradient.  Source: 001 'Compute vs Memory Bound Regimes'."""
    return ELEMENTWISE_FLOP * (rank_tokens_per_step / ONE_TOKEN) * hidden_size


@figure("Q_le")
def embedding_load_bytes(rank_tokens_per_step: Tokens, hidden_size: Count, activation_element_bytes: Bytes) -> Bytes:
    """One row per token, forward; the output's gradient, backward.  Source: counting."""
    return TWO * (rank_tokens_per_step / ONE_TOKEN) * hidden_size * activation_element_bytes


@figure("Q_se")
def embedding_store_bytes(rank_tokens_per_step: Tokens, hidden_size: Count, activation_element_bytes: Bytes) -> Bytes:
    """One row per token, forward; the row's gradient, backward.  Source: counting."""
    return TWO * (rank_tokens_per_step / ONE_TOKEN) * hidden_size * activation_element_bytes


@figure("W_head")
def head_flop(head_weights: Count, rank_tokens_per_step: Tokens, trainable_share: Share) -> Flop:
    """The head, forward and backward; checkpointing does not recompute it.  Source: arXiv:2001.08361, section 2.1."""
    return FLOP_PER_MULTIPLY_ADD * head_weights * (rank_tokens_per_step / ONE_TOKEN) * (TWO + trainable_share)


@figure("Q_lh")
def head_load_bytes(
    head_weight_traffic: Bytes, head_input_traffic: Bytes, head_output_traffic: Bytes, trainable_share: Share
) -> Bytes:
    """Hidden states and weights, forward and backward.  Source: counting."""
    return TWO * head_weight_traffic + (1 + trainable_share) * (head_input_traffic + head_output_traffic)


@figure("Q_sh")
def head_store_bytes(
    head_weight_traffic: Bytes, head_input_traffic: Bytes, head_output_traffic: Bytes, trainable_share: Share
) -> Bytes:
    """Logits and gradients.  Source: counting."""
    return trainable_share * head_weight_traffic + head_input_traffic + head_output_traffic


@figure("P_upd", source="arXiv:1910.02054, section 5; arXiv:2101.06840")
def updated_parameters(rank_trainable_parameters: Count, optimizer_shards: Count, optimizer_offloaded: Switch) -> Count:
    """Parameters that this GPU's optimizer step updates; none where the host does it."""
    return rank_trainable_parameters / optimizer_shards * (1 - optimizer_offloaded)


@figure("W_opt")
def optimizer_step_flop(updated_parameters: Count) -> Flop:
    """Work of the optimizer step.  Source: arXiv:1412.6980 (Adam), algorithm 1."""
    return OPTIMIZER_FLOP * updated_parameters


@figure("Q_lopt")
def optimizer_step_load_bytes(
    optimizer_state_bytes: Bytes,
    master_weight_bytes: Bytes,
    updated_parameters: Count,
    trained_gradient_element_bytes: Bytes,
    weight_element_bytes: Bytes,
) -> Bytes:
    """States, gradients, and the master copy or else the weights.  Source: 000 'Compute vs Memory Bound Regimes'."""
    return (
        optimizer_state_bytes
        + updated_parameters * trained_gradient_element_bytes
        + where(master_weight_bytes > 0, master_weight_bytes, updated_parameters * weight_element_bytes)
    )


@figure("Q_sopt")
def optimizer_step_store_bytes(
    optimizer_state_bytes: Bytes, master_weight_bytes: Bytes, updated_parameters: Count, weight_element_bytes: Bytes
) -> Bytes:
    """States, master copy and weights.  Source: 000 'Compute vs Memory Bound Regimes'."""
    return optimizer_state_bytes + master_weight_bytes + updated_parameters * weight_element_bytes


def _traffic(name: str, weights: str, inputs: str, outputs: str) -> tuple[Line, ...]:
    """Lines `<name>_weight_traffic`, ... for the shapes that are given; an empty name leaves a line out."""
    families = (
        ("weight", layer_weight_traffic, weights),
        ("input", layer_input_traffic, inputs),
        ("output", layer_output_traffic, outputs),
    )
    return tuple(
        bound_line(f"{name}_{kind}_traffic", family, {f"kernel_{shape}": reads})
        for (kind, family, reads), shape in zip(families, ("weights", "inputs", "outputs"), strict=True)
        if reads
    )


def _matmul(name: str, title: str, active: str = "") -> Kernel:
    """A matrix kernel of the layers, from its shapes `<name>_weights`, `_inputs` and `_outputs`."""
    bound = {"kernel_active_weights": active or f"{name}_weights"}
    bound |= {f"{kind}_traffic": f"{name}_{kind}_traffic" for kind in ("weight", "input", "output")}
    families = {
        f"{name}_flop": layer_matmul_flop,
        f"{name}_load_bytes": layer_matmul_load_bytes,
        f"{name}_store_bytes": layer_matmul_store_bytes,
    }
    own = tuple(bound_line(line, family, bound) for line, family in families.items())
    return kernel(name, title, (*_traffic(name, f"{name}_weights", f"{name}_inputs", f"{name}_outputs"), *own))


TRAINING_KERNELS = (
    _matmul("qkv_projection", "query, key and value projections"),
    kernel(
        "attention",
        "attention scores and values",
        _traffic("attention", "", "qkv_projection_outputs", "output_projection_inputs"),
    ),
    kernel("softmax", "softmax (unfused attention only)"),
    _matmul("output_projection", "output projection of attention"),
    _matmul("mlp", "MLP matrices", "active_mlp_weights"),
    kernel("norm", "norms", _traffic("norm", "", "rank_norm_values", "")),
    kernel(
        "pointwise",
        "residual sums, rotations, activations",
        _traffic("pointwise", "", "rank_pointwise_inputs", "rank_pointwise_outputs"),
    ),
    kernel("embedding", "embedding"),
    kernel("head", "output head", _traffic("head", "head_weights", "hidden_size", "head_outputs")),
    kernel("optimizer_step", "optimizer step"),
)
