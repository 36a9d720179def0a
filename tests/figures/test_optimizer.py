"""Optimizer states by hand: 7e9 parameters, two FP32 moments and a master copy, cut and paged."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.figures.training.states import optimizer as o
from memreport.formula.recording import Figure, figures_in
from tests.support import named, run, scenario_text, truth, value

LOW_WIDTHS = {"hidden_size": 10.0, "query_size": 20.0, "key_value_size": 5.0, "intermediate_size": 40.0}
BASE = {"trains_base": 1.0, "trains_adapters": 0.0, "beside_element_bytes": 4.0}
ADAPTERS = {"trains_base": 0.0, "trains_adapters": 1.0, "beside_element_bytes": 4.0}
LOOP = {"dense_layers": 8, "intermediate_size": 20, "hidden_size": 5, "parameters": 1000}
TRUTHS = [
    truth(o.optimizer_off_device, 0, optimizer_offloaded=0, optimizer_paged=0),
    truth(o.optimizer_off_device, 1, optimizer_offloaded=1, optimizer_paged=0),
    truth(o.optimizer_off_device, 1, optimizer_offloaded=0, optimizer_paged=1),
    truth(o.moment_bytes_each, 1.015625, optimizer_moment_element_bytes=1.015625, moment_element_bytes=4, **BASE),
    truth(o.moment_bytes_each, 2, optimizer_moment_element_bytes=0, moment_element_bytes=2, **BASE),
    truth(o.moment_bytes_each, 4, optimizer_moment_element_bytes=0, moment_element_bytes=2, **ADAPTERS),
    truth(
        o.factored_elements,
        2 * ((10 + 20) + 2 * (10 + 5) + (20 + 10)) + 2 * 3 * (10 + 40),
        attention_layers=2,
        mlp_matrices=3,
        dense_layers=2,
        **LOW_WIDTHS,
    ),
    truth(
        o.whole_optimizer_state_bytes,
        56e9,
        rank_trainable_parameters=7e9,
        optimizer_moments=2,
        moment_bytes_each=4,
        optimizer_factored=0,
        factored_elements=1e6,
        rank_share=1,
        other_state_elements=0,
        preconditioner_elements=0,
        wide_embedding_state_bytes=0,
        importance_bytes=0,
    ),
    truth(
        o.whole_optimizer_state_bytes,
        2e6,
        rank_trainable_parameters=7e9,
        optimizer_moments=0,
        moment_bytes_each=4,
        optimizer_factored=1,
        factored_elements=1e6,
        rank_share=0.5,
        other_state_elements=0,
        preconditioner_elements=0,
        wide_embedding_state_bytes=0,
        importance_bytes=0,
    ),
    truth(
        o.whole_optimizer_state_bytes,
        28e9 + 1e9 * 0.5 * 4 + 2e9 * 0.5 * 4 + 6e9 * 0.5,
        rank_trainable_parameters=7e9,
        optimizer_moments=1,
        moment_bytes_each=4,
        optimizer_factored=0,
        factored_elements=1e6,
        rank_share=0.5,
        other_state_elements=1e9,
        preconditioner_elements=2e9,
        wide_embedding_state_bytes=6e9,
        importance_bytes=0,
    ),
    truth(
        o.wide_embedding_state_bytes,
        2 * 3 * 1.1e9,
        trains_edges=1,
        optimizer_blockwise=1,
        widens_embedding_moments=1,
        optimizer_shards=1,
        optimizer_moments=2,
        moment_bytes_each=1,
        embedding_parameters=1e9,
        position_parameters=1e8,
    ),
    truth(o.attention_widths, 4096 + 2 * 1024 + 4096, query_size=4096, key_value_size=1024, value_size=4096),
    # rank 2, one layer of four matrices of attention with sides 10, and 3 of 10 x 30 in the MLP
    truth(
        o.low_rank_elements,
        2 * (8 * 10 + 40 + 3 * (2 * 30 + 10)),
        galore_rank=2,
        hidden_size=10,
        attention_widths=40,
        attention_layers=1,
        mlp_matrices=3,
        low_rank_mlp_widths=2 * 30 + 10,
    ),
    # one MLP of 10 x 30, and two experts of 10 x 4 in one layer
    truth(
        o.low_rank_mlp_widths,
        2 * 30 + 10 + 2 * (2 * 10 + 4),
        dense_layers=1,
        hidden_size=10,
        intermediate_size=30,
        mixture_layers=1,
        num_local_experts=2,
        moe_intermediate_size=4,
    ),
    # Muon keeps one more moment of the 20 of 100 parameters that are no matrices
    truth(
        o.other_state_elements,
        20,
        trains_base=1,
        trains_edges=1,
        optimizer_edge_moments=2,
        optimizer_moments=1,
        parameters=100,
        stored_matrix_parameters=80,
        optimizer_low_rank=0,
        low_rank_elements=7,
    ),
    truth(
        o.other_state_elements,
        7,
        trains_base=1,
        trains_edges=0,
        optimizer_edge_moments=2,
        optimizer_moments=0,
        parameters=100,
        stored_matrix_parameters=80,
        optimizer_low_rank=1,
        low_rank_elements=7,
    ),
    truth(
        o.other_state_elements,
        40 + 7,
        trains_base=1,
        trains_edges=1,
        optimizer_edge_moments=2,
        optimizer_moments=0,
        parameters=100,
        stored_matrix_parameters=80,
        optimizer_low_rank=1,
        low_rank_elements=7,
    ),
    truth(
        o.preconditioned_sides,
        4 * 100 + 100 + 2 * 25 + 100,
        hidden_size=10,
        query_size=10,
        key_value_size=5,
        value_size=10,
    ),
    truth(o.preconditioned_mlp_sides, 100 + 900, hidden_size=10, intermediate_size=30),
    truth(o.preconditioned_mlp_sides, 4096 * 4096, hidden_size=4096, intermediate_size=14_336),
    truth(
        o.preconditioner_elements,
        2 * (2 * 650 + 2 * 3 * 1000),
        trains_base=1,
        optimizer_preconditioners=2,
        attention_layers=2,
        preconditioned_sides=650,
        dense_layers=2,
        mlp_matrices=3,
        preconditioned_mlp_sides=1000,
    ),
    truth(o.optimizer_state_bytes, 7e9, whole_optimizer_state_bytes=56e9, optimizer_shards=8, optimizer_off_device=0),
    truth(o.optimizer_state_bytes, 0, whole_optimizer_state_bytes=56e9, optimizer_shards=8, optimizer_off_device=1),
    truth(
        o.whole_master_weight_bytes,
        28e9,
        trains_base=1,
        rank_trainable_parameters=7e9,
        master_element_bytes=4,
        optimizer_estimates_gradients=0,
    ),
    truth(
        o.whole_master_weight_bytes,
        0,
        trains_base=0,
        rank_trainable_parameters=7e9,
        master_element_bytes=4,
        optimizer_estimates_gradients=0,
    ),
    truth(o.master_weight_bytes, 3.5e9, whole_master_weight_bytes=28e9, optimizer_shards=8, optimizer_offloaded=0),
    truth(o.master_weight_bytes, 0, whole_master_weight_bytes=28e9, optimizer_shards=8, optimizer_offloaded=1),
    truth(
        o.model_state_bytes,
        112e9,
        weight_bytes=14e9,
        master_weight_bytes=28e9,
        gradient_bytes=14e9,
        optimizer_state_bytes=56e9,
    ),
    truth(
        o.saved_checkpoint_bytes,
        14e9 + 3 + (56e9 + 28e9) / 0.5,
        trains_base=1,
        model_weight_bytes=14e9,
        adapter_bytes=1,
        saved_module_bytes=2,
        whole_optimizer_state_bytes=56e9,
        whole_master_weight_bytes=28e9,
        rank_share=0.5,
    ),
    truth(o.step_element_bytes, 4, master_element_bytes=4, weight_element_bytes=2, **BASE),
    truth(o.step_element_bytes, 2, master_element_bytes=0, weight_element_bytes=2, **BASE),
    truth(o.step_element_bytes, 4, master_element_bytes=0, weight_element_bytes=2, **ADAPTERS),
    truth(
        o.optimizer_step_bytes,
        1.75e9,
        rank_trainable_parameters=7e9,
        step_element_bytes=2,
        optimizer_step_copies=1,
        loop_step_share=0,
        optimizer_has_foreach=1,
        optimizer_shards=8,
        optimizer_offloaded=0,
        optimizer_in_backward=0,
        cast_gradient_element_bytes=0,
        perturbation_bytes=0,
    ),
    truth(
        o.optimizer_step_bytes,
        0,
        rank_trainable_parameters=7e9,
        step_element_bytes=2,
        optimizer_step_copies=1,
        loop_step_share=0,
        optimizer_has_foreach=0,
        optimizer_shards=1,
        optimizer_offloaded=0,
        optimizer_in_backward=0,
        cast_gradient_element_bytes=0,
        perturbation_bytes=0,
    ),
    truth(
        o.optimizer_step_bytes,
        7e9 * 4 * 0.2,
        rank_trainable_parameters=7e9,
        step_element_bytes=4,
        optimizer_step_copies=0,
        loop_step_share=0.2,
        optimizer_has_foreach=1,
        optimizer_shards=1,
        optimizer_offloaded=0,
        optimizer_in_backward=0,
        cast_gradient_element_bytes=0,
        perturbation_bytes=0,
    ),
    truth(
        o.cast_gradient_element_bytes, 4, casts_gradients=1, master_element_bytes=4, trained_gradient_element_bytes=2
    ),
    truth(
        o.cast_gradient_element_bytes, 0, casts_gradients=1, master_element_bytes=4, trained_gradient_element_bytes=4
    ),
    truth(o.loop_step_share, 0.4, optimizer_step_largest=2, trains_base=1, largest_gradient_share=0.2, **LOOP),
    truth(o.loop_step_share, 0.3, optimizer_step_largest=2, trains_base=1, largest_gradient_share=0.1, **LOOP),
    truth(o.loop_step_share, 0, optimizer_step_largest=0, trains_base=1, largest_gradient_share=0.1, **LOOP),
    truth(o.loop_step_share, 0, optimizer_step_largest=2, trains_base=0, largest_gradient_share=0.1, **LOOP),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(o)}


def test_a_paged_optimizer_leaves_the_master_copy_on_the_card(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(overrides="{parameters: 7e9}", training="{optimizer: paged-adamw}"))
    assert value(computed, "master_weight_bytes") == 28e9
    assert value(computed, "optimizer_state_bytes") == 0
    assert value(computed, "offloaded_host_bytes") == 56e9
