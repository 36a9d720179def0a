"""A configuration as its family reads it: remembers what was read, so that the rest can be named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.errors import Fault, InputError

NEVER = object()
_WORDS = """
    _name_or_path _remove_final_layer_norm activation activation_function add_bos_token architectures
    attention_softmax_in_fp32 attn_logit_softcapping auto_map aux_loss_alpha bias_dropout_fusion bos_token_id
    cache_implementation classifier_dropout dtype embd_pdrop embedding_dropout eos_token_id ep_size experts_per_token
    ffn_hidden_size final_logit_softcapping forced_eos_token_id hidden_act hidden_activation id2label init_std
    initial_context_length initializer_range label2id layer_norm_eps layer_norm_epsilon layerdrop logits_scaling
    masked_softmax_fusion max_sequence_length max_window_layers model_type n_ctx n_group n_inner no_rope_layer_interval
    no_rope_layers norm_epsilon norm_topk_prob original_max_position_embeddings offset_alibi output_router_logits
    pad_token_id partial_rotary_factor prefix pretraining_tp query_pre_attn_scalar return_dict rms_norm_eps
    rope_interleave rope_local_base_freq rope_parameters rope_pct rope_ratio rope_scaling rope_theta rotary rotary_dim
    rotary_emb_base rotary_pct routed_scaling_factor router_aux_loss_coef router_jitter_noise
    scale_attn_by_inverse_layer_idx scale_attn_weights scoring_func select_bias sep_token_id seq_aux seq_length
    skip_bias_add slow_but_exact summary_activation summary_first_dropout summary_proj_to_labels summary_type
    summary_use_proj swiglu_limit task_specific_params tie_word_embeddings tokenizer_class topk_group topk_method
    torch_dtype torchscript transformers_version type_vocab_size unk_token_id use_bfloat16 use_bidirectional_attention
    use_cache use_mrope
"""
IRRELEVANT = frozenset(_WORDS.split())
"""Keys that change no weight, no cache and nothing that training saves, or by less than one layer's hidden vectors."""
_ATTENTION, _HIDDEN, _CHECKPOINTING = "attention_dropout", "hidden_dropout", "gradient_checkpointing"
OF_TRAINING = {
    "attn_pdrop": _ATTENTION,
    "attention_dropout": _ATTENTION,
    "attention_probs_dropout_prob": _ATTENTION,
    "resid_pdrop": _HIDDEN,
    "hidden_dropout": _HIDDEN,
    "hidden_dropout_prob": _HIDDEN,
    "residual_dropout": _HIDDEN,
    "dropout": _HIDDEN,
    "gradient_checkpointing": _CHECKPOINTING,
    "use_gradient_checkpointing": _CHECKPOINTING,
    "_attn_implementation": "attention",
}
"""Keys that decide what training keeps, with the field of a scenario that says the same."""
TRAINED_WITH = (_HIDDEN, _ATTENTION)
"""Of these, what a card may name, so that a scenario that does not state it is told."""
_SAME_VALUE = {"true": "full", "flash_attention_2": "flash", "flash_attention_3": "flash"}


class Reader:
    """Reads keys of a configuration; a missing one without a default is a fault, all of them raised together."""

    def __init__(self, config: Mapping[str, Any], names: Mapping[str, str], file: str) -> None:
        self.config, self.names, self.file = config, names, file
        self.seen: set[str] = set()
        self.faults: list[Fault] = []

    def __call__(self, key: str, default: Any = NEVER) -> Any:
        """The value of a key as the file calls it; null is as good as missing where there is a default."""
        self.seen.add(key)
        value = self.config.get(key)
        if value is not None:
            return value
        if default is NEVER:
            self.faults.append(Fault("is required for this model type", file=self.file, field=key))
            return 1
        return default

    def common(self, field: str, default: Any = NEVER) -> int:
        """A whole number that most families share, under the name, or the older name, that this family gives it."""
        names = self.names.get(field, field).split("|")
        name = next((one for one in names if one in self.config), names[0])
        value = self(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.faults.append(Fault("must be a whole number", file=self.file, field=name, found=repr(value)))
            return 1
        return value

    def must(self, key: str, expected: object, message: str) -> None:
        """A fault where a key holds anything but the one value that is understood."""
        found = self(key, expected)
        if found != expected:
            self.faults.append(Fault(message, file=self.file, field=key, found=repr(found), expected=repr(expected)))

    @property
    def width(self) -> int:
        """Hidden size."""
        return self.common("hidden_size")

    @property
    def layers(self) -> int:
        """Decoder layers."""
        return self.common("num_hidden_layers")

    @property
    def heads(self) -> int:
        """Query heads."""
        return max(self.common("num_attention_heads"), 1)

    @property
    def key_value_heads(self) -> int:
        """Key-value heads: as many as query heads where the file does not say."""
        return self.common("num_key_value_heads", self.heads)

    @property
    def head_dim(self) -> int:
        """Width of one head: an even share of the hidden size where the file does not say."""
        return self.common("head_dim", self.width // self.heads)

    def unread(self) -> list[str]:
        """Keys that nobody read and that are not known to be without effect."""
        return sorted(set(self.config) - self.seen - IRRELEVANT - set(OF_TRAINING))

    def of_training(self) -> Iterator[str]:
        """What the file says of training, which a card does not hold: dropout takes memory only where it is on."""
        for key, field in OF_TRAINING.items():
            value = self.config.get(key)
            if value and isinstance(value, (bool, int, float, str)):
                said = json.dumps(value).strip('"')
                same = _SAME_VALUE.get(said, said)
                yield f"{key} {said} belongs to training: state training.{field}: {same} in the scenario."

    def trained_with(self) -> dict[str, float]:
        """Shares that the file says were dropped, where any were."""
        given = ((field, self.config.get(key)) for key, field in OF_TRAINING.items() if field in TRAINED_WITH)
        return {field: float(share) for field, share in given if isinstance(share, float) and 0 < share <= 1}

    def check(self) -> None:
        """Raise InputError with every fault so far."""
        if self.faults:
            raise InputError(dict.fromkeys(self.faults))
