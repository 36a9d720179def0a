"""Computed wait for an answer, its first token and all of it: request, prefill, prompts before it, a full cache."""

from memreport.figures.constants import ONE_TOKEN, TWO
from memreport.figures.quantities import BytesPerSecond, BytesPerToken, Count, Seconds, Share, Switch, Tokens
from memreport.figures.time.reached import above, below
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("t_gen", basis="measured")
def generation_seconds(output_tokens: Tokens, time_per_output_token_seconds: Seconds) -> Seconds:
    """From the first token of an answer to its last.  Source: product."""
    return larger(output_tokens - ONE_TOKEN, 0) / ONE_TOKEN * time_per_output_token_seconds


@figure("t_lat", basis="measured")
def later_tokens_seconds(output_tokens: Tokens, decode_step_seconds: Seconds, accepted_tokens: Count) -> Seconds:
    """The same without the prompts of others.  Source: product."""
    return larger(output_tokens - ONE_TOKEN, 0) / ONE_TOKEN * decode_step_seconds / accepted_tokens


@figure("n_line", basis="measured")
def prompts_in_line(prompts_ahead: Count, burst_share: Share, arriving_sequences: Count) -> Count:
    """Prompts that are worked on before this one, in the mean: stated ones, and those that come in one burst.

    Source: a benchmark of ten rounds starts all sequences of the first at once (InferenceMAX).
    """
    return prompts_ahead + burst_share * arriving_sequences / TWO


@figure("t_kv", basis="measured", source="arXiv:2401.09670 (DistServe), section 3.3")
def cache_transfer_seconds(
    disaggregated: Switch,
    prompt_tokens: Tokens,
    kv_bytes_per_token: BytesPerToken,
    collective_network_bytes_per_second: BytesPerSecond,
) -> Seconds:
    """A prompt's keys and values on their way from the GPUs that made them, each rank to its own."""
    return disaggregated * prompt_tokens * kv_bytes_per_token / collective_network_bytes_per_second


@figure("TTFT_s", basis="measured", source="the engine's row, fitted")
def first_token_service_seconds(
    first_token_floor_seconds: Seconds,
    prefill_seconds: Seconds,
    cache_transfer_seconds: Seconds,
    first_token_steps: Count,
    scheduler_recv_interval: Count,
    decode_step_seconds: Seconds,
    makes_tokens: Switch,
    arriving_sequences: Count,
    measured_time_factor: Share,
) -> Seconds:
    """First token of a prompt that meets no other: request, prefill, and the steps until it is seen and answered."""
    # Half of the steps between two looks for requests, in the mean; none where nobody else decodes, nor of encoders.
    # Intervals of parts that are sent do not hold back the first one (SGLang and TensorRT-LLM send it at once).
    return (
        (first_token_floor_seconds + cache_transfer_seconds) * measured_time_factor
        + prefill_seconds
        + makes_tokens * smaller(arriving_sequences, 1)
        * (first_token_steps + (scheduler_recv_interval - 1) / TWO) * decode_step_seconds
    )  # fmt: skip


@figure(
    "t_wait", basis="measured", source="Little's law, `max_num_seqs` in the system of which `decoding_sequences` decode"
)
def queue_seconds(
    max_num_seqs: Count,
    decoding_sequences: Count,
    first_token_service_seconds: Seconds,
    output_tokens: Tokens,
    time_per_output_token_seconds: Seconds,
) -> Seconds:
    """Wait of sequences that the cache does not admit, where as many as allowed are always there."""
    return larger(max_num_seqs / decoding_sequences - 1, 0) * (
        first_token_service_seconds + output_tokens / ONE_TOKEN * time_per_output_token_seconds
    )


@figure("x_ppa", source="vLLM V1 `Scheduler.schedule`, which takes blocks from the request that came last")
def prompts_per_answer(
    preempts_youngest: Switch,
    max_num_seqs: Count,
    decoding_sequences: Count,
    output_tokens: Tokens,
    prefill_tokens: Tokens,
) -> Count:
    """Prompts worked on for each answer: its own, and what the youngest lose again where the cache is full."""
    # What is admitted when an answer ends takes the room in which the others grow, by an answer's tokens till the next.
    return 1 + (
        preempts_youngest
        * smaller(larger(max_num_seqs / decoding_sequences - 1, 0), 1)
        * (output_tokens / larger(prefill_tokens, ONE_TOKEN))
    )


@figure("t_busy", basis="measured")
def busy_seconds(
    disaggregated: Switch,
    max_num_seqs: Count,
    makes_tokens: Switch,
    prompts_per_answer: Count,
    joined_prefill_seconds: Seconds,
    prompts_together: Count,
    text_seconds: Seconds,
    later_tokens_seconds: Seconds,
    decoding_sequences: Count,
) -> Seconds:
    """What all sequences of a replica cost it, each once: in steady state no answer of theirs takes less.

    Source: Little's law for one server; an encoder has no decode steps that prompts could join.
    """
    return max_num_seqs * (
        (1 - disaggregated)
        * where(makes_tokens > 0, prompts_per_answer * joined_prefill_seconds / prompts_together, text_seconds)
        + later_tokens_seconds / decoding_sequences
    )


@figure("t_srv", basis="measured")
def server_seconds(
    arriving_sequences: Count,
    max_num_seqs: Count,
    request_server_seconds: Seconds,
    output_tokens: Tokens,
    token_server_seconds: Seconds,
    host_launch_factor: Share,
) -> Seconds:
    """The same of the server's process.  Source: SGLang `TokenizerManager`; the engine's row, fitted."""
    return (
        smaller(arriving_sequences, 1)
        * max_num_seqs
        * (request_server_seconds + output_tokens / ONE_TOKEN * token_server_seconds)
        * host_launch_factor
    )


@figure("t_else", basis="measured", source="arXiv:2401.09670 (DistServe), section 4")
def prefill_elsewhere_seconds(
    disaggregated: Switch, prompts_per_answer: Count, prefill_work_seconds: Seconds
) -> Seconds:
    """Time of an answer on a replica that prefills alone: of all replicas so many do that neither kind waits."""
    return disaggregated * prompts_per_answer * prefill_work_seconds


@figure(
    "TTFT", basis="measured", title="Time to first token", shown=("main", "in short"), source="addition; Little's law"
)
def time_to_first_token_seconds(
    first_token_service_seconds: Seconds,
    prompts_in_line: Count,
    prefill_work_seconds: Seconds,
    queue_seconds: Seconds,
    busy_seconds: Seconds,
    server_seconds: Seconds,
    generation_seconds: Seconds,
) -> Seconds:
    """Wait for the first token at full load, in the mean; longer where prompts or the server have no time."""
    return larger(
        first_token_service_seconds + prompts_in_line * prefill_work_seconds + queue_seconds,
        larger(busy_seconds, server_seconds) - generation_seconds,
    )


@figure("t_req_low", basis="measured")
def request_seconds_low(request_seconds: Seconds, answer_time_error: Share) -> Seconds:
    """Low end of the time of an answer.  Source: errors on measured points."""
    return below(request_seconds, answer_time_error)


@figure("t_req", basis="measured")
def request_seconds(time_to_first_token_seconds: Seconds, generation_seconds: Seconds) -> Seconds:
    """A whole answer at full load.  Source: addition."""
    return time_to_first_token_seconds + generation_seconds


@figure("t_req_high", basis="measured")
def request_seconds_high(request_seconds: Seconds, answer_time_error: Share) -> Seconds:
    """High end of the time of an answer.  Source: errors on measured points."""
    return above(request_seconds, answer_time_error)
