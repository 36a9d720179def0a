"""The format in which a configuration says that its weights are published, and in which they are served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.huggingface.quantization import format_of
from memreport.errors import InputError
from memreport.report.engine_command import engine_command
from memreport.report.view import View
from tests.support import ROOT, packaged, run, scenario_text


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8"),
        ({"quant_method": "mxfp4"}, "mxfp4-experts"),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "int4"),
        ({"quant_method": "gptq", "bits": 8}, "int8"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        (
            {
                "quant_method": "quark",
                "global_quant_config": {"weight": {"dtype": "fp4"}, "input_tensors": {"dtype": "fp4"}},
            },
            "mxfp4-activations",
        ),
        ({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "int4"}, "input_tensors": None}}, ""),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}},
            },
            "fp8",
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}},
                "ignore": ["lm_head", "re:.*self_attn.*"],
            },
            "int4-experts",
        ),
        ({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": []}}}}, ""),
        ({"quant_method": "compressed-tensors", "config_groups": {"group_0": 7}}, ""),
        ({"quant_method": "gptq", "bits": [4]}, ""),
        ({"quant_method": "hqq"}, ""),
        ({}, ""),
    ],
)
def test_the_format_of_a_checkpoint_is_a_row_of_weight_formats(block: dict[str, Any], expected: str) -> None:
    assert format_of(block) == expected
    assert not expected or expected in packaged().tables["weight_formats"].ids


def test_weights_are_served_as_they_are_published_unless_stated(tmp_path: Path) -> None:
    variants = "{own: {}, stated: {serving.weight_dtype: bf16}, other: {model: llama-3-8b}, last: {model: kimi-k2}}"
    made = run(tmp_path, scenario_text(model="gpt-oss-20b", workload="serving", variants=variants))
    formats = [(case.settings["weight_dtype"], case.origins["weight_dtype"].kind) for case in made.resolved.cases]
    assert formats[:2] == [("mxfp4-experts", "model card"), ("bf16", "variant")]
    assert formats[2:] == [("bf16", "default"), ("fp8", "model card")]
    kept = run(tmp_path, scenario_text(model="gpt-oss-20b", workload="serving", serving="{weight_dtype: fp16}"))
    assert kept.resolved.cases[0].settings["weight_dtype"] == "fp16"
    assert "--quantization" not in engine_command(View(made), 0)


def test_a_format_that_no_row_stands_for_is_one_fault(tmp_path: Path) -> None:
    card = (ROOT / "scenarios/models/gpt-oss-20b.yaml").read_text(encoding="utf-8")
    (tmp_path / "models").mkdir()
    text = card.replace("id: gpt-oss-20b", "id: mine").replace("weight_dtype: mxfp4-experts", "weight_dtype: mxfp5")
    (tmp_path / "models/mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.yaml.*weight_dtype.*is no row of weight_formats.*'mxfp5'"):
        run(tmp_path, scenario_text(model="mine", workload="serving"))
