"""The JSON Schema: takes every scenario that memreport takes, and tells an editor what every field means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.schema import schema_text
from memreport.catalogue.yaml import strict as strict_yaml
from memreport.commands.main import main
from tests.support import ROOT, SCENARIOS, scenario_text

VALID = Path(__file__).parent / "valid" / "case.yaml"


def validator(folder: Path) -> Any:
    """A checker of the schema for scenarios in that folder."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(schema_text(folder))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def faults(checker: Any, text: str) -> list[str]:
    data = strict_yaml.parse(text, "case.yaml").data
    return [".".join(map(str, one.absolute_path)) for one in checker.iter_errors(data)]


@pytest.fixture(scope="module")
def packaged_schema() -> Any:
    return validator(ROOT)


@pytest.mark.parametrize("path", [*SCENARIOS, VALID], ids=lambda path: path.stem)
def test_every_scenario_is_valid(path: Path, packaged_schema: Any) -> None:
    assert faults(packaged_schema, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_a_new_scenario_is_valid(workload: str, tmp_path: Path, packaged_schema: Any) -> None:
    assert main(["new", str(tmp_path / "job.yaml"), "--workload", workload]) == 0
    assert faults(packaged_schema, (tmp_path / "job.yaml").read_text(encoding="utf-8")) == []


WRONG = {
    "hardware.accelerator": scenario_text(hardware="{accelerator: h100}"),
    "model": scenario_text(model="lama-2-7b"),
    "training": scenario_text(training="{sequence_lenght: 2048}"),
    "training.precision": scenario_text(training="{precision: bf16}"),
    "training.sequence_length": scenario_text(training="{sequence_length: long}"),
    "variants.a.training.zero_stage": scenario_text(variants="{a: {training.zero_stage: 4}}"),
    "answers.0": scenario_text(answers="[peak]"),
    "tables.0.figure": scenario_text(tables="[{title: t, figure: peak, rows: {training.sequence_length: [1]}}]"),
}


@pytest.mark.parametrize("place", WRONG)
def test_what_is_wrong_is_found_at_its_place(place: str, packaged_schema: Any) -> None:
    assert faults(packaged_schema, WRONG[place]) == [place]


def test_words_of_other_programs_are_valid(packaged_schema: Any) -> None:
    training = "{optim: adamw_torch, per_device_train_batch_size: 2, load_in_4bit: true}"
    text = scenario_text(training=training, variants="{a: {training.framework: trl, training.deepspeed: zero3}}")
    assert faults(packaged_schema, text) == []


def test_a_model_is_its_fields_or_the_content_of_a_configuration(packaged_schema: Any) -> None:
    fields = "hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 128, vocab_size: 100"
    own = scenario_text(model=f"{{{fields}, max_position_embeddings: 512}}")
    pasted = scenario_text(model=f"{{{fields}, model_type: llama, rms_norm_eps: 1.0e-05}}")
    assert faults(packaged_schema, own) == faults(packaged_schema, pasted) == []
    assert faults(packaged_schema, scenario_text(model=f"{{{fields}}}")) == ["model"]


def test_a_variant_may_state_a_block_of_a_section(packaged_schema: Any) -> None:
    text = scenario_text(
        variants="{a: {hardware: {count: 2}, training: {zero_stage: 3}, overrides: {parameters: 7e9}}}"
    )
    assert faults(packaged_schema, text) == []
    text = scenario_text(variants="{a: {training: {zero_stage: 4}}}")
    assert faults(packaged_schema, text) == ["variants.a.training.zero_stage"]


@pytest.mark.parametrize("text", ["80 GB", "81920 MiB", "8e10", "'8e10'"])
def test_quantities_may_carry_units(text: str, packaged_schema: Any) -> None:
    assert faults(packaged_schema, scenario_text(hardware=f"{{accelerator: l4, transfer_bytes: {text}}}")) == []


def test_own_files_add_their_names(tmp_path: Path, packaged_schema: Any) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mine.yaml").write_text("", encoding="utf-8")
    text = scenario_text(model="mine")
    assert faults(packaged_schema, text) == ["model"]
    assert faults(validator(tmp_path), text) == []
    assert main(["schema", "--out", str(tmp_path / "memreport.schema.json")]) == 0
    assert '"mine"' in (tmp_path / "memreport.schema.json").read_text(encoding="utf-8")


def test_every_field_is_described() -> None:
    assert list(undescribed(json.loads(schema_text(ROOT)))) == []


def undescribed(part: Any, place: str = "") -> Iterator[str]:
    """Properties that neither say what they mean nor point to what does."""
    if isinstance(part, dict):
        for name, field in part.get("properties", {}).items():
            if not {"description", "$ref"} & field.keys():
                yield f"{place}.{name}"
        for name, inner in part.items():
            yield from undescribed(inner, f"{place}.{name}")
