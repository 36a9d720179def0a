"""What the prompts of others cost an answer: they join its steps, or hold them up while the host starts kernels."""

from memreport.figures.constants import (
    EXPERT_PROMPT_KERNELS,
    FOUR,
    HALF,
    ONE_TOKEN,
    RECURRENT_PROMPT_KERNELS,
    REDUCTIONS_PER_LAYER,
    TWO,
)
from memreport.figures.quantities import Count, Seconds, Share, Switch, Tokens
from memreport.formula.recording import bound_line, figure
from memreport.formula.words import larger, power, total


@figure("n_pk1", family=True)
def plain_prompt_kernels(
    qkv_launches: Count,
    output_projection_launches: Count,
    mlp_launches: Count,
    norm_launches: Count,
    pointwise_launches: Count,
    rank_attention_layers: Count,
) -> Count:
    """Kernels of products, norms, values and attention that a prompt starts.  Source: counting."""
    return total(
        *(qkv_launches, output_projection_launches, mlp_launches, norm_launches, pointwise_launches),
        rank_attention_layers,
    )


@figure("n_pk")
def prompt_kernels(
    plain_prompt_kernels: Count,
    rank_mixture_layers: Count,
    recurrent_layers: Count,
    layers_per_stage: Count,
    tensor_parallel_size: Count,
) -> Count:
    """Kernels of a stage's layers that a prompt starts, all-reduces among them.  Source: counting."""
    return total(
        plain_prompt_kernels,
        EXPERT_PROMPT_KERNELS * rank_mixture_layers,
        RECURRENT_PROMPT_KERNELS * recurrent_layers,
        REDUCTIONS_PER_LAYER * layers_per_stage * (tensor_parallel_size > 1),
    )


@figure("t_lnp", basis="measured")
def prompt_launching_seconds(
    launching_seconds: Seconds,
    host_launch_factor: Share,
    prompt_kernel_seconds: Seconds,
    prompt_kernels: Count,
    prefill_chunks: Count,
) -> Seconds:
    """Time in which the host starts the kernels of a prompt one by one: some engines capture decode steps alone.

    Source: SGLang `CudaGraphRunner`, which runs batches without prompts; the engine's row, fitted.
    """
    return larger(launching_seconds, host_launch_factor * prompt_kernel_seconds * prompt_kernels * prefill_chunks)


@figure("S_arr", scope="one replica", source="definition of a fixed batch")
def arriving_sequences(decoding_sequences: Count, prompts_together: Count) -> Count:
    """Other sequences that begin while one is answered: none in a batch whose prompts are worked on together."""
    return larger(decoding_sequences - prompts_together, 0)


@figure("t_oa1", basis="measured")
def answer_decode_seconds(output_tokens: Tokens, decode_step_seconds: Seconds, accepted_tokens: Count) -> Seconds:
    """Decode steps of one answer that no prompt joins.  Source: product."""
    return output_tokens / ONE_TOKEN * decode_step_seconds / accepted_tokens


@figure("t_hld", basis="measured", source="SGLang `Scheduler.get_next_batch_to_run`")
def held_up_seconds(prompts_alone: Switch, prefill_seconds: Seconds, joined_prefill_seconds: Seconds) -> Seconds:
    """What a prompt holds up all running sequences, where it has a step of its own, beyond its work in their steps."""
    return prompts_alone * larger(prefill_seconds - joined_prefill_seconds, 0)


@figure("n_oth", basis="measured")
def others_prompts(arriving_sequences: Count, prompts_per_answer: Count) -> Count:
    """Prompts of others that come in the life of an answer.  Source: product."""
    return arriving_sequences * prompts_per_answer


@figure("x_hl1", basis="measured")
def held_share_alone(others_prompts: Count, held_up_seconds: Seconds, answer_decode_seconds: Seconds) -> Share:
    """The same of all these, each taken alone, over the decode steps of an answer.  Source: division."""
    return others_prompts * held_up_seconds / answer_decode_seconds


@figure("x_uns", basis="measured")
def unseen_share(
    others_prompts: Count, scheduler_recv_interval: Count, decode_step_seconds: Seconds, answer_decode_seconds: Seconds
) -> Share:
    """Steps in which these wait until the scheduler looks for them, over the same.  Source: SGLang, event loop."""
    return others_prompts * (scheduler_recv_interval - 1) * decode_step_seconds / answer_decode_seconds


@figure("x_hld", basis="measured", source="prompts come at an even rate; the root of the quadratic that follows")
def held_share(held_share_alone: Share, unseen_share: Share) -> Share:
    """The same of all that come in the life of an answer, over its decode steps; who comes meanwhile shares a step."""
    return _gathered(held_share_alone, unseen_share)


def _gathered(held: float, unseen: float) -> float:
    """How much longer an answer takes: x = held / prompts taken together, 1 + (held + unseen) / (1 + x), solved."""
    rest = 1 + unseen
    return TWO * held / (rest + power(power(rest, TWO) + FOUR * held, HALF))


@figure("x_jn", basis="measured")
def joined_share(
    disaggregated: Share,
    arriving_sequences: Count,
    prompts_per_answer: Count,
    joined_prefill_seconds: Seconds,
    answer_decode_seconds: Seconds,
    held_share: Share,
) -> Share:
    """What the prompts of all other sequences would add to the steps of an answer.

    Source: arXiv:2308.16369 (SARATHI), section 3; nothing where prefills run on GPUs of their own.
    """
    return (1 - disaggregated) * (
        arriving_sequences * prompts_per_answer * joined_prefill_seconds / answer_decode_seconds + held_share
    )


@figure("t_int", basis="measured", source="prompts come at an even rate; the root of the quadratic that follows")
def interference_seconds(
    joined_share: Share, first_token_service_seconds: Seconds, answer_decode_seconds: Seconds, output_tokens: Tokens
) -> Seconds:
    """What the prompts of the other sequences add to each token: each comes once in the life of an answer."""
    # Those that come while it waits for its own first token slow no token of it.
    return (
        _slowed(joined_share, first_token_service_seconds / answer_decode_seconds)
        * answer_decode_seconds * (ONE_TOKEN / output_tokens)
    )  # fmt: skip


def _slowed(joined: float, waited: float) -> float:
    """How much longer an answer takes, of its time alone: x = joined (1 + x) / (1 + x + waited), solved for x."""
    rest = 1 + waited - joined
    return TWO * joined / (rest + power(power(rest, TWO) + FOUR * joined, HALF))


_COUNTED = ("qkv_launches", "output_projection_launches", "mlp_launches", "norm_launches", "pointwise_launches")
LINES = (
    bound_line(
        "plain_prompt_kernels",
        plain_prompt_kernels,
        {name: f"{name}.prefill" for name in (*_COUNTED, "rank_attention_layers")},
    ),
)
