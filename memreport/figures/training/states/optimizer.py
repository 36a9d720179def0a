"""Optimizer states, master weights, and what of them lives on the host."""

from memreport.figures.constants import EIGHT, FOUR, FP32_BYTES, PRECONDITIONED_SIDE, TWO
from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("o_off", source="arXiv:2101.06840 (ZeRO-Offload); arXiv:2305.14314, section 3 (paged optimizers)")
def optimizer_off_device(optimizer_offloaded: Switch, optimizer_paged: Switch) -> Switch:
    """1 where the states live in host memory: offloaded, or paged out when room is short."""
    return larger(optimizer_offloaded, optimizer_paged)


@figure("b_m", source="arXiv:2110.02861 (8-bit optimizers); PyTorch `torch.optim.AdamW`")
def moment_bytes_each(
    optimizer_moment_element_bytes: Bytes,
    trains_base: Switch,
    moment_element_bytes: Bytes,
    trains_adapters: Switch,
    beside_element_bytes: Bytes,
) -> Bytes:
    """Bytes of one moment of one parameter: the optimizer's own width, else that of the policy or adapter."""
    return where(
        optimizer_moment_element_bytes > 0,
        optimizer_moment_element_bytes,
        trains_base * moment_element_bytes + trains_adapters * beside_element_bytes,
    )


@figure("n_fac", source="arXiv:1804.04235 (Adafactor), section 3")
def factored_elements(
    attention_layers: Count,
    hidden_size: Count,
    query_size: Count,
    key_value_size: Count,
    mlp_matrices: Count,
    dense_layers: Count,
    intermediate_size: Count,
) -> Count:
    """Row and column statistics of a factored second moment, over the layers' matrices."""
    return attention_layers * (
        hidden_size + query_size + hidden_size + key_value_size
        + hidden_size + key_value_size + query_size + hidden_size
    ) + dense_layers * mlp_matrices * (hidden_size + intermediate_size)  # fmt: skip


@figure("M_oemb", source="transformers 5.23, trainer.py `create_optimizer`; bitsandbytes 0.50, `GlobalOptimManager`")
def wide_embedding_state_bytes(
    trains_edges: Switch,
    optimizer_blockwise: Switch,
    widens_embedding_moments: Switch,
    optimizer_shards: Count,
    optimizer_moments: Count,
    moment_bytes_each: Bytes,
    embedding_parameters: Count,
    position_parameters: Count,
) -> Bytes:
    """What FP32 moments of the embeddings take beyond 8-bit ones, where no shards hide which parameters they are."""
    return (
        trains_edges * optimizer_blockwise * widens_embedding_moments * (optimizer_shards <= 1)
        * optimizer_moments * (FP32_BYTES - moment_bytes_each) * (embedding_parameters + position_parameters)
    )  # fmt: skip


@figure("M_ofull")
def whole_optimizer_state_bytes(
    rank_trainable_parameters: Count,
    optimizer_moments: Count,
    moment_bytes_each: Bytes,
    optimizer_factored: Count,
    factored_elements: Count,
    rank_share: Share,
    other_state_elements: Count,
    preconditioner_elements: Count,
    wide_embedding_state_bytes: Bytes,
    importance_bytes: Bytes,
) -> Bytes:
    """Optimizer states of one GPU's parameters before ZeRO cuts them.  Source: 003 'The Memory Budget'."""
    return (rank_trainable_parameters * optimizer_moments + other_state_elements * rank_share) * moment_bytes_each + (
        (optimizer_factored * factored_elements + preconditioner_elements) * FP32_BYTES
        + wide_embedding_state_bytes
        + importance_bytes
    ) * rank_share


@figure("w_low")
def low_rank_mlp_widths(
    dense_layers: Count,
    hidden_size: Count,
    intermediate_size: Count,
    mixture_layers: Count,
    num_local_experts: Count,
    moe_intermediate_size: Count,
) -> Count:
    """Of a matrix of each MLP and expert twice the longer side and the shorter.  Source: arXiv:2403.03507."""
    return dense_layers * (
        TWO * larger(hidden_size, intermediate_size) + smaller(hidden_size, intermediate_size)
    ) + mixture_layers * num_local_experts * (
        TWO * larger(hidden_size, moe_intermediate_size) + smaller(hidden_size, moe_intermediate_size)
    )


@figure(
    "n_low", source="arXiv:2403.03507, section 3; the hidden size is taken as the longer side of attention's matrices"
)
def low_rank_elements(
    galore_rank: Count,
    hidden_size: Count,
    attention_widths: Count,
    attention_layers: Count,
    mlp_matrices: Count,
    low_rank_mlp_widths: Count,
) -> Count:
    """Two moments of r by the longer side and a projection of r by the shorter one, over the layers' matrices."""
    return galore_rank * (
        attention_layers * (EIGHT * hidden_size + attention_widths) + mlp_matrices * low_rank_mlp_widths
    )


@figure("D_4")
def attention_widths(query_size: Count, key_value_size: Count, value_size: Count) -> Count:
    """Widths of query, key, value and attention's output together.  Source: HF modelling code."""
    return query_size + TWO * key_value_size + value_size


@figure("n_oth", source="Muon and GaLore: AdamW for what is no matrix of a layer")
def other_state_elements(
    trains_base: Switch,
    trains_edges: Switch,
    optimizer_edge_moments: Count,
    optimizer_moments: Count,
    parameters: Count,
    stored_matrix_parameters: Count,
    optimizer_low_rank: Switch,
    low_rank_elements: Count,
) -> Count:
    """What embeddings, norms and head keep beyond the layers' matrices, and moments of low rank."""
    return trains_edges * (optimizer_edge_moments - optimizer_moments) * (
        parameters - stored_matrix_parameters
    ) + trains_base * where(optimizer_low_rank > 0, low_rank_elements, 0)


@figure("n_side", source="arXiv:2409.11321, section 4")
def preconditioned_sides(hidden_size: Count, query_size: Count, key_value_size: Count, value_size: Count) -> Count:
    """Elements of the square matrices of attention's four matrices of a layer, for one copy."""
    return (
        FOUR * hidden_size * hidden_size * (hidden_size <= PRECONDITIONED_SIDE)
        + query_size * query_size + TWO * key_value_size * key_value_size + value_size * value_size
    )  # fmt: skip


@figure("n_pre")
def preconditioner_elements(
    trains_base: Switch,
    optimizer_preconditioners: Count,
    attention_layers: Count,
    preconditioned_sides: Count,
    dense_layers: Count,
    mlp_matrices: Count,
    preconditioned_mlp_sides: Count,
) -> Count:
    """Square matrices of SOAP or Shampoo over all dense layers.  Source: arXiv:2409.11321, section 4."""
    return trains_base * where(
        optimizer_preconditioners > 0,
        optimizer_preconditioners
        * (attention_layers * preconditioned_sides + dense_layers * mlp_matrices * preconditioned_mlp_sides),
        0,
    )


@figure("n_sidm")
def preconditioned_mlp_sides(hidden_size: Count, intermediate_size: Count) -> Count:
    """The same of one matrix of an MLP; a side that is too long has none.  Source: arXiv:2409.11321, section 4."""
    return (
        hidden_size * hidden_size * (hidden_size <= PRECONDITIONED_SIDE)
        + intermediate_size * intermediate_size * (intermediate_size <= PRECONDITIONED_SIDE)
    )  # fmt: skip


@figure("M_o", title="Optimizer states", shown=("main",))
def optimizer_state_bytes(
    whole_optimizer_state_bytes: Bytes, optimizer_shards: Count, optimizer_off_device: Switch
) -> Bytes:
    """Optimizer states that stay on one GPU.  Source: arXiv:1910.02054, section 5."""
    return whole_optimizer_state_bytes / optimizer_shards * (1 - optimizer_off_device)


@figure("M_mfull")
def whole_master_weight_bytes(
    trains_base: Switch, rank_trainable_parameters: Count, master_element_bytes: Bytes,
    optimizer_estimates_gradients: Switch,
) -> Bytes:  # fmt: skip
    """FP32 copy of one GPU's parameters before ZeRO cuts it.  Source: arXiv:1710.03740, section 3.1."""
    return trains_base * (1 - optimizer_estimates_gradients) * rank_trainable_parameters * master_element_bytes


@figure("M_m", title="Master weights", shown=("main",))
def master_weight_bytes(
    whole_master_weight_bytes: Bytes, optimizer_shards: Count, optimizer_offloaded: Switch
) -> Bytes:
    """Master copy of the weights that stays on one GPU.  Source: arXiv:1910.02054, section 5."""
    return whole_master_weight_bytes / optimizer_shards * (1 - optimizer_offloaded)


@figure("M_state")
def model_state_bytes(
    weight_bytes: Bytes, master_weight_bytes: Bytes, gradient_bytes: Bytes, optimizer_state_bytes: Bytes
) -> Bytes:
    """Weights, master copy, gradients and optimizer states on one GPU.  Source: arXiv:1910.02054, section 3."""
    return weight_bytes + master_weight_bytes + gradient_bytes + optimizer_state_bytes


@figure("M_save", title="Checkpoint on disk, optimizer states included")
def saved_checkpoint_bytes(
    trains_base: Switch,
    model_weight_bytes: Bytes,
    adapter_bytes: Bytes,
    saved_module_bytes: Bytes,
    whole_optimizer_state_bytes: Bytes,
    whole_master_weight_bytes: Bytes,
    rank_share: Share,
) -> Bytes:
    """What is written to go on from: trained weights, master copy, optimizer states.  Source: arXiv:2211.05100, 3.5."""
    return (
        trains_base * model_weight_bytes + adapter_bytes + saved_module_bytes
        + (whole_optimizer_state_bytes + whole_master_weight_bytes) / rank_share
    )  # fmt: skip


@figure("b_step")
def step_element_bytes(
    trains_base: Switch,
    master_element_bytes: Bytes,
    weight_element_bytes: Bytes,
    trains_adapters: Switch,
    beside_element_bytes: Bytes,
) -> Bytes:
    """Width of the parameters that the optimizer updates.  Source: PyTorch `torch.optim.AdamW`."""
    return (
        trains_base * where(master_element_bytes > 0, master_element_bytes, weight_element_bytes)
        + trains_adapters * beside_element_bytes
    )


@figure("M_step", source="PyTorch `torch.optim.AdamW`, counted with torch 2.13; Megatron-LM, distributed optimizer")
def optimizer_step_bytes(
    rank_trainable_parameters: Count, step_element_bytes: Bytes, optimizer_step_copies: Count,
    loop_step_share: Share, optimizer_has_foreach: Switch, optimizer_shards: Count, optimizer_offloaded: Switch,
    optimizer_in_backward: Switch, cast_gradient_element_bytes: Bytes, perturbation_bytes: Bytes,
) -> Bytes:  # fmt: skip
    """Temporaries of the optimizer step: one more copy of all trained parameters for `foreach`, none for `fused`."""
    return (
        rank_trainable_parameters
        * (
            step_element_bytes * optimizer_has_foreach
            * (optimizer_step_copies + loop_step_share)
            + cast_gradient_element_bytes
        )
        / optimizer_shards * (1 - optimizer_offloaded) * (1 - optimizer_in_backward)
        + perturbation_bytes
    )  # fmt: skip


@figure("b_gc")
def cast_gradient_element_bytes(
    casts_gradients: Switch, master_element_bytes: Bytes, trained_gradient_element_bytes: Bytes
) -> Bytes:
    """FP32 copy of a narrower gradient, for the step on the master copy.

    Source: Megatron-LM docs, distributed optimizer: 20 bytes a parameter with FP16 gradients, 18 with FP32 ones.
    """
    return casts_gradients * (trained_gradient_element_bytes < master_element_bytes) * master_element_bytes


@figure("f_lt", source="PyTorch `_single_tensor_adamw`; torch 2.13, counted")
def loop_step_share(
    trains_base: Switch,
    optimizer_step_largest: Count,
    largest_gradient_share: Share,
    dense_layers: Count,
    intermediate_size: Count,
    hidden_size: Count,
    parameters: Count,
) -> Share:
    """Over what is trained, what a step of one tensor at a time holds: its second moment's root, and that corrected."""
    return trains_base * larger(
        optimizer_step_largest * largest_gradient_share,
        (optimizer_step_largest > 0) * (optimizer_step_largest + 1)
        * (dense_layers > 0) * intermediate_size * hidden_size / parameters,
    )  # fmt: skip
