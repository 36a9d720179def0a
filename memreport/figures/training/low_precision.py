"""What training with FP8 products keeps in FP8: inputs for the backward pass, copies of weights, gathered weights."""

from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("b_q8", source="Transformer Engine `_Linear.forward`, columnwise copy; torchao `matmul_with_hp_or_float8_args`")
def fp8_kept_element_bytes(computes_in_fp8: Switch, fp8_input_element_bytes: Bytes) -> Bytes:
    """Width of the FP8 copy of its input that a matrix keeps; 0 where the input is kept as it comes."""
    return computes_in_fp8 * fp8_input_element_bytes


@figure("b_lin")
def linear_input_element_bytes(fp8_kept_element_bytes: Bytes, activation_element_bytes: Bytes) -> Bytes:
    """Width in which a matrix keeps its input.  Source: Transformer Engine `_Linear.forward`."""
    return where(fp8_kept_element_bytes > 0, fp8_kept_element_bytes, activation_element_bytes)


@figure("b_dow8")
def fp8_down_input_bytes(keeps_linear_inputs: Switch, fp8_kept_element_bytes: Bytes) -> Bytes:
    """FP8 copy of the down projection's input, per unit of the MLP's width.  Source: Transformer Engine, `fc2`."""
    return keeps_linear_inputs * fp8_kept_element_bytes


@figure("o_p8")
def primary_fp8_weights(fp8_param_gather: Switch, computes_in_fp8: Switch, fp8_weight_copies: Count) -> Switch:
    """1 where the layers' matrices are held in FP8 and in no 16-bit type.  Source: Megatron-LM `fp8_param_gather`."""
    return fp8_param_gather * computes_in_fp8 * (fp8_weight_copies > 0)


@figure("b_gly", source="torchao `enable_fsdp_float8_all_gather`, `WeightWithDynamicFloat8CastTensor`")
def gathered_layer_element_bytes(
    enable_fsdp_float8_all_gather: Switch,
    computes_in_fp8: Switch,
    fp8_weight_element_bytes: Bytes,
    gathered_weight_element_bytes: Bytes,
) -> Bytes:
    """Width of a layer's weight while it is gathered, norms taken with the matrices."""
    return where(
        enable_fsdp_float8_all_gather * computes_in_fp8 > 0, fp8_weight_element_bytes, gathered_weight_element_bytes
    )


@figure("n_w8")
def extra_weight_copies(computes_in_fp8: Switch, fp8_weight_copies: Count, primary_fp8_weights: Switch) -> Count:
    """FP8 copies beside the weights themselves.  Source: Transformer Engine, `_fp8_workspaces`, update_usage."""
    return computes_in_fp8 * larger(fp8_weight_copies - primary_fp8_weights, 0)


@figure("f_rm")
def rank_matrix_share(
    rank_share: Share, parameters: Count, stage_parameters: Count, edge_parameters: Count, inner_parameters: Count
) -> Share:
    """Share of the layers' matrices on one GPU: its stage without embedding and head.  Source: division."""
    return (
        rank_share * parameters / stage_parameters * larger(stage_parameters - edge_parameters, 0) / inner_parameters
    )  # fmt: skip


@figure("M_w8")
def fp8_weight_copy_bytes(
    extra_weight_copies: Count,
    fp8_weight_element_bytes: Bytes,
    stored_matrix_parameters: Count,
    rank_matrix_share: Share,
    shards_parameters: Switch,
    held_layers: Count,
) -> Bytes:
    """FP8 copies of the matrices' weights, row by row and transposed; of the layer at work where weights are sharded.

    Source: Transformer Engine, cached while micro-batches share them; FSDP2 caches none.
    """
    return (
        extra_weight_copies * fp8_weight_element_bytes * stored_matrix_parameters * rank_matrix_share
        / where(shards_parameters > 0, held_layers, 1)
    )  # fmt: skip


@figure("a_o8", source="Transformer Engine `_Linear.forward`; FlashAttention saves its output")
def fp8_output_input_bytes(keeps_linear_inputs: Switch, value_size: Count, fp8_kept_element_bytes: Bytes) -> Bytes:
    """FP8 copy of the output projection's input, which fused attention keeps in 16 bit beside."""
    return keeps_linear_inputs * value_size * fp8_kept_element_bytes
