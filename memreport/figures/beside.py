"""What reports say beside the calculation: these figures read its lines, and no line reads them."""

from __future__ import annotations

from memreport.figures.quantities import (
    Count,
    Flop,
    FlopPerSecond,
    PerSecond,
    Seconds,
    Share,
    Tokens,
    TokensPerSecond,
    Usd,
)
from memreport.formula.recording import figure
from memreport.formula.words import ceil


@figure("X_enc", family=True)
def encoded_tokens_per_second(texts_per_second: PerSecond, prompt_tokens: Tokens) -> TokensPerSecond:
    """Tokens of the texts that an encoder reads in a second.  Source: multiplication."""
    return texts_per_second * prompt_tokens


@figure("v_k", family=True)
def reached_flop_per_second(kernel_flop: Flop, kernel_seconds: Seconds) -> FlopPerSecond:
    """Rate of a kernel in its computed time.  Source: division."""
    return kernel_flop / kernel_seconds


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


@figure("K_idle", family=True)
def idle_rent_usd(
    rent_usd: Usd, extras_usd: Usd, subtotal_usd: Usd, whole_cost_usd: Usd, accelerators: Count, rented: Count
) -> Usd:
    """What the GPUs of rented instances that the job leaves idle add to its cost, allowances and tax included.

    Source: proportion; the rest of the bill does not grow with them.
    """
    return whole_cost_usd * ((rent_usd + extras_usd) / subtotal_usd) * (rented / accelerators - 1)


FAMILY = (
    encoded_tokens_per_second, reached_flop_per_second, context_tokens_in_all, counted_over_ranks, replica_nodes,
    carried_requests_per_second, part_usd, idle_rent_usd,
)  # fmt: skip
