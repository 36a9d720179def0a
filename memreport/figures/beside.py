"""What reports say beside the calculation: these figures read its lines, and no line reads them."""

from collections.abc import Iterator, Mapping

from memreport.figures.constants import HOURS_PER_YEAR, SECONDS_PER_HOUR, SMALLEST_PRICE
from memreport.figures.money.ownership import (
    bought_until_usd,
    crossing_month,
    drawn_months,
    later_month,
    rented_until_usd,
)
from memreport.figures.quantities import (
    Count,
    Flop,
    FlopPerSecond,
    Hours,
    PerSecond,
    Seconds,
    Share,
    Tokens,
    TokensPerSecond,
    Usd,
)
from memreport.figures.registry import PHASES, figures_by_name
from memreport.figures.time.roofline import sum_line
from memreport.formula.recording import Line, bound_line, figure, plain_line
from memreport.formula.words import ceil, larger, where

CURVE_PARTS = 20
"""Into how many parts the life is cut for the curves of rent and purchase."""
LONGER = 0.1
"""By what share a run is taken to be longer, where its budget says what a longer one costs."""
GIVEN: Mapping[str, float] = {"curve_parts": CURVE_PARTS, "longer": LONGER, "month.0": 0}
"""What these figures read beside the lines of the calculation."""
SECONDS_OF: Mapping[str, tuple[str, ...]] = {
    "qkv_projection": ("product_seconds.qkv_projection",),
    "output_projection": ("product_seconds.output_projection",),
    "mlp": ("product_seconds.dense_mlp", "product_seconds.expert", "product_seconds.expert_gradient"),
    "head": ("product_seconds.head",),
    "norm": ("stream_seconds.norm",),
    "pointwise": ("stream_seconds.pointwise",),
    "embedding": ("stream_seconds.embedding",),
    "optimizer_step": ("stream_seconds.update",),
}
"""Lines that compute the time of a training step's kernels; those of serving bear the kernels' names."""
COUNTED_OVER_RANKS = ("tensor_parallel_size", "max_num_seqs", "max_num_batched_tokens")
"""Options that some engine counts over all ranks that share experts."""
AT_ONCE = ("running_sequences", "max_concurrent_sequences")
"""Sequences of one replica, which are also told for all of them."""


@figure("X_enc", family=True)
def encoded_tokens_per_second(texts_per_second: PerSecond, prompt_tokens: Tokens) -> TokensPerSecond:
    """Tokens of the texts that an encoder reads in a second.  Source: multiplication."""
    return texts_per_second * prompt_tokens


@figure("v_k", family=True)
def reached_flop_per_second(kernel_flop: Flop, kernel_seconds: Seconds) -> FlopPerSecond:
    """Rate of a kernel in its computed time; 0 where it is not launched.  Source: division."""
    return where(kernel_seconds > 0, kernel_flop / kernel_seconds, 0)


@figure("S_ctx", family=True)
def context_tokens_in_all(max_model_len: Tokens, max_num_seqs: Count) -> Tokens:
    """Context that llama.cpp shares out to its sequences.  Source: llama.cpp, --ctx-size."""
    return max_model_len * max_num_seqs


@figure("n_ranks", family=True)
def counted_over_ranks(stated: Count, expert_parallel_size: Count) -> Count:
    """An option that an engine counts over all ranks that share experts.  Source: SGLang, TensorRT-LLM options."""
    return stated * expert_parallel_size


@figure("n_all", family=True)
def sequences_on_all_replicas(sequences: Count, sharding_size: Count) -> Count:
    """Sequences at once on all replicas together.  Source: multiplication."""
    return sequences * sharding_size


@figure("n_nodes", family=True)
def replica_nodes(model_parallel_size: Count, expert_parallel_size: Count, accelerators_per_node: Count) -> Count:
    """Nodes that a replica spans.  Source: division, rounded up."""
    return ceil(model_parallel_size * expert_parallel_size / accelerators_per_node)


@figure("r_carry", family=True)
def carried_requests_per_second(
    busy_replicas: Count, replica_requests_per_second: PerSecond, peak_to_mean: Share
) -> PerSecond:
    """Mean load that the replicas carry, as their peaks are higher.  Source: division."""
    return busy_replicas * replica_requests_per_second / peak_to_mean


@figure("K_part", family=True)
def part_usd(whole_usd: Usd, part: Share) -> Usd:
    """A share of an amount: what a longer time costs more, the end of a range.  Source: multiplication."""
    return whole_usd * part


@figure("K_end", family=True)
def proportional_usd(month_usd: Usd, end_usd: Usd, whole_cost_usd: Usd) -> Usd:
    """An end of a month's cost, as far away as that of the whole cost.  Source: proportion."""
    return month_usd * (end_usd / whole_cost_usd)


@figure("K_idle", family=True, source="proportion; the rest of the bill does not grow with them")
def idle_rent_usd(
    rent_usd: Usd, extras_usd: Usd, subtotal_usd: Usd, whole_cost_usd: Usd, accelerators: Count, rented: Count
) -> Usd:
    """What the GPUs of rented instances that the job leaves idle add to its cost, allowances and tax included."""
    return (
        whole_cost_usd * ((rent_usd + extras_usd) / larger(subtotal_usd, SMALLEST_PRICE)) * (rented / accelerators - 1)
    )


@figure("K_use", family=True, source="proportion; allowance and tax are shares of all lines")
def owned_use_usd(cost_total_usd: Usd, whole_cost_share: Share, hardware_usd: Usd, subtotal_usd: Usd) -> Usd:
    """What a run, or a month of service, costs once its hardware is bought: all lines but the hardware's."""
    return cost_total_usd * whole_cost_share * (1 - hardware_usd / larger(subtotal_usd, SMALLEST_PRICE))


@figure("n*", family=True, source="division")
def break_even_uses(approval_total_usd: Usd, whole_cost_usd: Usd, owned_use_usd: Usd) -> Count:
    """Runs, or months of service, whose rent has repaid a purchase; beyond any number where a rented one costs less."""
    return approval_total_usd / larger(whole_cost_usd - owned_use_usd, SMALLEST_PRICE)


@figure("K_gh", family=True, source="division")
def owned_hour_usd(owned_usd: Usd, accelerators: Count, comparison_years: Count, comparison_use: Share) -> Usd:
    """What each hour in which one GPU works costs, of all that is paid over the years of the comparison."""
    return owned_usd / larger(accelerators * comparison_years * comparison_use * HOURS_PER_YEAR, 1)


@figure("D_K", family=True)
def affordable_tokens(training_tokens: Tokens, whole_cost_usd: Usd, most_cost_usd: Usd) -> Tokens:
    """Tokens that can be trained for an amount, at the cost of those of the scenario.  Source: proportion."""
    return training_tokens * most_cost_usd / larger(whole_cost_usd, SMALLEST_PRICE)


@figure("D_t", family=True)
def tokens_in_time(training_tokens: Tokens, run_hours: Hours, asked_hours: Hours) -> Tokens:
    """Tokens that a run of a given length trains on, at the pace of the scenario's.  Source: proportion."""
    return training_tokens * asked_hours / run_hours


@figure("t_batch", family=True)
def batch_hours(requests: Count, output_tokens: Tokens, tokens_per_second: TokensPerSecond) -> Hours:
    """Hours in which a number of requests are answered at full load.  Source: division."""
    return requests * output_tokens / tokens_per_second / SECONDS_PER_HOUR


@figure("K_batch", family=True)
def batch_usd(cost_total_usd: Usd, wall_hours: Hours, batch_hours: Hours) -> Usd:
    """What the hours of a batch of requests cost, at what those of the bill cost.  Source: proportion."""
    return cost_total_usd / wall_hours * batch_hours


FAMILY = (
    encoded_tokens_per_second, reached_flop_per_second, context_tokens_in_all, counted_over_ranks,
    sequences_on_all_replicas, replica_nodes, carried_requests_per_second, part_usd, proportional_usd, idle_rent_usd,
    owned_use_usd, break_even_uses, affordable_tokens, tokens_in_time, batch_hours,
    batch_usd, owned_hour_usd,
)  # fmt: skip


def seconds_of(kernel: str, workload: str) -> tuple[str, ...]:
    """The lines that compute the time of a kernel; none where it is not computed alone."""
    names = (f"operator_seconds.{kernel}", *SECONDS_OF.get(kernel, ()))
    return tuple(name for name in names if name in figures_by_name(workload))


def lines_beside(workload: str) -> Iterator[Line]:
    """What reports say beside the calculation, none before what it reads."""
    yield bound_line("idle_rent_usd", idle_rent_usd, {"rented": "rented_accelerators"})
    yield bound_line("longer_run_usd", part_usd, {"whole_usd": "whole_cost_usd", "part": "longer"})
    yield from _curves()
    yield from _rates(workload)
    if workload == "serving":
        yield from _of_serving()


def _curves() -> Iterator[Line]:
    """Points of the curves of rent and purchase: `month.3`, `rented_until_usd.3`, ... and where they cross."""
    yield bound_line("drawn_months", drawn_months, {"parts": "curve_parts"})
    for point in range(1, CURVE_PARTS + 1):
        yield bound_line(f"month.{point}", later_month, {"months_owned": f"month.{point - 1}"})
    yield bound_line("month.crossing", crossing_month, {"last_month": f"month.{CURVE_PARTS}"})
    for family in (rented_until_usd, bought_until_usd):
        for place in (*range(CURVE_PARTS + 1), "crossing"):
            yield bound_line(f"{family.name}.{place}", family, {"months_owned": f"month.{place}"})
    yield bound_line(owned_hour_usd.name, owned_hour_usd, {"owned_usd": f"{bought_until_usd.name}.{CURVE_PARTS}"})


def _rates(workload: str) -> Iterator[Line]:
    """The rate that each kernel reaches in its computed time."""
    for kernel in (kernel for phase in PHASES[workload] for kernel in phase.kernels):
        if names := seconds_of(kernel.id, workload):
            seconds = f"kernel_seconds.{kernel.id}"
            yield sum_line(seconds, "t_k", "s", "Computed time of a kernel", names)
            reads = {"kernel_flop": kernel.flop, "kernel_seconds": seconds}
            yield bound_line(f"reached_flop_per_second.{kernel.id}", reached_flop_per_second, reads)


def _of_serving() -> Iterator[Line]:
    """What an encoder reads, what options of engines count, what all replicas hold and carry, what a month may cost."""
    yield bound_line("encoded_tokens_per_second", encoded_tokens_per_second, {"texts_per_second": "tokens_per_second"})
    yield from map(plain_line, (context_tokens_in_all, replica_nodes, carried_requests_per_second))
    for name in COUNTED_OVER_RANKS:
        yield bound_line(f"counted_over_ranks.{name}", counted_over_ranks, {"stated": name})
    for name in AT_ONCE:
        yield bound_line(f"sequences_on_all_replicas.{name}", sequences_on_all_replicas, {"sequences": name})
    for end in ("low", "high"):
        reads = {"month_usd": "service_usd_per_month", "end_usd": f"whole_cost_{end}_usd"}
        yield bound_line(f"service_usd_per_month.{end}", proportional_usd, reads)
