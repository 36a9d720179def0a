"""What the backward pass holds beside saved tensors, against hand-computed sizes."""

from __future__ import annotations

import pytest

from memreport.figures.training import working_set as w
from memreport.formula.recording import Figure, figures_in
from tests.support import named, truth

H, F = 4096, 11_008  # Llama 2 7B
SCORES = {"num_attention_heads": 32.0, "keys_per_sequence": 2048.0, "activation_element_bytes": 2.0} | {
    "score_bytes": 6.0,
}  # fmt: skip
NORMS_FREED = {"hidden_size": H, "norm_element_bytes": 6} | {
    "freed_adapter_bytes_per_token": 9,
    "sequence_shards": 4, "value_size": 50, "attention_output_values": 1, "activation_element_bytes": 2,
    "tensor_parallel_size": 2, "kept_projection_size": 30,
}  # fmt: skip
NORM_VALUES = {"hidden_size": H, "norm_backward_values": 5, "sequence_shards": 2} | {
    "freed_beside_mlp_bytes_per_token": 200,
    "qk_norm_backward_bytes_per_token": 700,
}  # fmt: skip
QK = {"query_size": 2048, "key_value_size": 512, "norm_backward_values": 5, "qk_norm_element_bytes": 6} | {
    "attention_activation_bytes": 900, "tensor_parallel_size": 2,
}  # fmt: skip
OUTPUT = {"layer_gradient_bytes": 300, "output_matrix_parameters": 16, "num_hidden_layers": 8} | {
    "attention_parameters": 240, "mlp_parameters": 400, "parallel_residual": 1, "residual_gradient_bytes": 50,
}  # fmt: skip
TWICE = {"checkpoints": 1, "residual_gradient_bytes": 7, "keeps_linear_inputs": 1, "autocast": 0} | {
    "attention_adapter_copies": 3, "adapter_input_element_bytes": 2, "residual_element_bytes": 2,
}  # fmt: skip
ANSWERS = {"hidden_size": H, "norm_element_bytes": 6, "sequence_shards": 2}
AT_INPUT = {
    "norms_after_sublayers": 0,
    "hidden_size": H,
    "layers_fused": 0,
    "norm_backward_values": 5,
    "sequence_shards": 2,
}
NORM = {"tokens_per_micro_batch": 10.0, "hidden_size": 4096.0, "norm_backward_values": 5.0, "sequence_shards": 2.0}
UNFUSED = {"adapters_fused": 0, "mlp_input_adapters": 2}
SWIGLU = {"gated_mlp": 1, "activation_backward_values": 1, "layers_fused": 1, "use_liger_kernel": 0} | {
    "down_input_values": 0, "activation_saves_result": 0,
}  # fmt: skip
TRUTHS = [
    truth(
        w.mlp_backward_values,
        3 - 1,
        gated_mlp=1,
        activation_backward_values=1,
        layers_fused=0,
        use_liger_kernel=0,
        **UNFUSED,
        down_input_values=1,
        activation_saves_result=0,
    ),
    truth(
        w.mlp_backward_values,
        2,
        gated_mlp=0,
        activation_backward_values=0,
        layers_fused=0,
        use_liger_kernel=0,
        **UNFUSED,
        down_input_values=1,
        activation_saves_result=1,
    ),
    truth(
        w.mlp_backward_values,
        3,
        gated_mlp=0,
        activation_backward_values=1,
        layers_fused=0,
        use_liger_kernel=0,
        **UNFUSED,
        down_input_values=0,
        activation_saves_result=0,
    ),
    truth(
        w.mlp_backward_values,
        1,
        gated_mlp=1,
        activation_backward_values=1,
        layers_fused=1,
        use_liger_kernel=1,
        **UNFUSED,
        down_input_values=1,
        activation_saves_result=0,
    ),
    *(
        truth(w.mlp_backward_values, expected, adapters_fused=1, mlp_input_adapters=adapters, **SWIGLU)
        for expected, adapters in ((1, 2), (3, 0))
    ),
    truth(
        w.score_backward_bytes_per_token,
        32 * 2048 * (2 * 4 - 2 - 1),  # the mask of dropout is free as well
        scores_stored=1,
        softmax_element_bytes=4,
        attention_dropout=0.1,
        recomputes_scores=0,
        tensor_parallel_size=1,
        **SCORES,
    ),
    truth(
        w.score_backward_bytes_per_token,
        32 * 2048 * 2,  # beside softmax, mask and what was left: the gradient of that
        scores_stored=1,
        softmax_element_bytes=2,
        attention_dropout=0.1,
        recomputes_scores=0,
        tensor_parallel_size=1,
        **SCORES,
    ),
    truth(
        w.score_backward_bytes_per_token,
        32 * 2048 * (2 * 4 - 2) / 2,
        attention_dropout=0,
        scores_stored=1,
        softmax_element_bytes=4,
        recomputes_scores=0,
        tensor_parallel_size=2,
        **SCORES,
    ),
    truth(
        w.score_backward_bytes_per_token,
        32 * 2048 * (2 * 2 + 6),
        attention_dropout=0,
        scores_stored=1,
        softmax_element_bytes=2,
        recomputes_scores=1,
        tensor_parallel_size=1,
        **SCORES,
    ),
    truth(
        w.freed_mlp_bytes_per_token,
        (F * 8 + 300) / 2 + H * 2 / 4,
        mlp_activation_bytes=F * 8,
        routing_activation_bytes=300,
        tensor_parallel_size=2,
        hidden_size=H,
        mlp_input_copies=1,
        linear_input_element_bytes=2,
        input_shards=4,
    ),
    truth(w.freed_beside_mlp_bytes_per_token, 89 + 3 * H * 6 / 4, norms_per_layer=4, scores_stored=1, **NORMS_FREED),
    truth(w.freed_beside_mlp_bytes_per_token, 9, norms_per_layer=1, scores_stored=0, **NORMS_FREED),
    truth(w.norm_backward_bytes_per_token, H * 5 * 4 / 2, norm_input_wide=1, layers_fused=0, **NORM_VALUES),
    truth(w.norm_backward_bytes_per_token, 700 - 200, norm_input_wide=1, layers_fused=1, **NORM_VALUES),
    truth(w.norm_backward_bytes_per_token, 700 - 200, norm_input_wide=0, layers_fused=0, **NORM_VALUES),
    truth(
        w.qk_norm_backward_bytes_per_token,
        (2048 * (5 * 4 - 6 + 4) - 512 * 6 - 900) / 2,
        qk_norm_share=1,
        layers_fused=0,
        **QK,
    ),
    truth(w.qk_norm_backward_bytes_per_token, 0, qk_norm_share=1, layers_fused=1, **QK),
    truth(w.qk_norm_backward_bytes_per_token, 0, qk_norm_share=0, layers_fused=0, **QK),
    truth(w.new_gradient_bytes, 0, gradient_bytes=14e9, carried_gradient_bytes=14e9),
    truth(
        w.residual_gradient_bytes,
        10 * 8192,
        counts_saved_tensors=1,
        tokens_per_micro_batch=10,
        checkpoint_input_bytes=8192,
    ),
    truth(w.output_gradient_bytes, 300 * 16 * 8 / 640 + 50, trains_base=1, reduces_by_layer=0, **OUTPUT),
    truth(w.output_gradient_bytes, 50, trains_base=1, reduces_by_layer=1, **OUTPUT),
    truth(w.output_gradient_bytes, 50, trains_base=0, reduces_by_layer=0, **OUTPUT),
    truth(w.input_norm_bytes_per_token, H * (4 + 5 * 4) / 2, norm_input_wide=1, norm_input_element_bytes=4, **AT_INPUT),
    truth(w.input_norm_bytes_per_token, H * 2 * 2 / 2, norm_input_wide=0, norm_input_element_bytes=2, **AT_INPUT),
    truth(w.input_counted_twice_bytes, 7, norm_input_copied=0, norms_after_sublayers=0, **TWICE),
    truth(w.input_counted_twice_bytes, 0, norm_input_copied=1, norms_after_sublayers=0, **TWICE),
    truth(w.input_counted_twice_bytes, 7, norm_input_copied=1, norms_after_sublayers=1, **TWICE),
    truth(
        w.input_counted_twice_bytes,
        0,
        norm_input_copied=1,
        norms_after_sublayers=1,
        **(TWICE | {"keeps_linear_inputs": 0, "adapter_input_element_bytes": 4}),
    ),
    truth(w.answer_norm_freed_bytes, H * 6 / 2, norms_after_sublayers=0, norms_per_layer=4, **ANSWERS),
    truth(w.answer_norm_freed_bytes, H * 6 / 2, norms_after_sublayers=1, norms_per_layer=2, **ANSWERS),
    truth(w.answer_norm_freed_bytes, 0, norms_after_sublayers=0, norms_per_layer=2, **ANSWERS),
    truth(
        w.answer_norm_working_bytes,
        50 * (5 * 4 - 2),
        answer_norm_freed_bytes=300,
        norm_element_bytes=6,
        norm_input_wide=1,
        layers_fused=0,
        norm_backward_values=5,
        normalised_element_bytes=2,
    ),
    truth(
        w.norm_backward_bytes,
        10 * H * (4 + 5 * 4) / 2,
        counts_saved_tensors=1,
        norm_input_element_bytes=4,
        norm_input_wide=1,
        layers_fused=0,
        **NORM,
    ),
    truth(
        w.norm_backward_bytes,
        10 * H * (4 + 2 * 4) / 2,
        counts_saved_tensors=1,
        norm_input_element_bytes=4,
        norm_input_wide=0,
        layers_fused=0,
        **NORM,
    ),
    truth(
        w.norm_backward_bytes,
        10 * H * (2 + 4) / 2,
        counts_saved_tensors=1,
        norm_input_element_bytes=2,
        norm_input_wide=1,
        layers_fused=1,
        **NORM,
    ),
    truth(
        w.head_gradient_bytes,
        1.75e9,
        counts_saved_tensors=1,
        new_gradient_bytes=14e9,
        head_gradient_share=0.125,
        pipeline_parallel_size=1,
        reduces_by_layer=0,
    ),
    truth(
        w.layer_gradient_bytes,
        14e9 * 6 / 8 / 32,
        counts_saved_tensors=1,
        new_gradient_bytes=28e9,
        adapter_gradient_share=0.5,
        attention_parameters=2,
        mlp_parameters=4,
        trained_base_parameters=8,
        held_layers=32,
    ),
    truth(w.unmade_gradient_bytes, 400, layer_gradient_bytes=100, checkpoint_interval_layers=4, held_layers=32),
    truth(w.unmade_gradient_bytes, 100, layer_gradient_bytes=100, checkpoint_interval_layers=0, held_layers=32),
]


@pytest.mark.parametrize(("figure", "expected", "inputs"), named(TRUTHS))
def test_truth(figure: Figure, expected: float, inputs: dict[str, float]) -> None:
    assert figure.formula(**inputs) == expected


def test_every_figure_has_a_truth() -> None:
    assert {one[0].name for one in TRUTHS} == {figure.name for figure in figures_in(w)}
