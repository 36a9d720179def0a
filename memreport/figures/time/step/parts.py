"""A training step as the sum of its parts: matrix products, element-wise kernels, communication, host and others."""

from memreport.figures.constants import TRAINING_PASSES, TWO
from memreport.figures.constants.times import HOSTED_ERROR, RESCALED_ERROR
from memreport.figures.quantities import Count, FlopPerSecond, Seconds, Share, Switch
from memreport.figures.time.roofline import sum_line
from memreport.figures.time.step.products import PRODUCTS
from memreport.figures.time.step.streams import STREAMS
from memreport.formula.recording import bound_line, figure
from memreport.formula.words import larger, smaller, total, where


@figure("t_wl", basis="measured")
def fullest_layers_seconds(
    products_seconds_computed: Seconds,
    attention_seconds: Seconds,
    streams_seconds_computed: Seconds,
    launch_seconds_computed: Seconds,
    tensor_exposed_seconds: Seconds,
    waited_exchange_seconds: Seconds,
    head_part_seconds: Seconds,
    update_part_seconds: Seconds,
) -> Seconds:
    """Time of a step that the fullest stage spends on its layers, traffic within them included.  Source: sum."""
    return (
        products_seconds_computed + attention_seconds + streams_seconds_computed + launch_seconds_computed
        + tensor_exposed_seconds + waited_exchange_seconds - head_part_seconds - update_part_seconds
    )  # fmt: skip


@figure("t_wx", basis="measured")
def waited_exchange_seconds(expert_exchange_seconds: Seconds, exchange_hidden: Switch) -> Seconds:
    """Exchange of tokens, where no schedule works meanwhile.  Source: product."""
    return expert_exchange_seconds * (1 - exchange_hidden)


@figure("t_H-", basis="measured")
def head_relief_seconds(
    pipeline_parallel_size: Count,
    layers_per_stage: Count,
    last_stage_layers: Count,
    fullest_layers_seconds: Seconds,
    head_part_seconds: Seconds,
) -> Seconds:
    """Of head and loss, what a stage with fewer layers works on while the fullest stage is at its own.

    Source: arXiv:2407.21783 (Llama 3), section 3.3.2; Megatron-LM `decoder_last_pipeline_num_layers`.
    """
    return (pipeline_parallel_size > 1) * smaller(
        head_part_seconds, larger(fullest_layers_seconds, 0) * larger(1 - last_stage_layers / layers_per_stage, 0)
    )


@figure("t_P", basis="measured")
def stage_products_seconds(products_seconds_computed: Seconds, head_relief_seconds: Seconds) -> Seconds:
    """Matrix products of a step on the stage that takes longest.  Source: difference."""
    return products_seconds_computed - head_relief_seconds


@figure("t_dev", basis="measured")
def device_seconds(
    stage_products_seconds: Seconds,
    attention_seconds: Seconds,
    streams_seconds_computed: Seconds,
    launch_seconds_computed: Seconds,
) -> Seconds:
    """Time in which a GPU computes in a step, without waiting for others.  Source: sum."""
    return total(stage_products_seconds, attention_seconds, streams_seconds_computed, launch_seconds_computed)


@figure("t_tr", basis="measured")
def traffic_seconds_computed(
    tensor_exposed_seconds: Seconds,
    context_exposed_seconds: Seconds,
    expert_exposed_seconds: Seconds,
    pipeline_exposed_seconds: Seconds,
    data_exposed_seconds: Seconds,
    update_gather_seconds: Seconds,
    parameter_offload_exposed_seconds: Seconds,
    replica_exposed_seconds: Seconds,
) -> Seconds:
    """Traffic that nothing hides.  Source: sum."""
    return total(
        tensor_exposed_seconds,
        context_exposed_seconds,
        expert_exposed_seconds,
        pipeline_exposed_seconds,
        data_exposed_seconds,
        update_gather_seconds,
        parameter_offload_exposed_seconds,
        replica_exposed_seconds,
    )


@figure("n_kx", source="Transformer Engine `GroupedLinear`; HF `MixtralSparseMoeBlock.forward`")
def expert_kernels(
    mixture_layers: Count,
    stage_share: Share,
    num_local_experts: Count,
    expert_parallel_size: Count,
    kernels_per_expert: Count,
    sixteen_bit_flop_per_second: FlopPerSecond,
) -> Count:
    """Kernels of a micro-batch that are launched expert by expert; casts to 8 or 4 bit are as many again."""
    return (mixture_layers * stage_share * num_local_experts / expert_parallel_size * kernels_per_expert) * where(
        sixteen_bit_flop_per_second > 0, 1, TWO
    )


@figure("t_lb", basis="measured")
def launching_seconds(
    kernels_per_micro_batch: Count,
    launched_share: Share,
    expert_kernels: Count,
    expert_launched_share: Share,
    recompute_share: Share,
    gradient_accumulation_steps: Count,
    host_seconds_per_kernel: Seconds,
) -> Seconds:
    """Time that the host needs to launch a step's kernels.  Source: profiles of eager PyTorch."""
    return (
        (
            kernels_per_micro_batch * launched_share
            + expert_kernels * expert_launched_share * (1 + recompute_share / TRAINING_PASSES)
        )
        * gradient_accumulation_steps
        * host_seconds_per_kernel
    )


@figure("t_lx", basis="measured")
def expert_launching_seconds(
    expert_kernels: Count,
    mixture_layers: Count,
    stage_share: Share,
    mixture_kernels_per_layer: Count,
    expert_launched_share: Share,
    recompute_share: Share,
    gradient_accumulation_steps: Count,
    host_seconds_per_kernel: Seconds,
) -> Seconds:
    """Of it, what is launched after the router's choice, where experts are launched one by one.

    Source: Megatron-LM `MoEAlltoAllTokenDispatcher`, which copies the tokens of each expert to the host and waits.
    """
    return (
        (expert_kernels > 0)
        * expert_launched_share
        * (expert_kernels + mixture_layers * stage_share * mixture_kernels_per_layer)
        * (1 + recompute_share / TRAINING_PASSES)
        * gradient_accumulation_steps
        * host_seconds_per_kernel
    )


@figure("t_bx", basis="measured", source="sum; Megatron-LM `MoEAlltoAllTokenDispatcher`")
def expert_busy_seconds(
    expert_launching_seconds: Seconds, routing_seconds: Seconds, expert_exposed_seconds: Seconds
) -> Seconds:
    """Work that these launches run beside: sorting and exchange of tokens."""
    return (expert_launching_seconds > 0) * (routing_seconds + expert_exposed_seconds)


@figure("t_hst", basis="measured")
def host_seconds_computed(
    launching_seconds: Seconds,
    expert_launching_seconds: Seconds,
    device_seconds: Seconds,
    traffic_seconds_computed: Seconds,
    expert_busy_seconds: Seconds,
    step_host_seconds: Seconds,
    optimizer_offload_exposed_seconds: Seconds,
    fetching_seconds: Seconds,
    fetch_exposed_seconds: Seconds,
) -> Seconds:
    """What the host adds: launches that come later than the work, its own update, data and logging.

    A host that waits for a router's choice cannot launch experts ahead, while the work before them still runs.
    Source: sum and maximum.
    """
    return (
        larger(expert_launching_seconds - expert_busy_seconds, 0)
        + (fetching_seconds <= 0)
        * larger(
            launching_seconds
            - expert_launching_seconds
            - (device_seconds + traffic_seconds_computed - expert_busy_seconds),
            0,
        )
        + fetch_exposed_seconds
        + step_host_seconds
        + optimizer_offload_exposed_seconds
    )


@figure("t_ly", basis="measured")
def layers_seconds(
    device_seconds: Seconds,
    tensor_exposed_seconds: Seconds,
    expert_exposed_seconds: Seconds,
    head_part_seconds: Seconds,
    head_relief_seconds: Seconds,
    update_part_seconds: Seconds,
) -> Seconds:
    """Time of a step that every stage spends on its layers: without head, loss and update.  Source: difference."""
    return (
        device_seconds
        + tensor_exposed_seconds
        + expert_exposed_seconds
        - (head_part_seconds - head_relief_seconds)
        - update_part_seconds
    )


@figure("t_bb", basis="measured", source="arXiv:2104.04473, sections 2.2.1 and 2.2.2")
def bubble_seconds_computed(waiting_slots: Count, busy_slots: Count, layers_seconds: Seconds) -> Seconds:
    """Time in which a stage waits for the others: the layers' share of a micro-batch for every other stage."""
    return waiting_slots * layers_seconds / busy_slots


@figure("t_Σ", basis="measured", title="Time per step, computed")
def step_seconds_computed(
    device_seconds: Seconds,
    traffic_seconds_computed: Seconds,
    bubble_seconds_computed: Seconds,
    host_seconds_computed: Seconds,
    companion_seconds: Seconds,
) -> Seconds:
    """Time of a step, computed: kernels, traffic that nothing hides, bubble, host, other models.  Source: sum."""
    return total(
        device_seconds, traffic_seconds_computed, bubble_seconds_computed, host_seconds_computed, companion_seconds
    )


@figure("t_p", basis="measured", family=True)
def part_seconds(part_seconds_computed: Seconds, step_seconds: Seconds, step_seconds_computed: Seconds) -> Seconds:
    """A part of the planned time of a step; the parts add up to it.  Source: proportion."""
    return part_seconds_computed * (step_seconds / step_seconds_computed)


@figure("e_k", basis="measured")
def full_time_error(mixture_layers: Count, dense_time_error: Share, mixture_time_error: Share) -> Share:
    """Error that nine of ten computed times stay within where all is trained.  Source: hardware/efficiency.yaml."""
    return where(mixture_layers > 0, mixture_time_error, dense_time_error)


@figure("e_ho", basis="measured")
def hosted_time_error(optimizer_offload_exposed_seconds: Seconds, step_seconds_computed: Seconds) -> Share:
    """What a host adds to that error, by its part of the step.  Source: eight published optimizer steps on hosts."""
    return HOSTED_ERROR * optimizer_offload_exposed_seconds / step_seconds_computed


@figure("e_j", basis="measured")
def kind_time_error(
    trains_base: Switch, full_time_error: Share, adapter_time_error: Share, hosted_time_error: Share
) -> Share:
    """The same of this kind of job.  Source: hardware/efficiency.yaml."""
    return where(trains_base > 0, full_time_error, larger(full_time_error, adapter_time_error)) + hosted_time_error


@figure("e_t", basis="measured")
def step_time_error(measured_time_factor: Share, kind_time_error: Share) -> Share:
    """The same of this job: less where one's own run rescales its time.  Source: errors measured by kind of job."""
    return where((measured_time_factor < 1) + (measured_time_factor > 1) > 0, RESCALED_ERROR, kind_time_error)


@figure("x_t-", basis="measured")
def time_factor_low(measured_time_factor: Share, step_time_error: Share) -> Share:
    """Low end of measured over computed time.  Source: errors by kind of job and GPU."""
    return measured_time_factor / (1 + step_time_error)


@figure("x_t+", basis="measured")
def time_factor_high(measured_time_factor: Share, step_time_error: Share) -> Share:
    """High end of the same.  Source: errors by kind of job and GPU."""
    return measured_time_factor * (1 + step_time_error)


PARTS = {
    "matrix products": "stage_products_seconds",
    "attention": "attention_seconds",
    "element-wise kernels": "streams_seconds_computed",
    "kernel launches": "launch_seconds_computed",
    "communication": "traffic_seconds_computed",
    "pipeline bubble": "bubble_seconds_computed",
    "host": "host_seconds_computed",
    "other models": "companion_seconds",
}
"""Parts of a step by name, with the line that computes each; `part_seconds.<name>` add up to `step_seconds`."""
LINES = (
    sum_line(
        "products_seconds_computed",
        "Σt_P",
        "s",
        "Matrix products of a step, grouped ones included",
        [f"product_seconds.{name}" for name in PRODUCTS],
    ),
    sum_line(
        "streams_seconds_computed",
        "Σt_S",
        "s",
        "Kernels of a step that treat elements alone",
        [f"stream_seconds.{name}" for name in STREAMS],
    ),
    sum_line(
        "head_part_seconds",
        "Σt_H",
        "s",
        "Head and loss, which one stage alone has",
        ["product_seconds.head", "stream_seconds.loss"],
    ),
    sum_line("routing_seconds", "Σt_X", "s", "Sorting of tokens to their experts", ["stream_seconds.routing"]),
    sum_line("update_part_seconds", "Σt_U", "s", "Optimizer step", ["stream_seconds.update"]),
    *(
        bound_line(f"part_seconds.{name}", part_seconds, {"part_seconds_computed": line})
        for name, line in PARTS.items()
    ),
)
