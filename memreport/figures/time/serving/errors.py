"""How far computed times of serving may lie from measured ones, by class of models and by engine."""

from memreport.figures.constants import FOUR, UNMEASURED_WIDER
from memreport.figures.constants.times import MANY_SEQUENCES, RESCALED_SERVED_ERROR, WIDE_PCIE_ERROR
from memreport.figures.quantities import BytesPerSecond, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, power, smaller, where


def _of_class(mixture_layers: float, dense: float, mixture: float, mixtures_measured: float) -> float:
    """The error of dense models or of mixtures; a fifth more where no mixture was measured with the engine."""
    return where(mixture_layers > 0, mixture * power(UNMEASURED_WIDER, 1 - mixtures_measured), dense)


@figure("e_c", basis="measured", source="hardware/efficiency.yaml")
def class_time_error(
    runs_eager: Switch,
    served_eager_error: Share,
    mixture_layers: Count,
    served_dense_error: Share,
    served_mixture_error: Share,
    mixtures_measured: Switch,
    speculative_tokens: Count,
    served_draft_error: Share,
) -> Share:
    """Error of computed times that nine of ten measured points of this class stay within; with drafts, of those."""
    return larger(
        where(
            runs_eager > 0,
            served_eager_error,
            _of_class(mixture_layers, served_dense_error, served_mixture_error, mixtures_measured),
        ),
        served_draft_error * (speculative_tokens > 0),
    )


@figure("e_w", basis="measured")
def wire_time_error(
    tensor_parallel_size: Count,
    link_bytes_per_second: BytesPerSecond,
    host_link_bytes_per_second: BytesPerSecond,
    bridged_accelerators: Count,
) -> Share:
    """What machines differ by whose GPUs share layers over PCIe, more than four of them: switches, or two processors.

    Source: hardware/efficiency.yaml, `pcie`.
    """
    return (
        WIDE_PCIE_ERROR
        * (tensor_parallel_size > FOUR)
        * larger(link_bytes_per_second <= host_link_bytes_per_second, bridged_accelerators > 0)
    )


@figure("e_t", basis="measured")
def served_time_error(measured_time_factor: Share, class_time_error: Share, wire_time_error: Share) -> Share:
    """The same of this service: less where one's own run rescales its times.  Source: errors measured by class."""
    return where(
        (measured_time_factor < 1) + (measured_time_factor > 1) > 0,
        RESCALED_SERVED_ERROR,
        (1 + class_time_error) * (1 + wire_time_error) - 1,
    )


@figure("e_1", basis="measured")
def first_token_error(
    mixture_layers: Count,
    max_num_seqs: Count,
    first_token_dense_error: Share,
    first_token_dense_many_error: Share,
    first_token_mixture_error: Share,
    mixtures_measured: Switch,
) -> Share:
    """The same of times to the first token, of those that take longer.  Source: hardware/efficiency.yaml."""
    return _of_class(
        mixture_layers,
        where(max_num_seqs > MANY_SEQUENCES, first_token_dense_many_error, first_token_dense_error),
        first_token_mixture_error,
        mixtures_measured,
    )


@figure("e_1-", basis="measured", source="hardware/efficiency.yaml")
def first_token_error_low(
    mixture_layers: Count,
    first_token_dense_error_low: Share,
    first_token_mixture_error_low: Share,
    mixtures_measured: Switch,
) -> Share:
    """The same of those that take less: a wait can grow far more than it can shrink."""
    return _of_class(mixture_layers, first_token_dense_error_low, first_token_mixture_error_low, mixtures_measured)


@figure("e_m", basis="measured", source="hardware/efficiency.yaml")
def mixture_answer_error(
    mixture_layers: Count, runs_eager: Switch, measured_time_factor: Share, served_mixture_answer_error: Share
) -> Share:
    """What whole answers of mixtures, their waits included, differ by at least, unless an own run rescales them."""
    return (
        served_mixture_answer_error
        * (mixture_layers > 0)
        * (runs_eager < 1)
        * (1 - (measured_time_factor < 1) - (measured_time_factor > 1))
    )


@figure("e_rq", basis="measured")
def answer_time_error(
    prefill_sequences: Count,
    max_num_seqs: Count,
    runs_eager: Switch,
    served_batch_error: Share,
    served_time_error: Share,
    mixture_answer_error: Share,
) -> Share:
    """The same of whole answers; those of a fixed batch were measured apart.  Source: hardware/efficiency.yaml."""
    return larger(
        where(
            smaller(1 - runs_eager, smaller(prefill_sequences - 1, prefill_sequences - max_num_seqs + 1)) > 0,
            served_batch_error,
            served_time_error,
        ),
        mixture_answer_error,
    )
