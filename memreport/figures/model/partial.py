"""Layers or biases of the base that are trained while the rest is frozen: parameters, and what keeps activations."""

from memreport.figures.quantities import Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, smaller, where


@figure("f_tl", source="LLaMA-Factory `freeze_trainable_layers`; arXiv:2404.02827 (BAdam); arXiv:2403.17919 (LISA)")
def trained_layer_share(trained_layers: Count, num_hidden_layers: Count) -> Share:
    """Share of the layers that are trained at a time; all where none are named."""
    return where(trained_layers > 0, smaller(trained_layers, num_hidden_layers) / num_hidden_layers, 1)


@figure("o_te")
def trains_edges(trains_base: Switch, trained_layers: Count, trains_embeddings: Switch) -> Switch:
    """1 where embedding, head and final norm have gradients.  Source: as the layers'."""
    return trains_base * larger(trained_layers <= 0, trains_embeddings)


@figure("P_tb", source="sum")
def trained_base_parameters(
    trained_layers: Count,
    attention_parameters: Count,
    mlp_parameters: Count,
    trained_layer_share: Share,
    trains_embeddings: Switch,
    parameters: Count,
    frozen_tower_parameters: Count,
) -> Count:
    """Parameters of the base that are trained at a time: of layers in the mean, and the others where they are, too."""
    return where(
        trained_layers > 0,
        (attention_parameters + mlp_parameters) * trained_layer_share
        + trains_embeddings * (parameters - frozen_tower_parameters - attention_parameters - mlp_parameters),
        parameters - frozen_tower_parameters,
    )


@figure("f_kl")
def kept_layer_share(trained_layers_move: Switch, trained_layer_share: Share, layers_above_share: Share) -> Share:
    """Share of the layers that keep something: the last ones, which are trained, or all where those change.

    Source: PyTorch keeps nothing below the first tensor that wants a gradient; BAdam and LISA come to every layer.
    """
    return where(trained_layers_move > 0, 1, trained_layer_share) * layers_above_share


@figure("P_bial")
def bias_parameters(
    attention_layers: Count,
    attention_bias_parameters: Count,
    mlp_bias: Switch,
    dense_layers: Count,
    gated_mlp: Switch,
    intermediate_size: Count,
    hidden_size: Count,
) -> Count:
    """Biases of attention and of dense layers.  Source: arXiv:2106.10199 (BitFit)."""
    return (
        attention_layers * attention_bias_parameters
        + mlp_bias * dense_layers * ((1 + gated_mlp) * intermediate_size + hidden_size)
    )  # fmt: skip


@figure("P_biar")
def bias_parameters_beside(
    norm_parameters: Count, norm_weight: Switch, norm_bias: Switch, lm_head_bias: Switch, vocab_size: Count
) -> Count:
    """Biases of norms and of the head.  Source: arXiv:2106.10199 (BitFit)."""
    return norm_parameters * norm_bias / larger(norm_weight + norm_bias, 1) + lm_head_bias * vocab_size


@figure("P_biaa")
def adapted_bias_parameters(
    attention_layers: Count,
    attention_bias_parameters: Count,
    attention_adapted_outputs: Count,
    mlp_bias: Switch,
    mlp_adapted_outputs: Count,
) -> Count:
    """Biases of adapted matrices: as many as attention has, or as those give, whichever is less.  Source: PEFT."""
    return (
        attention_layers * smaller(attention_bias_parameters, attention_adapted_outputs)
        + mlp_bias * mlp_adapted_outputs
    )  # fmt: skip


@figure("P_bias")
def trained_bias_parameters(
    trains_biases: Switch,
    trains_every_bias: Switch,
    bias_parameters: Count,
    bias_parameters_beside: Count,
    trains_adapted_biases: Switch,
    adapted_bias_parameters: Count,
) -> Count:
    """Biases of the base that are trained.  Source: arXiv:2106.10199 (BitFit); PEFT."""
    return where(
        trains_biases + trains_every_bias > 0,
        bias_parameters + bias_parameters_beside,
        trains_adapted_biases * adapted_bias_parameters,
    )
