"""How many GPUs a served model needs at least, and whether its engine runs on them."""

from memreport.figures.constants import EIGHT, FOUR, SIXTEEN, THIRTY_TWO, TWO
from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import ceil, larger, total


@figure("n_min", title="Fewest GPUs, weights")
def minimum_accelerators_weights(model_weight_bytes: Bytes, capacity_bytes: Bytes) -> Count:
    """Fewest GPUs whose memory holds the weights alone.  Source: 004 'Scale Thought Experiment'."""
    return ceil(model_weight_bytes / capacity_bytes)


@figure("n_real", basis="rule of thumb", title="Fewest with allowance")
def minimum_accelerators(model_weight_bytes: Bytes, weight_overhead_share: Share, capacity_bytes: Bytes) -> Count:
    """The same with an allowance for cache, activations and buffers.  Source: 004 'Break It', 10 to 25 %."""
    return ceil(model_weight_bytes * (1 + weight_overhead_share) / capacity_bytes)


@figure("n_pow8", basis="rule of thumb")
def accelerators_above_eight(minimum_accelerators: Count) -> Count:
    """What rounding up to a power of two adds above eight, as far as 64.  Source: 004 'Scale Thought Experiment'."""
    return (
        (minimum_accelerators > EIGHT) * EIGHT
        + (minimum_accelerators > SIXTEEN) * SIXTEEN
        + (minimum_accelerators > THIRTY_TWO) * THIRTY_TWO
    )


@figure("n_pow", basis="rule of thumb", source="004 'Scale Thought Experiment'")
def minimum_accelerators_rounded(minimum_accelerators: Count, accelerators_above_eight: Count) -> Count:
    """The same as a power of two, as tensor parallelism needs; above 64 the number itself."""
    return larger(
        minimum_accelerators,
        total(
            1 + (minimum_accelerators > 1),
            (minimum_accelerators > TWO) * TWO,
            (minimum_accelerators > FOUR) * FOUR,
            accelerators_above_eight,
        ),
    )


@figure("ok_e")
def engine_runs(needs_cuda: Switch, runs_cuda: Switch, needs_metal: Switch, runs_metal: Switch) -> Switch:
    """1 where programs of the engine run on the GPU.  Source: TensorRT-LLM support matrix; vLLM, installation."""
    return (needs_cuda <= runs_cuda) * (needs_metal <= runs_metal)
