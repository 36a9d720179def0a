"""What attention keeps more where kernels do not take heads as they are: values narrower than keys, very wide heads."""

from memreport.figures.constants import WIDEST_GROUPED_HEAD
from memreport.figures.quantities import Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger


@figure("o_pv")
def padded_values(
    runs_transformers_layers: Switch,
    kv_lora_rank: Count,
    query_size: Count,
    value_size: Count,
    scores_stored: Switch,
    windows_as_masks: Switch,
) -> Switch:
    """1 where values of latent attention are padded to the width of keys, as FlashAttention takes one width for both.

    Source: transformers 5.24 `flash_attention_forward`; before, each model's own code.
    """
    return (
        runs_transformers_layers * (kv_lora_rank > 0) * (query_size > value_size)
        * larger(1 - scores_stored - windows_as_masks, 0)
    )  # fmt: skip


@figure("D_pv")
def padded_value_size(padded_values: Switch, query_size: Count, value_size: Count) -> Count:
    """Width of that padding, in values and in what the kernel answers.  Source: subtraction."""
    return padded_values * (query_size - value_size)


@figure("D_wk", source="transformers 5.24 `use_gqa_in_sdpa`; torch 2.13, counted")
def repeated_global_size(
    runs_transformers_layers: Switch,
    windows_as_masks: Switch,
    repeated_key_share: Share,
    global_layer_share: Share,
    global_head_dim: Count,
    num_attention_heads: Count,
    num_global_key_value_heads: Count,
) -> Count:
    """Keys that wide heads make of those of fewer heads, in the mean: PyTorch's attention groups up to 256 wide."""
    return (
        runs_transformers_layers * windows_as_masks * (1 - repeated_key_share) * global_layer_share
        * (global_head_dim > WIDEST_GROUPED_HEAD) * (num_global_key_value_heads > 1)
        * (num_attention_heads - num_global_key_value_heads) * global_head_dim
    )  # fmt: skip
