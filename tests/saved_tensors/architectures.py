"""The architectures that are counted: how transformers is asked for each, and what its model card says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Options = Mapping[str, Any]
LLAMA_TARGETS = {name: name for name in ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")}
LAYER_NORM = {"norm": "layernorm", "norm_bias": True}
BIASES = {"attention_bias": True, "attention_output_bias": True, "mlp_bias": True}
FUSED = {"fused_qkv": True, "value_keeps_projections": True, "head_major_query": True}
PLAIN = {"gated_mlp": False} | LAYER_NORM | BIASES


def sized(hidden: int, heads: int, key_value_heads: int, width: int, vocabulary: int, head_dim: int = 0) -> Options:
    """Sizes under the names that most configurations and all model cards share."""
    return {
        "hidden_size": hidden,
        "num_hidden_layers": 3,
        "num_attention_heads": heads,
        "num_key_value_heads": key_value_heads,
        "head_dim": head_dim or hidden // heads,
        "intermediate_size": width,
        "vocab_size": vocabulary,
        "max_position_embeddings": 4096,
    }


MHA = sized(512, 8, 8, 1408, 2000)
GQA = sized(512, 8, 2, 1536, 2000)
WIDE = sized(512, 8, 8, 2048, 2000)


@dataclass(frozen=True)
class Architecture:
    """`options` go to the transformers configuration, `card` beside `sizes` to the model card, `training` to a job."""

    model_type: str
    sizes: Options
    options: Options = field(default_factory=dict)
    card: Options = field(default_factory=dict)
    targets: Mapping[str, str] = field(default_factory=lambda: LLAMA_TARGETS)
    lengths: tuple[int, int] = (2, 128)
    attentions: tuple[str, ...] = ("sdpa", "eager")
    training: Options = field(default_factory=dict)

    @property
    def configuration(self) -> Options:
        """Everything that the transformers configuration is given; names of its own replace the common ones."""
        renamed = {name: value for name, value in self.sizes.items() if name not in _OWN.get(self.model_type, ())}
        return renamed | dict(self.options)

    @property
    def fields(self) -> Options:
        """The model card."""
        return dict(self.sizes) | dict(self.card)


LATENT = sized(2048, 8, 8, 1536, 2000, 48)
LATENTS = {"kv_lora_rank": 64, "q_lora_rank": 96, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32}
MIXTURE = {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 256} | {
    "first_k_dense_replace": 0
}
WIDE_WEIGHTS = {"routing_weights_in_fp32": True}
SHARED = {"num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256, "router_bias": True} | {
    "shared_expert_intermediate_size": 256, "router_in_fp32": True, "routing_weights_in_fp32": True,
}  # fmt: skip
HEAD_MAJOR = {"head_major_query": True}
_OWN = {
    "cohere": ("head_dim",),
    "deepseek_v3": ("head_dim",),
    "bert": ("num_key_value_heads", "head_dim"),
    "gpt2": (*MHA,),
    "opt": ("intermediate_size", "num_key_value_heads", "head_dim"),
    "gpt_neox": ("num_key_value_heads", "head_dim"),
    "phi": ("head_dim",),
    "phi3": ("head_dim",),
    "falcon": ("num_key_value_heads", "head_dim", "intermediate_size"),
    "olmo": ("head_dim",),
    "olmo2": ("head_dim",),
    "starcoder2": ("head_dim",),
}
NO_DROPOUT_GPT2 = {"embd_pdrop": 0.0, "resid_pdrop": 0.0, "attn_pdrop": 0.0}
GPT2_SIZES = {"n_embd": 512, "n_layer": 3, "n_head": 8, "n_inner": 2048, "vocab_size": 2000, "n_positions": 4096}
GPT2_TARGETS = {"q_proj": "c_attn", "k_proj": "c_attn", "v_proj": "c_attn"} | {
    "o_proj": "attn.c_proj", "up_proj": "c_fc", "down_proj": "mlp.c_proj",
}  # fmt: skip
GPT2_CARD = PLAIN | {
    "position_embedding_rows": 4096,
    "hidden_act": "gelu_new",
    "fused_qkv": True,
    "softmax_in_fp32": False,
    "tie_word_embeddings": True,
}
NEOX_TARGETS = {"q_proj": "query_key_value", "k_proj": "query_key_value", "v_proj": "query_key_value"} | {
    "o_proj": "attention.dense", "up_proj": "dense_h_to_4h", "down_proj": "dense_4h_to_h",
}  # fmt: skip
OPT_TARGETS = {"q_proj": "q_proj", "k_proj": "k_proj", "v_proj": "v_proj", "o_proj": "out_proj"} | {
    "up_proj": "fc1", "down_proj": "fc2",
}  # fmt: skip
PHI_TARGETS = {"q_proj": "q_proj", "k_proj": "k_proj", "v_proj": "v_proj", "o_proj": "dense"} | {
    "up_proj": "fc1", "down_proj": "fc2",
}  # fmt: skip
PHI3_TARGETS = {"q_proj": "qkv_proj", "k_proj": "qkv_proj", "v_proj": "qkv_proj", "o_proj": "o_proj"} | {
    "gate_proj": "gate_up_proj", "up_proj": "gate_up_proj", "down_proj": "down_proj",
}  # fmt: skip
STARCODER_TARGETS = {"q_proj": "q_proj", "k_proj": "k_proj", "v_proj": "v_proj", "o_proj": "o_proj"} | {
    "up_proj": "c_fc", "down_proj": "c_proj",
}  # fmt: skip
BERT_TARGETS = {"q_proj": "query", "k_proj": "key", "v_proj": "value", "o_proj": "attention.output.dense"} | {
    "up_proj": "intermediate.dense", "down_proj": "output.dense",
}  # fmt: skip
BERT_CARD = PLAIN | {"position_embedding_rows": 4096, "embedding_norms": 1, "hidden_act": "gelu"} | {
    "tie_word_embeddings": True
}  # fmt: skip
FALCON_TARGETS = NEOX_TARGETS | {"o_proj": "self_attention.dense"}
GEMMA = {"hidden_act": "gelu_pytorch_tanh", "norm": "rmsnorm-wide", "tie_word_embeddings": True}
FALCON = {"bias": False, "alibi": False, "parallel_attn": True, "hidden_dropout": 0.0, "attention_dropout": 0.0}
ARCHITECTURES: Mapping[str, Architecture] = {
    "llama-mha": Architecture("llama", MHA),
    "llama-gqa": Architecture("llama", GQA),
    "mistral": Architecture("mistral", GQA),
    "mistral-window": Architecture(
        "mistral", GQA, {"sliding_window": 128}, {"sliding_window": 128, "num_sliding_window_layers": 3}
    ),
    "qwen2": Architecture("qwen2", GQA, card={"attention_bias": True}),
    "qwen3": Architecture("qwen3", sized(512, 8, 2, 1536, 2000, 96), card={"qk_norm_size": 192}),
    "gemma": Architecture("gemma", sized(512, 8, 1, 2048, 2000, 96), card=GEMMA),
    "gemma2": Architecture(
        "gemma2",
        sized(512, 8, 4, 2048, 2000, 96),
        card=GEMMA | {"norms_per_layer": 4, "attention_softcap": True, "logit_softcap": True},
        attentions=("eager",),
    ),
    "gemma3": Architecture(
        "gemma3_text", sized(512, 8, 4, 2048, 2000, 96), card=GEMMA | {"norms_per_layer": 4, "qk_norm_size": 192}
    ),
    "olmo": Architecture("olmo", MHA, {"clip_qkv": None}, {"norm": "layernorm-wide", "norm_weight": False}),
    "olmo2": Architecture(
        "olmo2", GQA, card={"norm": "rmsnorm-wide", "norms_after_sublayers": True, "qk_norm_size": 640}
    ),
    "phi3": Architecture("phi3", GQA, {"pad_token_id": 0}, FUSED | {"fused_gate_up": True}, PHI3_TARGETS),
    "gpt2": Architecture("gpt2", WIDE, GPT2_SIZES | NO_DROPOUT_GPT2, GPT2_CARD, GPT2_TARGETS),
    "gpt2-dropout": Architecture(
        "gpt2",
        WIDE,
        GPT2_SIZES | {"embd_pdrop": 0.0, "resid_pdrop": 0.1, "attn_pdrop": 0.1},
        GPT2_CARD,
        GPT2_TARGETS,
        training={"hidden_dropout": 0.1, "attention_dropout": 0.1},
    ),
    "opt": Architecture(
        "opt",
        WIDE,
        {"ffn_dim": 2048, "dropout": 0.0, "word_embed_proj_dim": 512},
        PLAIN | {"hidden_act": "relu", "position_embedding_rows": 4098, "tie_word_embeddings": True},
        OPT_TARGETS,
    ),
    "gpt-neox": Architecture(
        "gpt_neox", WIDE, card=PLAIN | FUSED | {"hidden_act": "gelu", "parallel_residual": True}, targets=NEOX_TARGETS
    ),
    "phi": Architecture(
        "phi",
        WIDE,
        {"partial_rotary_factor": 0.5, "resid_pdrop": 0.0},
        PLAIN
        | {"hidden_act": "gelu_new", "norms_per_layer": 1, "parallel_residual": True, "lm_head_bias": True}
        | {"head_major_query": True},
        PHI_TARGETS,
    ),
    "starcoder2": Architecture(
        "starcoder2",
        sized(512, 8, 2, 2048, 2000),
        {"residual_dropout": 0.0, "embedding_dropout": 0.0},
        PLAIN | {"hidden_act": "gelu_pytorch_tanh", "tie_word_embeddings": True},
        STARCODER_TARGETS,
    ),
    "falcon-7b": Architecture(
        "falcon",
        sized(512, 8, 1, 2048, 2000),
        FALCON | {"multi_query": True, "new_decoder_architecture": False},
        PLAIN
        | {"hidden_act": "gelu", "fused_qkv": True, "parallel_residual": True, "norms_per_layer": 1}
        | {"softmax_in_fp32": False},
        FALCON_TARGETS,
        attentions=("eager",),  # its one key head sends fused attention to kernels chosen on the device
    ),
    "llama-2-7b": Architecture("llama", sized(4096, 32, 32, 11008, 32000), lengths=(1, 2048)),
    "llama-3-8b": Architecture("llama", sized(4096, 32, 8, 14336, 128256), lengths=(4, 4096)),
    "mistral-7b": Architecture("mistral", sized(4096, 32, 8, 14336, 32000), lengths=(1, 2048)),
    "qwen2-7b": Architecture(
        "qwen2", sized(3584, 28, 4, 18944, 152064), card={"attention_bias": True}, lengths=(2, 2048)
    ),
    "gpt2-124m": Architecture(
        "gpt2",
        sized(768, 12, 12, 3072, 50257),
        NO_DROPOUT_GPT2 | {"n_layer": 3},
        GPT2_CARD | {"position_embedding_rows": 1024, "max_position_embeddings": 1024},
        GPT2_TARGETS,
        (8, 1024),
    ),
    "mixtral": Architecture(
        "mixtral",
        GQA,
        {"num_local_experts": 4, "num_experts_per_tok": 2},
        {"num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 1536} | WIDE_WEIGHTS,
    ),
    "cohere": Architecture(
        "cohere",
        GQA,
        card={"norm": "layernorm-cohere", "norms_per_layer": 1, "parallel_residual": True, "tie_word_embeddings": True},
    ),
    "nemotron": Architecture(
        "nemotron",
        sized(512, 8, 2, 2048, 2000),
        card={"gated_mlp": False, "hidden_act": "relu2"} | LAYER_NORM | {"head_major_query": True},
        targets={name: one for name, one in LLAMA_TARGETS.items() if name != "gate_proj"},
    ),
    "apertus": Architecture(
        "apertus",
        GQA,
        card={"gated_mlp": False, "hidden_act": "xielu", "qk_norm_size": 128, "extra_parameters": 6},
        targets={name: one for name, one in LLAMA_TARGETS.items() if name != "gate_proj"},
    ),
    "llama4": Architecture(
        "llama4_text",
        GQA,
        {"intermediate_size": 1024, "intermediate_size_mlp": 1536, "interleave_moe_layer_step": 1}
        | {"num_local_experts": 4, "num_experts_per_tok": 1},
        {"num_local_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 1024, "routes_densely": True}
        | {"shared_expert_intermediate_size": 1024, "num_unweighted_qk_norm_layers": 3, "softmax_in_fp32": False},
    ),
    "qwen2-moe": Architecture(
        "qwen2_moe",
        GQA,
        {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256}
        | {"shared_expert_intermediate_size": 512, "decoder_sparse_step": 1},
        {"num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 256, "attention_bias": True}
        | {"shared_expert_intermediate_size": 512, "shared_expert_gate": True, "shared_expert_first": True},
    ),
    "deepseek-v3": Architecture(
        "deepseek_v3",
        LATENT,
        MIXTURE | LATENTS | {"n_group": 1, "topk_group": 1},
        SHARED | LATENTS,
        attentions=("eager",),  # values narrower than keys are sent to kernels chosen on the device
    ),
    "glm4-moe": Architecture(
        "glm4_moe", sized(2048, 8, 2, 1536, 2000), MIXTURE | {"n_group": 1, "topk_group": 1}, SHARED | HEAD_MAJOR
    ),
    "bert": Architecture(
        "bert",
        WIDE,
        {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        BERT_CARD,
        BERT_TARGETS,
        attentions=("sdpa",),
    ),
}
