"""Configurations of adapters as PEFT 0.21 writes them: read as they are, and what they train on Llama 3.1 8B."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memreport.commands.main import main
from tests.support import ROOT, run, scenario_text, value

CONFIGS: dict[str, dict[str, Any]] = json.loads((ROOT / "tests/data/peft_configs.json").read_text(encoding="utf-8"))
SHARES = {"LoKrConfig": 0.08}
"""LoKr's factors are those of a mean matrix; all others are exact."""


@pytest.mark.parametrize("name", CONFIGS)
def test_every_default_is_read(tmp_path: Path, name: str) -> None:
    """Trainable parameters are those of PEFT 0.21 on transformers 5.24, counted on the meta device."""
    given = json.dumps(CONFIGS[name]["config"])
    text = scenario_text(model="llama-3.1-8b", training=f"{{method: lora, sequence_length: 512, peft_config: {given}}}")
    found = value(run(tmp_path, text), "trainable_parameters")
    assert found == pytest.approx(CONFIGS[name]["parameters"], rel=SHARES.get(name, 1e-12))


def test_a_file_of_an_adapter_is_a_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps(CONFIGS["LoraConfig"]["config"]), encoding="utf-8")
    assert main(["fit", str(path), "h100"]) == 0
    assert "Llama 3.1 8B" in capsys.readouterr().out


def test_ranks_of_some_matrices_are_said_of_a_file_as_of_a_scenario(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "adapter_config.json"
    config: dict[str, Any] = {
        "base_model_name_or_path": "meta-llama/Llama-3.1-8B",
        "target_modules": ["q_proj", "v_proj"],
    }
    config |= {"peft_type": "LORA", "r": 8, "rank_pattern": {"q_proj": 64}}
    path.write_text(json.dumps(config), encoding="utf-8")
    assert main(["fit", str(path), "h100", "--save", str(tmp_path / "case.yaml")]) == 0
    assert "the largest is taken for all, an upper bound" in " ".join(capsys.readouterr().out.split())
    saved = run(tmp_path, (tmp_path / "case.yaml").read_text(encoding="utf-8"))
    assert value(saved, "trainable_parameters") == 64 * 32 * (4096 + 4096 + 4096 + 1024)


@pytest.mark.parametrize(
    ("words", "own"),
    [
    ("method: lora, lora_rank: 8, rank_pattern: {q_proj: 16, v_proj: 4}, alpha_pattern: {q_proj: 32}",
     "method: lora, lora_rank: 16"),
    ("method: lora, target_modules: all-linear, exclude_modules: [lm_head, vision_tower, up_proj, gate_proj]",
     "method: lora, target_modules: [q_proj, k_proj, v_proj, o_proj, down_proj]"),
    ('method: lora, target_modules: ".*self_attn.(q|k|v)_proj"',
     "method: lora, target_modules: [q_proj, k_proj, v_proj]"),
    ('method: lora, target_modules: "^(model(?=[.]).*[.](up_proj|down_proj|q_proj))$"',
     "method: lora, target_modules: [q_proj, up_proj, down_proj]"),
    ("method: lora, target_modules: [self_attn.q_proj, mlp.down_proj, embeddings]",
     "method: lora, target_modules: [q_proj, down_proj, embed_tokens]"),
    ],
)  # fmt: skip
def test_patterns_and_exceptions_of_modules(tmp_path: Path, words: str, own: str) -> None:
    found, meant = (
        value(run(tmp_path, scenario_text(model="llama-3.1-8b", training=f"{{{text}}}")), "trainable_parameters")
        for text in (words, own)
    )
    assert found == meant
