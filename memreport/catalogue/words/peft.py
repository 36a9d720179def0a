"""Words of PEFT for what is trained beside a frozen base, by its own names and by those of programs that call it."""

from __future__ import annotations

from collections.abc import Mapping

from memreport.catalogue.words.meaning import PEFT, Choices, Meaning

METHODS = "PEFT 0.21, tuners and their configurations, read 2026-11-26"
KEYS_AND_VALUES: Mapping[str, object] = {"target_modules": ("k_proj", "v_proj", "down_proj")}
QUERIES_AND_VALUES: Mapping[str, object] = {"target_modules": ("q_proj", "v_proj")}
OF_TYPE: tuple[tuple[str, str, Mapping[str, object]], ...] = (
    ("adalora", "adalora", {"lora_rank": 12, **QUERIES_AND_VALUES}),
    ("ia3 (ia)3", "ia3", KEYS_AND_VALUES),
    ("vera", "vera", {"lora_rank": 256, **QUERIES_AND_VALUES}),
    ("loha", "loha", {"lora_rank": 8, **QUERIES_AND_VALUES}),
    ("lokr", "lokr", {"lora_rank": 8, **QUERIES_AND_VALUES}),
    ("oft", "oft", QUERIES_AND_VALUES),
    ("prompt_tuning prompt-tuning prompt soft-prompt", "prompt-tuning", {}),
    ("p_tuning p-tuning ptuning", "p-tuning", {}),
    ("prefix_tuning prefix-tuning prefix", "prefix-tuning", {}),
    ("bitfit", "bitfit", {}),
)
"""Words of a method, its row of `peft_types`, and what its configuration takes where nothing is stated."""
PROGRAMS = ("", "huggingface", "transformers", "trl", "deepspeed")
WITHOUT_EFFECT = """
    layers_pattern prompt_tuning_init prompt_tuning_init_text tokenizer_name_or_path total_step tinit tfinal deltat
    orth_reg_weight target_r d_initial projection_prng_key save_projection init_weights init_ia3_weights fan_in_fan_out
    init_lora_weights alpha rank_dropout module_dropout rank_dropout_scale coft use_cayley_neumann
    num_cayley_neumann_terms oft_alpha encoder_num_layers encoder_dropout alpha_pattern inference_mode
    base_model_name_or_path revision
"""
HERE = "what its configuration takes where it is not stated: {}"


def _assumed(defaults: Mapping[str, object]) -> str:
    """What is taken for fields that are not stated, for the reader of the answer."""
    said = (
        f"{name} {', '.join(value) if isinstance(value, tuple) else value}" for name, value in sorted(defaults.items())
    )
    return HERE.format("; ".join(said)) if defaults else ""


def _spelt(words: str, row: str) -> str:
    """Words of a type; its own name is one in every program that calls PEFT, too."""
    others = (word for word in words.split() if word != row)
    return " ".join((*others, *(f"{word}@{program}" for word in words.split() for program in PROGRAMS)))


PEFT_WORDS: Choices = (
    *(
        ("method", words, Meaning({"method": "lora", "peft_type": row}, METHODS, given, _assumed(given)))
        for words, row, given in OF_TYPE
    ),
    *(
        (
            "peft_type",
            _spelt(words, row),
            Meaning({"peft_type": row}, METHODS, {"method": "lora", **given}, _assumed(given)),
        )
        for words, row, given in OF_TYPE
    ),
    ("feedforward_modules", "down_proj fc2 fc_out w2 wo dense_4h_to_h mlp.c_proj output.dense", Meaning({}, METHODS)),
    ("encoder_reparameterization_type", "mlp", Meaning({}, METHODS)),
    ("block_share", "false", Meaning({}, METHODS)),
    ("bias", "none lora_only all", Meaning({}, PEFT)),
    (WITHOUT_EFFECT, "", Meaning({}, METHODS)),
)
"""Methods of PEFT, and options of their configurations that change neither memory nor time."""
