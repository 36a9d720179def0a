"""How many parameters a model has, part by part, from the fields of its configuration."""

from memreport.figures.constants import KEY_AND_VALUE, PLAIN_MLP_MATRICES, TWO
from memreport.figures.quantities import Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("f_glob")
def global_layer_share(global_head_dim: Count, attention_layers: Count, num_sliding_window_layers: Count) -> Share:
    """Share of the layers whose heads are as wide as global_head_dim.  Source: HF code of Gemma 4."""
    return (global_head_dim > 0) * (1 - num_sliding_window_layers / larger(attention_layers, 1))


@figure("d_m")
def mean_head_dim(head_dim: Count, global_layer_share: Share, global_head_dim: Count) -> Count:
    """Width of one head in the mean of the layers.  Source: HF code of Gemma 4."""
    return head_dim + global_layer_share * (global_head_dim - head_dim)


@figure("d_v")
def value_head_dim(v_head_dim: Count, mean_head_dim: Count) -> Count:
    """Width of one head's value vector; most models use one head width throughout.  Source: HF config `v_head_dim`."""
    return where(v_head_dim > 0, v_head_dim, mean_head_dim)


@figure("d_q")
def query_head_dim(
    kv_lora_rank: Count, qk_nope_head_dim: Count, qk_rope_head_dim: Count, mean_head_dim: Count
) -> Count:
    """Width of one head's query vector.  Source: HF config; multi-head latent attention as in DeepSeek-V2."""
    return where(kv_lora_rank > 0, qk_nope_head_dim + qk_rope_head_dim, mean_head_dim)


@figure("D_q")
def query_size(num_attention_heads: Count, query_head_dim: Count) -> Count:
    """Width of all query vectors of a token.  Source: HF modelling code of the Llama family."""
    return num_attention_heads * query_head_dim


@figure("D_k")
def key_value_size(
    num_key_value_heads: Count,
    head_dim: Count,
    global_layer_share: Share,
    num_global_key_value_heads: Count,
    global_head_dim: Count,
) -> Count:
    """Width of all key vectors (and of all value vectors) of a token, in the mean.  Source: HF modelling code."""
    return num_key_value_heads * head_dim + global_layer_share * (
        num_global_key_value_heads * global_head_dim - num_key_value_heads * head_dim
    )


@figure("D_v")
def value_size(num_attention_heads: Count, value_head_dim: Count) -> Count:
    """Width of the attention output before its projection.  Source: HF modelling code."""
    return num_attention_heads * value_head_dim


@figure("m")
def mlp_matrices(gated_mlp: Switch) -> Count:
    """Matrices of one MLP: up and down, and a gate where it is gated.  Source: arXiv:2002.05202 (GLU variants)."""
    return PLAIN_MLP_MATRICES + gated_mlp


@figure("P_emb")
def embedding_parameters(vocab_size: Count, embedding_size: Count, hidden_size: Count) -> Count:
    """Token embedding, which may be narrower than the layers.  Source: HF modelling code."""
    return vocab_size * where(embedding_size > 0, embedding_size, hidden_size)


@figure("P_pos")
def position_parameters(position_embedding_rows: Count, hidden_size: Count) -> Count:
    """Learned position embedding, where the model has one.  Source: HF modelling code of GPT-2 and OPT."""
    return position_embedding_rows * hidden_size


@figure("P_q")
def query_matrix_parameters(q_lora_rank: Count, hidden_size: Count, query_size: Count) -> Count:
    """Query projection of one layer, through a low rank where the model has one.  Source: HF code of DeepSeek-V2."""
    return where(q_lora_rank > 0, q_lora_rank * (hidden_size + query_size), hidden_size * query_size)


@figure("P_kvlora")
def latent_matrix_parameters(
    kv_lora_rank: Count,
    hidden_size: Count,
    qk_nope_head_dim: Count,
    qk_rope_head_dim: Count,
    value_head_dim: Count,
    num_attention_heads: Count,
) -> Count:
    """Down and up projection of the latent key and value of one layer.  Source: arXiv:2405.04434, section 2.1."""
    return (
        hidden_size * (kv_lora_rank + qk_rope_head_dim)
        + kv_lora_rank * num_attention_heads * (qk_nope_head_dim + value_head_dim)
    )  # fmt: skip


@figure("P_kv")
def key_value_matrix_parameters(
    kv_lora_rank: Count,
    latent_matrix_parameters: Count,
    hidden_size: Count,
    key_value_size: Count,
    attention_k_eq_v: Switch,
    global_layer_share: Share,
    num_global_key_value_heads: Count,
    global_head_dim: Count,
) -> Count:
    """Key and value projections of one layer.  Source: HF modelling code."""
    return where(
        kv_lora_rank > 0,
        latent_matrix_parameters,
        hidden_size
        * (
            KEY_AND_VALUE * key_value_size
            - attention_k_eq_v * global_layer_share * num_global_key_value_heads * global_head_dim
        ),
    )


@figure("P_o")
def output_matrix_parameters(value_size: Count, hidden_size: Count) -> Count:
    """Output projection of one attention layer.  Source: HF modelling code."""
    return value_size * hidden_size


@figure("P_abias")
def attention_bias_parameters(
    attention_bias: Switch,
    query_size: Count,
    key_value_size: Count,
    kv_lora_rank: Count,
    q_lora_rank: Count,
    qk_rope_head_dim: Count,
    attention_output_bias: Switch,
    hidden_size: Count,
) -> Count:
    """Biases of one attention layer; with latents those of the projections into them.  Source: HF modelling code."""
    return (
        attention_bias
        * where(
            kv_lora_rank > 0, q_lora_rank + kv_lora_rank + qk_rope_head_dim, query_size + KEY_AND_VALUE * key_value_size
        )
        + attention_output_bias * hidden_size
    )


@figure("P_idxn")
def indexer_norm_parameters(index_head_dim: Count) -> Count:
    """Norm of one layer's indexer, which has a bias.  Source: DeepSeek-V3.2-Exp, inference/model.py `Indexer`."""
    return TWO * index_head_dim


@figure("P_anorm", source="HF code of Qwen3, gpt-oss and DeepSeek-V2; DeepSeek-V3.2-Exp, inference/model.py")
def attention_norm_parameters(
    qk_norm_size: Count,
    attention_sinks: Switch,
    num_attention_heads: Count,
    kv_lora_rank: Count,
    q_lora_rank: Count,
    indexer_norm_parameters: Count,
) -> Count:
    """Norms and sinks inside one attention layer, its indexer's among them."""
    return qk_norm_size + attention_sinks * num_attention_heads + kv_lora_rank + q_lora_rank + indexer_norm_parameters


@figure("P_idx", source="DeepSeek-V3.2-Exp, inference/model.py `Indexer`")
def indexer_matrix_parameters(
    index_head_dim: Count, index_n_heads: Count, q_lora_rank: Count, hidden_size: Count
) -> Count:
    """Matrices of one layer's indexer: queries from the latent, one key, a weight for each head."""
    return index_head_dim * (index_n_heads * q_lora_rank + hidden_size) + index_n_heads * hidden_size


@figure("P_att1")
def attention_layer_parameters(
    query_matrix_parameters: Count,
    key_value_matrix_parameters: Count,
    output_matrix_parameters: Count,
    indexer_matrix_parameters: Count,
    attention_bias_parameters: Count,
    attention_norm_parameters: Count,
) -> Count:
    """One attention layer.  Source: HF modelling code."""
    return total(
        query_matrix_parameters,
        key_value_matrix_parameters,
        output_matrix_parameters,
        indexer_matrix_parameters,
        attention_bias_parameters,
        attention_norm_parameters,
    )


@figure("L_att")
def attention_layers(
    num_attention_layers: Count, num_hidden_layers: Count, num_linear_attention_layers: Count
) -> Count:
    """Layers that attend with a key-value cache.  Source: HF config `layer_types`, `hybrid_override_pattern`."""
    return where(num_attention_layers > 0, num_attention_layers, num_hidden_layers - num_linear_attention_layers)


@figure("P_att")
def attention_parameters(
    attention_layers: Count,
    attention_layer_parameters: Count,
    num_shared_indexer_layers: Count,
    indexer_matrix_parameters: Count,
    indexer_norm_parameters: Count,
    num_linear_attention_layers: Count,
    linear_attention_parameters: Count,
) -> Count:
    """Attention of all layers, linear attention included; some may have no indexer.  Source: HF modelling code."""
    return (
        attention_layers * attention_layer_parameters
        - num_shared_indexer_layers * (indexer_matrix_parameters + indexer_norm_parameters)
        + num_linear_attention_layers * linear_attention_parameters
    )


@figure("P_mlp1")
def dense_mlp_parameters(
    mlp_matrices: Count, hidden_size: Count, intermediate_size: Count, mlp_bias: Switch, gated_mlp: Switch
) -> Count:
    """One dense MLP with its biases.  Source: HF modelling code."""
    return mlp_matrices * hidden_size * intermediate_size + mlp_bias * (
        (1 + gated_mlp) * intermediate_size + hidden_size
    )


@figure("P_exp1")
def expert_parameters(
    mlp_matrices: Count, hidden_size: Count, moe_intermediate_size: Count, expert_bias: Switch, gated_mlp: Switch
) -> Count:
    """One routed expert with its biases.  Source: HF code of Mixtral and gpt-oss."""
    return mlp_matrices * hidden_size * moe_intermediate_size + expert_bias * (
        (1 + gated_mlp) * moe_intermediate_size + hidden_size
    )


@figure("P_rout1")
def router_parameters(
    num_local_experts: Count, hidden_size: Count, router_bias: Switch, shared_expert_gate: Switch
) -> Count:
    """Router of one mixture layer, and the gate of its shared expert.  Source: HF code of Mixtral, Qwen2-MoE."""
    return num_local_experts * (hidden_size + router_bias) + shared_expert_gate * hidden_size


@figure("P_sh1")
def shared_expert_parameters(mlp_matrices: Count, hidden_size: Count, shared_expert_intermediate_size: Count) -> Count:
    """Experts of one mixture layer that serve every token.  Source: HF code of DeepSeek-V2 and Qwen2-MoE."""
    return mlp_matrices * hidden_size * shared_expert_intermediate_size


@figure("L_d")
def dense_layers(
    num_hidden_layers: Count, num_local_experts: Count, num_dense_layers: Count, num_layers_without_mlp: Count
) -> Count:
    """Layers with a dense MLP: all that have one where there are no experts.  Source: HF `first_k_dense_replace`."""
    return where(num_local_experts > 0, num_dense_layers, num_hidden_layers - num_layers_without_mlp)


@figure("L_moe")
def mixture_layers(
    num_hidden_layers: Count, num_local_experts: Count, dense_layers: Count, num_layers_without_mlp: Count
) -> Count:
    """Layers whose MLP is a mixture of experts.  Source: HF config `first_k_dense_replace`, `decoder_sparse_step`."""
    return where(num_local_experts > 0, num_hidden_layers - dense_layers - num_layers_without_mlp, 0)


@figure("P_exp")
def routed_expert_parameters(mixture_layers: Count, num_local_experts: Count, expert_parameters: Count) -> Count:
    """All routed experts of all layers.  Source: HF modelling code."""
    return where(mixture_layers > 0, mixture_layers * num_local_experts * expert_parameters, 0)


@figure("P_mlp")
def mlp_parameters(
    dense_layers: Count,
    dense_mlp_parameters: Count,
    mixture_layers: Count,
    router_parameters: Count,
    shared_expert_parameters: Count,
    routed_expert_parameters: Count,
) -> Count:
    """MLPs and experts of all layers.  Source: HF modelling code."""
    return (
        dense_layers * dense_mlp_parameters
        + where(mixture_layers > 0, mixture_layers * (router_parameters + shared_expert_parameters), 0)
        + routed_expert_parameters
    )


@figure("P_norm")
def norm_parameters(
    num_hidden_layers: Count,
    norms_per_layer: Count,
    final_norms: Count,
    embedding_norms: Count,
    hidden_size: Count,
    norm_weight: Switch,
    norm_bias: Switch,
) -> Count:
    """Norms of all layers, after the embedding and before the head.  Source: HF modelling code."""
    return (
        (num_hidden_layers * norms_per_layer + final_norms + embedding_norms)
        * hidden_size
        * (norm_weight + norm_bias)
    )  # fmt: skip


@figure("P_head")
def head_parameters(
    has_own_head: Switch, embedding_parameters: Count, vocab_size: Count, lm_head_bias: Switch
) -> Count:
    """Output head; nothing where it shares the embedding's matrix.  Source: HF config `tie_word_embeddings`."""
    return has_own_head * embedding_parameters + lm_head_bias * vocab_size


@figure("P_cnt")
def counted_parameters(
    embedding_parameters: Count,
    position_parameters: Count,
    attention_parameters: Count,
    mlp_parameters: Count,
    norm_parameters: Count,
    head_parameters: Count,
    extra_parameters: Count,
) -> Count:
    """Parameters of the architecture.  Source: sum of the parts; checked against published counts."""
    return total(
        embedding_parameters,
        position_parameters,
        attention_parameters,
        mlp_parameters,
        norm_parameters,
        head_parameters,
        extra_parameters,
    )


@figure("P", title="Parameters")
def parameters(counted_parameters: Count) -> Count:
    """All parameters of the model: those counted, unless a nominal number is given.  Source: equality."""
    return counted_parameters


@figure("f_nom", source="division")
def nominal_factor(parameters: Count, counted_parameters: Count) -> Count:
    """How many times as large as its architecture the model is taken to be: 1 unless its count is given."""
    return parameters / counted_parameters


@figure("P_act", title="Parameters active per token")
def active_parameters(
    parameters: Count,
    mixture_layers: Count,
    num_local_experts: Count,
    num_experts_per_tok: Count,
    expert_parameters: Count,
) -> Count:
    """Parameters that one token passes through.  Source: arXiv:2401.04088 (Mixtral), section 2.1."""
    return parameters - where(
        mixture_layers > 0, mixture_layers * (num_local_experts - num_experts_per_tok) * expert_parameters, 0
    )
