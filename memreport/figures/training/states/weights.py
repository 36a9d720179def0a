"""Weights and gradients of a training job."""

from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("b_mat", source="arXiv:2305.14314, section 3; Megatron-LM `fp8_param_gather`")
def matrix_element_bytes(
    base_quantised: Switch,
    base_weight_element_bytes: Bytes,
    primary_fp8_weights: Switch,
    fp8_weight_element_bytes: Bytes,
    weight_element_bytes: Bytes,
) -> Bytes:
    """Bytes per weight of the layers' matrices: quantised under QLoRA, or FP8 as they are trained."""
    return where(
        base_quantised > 0,
        base_weight_element_bytes,
        primary_fp8_weights * fp8_weight_element_bytes + (1 - primary_fp8_weights) * weight_element_bytes,
    )


@figure("o_wrs", source="PEFT `prepare_model_for_kbit_training`")
def widens_rest(
    base_quantised: Switch, base_casts_rest: Switch, shards_parameters: Switch, prepares_base: Switch, autocast: Switch
) -> Switch:
    """1 where embedding and head of a quantised base have the width of the precision's weights."""
    return base_quantised * base_casts_rest * autocast * (1 - shards_parameters) * prepares_base


@figure("b_oth")
def other_weight_element_bytes(
    base_quantised: Switch, widens_rest: Switch, base_other_element_bytes: Bytes, weight_element_bytes: Bytes
) -> Bytes:
    """Bytes per weight of embeddings, norms and head, which stay unquantised.  Source: arXiv:2305.14314, section 3."""
    return where(base_quantised * (1 - widens_rest) > 0, base_other_element_bytes, weight_element_bytes)


@figure(
    "P_mt", basis="rule of thumb", source="transformers 5.24 `get_keys_to_not_convert`; nine models on the meta device"
)
def matrix_type_parameters(
    stored_matrix_parameters: Count, nominal_factor: Count, base_quantised: Switch, tower_parameters: Count
) -> Count:
    """Weights in the type of matrices: the layers', under QLoRA those of towers too, 96 to 99.8 % of a tower."""
    return stored_matrix_parameters * nominal_factor + base_quantised * tower_parameters


@figure("M_model")
def model_weight_bytes(
    matrix_type_parameters: Count,
    matrix_element_bytes: Bytes,
    parameters: Count,
    other_weight_element_bytes: Bytes,
    quantises_head: Switch,
    has_own_head: Switch,
    head_matrix_parameters: Count,
) -> Bytes:
    """Weights of the whole model, before any cutting.  Source: 003 'The Memory Budget', weights."""
    return (
        matrix_type_parameters * matrix_element_bytes
        + (parameters - matrix_type_parameters) * other_weight_element_bytes
        + quantises_head * has_own_head * head_matrix_parameters
        * (matrix_element_bytes - other_weight_element_bytes)
    )  # fmt: skip


@figure("M_qc", source="bitsandbytes `Params4bit.quant_state`; AnswerDotAI/fsdp_qlora, pull request 4")
def quantisation_constant_bytes(
    base_quantised: Switch, matrix_type_parameters: Count, base_constant_bytes: Bytes
) -> Bytes:
    """Constants of 4-bit layers, which no parameter holds, so that sharding leaves them whole on every rank."""
    return base_quantised * matrix_type_parameters * base_constant_bytes


@figure("M_hpz")
def secondary_weight_bytes(
    shards_parameters: Switch, zero_hpz_partition_size: Count, model_weight_bytes: Bytes, rank_share: Share
) -> Bytes:
    """A GPU's share of the second copy of the weights in its node.  Source: arXiv:2306.10209 (ZeRO++), section 3.2."""
    return where(
        zero_hpz_partition_size > 0,
        shards_parameters * model_weight_bytes * rank_share / larger(zero_hpz_partition_size, 1),
        0,
    )


@figure("M_w", title="Weights", shown=("main",))
def weight_bytes(
    model_weight_bytes: Bytes,
    adapter_bytes: Bytes,
    saved_module_bytes: Bytes,
    quantisation_constant_bytes: Bytes,
    rank_share: Share,
    parameter_shards: Count,
    parameters_offloaded: Switch,
    secondary_weight_bytes: Bytes,
    edge_width_surplus_bytes: Bytes,
) -> Bytes:
    """Weights that stay on one GPU, adapters included.  Source: arXiv:1910.02054, section 5."""
    return (
        (
            (
                model_weight_bytes + adapter_bytes + saved_module_bytes
                + quantisation_constant_bytes * (parameter_shards - 1)
            )
            * rank_share
            + edge_width_surplus_bytes
        )
        / parameter_shards * (1 - parameters_offloaded)
        + secondary_weight_bytes
    )  # fmt: skip


@figure("M_wes", source="arXiv:2412.19437, section 3.3.1: embedding and head stay in 16 bit")
def edge_width_surplus_bytes(
    stored_matrix_parameters: Count,
    rank_share: Share,
    rank_matrix_share: Share,
    other_weight_element_bytes: Bytes,
    matrix_element_bytes: Bytes,
) -> Bytes:
    """What a stage with embedding or head holds beyond its share, as these are wider than matrices; nothing in one."""
    return (
        stored_matrix_parameters
        * (rank_share - rank_matrix_share)
        * (other_weight_element_bytes - matrix_element_bytes)
    )  # fmt: skip


@figure("P_trr")
def rank_trainable_parameters(trainable_parameters: Count, rank_share: Share) -> Count:
    """Trainable parameters that one GPU works with, before ZeRO.  Source: arXiv:1909.08053, section 3."""
    return trainable_parameters * rank_share


@figure("b_g")
def trained_gradient_element_bytes(
    trains_base: Switch, gradient_element_bytes: Bytes, trains_adapters: Switch, beside_element_bytes: Bytes
) -> Bytes:
    """Bytes per gradient: the policy's for the base, the adapter's own for adapters.  Source: PEFT documentation."""
    return trains_base * gradient_element_bytes + trains_adapters * beside_element_bytes


@figure("M_gfull")
def whole_gradient_bytes(
    rank_trainable_parameters: Count, trained_gradient_element_bytes: Bytes, optimizer_estimates_gradients: Switch
) -> Bytes:
    """Gradients of one GPU's parameters before ZeRO cuts them.  Source: 003 'The Memory Budget', gradients."""
    return rank_trainable_parameters * trained_gradient_element_bytes * (1 - optimizer_estimates_gradients)


@figure("M_g", title="Gradients", shown=("main",))
def gradient_bytes(
    whole_gradient_bytes: Bytes,
    gradient_shards: Count,
    optimizer_offloaded: Switch,
    shards_gradients: Switch,
    optimizer_in_backward: Switch,
    largest_gradient_share: Share,
) -> Bytes:
    """Gradients that stay on one GPU; where they are cut and the host updates, they wait in its memory.

    Source: arXiv:1910.02054, section 5; arXiv:2101.06840, section 3; DeepSpeed `stage3.py`, flat buffer.
    """
    # Where each is used at once, the largest of them.
    return (
        whole_gradient_bytes / gradient_shards * (1 - optimizer_offloaded * shards_gradients)
        * where(optimizer_in_backward > 0, largest_gradient_share, 1)
    )  # fmt: skip


@figure("f_lg", source="torchtune `optimizer_in_bwd`: a hook on each parameter; HF `MixtralExperts`")
def largest_gradient_share(
    vocab_size: Count,
    dense_layers: Count,
    intermediate_size: Count,
    fused_gate_up: Switch,
    num_local_experts: Count,
    moe_intermediate_size: Count,
    gated_mlp: Switch,
    experts_in_turn: Switch,
    hidden_size: Count,
    parameters: Count,
) -> Share:
    """Largest matrix over all parameters; the first one of all experts of a layer lies in one tensor."""
    return (
        larger(
            vocab_size,
            (dense_layers > 0) * intermediate_size * (1 + fused_gate_up),
            num_local_experts * moe_intermediate_size * (1 + gated_mlp) * (1 - experts_in_turn),
        )
        * hidden_size
        / parameters
    )


@figure("M_ga")
def carried_gradient_bytes(
    gradient_bytes: Bytes, gradient_accumulation_steps: Count, keeps_gradients: Switch, unreduced_gradient_bytes: Bytes
) -> Bytes:
    """Gradients that already exist when a forward pass begins: with accumulation, or in a fixed buffer.

    None where whole ones wait to be reduced.
    Source: PyTorch `zero_grad(set_to_none=True)`; Megatron-LM's gradient buffer.
    """
    return gradient_bytes * (gradient_accumulation_steps + keeps_gradients > 1) * (unreduced_gradient_bytes <= 0)
