"""How often a training step gathers the weights that are cut over GPUs."""

from memreport.figures.constants import TWO
from memreport.figures.quantities import Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("n_rg", source="arXiv:2104.07857, section 4.1; transformers 4.52, `gradient_checkpointing_enable`")
def recompute_gathers(
    releases_gathered: Switch,
    recompute_share: Share,
    reentrant_checkpoints: Switch,
    live_parameters: Count,
    mean_layer_parameters: Count,
) -> Count:
    """Gathers of a weight for its recomputation, where the checkpoint lies around the layer that gathers."""
    # DeepSpeed keeps what is used again within `live_parameters`.
    return (
        releases_gathered * smaller(recompute_share, 1) * where(
            live_parameters > 0, larger(1 - live_parameters / TWO / mean_layer_parameters, 0), reentrant_checkpoints
        )
    )  # fmt: skip


@figure("n_gb")
def gathers_per_batch(releases_gathered: Switch, recompute_gathers: Count) -> Count:
    """How often a micro-batch gathers each sharded weight: for each pass that finds it set free.  Source: sum."""
    return 1 + releases_gathered + recompute_gathers


@figure("n_gat", source="PyTorch FSDP; PyTorch pipelining, `set_reshard_after_backward(False)`")
def weight_gathers(
    gathers_per_batch: Count, gradient_accumulation_steps: Count, pipeline_parallel_size: Count
) -> Count:
    """How often a step gathers each sharded weight: before each pass, or once for all that a stage does."""
    return where(pipeline_parallel_size > 1, 1, gathers_per_batch * gradient_accumulation_steps)
