"""How long bytes take between memories, and what a training step moves to and from the host.

Times are those of the stated rates without latency: lower bounds.
"""

from memreport.figures.constants import TWO
from memreport.figures.quantities import Bytes, BytesPerSecond, Count, Seconds, Share, Switch
from memreport.formula.recording import FigureRows, figure


@figure("t", family=True)
def transfer_seconds(transfer_bytes: Bytes, bytes_per_second: BytesPerSecond) -> Seconds:
    """Time of a transfer at a stated rate.  Source: division."""
    return transfer_bytes / bytes_per_second


@figure("x", family=True)
def slowdown(memory_bytes_per_second: BytesPerSecond, bytes_per_second: BytesPerSecond) -> Share:
    """How many times slower something is than the GPU's memory.  Source: division."""
    return memory_bytes_per_second / bytes_per_second


SECONDS = FigureRows(
    transfer_seconds.row(
        f"{over}_seconds", symbol, f"Time {what}.  Source: {source}.", {"bytes_per_second": f"{over}_bytes_per_second"}
    )
    for over, symbol, what, source in (
        ("memory", "t_hbm", "to read the given bytes from the GPU's memory", "000 'Bandwidth, Latency, and Compute'"),
        ("link", "t_link", "over the scale-up link, one direction", "000 'GPU to CPU Transfer Rates'"),
        ("host_link", "t_pcie", "over the host link, one direction", "000 'GPU to CPU Transfer Rates'"),
        ("host_memory", "t_ram", "to read from the host's memory", "000 'CPU Memory'"),
        ("nvme", "t_nvme", "to read from the host's disks", "arXiv:2104.07857 (ZeRO-Infinity), section 4"),
    )
)
SLOWDOWNS = FigureRows(
    slowdown.row(
        f"{over}_slowdown",
        symbol,
        f"How many times slower {what}.  Source: {source}.",
        {"bytes_per_second": f"{over}_bytes_per_second"},
    )
    for over, symbol, what, source in (
        ("link", "x_link", "the scale-up link is than the GPU's memory", "000, same section"),
        ("host_link", "x_pcie", "the host link is than the GPU's memory", "001 'CPU Offloading'"),
        ("host_memory", "x_ram", "the host's memory is than the GPU's", "001 'CPU Memory'"),
        ("nvme", "x_nvme", "the disks are than the GPU's memory", "arXiv:2104.07857, section 4"),
    )
)


@figure("Q_oo", workload="training")
def optimizer_offload_bytes(
    optimizer_offloaded: Switch,
    rank_trainable_parameters: Count,
    optimizer_shards: Count,
    trained_gradient_element_bytes: Bytes,
    weight_element_bytes: Bytes,
) -> Bytes:
    """Gradients down and updated weights up, per step, when the host updates.  Source: arXiv:2101.06840, section 3."""
    return (
        optimizer_offloaded
        * (rank_trainable_parameters / optimizer_shards)
        * (trained_gradient_element_bytes + weight_element_bytes)
    )


@figure("Q_po", workload="training", source="arXiv:2104.07857 (ZeRO-Infinity), section 5")
def parameter_offload_bytes(
    parameters_offloaded: Switch,
    model_weight_bytes: Bytes,
    rank_share: Share,
    parameter_shards: Count,
    gradient_accumulation_steps: Count,
) -> Bytes:
    """Weights fetched from the host for the forward and the backward pass of each micro-batch."""
    return parameters_offloaded * TWO * gradient_accumulation_steps * model_weight_bytes * rank_share / parameter_shards


@figure("Q_ao", workload="training")
def activation_offload_bytes(offloaded_activation_bytes: Bytes, gradient_accumulation_steps: Count) -> Bytes:
    """Activations moved to the host and back, per step.  Source: torchtune `enable_activation_offloading`."""
    return TWO * offloaded_activation_bytes * gradient_accumulation_steps


OFFLOAD_SECONDS = FigureRows(
    transfer_seconds.row(
        f"{kind}_offload_seconds",
        symbol,
        f"Time of the {whose} traffic over the host link, per step.  Source: {source}.",
        {"transfer_bytes": f"{kind}_offload_bytes", "bytes_per_second": "host_link_bytes_per_second"},
        workload="training",
    )
    for kind, symbol, whose, source in (
        ("optimizer", "t_oo", "optimizer's", "001 'CPU Offloading'"),
        ("parameter", "t_po", "weights'", "arXiv:2104.07857, section 4"),
        ("activation", "t_ao", "activations'", "torchtune `OffloadActivations`"),
    )
)


@figure("t_hl", workload="training", source="arXiv:2104.07857 (ZeRO-Infinity), section 6.2")
def host_link_traffic_seconds(
    optimizer_offload_seconds: Seconds, parameter_offload_seconds: Seconds, activation_offload_seconds: Seconds
) -> Seconds:
    """Time in which the host link is busy, per step: it can be hidden behind arithmetic, but not shortened."""
    return optimizer_offload_seconds + parameter_offload_seconds + activation_offload_seconds


@figure("t_ho", workload="training")
def host_optimizer_seconds(
    offloaded_state_bytes: Bytes, accelerators_per_node: Count, host_memory_bytes_per_second: BytesPerSecond
) -> Seconds:
    """Time in which the host reads and writes its states, all GPUs of a node sharing its memory.

    States on a disk pass through that memory, too.
    Source: arXiv:2101.06840, section 5.
    """
    return TWO * offloaded_state_bytes * accelerators_per_node / host_memory_bytes_per_second


@figure("t_no", workload="training", source="arXiv:2104.07857 (ZeRO-Infinity), section 4.1")
def nvme_optimizer_seconds(
    offloaded_state_bytes: Bytes,
    optimizer_on_nvme: Switch,
    accelerators_per_node: Count,
    nvme_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Time in which the disks of a node give and take the states of all its GPUs, each once a step."""
    return TWO * offloaded_state_bytes * optimizer_on_nvme * accelerators_per_node / nvme_bytes_per_second


@figure("t_np", workload="training", source="arXiv:2104.07857 (ZeRO-Infinity), sections 4.1 and 5")
def nvme_parameter_seconds(
    parameter_offload_bytes: Bytes,
    gradient_accumulation_steps: Count,
    parameters_on_nvme: Switch,
    accelerators_per_node: Count,
    nvme_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """Time in which the disks of a node give weights for each pass and take them once, after the update."""
    return (
        parameter_offload_bytes * (1 + 1 / (TWO * gradient_accumulation_steps))
        * parameters_on_nvme * accelerators_per_node / nvme_bytes_per_second
    )  # fmt: skip


@figure("t_nt", workload="training")
def nvme_traffic_seconds(nvme_optimizer_seconds: Seconds, nvme_parameter_seconds: Seconds) -> Seconds:
    """Time in which the disks of a node are busy, per step.  Source: sum."""
    return nvme_optimizer_seconds + nvme_parameter_seconds
