"""Computed seconds of the matrix products of a training step on one GPU, grouped ones of experts included.

A product takes its arithmetic at the rate that large products reach, longer where its tiles do not fill the
multiprocessors or are not deep, or its traffic.  Rates are what was measured on the GPU, or on its architecture.
"""

from memreport.figures.constants import FLOP_PER_MULTIPLY_ADD, ONE_TOKEN, TWO
from memreport.figures.constants.times import GROUPED_TILE, MOST_WAVE_LOSS, TILE
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Flop, FlopPerSecond, Seconds, Share, Tokens
from memreport.figures.time.reached import soft_maximum
from memreport.formula.recording import Figure, Line, bound_line, figure
from memreport.formula.words import ceil, larger, smaller, where

RATE = "sustained_flop_per_second"
"""The line of the rate of plain products."""
WORK, TRAFFIC = "product_work_seconds", "product_traffic_seconds"


@figure("N_qkv")
def qkv_columns(query_size: Count, key_value_width: Count, tensor_parallel_size: Count) -> Count:
    """Columns of the joint query, key and value projection on one GPU.  Source: HF modelling code."""
    return query_size / tensor_parallel_size + key_value_width


@figure("N_mlp")
def mlp_columns(intermediate_size: Count, tensor_parallel_size: Count) -> Count:
    """Columns of the MLP's first matrix on one GPU.  Source: HF modelling code."""
    return intermediate_size / tensor_parallel_size


@figure("N_o")
def output_columns(value_size: Count, tensor_parallel_size: Count) -> Count:
    """Rows of attention's output matrix on one GPU.  Source: HF modelling code."""
    return value_size / tensor_parallel_size


@figure("N_x")
def expert_columns(moe_intermediate_size: Count, expert_cut_size: Count) -> Count:
    """Columns of an expert's first matrix on one GPU.  Source: HF modelling code."""
    return moe_intermediate_size / expert_cut_size


@figure("W_x1")
def routed_weights(
    mixture_layers: Count,
    mlp_matrices: Count,
    hidden_size: Count,
    moe_intermediate_size: Count,
    num_local_experts: Count,
    expert_parallel_size: Count,
    stage_share: Share,
    expert_cut_size: Count,
) -> Count:
    """Matrices of the routed experts that one GPU holds.  Source: arXiv:2006.16668."""
    return (
        mixture_layers
        * mlp_matrices
        * hidden_size
        * moe_intermediate_size
        * num_local_experts
        / expert_parallel_size
        * stage_share
        / expert_cut_size
    )


@figure("f_x")
def routed_weight_share(routed_weights: Count, mlp_weights: Count) -> Share:
    """Share of a GPU's MLP matrices that routed experts are.  Source: division."""
    return smaller(routed_weights / larger(mlp_weights, 1), 1)


@figure("n_xg", source="Megatron-LM, parallel_state.py: expert tensor x expert parallel size")
def expert_group_copies(expert_parallel_size: Count, expert_cut_size: Count, tensor_parallel_size: Count) -> Share:
    """Micro-batches whose tokens a group of experts shares: each tensor rank brings its part of one."""
    return expert_parallel_size * expert_cut_size / tensor_parallel_size


@figure("W_xa")
def routed_active_weights(
    routed_weights: Count, num_experts_per_tok: Count, num_local_experts: Count, expert_group_copies: Share
) -> Count:
    """Of the routed experts of a whole group, what one token is multiplied with.  Source: arXiv:2401.04088."""
    return routed_weights * num_experts_per_tok * expert_group_copies / larger(num_local_experts, 1)


@figure("W_d")
def dense_mlp_flop(mlp_flop: Flop, routed_active_weights: Count, active_mlp_weights: Count) -> Flop:
    """Work of MLPs and shared experts, without routed ones.  Source: difference."""
    return mlp_flop * (1 - smaller(routed_active_weights / larger(active_mlp_weights, 1), 1))


@figure("Q_d")
def dense_mlp_bytes(mlp_load_bytes: Bytes, mlp_store_bytes: Bytes, routed_weight_share: Share) -> Bytes:
    """Traffic of the same.  Source: proportion to the weights."""
    return (mlp_load_bytes + mlp_store_bytes) * (1 - routed_weight_share)


@figure("Q_dw")
def dense_mlp_weight_traffic(mlp_weight_traffic: Bytes, routed_weight_share: Share) -> Bytes:
    """Its weights, once for every micro-batch.  Source: proportion."""
    return mlp_weight_traffic * (1 - routed_weight_share)


@figure("m_x")
def tokens_per_expert(
    tokens_per_micro_batch: Tokens, routed_copies: Count, num_local_experts: Count, expert_group_copies: Share
) -> Count:
    """Rows of one expert's products: what a group's tokens send to it.  Source: arXiv:2006.16668, section 3.2."""
    return (
        (tokens_per_micro_batch / ONE_TOKEN)
        * routed_copies
        * expert_group_copies
        / larger(num_local_experts, 1)
    )  # fmt: skip


@figure("q_m")
def expert_filling(tokens_per_expert: Count) -> Share:
    """Rows of an expert filled up to tiles, over its own.  Source: CUTLASS grouped products."""
    return smaller(
        ceil(larger(tokens_per_expert, 1) / GROUPED_TILE) * GROUPED_TILE / larger(tokens_per_expert, 1), MOST_WAVE_LOSS
    )


@figure("q_x", source="SimuMax operator tables by rows; arXiv:2006.16668, section 2.2; hardware/efficiency.yaml")
def expert_imbalance(
    expert_filling: Share,
    grouped_rows: Count,
    tokens_per_expert: Count,
    expert_parallel_size: Count,
    expert_load_ratio: Share,
    moe_expert_capacity_factor: Count,
) -> Share:
    """How much longer grouped products take: rows filled up, few rows, and the fullest GPU, unless all are padded."""
    return (
        expert_filling
        * (1 + grouped_rows / larger(tokens_per_expert, GROUPED_TILE))
        * where((expert_parallel_size > 1) * (moe_expert_capacity_factor <= 0) > 0, expert_load_ratio, 1)
    )


@figure("W_xu", source="arXiv:2001.08361, section 2.1")
def routed_pass_flop(
    routed_active_weights: Count, rank_tokens_per_step: Tokens, routed_copies: Count, num_experts_per_tok: Count
) -> Flop:
    """Work of the routed experts in one pass over the step's tokens, in every place that these take."""
    return (
        FLOP_PER_MULTIPLY_ADD * routed_active_weights * (rank_tokens_per_step / ONE_TOKEN)
        * routed_copies / larger(num_experts_per_tok, 1)
    )  # fmt: skip


@figure("Q_xu")
def routed_pass_bytes(
    rank_tokens_per_step: Tokens,
    routed_copies: Count,
    mixture_layers: Count,
    stage_share: Share,
    hidden_size: Count,
    mlp_matrices: Count,
    moe_intermediate_size: Count,
    activation_element_bytes: Bytes,
    tensor_parallel_size: Count,
) -> Bytes:
    """Inputs and outputs of their products in one pass.  Source: counting."""
    return (
        (rank_tokens_per_step / ONE_TOKEN)
        * routed_copies
        * mixture_layers
        * stage_share
        * (TWO * hidden_size + mlp_matrices * moe_intermediate_size)
        * activation_element_bytes
        / tensor_parallel_size
    )


@figure("W_x")
def expert_flop(routed_pass_flop: Flop, recompute_share: Share) -> Flop:
    """Work of routed experts forward, recomputed and for the gradients of their inputs.  Source: product."""
    return routed_pass_flop * (TWO + recompute_share)


@figure("Q_x")
def expert_bytes(
    routed_pass_bytes: Bytes,
    routed_weights: Count,
    activation_element_bytes: Bytes,
    gradient_accumulation_steps: Count,
    recompute_share: Share,
) -> Bytes:
    """What these passes move: their weights are read for every micro-batch.  Source: counting."""
    return (TWO + recompute_share) * (
        routed_pass_bytes + routed_weights * activation_element_bytes * gradient_accumulation_steps
    )


@figure("W_xg")
def expert_gradient_flop(routed_pass_flop: Flop, expert_gradient_share: Share) -> Flop:
    """Work of the gradients of routed experts' weights.  Source: product."""
    return routed_pass_flop * expert_gradient_share


@figure("f_xg")
def expert_gradient_share(trainable_share: Share, merged_expert_bytes: Bytes) -> Share:
    """Routed experts whose whole gradients are made: of adapters too.  Source: PEFT `ParamWrapper`."""
    return larger(trainable_share, merged_expert_bytes > 0)


@figure("Q_xg")
def expert_gradient_bytes(
    routed_pass_bytes: Bytes,
    routed_weights: Count,
    gradient_element_bytes: Bytes,
    gradient_accumulation_steps: Count,
    expert_gradient_share: Share,
) -> Bytes:
    """What these gradients move, added to those of earlier micro-batches.  Source: counting."""
    return expert_gradient_share * (
        routed_pass_bytes + TWO * routed_weights * gradient_element_bytes * gradient_accumulation_steps
    )


@figure("n_w", family=True)
def tile_waves(tokens_per_micro_batch: Tokens, product_columns: Count, compute_units: Count) -> Count:
    """Waves in which the tiles of a product are worked off by all multiprocessors.  Source: tiles of 128 by 128."""
    return ceil(tokens_per_micro_batch / ONE_TOKEN / TILE) * ceil(larger(product_columns, 1) / TILE) / compute_units


@figure("q", family=True, source="form of the fit over operator tables")
def wave_loss(tile_waves: Count, wave_weight: Share) -> Share:
    """How much longer a kernel takes because its last wave does not fill all multiprocessors."""
    return smaller(1 - wave_weight + wave_weight * ceil(tile_waves) / tile_waves, MOST_WAVE_LOSS)


@figure("q_d", family=True, source="SimuMax operator tables by depth")
def depth_loss(product_depth: Count, product_inner: Count, product_columns: Count) -> Share:
    """How much longer a product takes because its tiles are not deep, forward and backward in the mean."""
    return 1 + product_depth / TWO * (1 / larger(product_inner, 1) + 1 / larger(product_columns, 1))


@figure("t_w", basis="measured", family=True)
def product_work_seconds(
    kernel_flop: Flop, operator_flop_per_second: FlopPerSecond, wave_loss: Share, depth_loss: Share
) -> Seconds:
    """Arithmetic of a product's passes.  Source: division."""
    return kernel_flop / operator_flop_per_second * wave_loss * depth_loss


@figure("Q_g", family=True, source="Megatron-LM `gradient_accumulation_fusion`")
def added_gradient_bytes(
    kernel_weight_traffic: Bytes, trainable_share: Share, gradient_element_bytes: Bytes, activation_element_bytes: Bytes
) -> Bytes:
    """What adding a gradient to that of earlier micro-batches moves, beyond writing it once in the type of products."""
    return trainable_share * kernel_weight_traffic * (TWO * gradient_element_bytes / activation_element_bytes - 1)


@figure("Q_gf", family=True, source="Megatron-LM `gradient_accumulation_fusion`")
def fused_sum_bytes(
    kernel_weight_traffic: Bytes,
    trainable_share: Share,
    gradient_element_bytes: Bytes,
    activation_element_bytes: Bytes,
    placeholder_element_bytes: Bytes,
) -> Bytes:
    """Gradients that a product reads and writes as it adds to them; none where a kernel of its own adds."""
    return (
        (placeholder_element_bytes > 0)
        * trainable_share * kernel_weight_traffic * TWO * gradient_element_bytes / activation_element_bytes
    )  # fmt: skip


@figure("t_gf", basis="measured", family=True)
def fused_sum_seconds(
    fused_sum_bytes: Bytes, fused_sum_share: Share, product_bytes_per_second: BytesPerSecond
) -> Seconds:
    """What of that a product waits for.  Source: SimuMax operator tables, products with and without a sum."""
    return fused_sum_bytes * fused_sum_share / product_bytes_per_second


@figure("t_q", basis="measured", family=True)
def product_traffic_seconds(
    kernel_bytes: Bytes, added_gradient_bytes: Bytes, product_bytes_per_second: BytesPerSecond
) -> Seconds:
    """Operands of a product's passes, and its gradients.  Source: division."""
    return (kernel_bytes + added_gradient_bytes) / product_bytes_per_second


@figure("t_xq", basis="measured", family=True)
def expert_traffic_seconds(kernel_bytes: Bytes, product_bytes_per_second: BytesPerSecond) -> Seconds:
    """Traffic of grouped products.  Source: division."""
    return kernel_bytes / product_bytes_per_second


@figure("t_k", basis="measured", family=True)
def product_seconds(product_work_seconds: Seconds, product_traffic_seconds: Seconds) -> Seconds:
    """Arithmetic or traffic of a product, whichever is longer, with a soft corner.  Source: operator tables' fit."""
    return soft_maximum(product_work_seconds, product_traffic_seconds)


@figure("t_kg", basis="measured", family=True)
def summed_product_seconds(
    product_work_seconds: Seconds, fused_sum_seconds: Seconds, product_traffic_seconds: Seconds
) -> Seconds:
    """The same where its gradient is added to that of earlier micro-batches.  Source: operator tables' fit."""
    return soft_maximum(product_work_seconds + fused_sum_seconds, product_traffic_seconds)


def _bound(family: Figure, kernel: str, **reads: str) -> Line:
    return bound_line(f"{family.name}.{kernel}", family, reads)


def _work(kernel: str, columns: str, inner: str, rate: str, loss: str = "") -> tuple[Line, ...]:
    """How a product's tiles fill the GPU, and its arithmetic."""
    own = f"wave_loss.{kernel}"
    waves = (
        _bound(tile_waves, kernel, product_columns=columns),
        _bound(wave_loss, kernel, tile_waves=f"tile_waves.{kernel}"),
    )
    return (
        *(() if loss else waves),
        _bound(depth_loss, kernel, product_columns=columns, product_inner=inner),
        _bound(
            product_work_seconds,
            kernel,
            kernel_flop=f"{kernel}_flop",
            operator_flop_per_second=rate,
            wave_loss=loss or own,
            depth_loss=f"depth_loss.{kernel}",
        ),
    )


def _product(kernel: str, columns: str, inner: str, rate: str = RATE, whole: str = "") -> tuple[Line, ...]:
    """The lines of a plain product: arithmetic, traffic, seconds."""
    return (
        *_work(kernel, columns, inner, rate),
        _bound(added_gradient_bytes, kernel, kernel_weight_traffic=f"{kernel}_weight_traffic"),
        _bound(fused_sum_bytes, kernel, kernel_weight_traffic=f"{kernel}_weight_traffic"),
        _bound(fused_sum_seconds, kernel, fused_sum_bytes=f"fused_sum_bytes.{kernel}"),
        _bound(
            product_traffic_seconds,
            kernel,
            kernel_bytes=whole or f"kernel_bytes.{kernel}",
            added_gradient_bytes=f"added_gradient_bytes.{kernel}",
        ),
        bound_line(
            f"product_seconds.{kernel}",
            summed_product_seconds,
            {name: f"{name}.{kernel}" for name in (WORK, "fused_sum_seconds", TRAFFIC)},
        ),
    )


def _experts(kernel: str) -> tuple[Line, ...]:
    """The lines of grouped products."""
    return (
        *_work(kernel, "expert_columns", "hidden_size", RATE, "expert_imbalance"),
        _bound(expert_traffic_seconds, kernel, kernel_bytes=f"{kernel}_bytes"),
        _bound(product_seconds, kernel, **{WORK: f"{WORK}.{kernel}", TRAFFIC: f"expert_traffic_seconds.{kernel}"}),
    )


PRODUCTS = ("qkv_projection", "output_projection", "dense_mlp", "head", "expert", "expert_gradient")
LINES = (
    *_product("qkv_projection", "qkv_columns", "hidden_size"),
    *_product("output_projection", "hidden_size", "output_columns"),
    *_product("dense_mlp", "mlp_columns", "hidden_size", whole="dense_mlp_bytes"),
    *_product("head", "head_outputs", "hidden_size", "sustained_head_flop_per_second"),
    *_experts("expert"),
    *_experts("expert_gradient"),
)
