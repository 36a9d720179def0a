"""Rules between fields of a training job that concern its memory alone."""

from __future__ import annotations

from memreport.catalogue.fields.rules import Constraint, both, either

TRAINING = ("training",)
TORCHAO = "torchao, float8/config.py, read 2026-11-22"

TRAINING_CONSTRAINTS = (
    Constraint(
        "enable_fsdp_float8_all_gather",
        "gathers what FSDP shards, for FP8 products of torchao-tensorwise: state zero_stage 3 and a precision in FP8",
        lambda c: either(
            c["enable_fsdp_float8_all_gather"] <= 0,
            both(
                both(c["shards_parameters"] > 0, c["gathered_units"] > 0),
                both(c["computes_in_fp8"] > 0, c["fp8_weight_copies"] <= 0),
            ),
        ),
        TRAINING,
        TORCHAO,
    ),
    Constraint(
        "fp8_param_gather",
        "is Transformer Engine's: state a precision in FP8 and an fp8_recipe of te-",
        lambda c: either(c["fp8_param_gather"] <= 0, both(c["computes_in_fp8"] > 0, c["fp8_weight_copies"] > 0)),
        TRAINING,
        "Megatron-LM, training/arguments.py, read 2026-11-22",
    ),
)

TRAINING_CAUTIONS = (
    Constraint(
        "fp8_recipe",
        "keeps inputs in 16 bit, as torchao does; FP8 products of Megatron-LM are Transformer Engine's: te-delayed, "
        "te-tensorwise, te-blockwise, te-mxfp8",
        lambda c: either(c["computes_in_fp8"] <= 0, c["fuses_layers"] <= 0, c["fp8_weight_copies"] > 0),
        TRAINING,
        "Megatron-LM `fp8_recipe`",
    ),
)
