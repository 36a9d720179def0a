"""From a demand to replicas: what one replica carries within the targets, and how many the peak needs.

Arrivals are random (Poisson).  Waiting for a slot is that of a queue with many servers: P(wait) = rho^(sqrt(2(c+1))-1)
(Sakasegawa 1977, doi:10.1007/BF02911675, with Allen and Cunneen's variability of 1).  Waiting behind other prompts is
that of one server with a fixed time of service: P(wait) is its load, and waits of those who wait are taken as
exponential with Kingman's mean (1961, doi:10.1017/S0305004100036094).  95 in 100 requests have to be in time.
"""

from memreport.figures.constants import SHORTEST_TIME, SLOWEST_PACE, TAIL, TAIL_LOGARITHM, THREE, TWO
from memreport.figures.quantities import Count, PerSecond, Seconds, Share, Switch, Tokens, TokensPerSecond
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, log, power, smaller, sqrt, where


@figure("t_slot", basis="measured")
def slot_seconds(first_token_service_seconds: Seconds, generation_seconds: Seconds) -> Seconds:
    """How long a request holds its place among the running ones, at full load.  Source: addition."""
    return first_token_service_seconds + generation_seconds


@figure("t_pace", basis="measured", source="division")
def pace_seconds(
    tokens_per_second_per_user: TokensPerSecond,
    first_token_seconds: Seconds,
    output_tokens: Tokens,
    slot_seconds: Seconds,
) -> Seconds:
    """How long a user is at one answer: at the demanded pace, or as fast as it comes where none is demanded."""
    return where(
        tokens_per_second_per_user > 0,
        first_token_seconds + output_tokens / larger(tokens_per_second_per_user, SLOWEST_PACE),
        slot_seconds,
    )


@figure("l_d", basis="measured", shown=("in short",), scope="all GPUs")
def demanded_requests_per_second(requests_per_second: PerSecond, users: Count, pace_seconds: Seconds) -> PerSecond:
    """Requests per second in the mean: as stated, or of users who each have one under way.  Source: Little's law."""
    return where(requests_per_second > 0, requests_per_second, users / pace_seconds)


@figure("n_conc", basis="measured")
def concurrent_requests(demanded_requests_per_second: PerSecond, slot_seconds: Seconds) -> Count:
    """Requests that are under way at once in the mean.  Source: Little's law."""
    return demanded_requests_per_second * slot_seconds


@figure("l_peak", basis="measured", scope="all GPUs")
def peak_requests_per_second(demanded_requests_per_second: PerSecond, peak_to_mean: Share) -> PerSecond:
    """Requests per second in the busiest time.  Source: the stated peak over the mean."""
    return demanded_requests_per_second * peak_to_mean


@figure("l_full", basis="measured", scope="one replica")
def full_requests_per_second(
    decoding_sequences: Count, slot_seconds: Seconds, max_num_seqs: Count, server_seconds: Seconds
) -> PerSecond:
    """Requests per second of a replica whose slots, or server, are always taken.  Source: Little's law."""
    return smaller(decoding_sequences / slot_seconds, max_num_seqs / larger(server_seconds, SHORTEST_TIME))


@figure("w_b", basis="measured")
def waiting_budget_seconds(first_token_seconds: Seconds, first_token_service_seconds: Seconds) -> Seconds:
    """What the target for the first token leaves for waiting.  Source: subtraction."""
    return larger(first_token_seconds - first_token_service_seconds, 0)


@figure("c_few", basis="measured", source="Little's law; NGINX `least_conn`")
def pooled_slots(decoding_sequences: Count, peak_requests_per_second: PerSecond, slot_seconds: Seconds) -> Count:
    """Slots that the peak fills, those of one replica at least: a router sends each request to where one is free."""
    return larger(decoding_sequences, peak_requests_per_second * slot_seconds)


@figure("r_few", basis="measured")
def load_at_which_few_wait(pooled_slots: Count) -> Share:
    """Load of the slots at which one request in twenty finds none free.  Source: Sakasegawa 1977."""
    return power(TAIL, 1 / (sqrt(TWO * (pooled_slots + 1)) - 1))


@figure("r_slot", basis="measured", source="Allen and Cunneen")
def slot_load_limit(
    load_at_which_few_wait: Share, slot_seconds: Seconds, pooled_slots: Count, waiting_budget_seconds: Seconds
) -> Share:
    """Load of the slots that keeps the wait for one within half the budget for 95 in 100."""
    return larger(
        load_at_which_few_wait,
        1 - slot_seconds * TAIL_LOGARITHM / (pooled_slots * larger(waiting_budget_seconds / TWO, SHORTEST_TIME)),
    )


@figure("x_pw", basis="measured", source="subtraction of the half that slots take where requests wait for them")
def prompts_that_may_wait(
    waiting_budget_seconds: Seconds,
    slot_load_limit: Share,
    load_at_which_few_wait: Share,
    prefill_work_seconds: Seconds,
) -> Count:
    """What the budget leaves for the wait behind other prompts, in halves of the time that one takes."""
    return (
        waiting_budget_seconds
        * (TWO - (slot_load_limit > load_at_which_few_wait))
        / larger(prefill_work_seconds, SHORTEST_TIME)
    )


@figure("r_pre", basis="measured")
def prefill_load_limit(prompts_that_may_wait: Count, first_token_seconds: Seconds) -> Share:
    """Load of prefills that keeps the wait behind other prompts within its budget for 95 in 100.

    Source: the solution of `load x exp(-x (1 - load)) = tail`, x halves of a prompt's time, from below within a fifth;
    without a target, all of the time.
    """
    return where(
        first_token_seconds > 0,
        power(TAIL, 1 / (1 + power(prompts_that_may_wait, TWO) / (prompts_that_may_wait + THREE))),
        1,
    )


@figure("l_rep", basis="measured", shown=("in short",), scope="one replica", source="the smaller of both limits")
def replica_requests_per_second(
    slot_load_limit: Share,
    full_requests_per_second: PerSecond,
    prefill_requests_per_second: PerSecond,
    disaggregated: Switch,
) -> PerSecond:
    """Requests per second that one replica carries within the targets; prefills elsewhere do not limit it."""
    return where(
        disaggregated > 0,
        slot_load_limit * full_requests_per_second,
        smaller(slot_load_limit * full_requests_per_second, prefill_requests_per_second),
    )


@figure("l_pre", basis="measured", scope="one replica")
def prefill_requests_per_second(prefill_load_limit: Share, prefill_work_seconds: Seconds) -> PerSecond:
    """Prompts per second that one replica works on within the target for the first token.  Source: division."""
    return prefill_load_limit / prefill_work_seconds


@figure("n_pre", basis="measured")
def prefill_replicas(
    disaggregated: Switch,
    peak_requests_per_second: PerSecond,
    prefill_requests_per_second: PerSecond,
    expert_parallel_size: Count,
) -> Count:
    """Replicas for prefills alone, where these run apart.  Source: arXiv:2401.09670 (DistServe), section 4."""
    return (
        disaggregated
        * ceil(peak_requests_per_second / prefill_requests_per_second / expert_parallel_size)
        * expert_parallel_size
    )


@figure("n_repl", basis="measured")
def busy_replicas(
    peak_requests_per_second: PerSecond, replica_requests_per_second: PerSecond, expert_parallel_size: Count
) -> Count:
    """Replicas that carry the peak, in whole groups of those that share experts.  Source: division."""
    return ceil(peak_requests_per_second / replica_requests_per_second / expert_parallel_size) * expert_parallel_size


@figure("n_rall", basis="measured", shown=("in short",))
def needed_replicas(busy_replicas: Count, prefill_replicas: Count, spare_replicas: Count) -> Count:
    """The same with those for prefills alone, and those kept for a failure.  Source: addition."""
    return busy_replicas + prefill_replicas + spare_replicas


@figure("N_need", basis="measured", shown=("in short",))
def needed_accelerators(needed_replicas: Count, model_parallel_size: Count) -> Count:
    """GPUs that the demand needs.  Source: product."""
    return needed_replicas * model_parallel_size


@figure("u_rep", basis="measured", source="division")
def replica_load(peak_requests_per_second: PerSecond, slot_seconds: Seconds, all_slots: Count) -> Share:
    """Load of a replica at the peak, with the GPUs that the scenario states, less those for prefills alone."""
    return peak_requests_per_second * slot_seconds / all_slots


@figure("u_day", basis="measured", shown=("in short",))
def mean_load(
    demanded_requests_per_second: PerSecond,
    needed_replicas: Count,
    prefill_replicas: Count,
    full_requests_per_second: PerSecond,
) -> Share:
    """Load over the day of the needed replicas, without those for prefills alone.  Source: division."""
    return demanded_requests_per_second / ((needed_replicas - prefill_replicas) * full_requests_per_second)


@figure("c_all", basis="measured", scope="all GPUs")
def all_slots(decoding_sequences: Count, sharding_size: Count, spare_replicas: Count, prefill_replicas: Count) -> Count:
    """Slots of the replicas stated, less spare ones and those for prefills alone.  Source: product."""
    return decoding_sequences * larger(sharding_size - spare_replicas - prefill_replicas, 1)


@figure("w_95", basis="measured")
def slot_wait_seconds(replica_load: Share, slot_seconds: Seconds, all_slots: Count) -> Seconds:
    """Wait for a slot that 95 in 100 stay within at the peak.  Source: Sakasegawa 1977, Allen and Cunneen."""
    return (
        slot_seconds
        * larger(TAIL_LOGARITHM + (sqrt(TWO * (all_slots + 1)) - 1) * log(larger(replica_load, TAIL)), 0)
        / (all_slots * larger(1 - replica_load, TAIL))
    )


@figure("TTFT_95", basis="measured", shown=("in short",))
def first_token_p95_seconds(
    first_token_service_seconds: Seconds, slot_wait_seconds: Seconds, prefill_wait_seconds: Seconds
) -> Seconds:
    """Time to the first token that 95 in 100 stay within at the peak.  Source: addition, which is cautious."""
    return first_token_service_seconds + slot_wait_seconds + prefill_wait_seconds


@figure("w_pre", basis="measured")
def prefill_wait_seconds(prefill_load: Share, prefill_work_seconds: Seconds) -> Seconds:
    """Wait behind other prompts that 95 in 100 stay within at the peak.  Source: Kingman 1961."""
    return prefill_work_seconds * log(larger(prefill_load / TAIL, 1)) / (TWO * larger(1 - prefill_load, TAIL))


@figure("u_pre", basis="measured")
def prefill_load(
    peak_requests_per_second: PerSecond,
    prefill_work_seconds: Seconds,
    disaggregated: Switch,
    prefill_replicas: Count,
    sharding_size: Count,
    spare_replicas: Count,
) -> Share:
    """Share of the time in which a replica that works on prompts does so at the peak.  Source: product."""
    return (
        peak_requests_per_second
        * prefill_work_seconds
        / where(disaggregated > 0, larger(prefill_replicas, 1), larger(sharding_size - spare_replicas, 1))
    )


@figure("ok_t", shown=("in short",))
def meets_targets(
    first_token_seconds: Seconds,
    first_token_service_seconds: Seconds,
    tokens_per_second_per_user: TokensPerSecond,
    sequence_tokens_per_second: TokensPerSecond,
) -> Switch:
    """1 where a replica can meet both targets at all, at full load.  Source: comparison."""
    return where(first_token_seconds > 0, first_token_service_seconds <= first_token_seconds, 1) * (
        sequence_tokens_per_second >= tokens_per_second_per_user
    )


@figure("ok_d", shown=("in short",))
def meets_demand(meets_targets: Switch, fits: Switch, accelerators: Count, needed_accelerators: Count) -> Switch:
    """1 where the stated GPUs carry the demand within the targets, a spare counted.  Source: comparison."""
    return meets_targets * fits * (accelerators >= needed_accelerators)
