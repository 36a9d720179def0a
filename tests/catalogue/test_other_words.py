"""Words of other programs: each is a field and choices that there are, and gives the figures of the words here."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.catalogue.fields.other_words import INSTEAD, MEANINGS, SAME_FIELD
from memreport.catalogue.scenario import dictionary
from memreport.compute import Computed
from memreport.errors import InputError
from tests.support import packaged, run, scenario_text, value

EIGHT = "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"


def job(folder: Path, training: str, **blocks: str) -> Computed:
    return run(folder, scenario_text(model="llama-3-8b", hardware=EIGHT, training=f"{{{training}}}", **blocks))


def test_every_word_stands_for_what_there_is() -> None:
    fields, tables = dictionary("training"), packaged().tables
    assert all(name in dictionary(section) for (section, _), name in SAME_FIELD.items())
    assert not any(word in dictionary(section) for section, word in SAME_FIELD)
    assert not set(INSTEAD) & set(fields)
    for (of, word), meaning in MEANINGS.items():
        assert of not in fields or not fields[of].table or word not in tables[fields[of].table].ids, word
        for name, given in (*meaning.settings.items(), *meaning.unless_stated.items()):
            assert fields[name].kind != "choice" or given in tables[fields[name].table].ids, (name, given)


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ("optim: adamw_torch, local_batch_size: 2", "optimizer_implementation: foreach, micro_batch_size: 2"),
        ("optim: adamw_torch, optimizer_implementation: fused", "optimizer: adamw"),
        ("optimizer: adamw_torch_fused, cutoff_len: 4096", "sequence_length: 4096"),
        ("optim: paged_adamw_32bit", "optimizer: paged-adamw"),
        ("optim: galore_adamw, attn_implementation: flash_attention_3", "optimizer: galore-adamw, attention: flash"),
        ("framework: Axolotl, deepspeed: zero3", "framework: deepspeed, zero_stage: 3"),
        ("framework: NeMo, recompute_granularity: full", "framework: megatron, gradient_checkpointing: full"),
        ("framework: openrlhf, fsdp: shard_grad_op", "framework: deepspeed, zero_stage: 2"),
        ("method: lora, lora_r: 8, lora_alpha: 16, load_in_4bit: true",
         "method: qlora, lora_rank: 8, base_weight_dtype: nf4"),
        ("method: dora, load_in_8bit: false", "method: lora, use_dora: true"),
        ("objective: simpo, lora_target: [q_proj], method: rslora",
         "objective: orpo, target_modules: [q_proj], method: lora"),
        ("objective: reinforce++, num_generations: 8", "objective: grpo"),
        ("adapter: lora, lora_target_linear: true, sample_packing: true, flash_attention: true",
         "method: lora, target_modules: all-linear, length_pattern: packed, attention: flash"),
        ("stage: kto, finetuning_type: lora, lora_target: all, flash_attn: fa2",
         "objective: kto, method: lora, target_modules: all-linear, attention: flash"),
        ("gradient_checkpointing: unsloth", "gradient_checkpointing: full, activation_offload: true"),
    ],
)  # fmt: skip
def test_other_words_give_the_same_figures(tmp_path: Path, words: str, own: str) -> None:
    found, expected = job(tmp_path, words), job(tmp_path, own)
    for name in ("peak_bytes", "model_state_bytes", "step_seconds"):
        assert value(found, name) == value(expected, name)


def test_words_in_variants_and_tables(tmp_path: Path) -> None:
    """A word sets what the scenario leaves open, also where a variant or an axis says it; its line is kept."""
    table = "[{title: t, figure: peak_bytes, rows: {training.optim: [adamw_torch, lion_8bit]}}]"
    variants = "{a: {}, b: {training.framework: trl, training.optim: rmsprop_bnb_8bit}}"
    found = job(tmp_path, "optimizer: adamw", variants=variants, tables=table)
    assert [case.settings["optimizer"] for case in found.resolved.cases] == [
        "adamw",
        "rmsprop-8bit",
        "adamw",
        "lion-8bit",
    ]
    (said,) = found.resolved.cautions
    assert (said.variant, said.field, said.found, said.place) == ("b", "framework", "'trl'", "case.yaml:9")
    assert said.message.startswith("is read as huggingface: it trains with the Trainer")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("deepspeed: zero3, zero_stage: 2", "deepspeed: contradicts zero_stage, which it sets .found 3 against 2"),
        ("load_in_4bit: true, method: full", "load_in_4bit: contradicts method"),
        ("micro_batch_size: 1, per_device_train_batch_size: 2", "contradicts micro_batch_size"),
        ("method: ia3", "no such method: is not counted"),
        ("bf16: true", "state precision, bf16-autocast where they are in FP32"),
        ("num_train_epochs: 3", "state training_tokens, the tokens of all epochs"),
        ("optim: lomo", "no such optimizer"),
        ("deepspeed: ds_z3_offload_config.json", "state framework: deepspeed, zero_stage, and optimizer_offload"),
    ],
)
def test_words_that_contradict_or_say_too_little(tmp_path: Path, given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        job(tmp_path, given)


def test_a_row_of_ones_own_means_itself(tmp_path: Path) -> None:
    """A user's own profile of that name wins over the packaged word."""
    packaged_rows = (Path(__file__).parents[2] / "scenarios/reference/optimizers.yaml").read_text(encoding="utf-8")
    head, _, rows = packaged_rows.partition("rows:\n")
    own = next(row for row in rows.splitlines() if "{id: sgd," in row).replace("{id: sgd,", "{id: lion_8bit,")
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference/optimizers.yaml").write_text(f"{head}rows:\n{own}\n", encoding="utf-8")
    assert value(job(tmp_path, "optimizer: lion_8bit"), "optimizer_state_bytes") == 0
