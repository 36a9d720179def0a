"""Towers for images: what of them is trained or adapted, and how many patches they work on."""

from memreport.figures.constants import THREE, TWO
from memreport.figures.quantities import Count, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, where


@figure("P_tow")
def frozen_tower_parameters(freezes_towers: Switch, tower_parameters: Count) -> Count:
    """Parameters of towers that have no gradient.  Source: LLaMA-Factory `freeze_vision_tower`."""
    return freezes_towers * tower_parameters


@figure("o_tad")
def adapts_towers(trains_adapters: Switch, adapts_matrices: Switch, freezes_towers: Switch) -> Switch:
    """1 where names of matrices mean those of towers, too.  Source: PEFT, counted."""
    return trains_adapters * adapts_matrices * (1 - freezes_towers)


@figure("D_tow")
def tower_adapted_widths(
    adapts_towers: Switch,
    targets_others: Switch,
    tower_adapter_widths: Count,
    targets_q_proj: Switch,
    targets_k_proj: Switch,
    targets_v_proj: Switch,
    tower_fused_qkv: Switch,
    tower_layers: Count,
    tower_hidden_size: Count,
    targets_o_proj: Switch,
    tower_shares_output: Switch,
    targets_gate_proj: Switch,
    targets_up_proj: Switch,
    targets_down_proj: Switch,
    tower_mlp_values: Count,
    tower_intermediate_size: Count,
) -> Count:
    """Input plus output widths of the tower's adapted matrices.  Source: PEFT, counted."""
    # PEFT 0.21 finds modules by the end of their names, wherever they stand.
    return adapts_towers * where(
        targets_others > 0,
        tower_adapter_widths,
        tower_layers
        * (
            TWO
            * tower_hidden_size
            * (
                (1 - tower_fused_qkv) * (targets_q_proj + targets_k_proj + targets_v_proj)
                + tower_shares_output * targets_o_proj
            )
            + (tower_mlp_values > THREE)
            * (targets_gate_proj + targets_up_proj + targets_down_proj)
            * (tower_hidden_size + tower_intermediate_size)
        ),
    )


@figure("N_pat")
def image_patches(
    images_per_sequence: Count,
    image_pixels: Count,
    tower_patch_area: Count,
    tower_patches: Count,
    micro_batch_size: Count,
    sequences_per_sample: Count,
) -> Count:
    """Patches of all images of a micro-batch.  Source: HF image processors."""
    return (
        micro_batch_size
        * sequences_per_sample
        * images_per_sequence
        * where(image_pixels * tower_patch_area > 0, image_pixels / larger(tower_patch_area, 1), tower_patches)
    )
