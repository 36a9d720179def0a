"""Traffic of layers that are written out in single operations: norms, residual sums, rotations, activations, caps.

Each operation reads its operands and writes its result; `tests/saved_tensors/traffic.py` counts them.  A third of it,
more or less, is forward (norms 0.28, the rest 0.35, caps 0.46), and done again where layers are recomputed.
"""

from memreport.figures.constants import FOUR, THREE, TWO
from memreport.figures.constants.times import GATE_PASSES, ROTATION_PASSES
from memreport.figures.quantities import Count, Switch
from memreport.formula.recording import figure


@figure("x_wh")
def written_hidden_values(
    hidden_size: Count, layers_per_stage: Count, mlp_matrices: Count, residual_values: Count
) -> Count:
    """Moved by sums of the residual stream, and of gradients of an input that several projections read.  Source: HF."""
    # Where one projection reads it, as many values move as halves are joined, or for the gradients of biases.
    return THREE * (hidden_size * layers_per_stage * (FOUR + mlp_matrices) - residual_values * TWO)


@figure("x_rt")
def rotated_values(position_embedding_rows: Count, unfused_attention: Switch, rank_query_key_values: Count) -> Count:
    """Queries and keys that are rotated, but where positions are learned or are biases of scores.  Source: HF."""
    return (position_embedding_rows <= 0) * (1 - unfused_attention) * rank_query_key_values


@figure("x_wm")
def written_mlp_values(
    rank_mlp_width: Count,
    mlp_matrices: Count,
    activation_passes: Count,
    autocast: Switch,
    activation_wide_values: Count,
) -> Count:
    """Moved by activations, which autocast may widen, and by their gates.  Source: HF, counted."""
    return rank_mlp_width * (
        (mlp_matrices - TWO) * GATE_PASSES + activation_passes * (1 + autocast * (activation_wide_values > 0))
    )


@figure("x_wp")
def written_values(written_hidden_values: Count, rotated_values: Count, written_mlp_values: Count) -> Count:
    """Values of a token that are moved.  Source: sum."""
    return written_hidden_values + ROTATION_PASSES * rotated_values + written_mlp_values
