"""A configuration as its family reads it: remembers what was read, so that the rest can be named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memreport.catalogue.cards import TRAINED_WITH
from memreport.catalogue.fields.dictionary import LARGEST_WHOLE
from memreport.errors import Fault, InputError
from memreport.formula.words import floor

NEVER = object()
WHOLE = "must be a whole number"
NEGATIVE = " that is not negative"
LONGEST_TEXT = 500
"""Characters of a name or path; what is longer is no name, and fills no cell."""
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
    use_cache use_mrope index_topk classifier_activation classifier_bias classifier_pooling cls_token_id decoder_bias
    deterministic_flash_attn embedding_dropout global_rope_theta image_token_id initializer_cutoff_factor
    local_rope_theta mlp_dropout norm_eps output_past position_embedding_type reference_compile repad_logits_with_grad
    sparse_pred_ignore_index sparse_prediction tie_encoder_decoder video_token_id vision_end_token_id
    vision_start_token_id vision_token_id num_image_tokens is_composition is_llama_config lm_head rm_head
    indexer_rope_interleave expert_dtype length_penalty max_length min_length num_beams num_beam_groups
    num_return_sequences repetition_penalty temperature top_k top_p typical_p no_repeat_ngram_size do_sample
    diversity_penalty
"""
IRRELEVANT = frozenset(_WORDS.split())
"""Keys that change no weight, no cache and nothing that training saves, or by less than one layer's hidden vectors."""
WHERE_MISSING: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "num_key_value_heads": lambda sizes: sizes["num_attention_heads"],
    "head_dim": lambda sizes: floor(sizes["hidden_size"] / sizes["num_attention_heads"]),
}
"""Common fields that a file may leave out, in the words of formulas."""
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
    "dropout_rate": _HIDDEN,
    "gradient_checkpointing": _CHECKPOINTING,
    "use_gradient_checkpointing": _CHECKPOINTING,
    "_attn_implementation": "attention",
}
"""Keys that decide what training keeps, with the field of a scenario that says the same."""
_SAME_VALUE = {"true": "full", "flash_attention_2": "flash", "flash_attention_3": "flash"}


def shortened(text: str) -> str:
    """The beginning of a text that would fill a screen."""
    return text if len(text) <= 60 else f"{text[:57]}..."


class Reader:
    """Reads keys of a configuration; a missing one without a default is a fault, all of them raised together."""

    def __init__(
        self, config: Mapping[str, Any], names: Mapping[str, str], file: str, usual: Mapping[str, Any] | None = None
    ) -> None:
        self.config, self.names, self.file, self.usual = config, names, file, usual or {}
        self.taken: dict[str, Any] = {}
        self.seen: set[str] = set()
        self.faults: list[Fault] = []

    def whole(self, key: str, default: int | object = NEVER, least: int = 0) -> int:
        """A whole number as a card may hold it, or a list that repeats it; null is missing where there is a default.

        A list of texts, as of kinds of layers, stands for how many they are.
        """
        value = self._given(key, default)
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            value = len(value)
        if isinstance(value, list) and len(value) > 1 and all(item == value[0] for item in value):
            value = value[0]
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            below = f" of at least {least}" if least else NEGATIVE if type(value) is int else ""
            self._refuse(key, f"{WHOLE}{below}", value)
            return 1
        if value > LARGEST_WHOLE:
            self._refuse(key, f"must be at most {LARGEST_WHOLE:g}", value)
            return 1
        return value

    def flag(self, key: str, default: bool) -> bool:  # the value of a key that the file lacks
        """True or false."""
        value = self._given(key, default)
        if not isinstance(value, bool):
            self._refuse(key, "must be true or false", value)
        return value is True

    def text(self, key: str) -> str:
        """Words; none where the file has none."""
        value = self._given(key, "")
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            self._refuse(key, f"must be text of at most {LONGEST_TEXT} characters", value)
            return ""
        return value

    def listed(self, key: str, kind: type) -> list[Any]:
        """A list of texts, as the letters of one text are, or of whole numbers; nothing where the file has none."""
        value = self._given(key, [])
        if kind is str and isinstance(value, str):
            value = list(value)
        if not isinstance(value, list) or not all(type(item) is kind for item in value):
            self._refuse(key, f"must be a list of {'texts' if kind is str else 'whole numbers'}", value)
            return []
        return value

    def counted(self, key: str, word: str | int, otherwise: float) -> float:
        """How many entries of a list are a word or a number; what is said otherwise where the file has no list."""
        kinds = self.listed(key, type(word))
        return otherwise if self._value(key) is None else kinds.count(word)

    def behind(self, key: str, word: str, other: str) -> int:
        """How many entries of a list are a word and stand behind one that is the other."""
        kinds = self.listed(key, str)
        return kinds[kinds.index(other) :].count(word) if other in kinds else 0

    def at_step(self, key: str, step: int, layers: int) -> int:
        """How many different layers of a list, which counts from 0, end a step of so many layers."""
        listed = {layer for layer in self.listed(key, int) if 0 <= layer < layers}
        return sum((layer + 1) % step == 0 for layer in listed)

    def first_free(self, key: str, step: int, layers: int) -> int:
        """The first layer that ends a step of so many and is not in a list; as many as there are where none is."""
        listed, at = set(self.listed(key, int)), step - 1
        while at in listed:
            at += step
        return min(at, layers)

    def inside(self, key: str, path: str) -> list[Any]:
        """What each object of a list, one for each layer, holds under a key of one of its blocks."""
        self.seen.add(key)
        entries, (outer, inner) = self._value(key), path.split(".")
        listed = isinstance(entries, list) and all(isinstance(one, dict) for one in entries)
        if not listed or len(entries) != self.layers:
            self._refuse(key, "must be a list of objects, one for each layer", entries)
            return []
        blocks = [one.get(outer) for one in entries]
        return [one.get(inner) if isinstance(one, dict) else None for one in blocks]

    def switched(self, key: str, path: str) -> int:
        """In how many objects of a list that is true."""
        return self.inside(key, path).count(True)

    def summed(self, key: str, path: str, scale: float = 1, step: int = 1) -> int:
        """The sum of that over a list, each scaled and raised to a whole number of steps."""
        numbers = [one for one in self.inside(key, path) if isinstance(one, int | float) and not isinstance(one, bool)]
        return sum(-(-int(scale * one) // step) * step for one in numbers)

    def block(self, key: str) -> Mapping[str, Any]:
        """An object; an empty one where the file has none."""
        value = self.config.get(key)
        if value is not None and not isinstance(value, dict):
            self._refuse(key, "must be an object", value)
        return value if isinstance(value, dict) else {}

    def _given(self, names: str, default: object) -> object:
        key = self._present(names)
        self.seen.add(key.partition(".")[0])
        value = self._value(key) if key in self.config else self._left_out(names)
        if value is not None or default is not NEVER:
            return default if value is None else value
        self.faults.append(Fault("is required for this model type", file=self.file, field=key))
        return 1

    def _left_out(self, names: str) -> object:
        """What a block holds behind a dot, or else what the class takes where the file has none of the names."""
        found = next((name for name in names.split("|") if name in self.usual), "")
        value = self._value(self._present(names))
        if value is None and found:
            self.taken[found] = value = self.usual[found]
        return value

    def _refuse(self, key: str, message: str, value: object) -> None:
        self.faults.append(Fault(message, file=self.file, field=key, found=shortened(repr(value))))

    def common(self, field: str, default: int | object = NEVER) -> int:
        """A whole number that most families share, under the name, or the older name, that this family gives it."""
        return self.whole(self.key_of(field), default)

    def key_of(self, field: str) -> str:
        """The key that holds a field of a card, as far as that is one."""
        return self._present(self.names.get(field, field))

    def _present(self, names: str) -> str:
        """Of names that follow each other after bars the first that the file has."""
        every = names.split("|")
        return next((name for name in every if name in self.config or self._value(name) is not None), every[0])

    def _value(self, key: str) -> Any:
        """What a key holds, or behind a dot a key of its block or an entry of its list."""
        name, _, inner = key.partition(".")
        value = self.config.get(name)
        if isinstance(value, list) and inner.isdigit():
            return value[int(inner)] if int(inner) < len(value) else None
        return (value.get(inner) if isinstance(value, dict) else None) if inner else value

    def must(self, key: str, expected: object, message: str) -> None:
        """A fault where a key holds anything but the one value that is understood."""
        found = self._given(key, expected)
        if found != expected:
            self.faults.append(
                Fault(message, file=self.file, field=key, found=shortened(repr(found)), expected=repr(expected))
            )

    def outer(self, config: Mapping[str, Any], usual: Mapping[str, Any] | None = None) -> Reader:
        """A reader of the configuration that this one is a part of, or of another part; it notes faults here."""
        made = Reader(config, {}, self.file, usual)
        made.faults = self.faults
        return made

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
        return self.common("num_key_value_heads", int(WHERE_MISSING["num_key_value_heads"](self._sizes)))

    @property
    def head_dim(self) -> int:
        """Width of one head: an even share of the hidden size where the file does not say."""
        return self.common("head_dim", int(WHERE_MISSING["head_dim"](self._sizes)))

    @property
    def _sizes(self) -> Mapping[str, int]:
        return {"hidden_size": self.width, "num_attention_heads": self.heads}

    def unread(self) -> list[str]:
        """Keys that nobody read and that are not known to be without effect."""
        return sorted(set(self.config) - self.seen - IRRELEVANT - set(OF_TRAINING))

    def of_training(self) -> Iterator[str]:
        """What the file says of training, which a card does not hold: dropout takes memory only where it is on."""
        for key, field in OF_TRAINING.items():
            value = self.config.get(key)
            if value and isinstance(value, (bool, int, float, str)):
                said = shortened(json.dumps(value, ensure_ascii=False).strip('"'))
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
