"""Serving of models that answer with a vector or a score: texts of one pass, and what bounds them beside the GPU."""

from memreport.figures.constants import ONE_TOKEN
from memreport.figures.quantities import Count, Seconds, Switch, Tokens
from memreport.formula.recording import figure
from memreport.formula.words import floor, larger, smaller, where


@figure("g", source="vLLM `--runner pooling`")
def makes_tokens(is_decoder: Switch, pooling: Switch) -> Switch:
    """1 where a model answers with tokens; encoders, embedders and rerankers answer with a vector or a score."""
    return is_decoder * (1 - pooling)


@figure("n_p", title="Texts in a pass", scope="one replica", source="vLLM's scheduler, TEI's queue")
def prompts_together(
    makes_tokens: Switch,
    prefill_sequences: Count,
    step_tokens: Tokens,
    prompt_tokens: Tokens,
    max_num_seqs: Count,
    usual_sequences: Count,
) -> Count:
    """Prompts of one pass: what is stated, or as many texts as its tokens hold where nothing is decoded."""
    return where(
        makes_tokens > 0,
        prefill_sequences,
        larger(
            prefill_sequences,
            smaller(larger(floor(step_tokens / prompt_tokens), 1), larger(max_num_seqs, usual_sequences)),
        ),
    )


@figure("t_px", basis="rule of thumb", source="the engine's row")
def pooling_host_seconds(
    makes_tokens: Switch,
    launching_seconds: Seconds,
    prefill_stage_seconds: Seconds,
    host_step_seconds: Seconds,
    host_sequence_seconds: Seconds,
    prompts_together: Count,
) -> Seconds:
    """What the host adds to a pass of texts: its step, and launches that take longer than the work."""
    return (1 - makes_tokens) * (
        larger(launching_seconds - prefill_stage_seconds, 0)
        + host_step_seconds
        + host_sequence_seconds * prompts_together
    )


@figure("t_txt", basis="measured", scope="one replica", source="the engine's row")
def text_seconds(makes_tokens: Switch, prefill_work_seconds: Seconds, text_host_seconds: Seconds) -> Seconds:
    """Time between two texts at full load: the GPU's, or the server's for request and tokens where that is longer."""
    return larger(prefill_work_seconds, (1 - makes_tokens) * text_host_seconds)


@figure("n_txt", scope="one replica")
def texts_at_once(step_tokens: Tokens, context_length: Tokens) -> Count:
    """Texts of this length that one pass holds; longer ones are worked on in several.  Source: division."""
    return larger(floor(step_tokens / larger(context_length, ONE_TOKEN)), 1)
