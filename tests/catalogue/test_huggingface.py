from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import memreport
from memreport.catalogue.cards import read_model
from memreport.catalogue.huggingface.card import imported, read_config
from memreport.catalogue.huggingface.families import FAMILIES
from memreport.catalogue.huggingface.reader import OF_TRAINING
from memreport.catalogue.load import catalogue_for
from memreport.catalogue.scenario import dictionary
from memreport.commands.main import main
from memreport.errors import Fault, InputError
from tests.support import ROOT, packaged, run, scenario_text, value

CONFIGS = sorted((ROOT / "tests" / "data" / "configs").glob("*.json"))
LLAMA: dict[str, Any] = json.loads((ROOT / "tests/data/configs/llama-3-8b.json").read_text(encoding="utf-8"))
ARCHITECTURES: dict[str, Any] = json.loads((ROOT / "tests/data/architectures.json").read_text(encoding="utf-8"))


def changed(**values: Any) -> dict[str, Any]:
    return {key: one for key, one in {**LLAMA, **values}.items() if one != "absent"}


def faults_of(config: dict[str, Any]) -> list[Fault]:
    with pytest.raises(InputError) as caught:
        imported(config, "config.json")
    return list(caught.value.faults)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_field_is_that_of_the_card(path: Path) -> None:
    card = packaged().model(path.stem)
    assert card is not None
    model = read_config(path)
    found = {name: one if isinstance(one, str) else float(one) for name, one in model.record().model_dump().items()}
    assert found == dict(card.values)
    assert model.trained_with.items() <= card.trained_with.items()
    assert not [note for note in model.notes if note.startswith("Not understood")]


def test_every_model_type_has_a_file() -> None:
    configs = [json.loads(path.read_text(encoding="utf-8")) for path in CONFIGS]
    configs += [one["config"] for one in ARCHITECTURES.values()]
    assert {config.get("text_config", config)["model_type"] for config in configs} >= set(FAMILIES)


def test_parameters_of_architectures_without_a_card(tmp_path: Path) -> None:
    """Each as a variant; counts are those of transformers on the meta device, which a test of its own counts again."""
    for name, one in ARCHITECTURES.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(one["config"]), encoding="utf-8")
    variants = ", ".join(f"{name.replace('.', '-')}: {{model: {name}.json}}" for name in ARCHITECTURES)
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(variants=f"{{{variants}}}"), encoding="utf-8")
    found = memreport.estimate(path)
    assert dict(found["parameters"]) == {
        name.replace(".", "-"): one["parameters"] for name, one in ARCHITECTURES.items()
    }


STATES = {
    # four attention layers; 24 states of 128 heads of 64 by 128 in FP32, and 10,240 by 4 of convolutions in 16 bit
    "nemotron-h-8b": (4 * 2 * 8 * 128 * 2, 24 * (128 * 64 * 128 * 4 + 10_240 * 4 * 2)),
    "granite-4.0-h-tiny": (4 * 2 * 4 * 128 * 2, 36 * (48 * 64 * 128 + (3072 + 2 * 128) * 4) * 2),
    # attention and Mamba side by side in all 36 layers
    "falcon-h1-0.5b": (36 * 2 * 2 * 64 * 2, 36 * (1536 * 128 + (1536 + 2 * 128) * 4) * 2),
    "jamba-1.5-mini": (4 * 2 * 8 * 128 * 2, 28 * 8192 * (16 + 4) * 2),
    "lfm2-1.2b": (6 * 2 * 8 * 64 * 2, 10 * 3 * 2048 * 2),
    # every third of 26 layers attends; 18 keep what a channel remembers in FP32, and three inputs of a convolution
    "recurrentgemma-2b": (8 * 2 * 256 * 2, 18 * (2560 * 4 + 3 * 2560 * 2)),
    # seven layers with latents of 512 + 64; twenty with a matrix of 128 by 128 for each of 32 heads in FP32
    "kimi-linear-48b": (7 * (512 + 64) * 2, 20 * (32 * 128 * 128 * 4 + 3 * 4096 * 4 * 2)),
    # two layers with latents of 64 + 16; six with a matrix of 24 by 24 for each of four heads in FP32
    "small-bailing-hybrid": (2 * (64 + 16) * 2, 6 * (4 * 24 * 24 * 4 + 3 * 96 * 4 * 2)),
    "small-glm5-next": (2 * (64 * 2 + 33), 6 * (4 * 24 * 24 * 4 + 3 * 96 * 4 * 2)),
    # eight layers with latents, four of them with a key of 32 in FP8, and its scale, for an indexer
    "small-glm-moe-dsa": (8 * (64 + 16) * 2 + 4 * 33, 0),
    "small-hy-v4": (8 * (64 + 16) * 2 + 4 * 33, 0),
    # two of eight layers have no positions
    "small-mistral-large4": ((6 * (64 + 16) + 2 * 64) * 2 + 4 * 33, 0),
    # six times the same attention, each with keys and values of its own
    "zamba2-1.2b": (6 * 2 * 4096 * 2, 38 * (4096 * 64 + (4096 + 2 * 64) * 4) * 2),
    "rwkv-4-169m": (0, 12 * 5 * 768 * 4),
    # nine layers hold four heads of 192 and 128, 39 with a window eight
    "mimo-v2-flash": ((9 * 4 + 39 * 8) * (192 + 128) * 2, 0),
    "deepseek-ocr": (12 * 2 * 10 * 128 * 2, 0),
    # eight layers hold keys and values of an image's 6,404 patches instead of the text's
    "llama-3.2-11b-vision": (32 * 2 * 8 * 128 * 2, 8 * 2 * 8 * 128 * 2 * 6404),
}


@pytest.mark.parametrize("name", STATES)
def test_what_grows_with_the_context_and_what_does_not(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(ARCHITECTURES[name]["config"]), encoding="utf-8")
    found = run(tmp_path, scenario_text(workload="serving", model="config.json", serving="{}"))
    assert (value(found, "kv_bytes_per_token"), value(found, "linear_state_bytes")) == STATES[name]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_scenario_may_name_the_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(path.read_bytes())
    card = packaged().model(path.stem)
    assert card is not None
    text = scenario_text(model="config.json", training="{sequence_length: 512}")
    assert value(run(tmp_path, text), "parameters") == card.published_parameters


def test_a_variant_may_name_a_file_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "config.json").write_text(json.dumps(changed(num_hidden_layers=1)), encoding="utf-8")
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(variants="{small: {model: small/config.json}}"), encoding="utf-8")
    assert memreport.estimate(path).loc["small", "num_hidden_layers"] == 1


def test_a_missing_file_is_a_fault_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"case\.yaml:5:8: model: no such configuration beside the scenario"):
        run(tmp_path, scenario_text(model="other.json"))


def test_a_broken_file_is_a_fault_of_that_file(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama",}', encoding="utf-8")
    with pytest.raises(InputError, match=r"config\.json:1:24: is not JSON"):
        run(tmp_path, scenario_text(model="config.json"))


def test_what_is_missing_is_named_together() -> None:
    faults = faults_of(changed(hidden_size="absent", vocab_size=None))
    assert [fault.field for fault in faults] == ["hidden_size", "vocab_size"]
    assert {fault.message for fault in faults} == {"is required for this model type"}


def test_an_unknown_model_type_names_the_nearest() -> None:
    (fault,) = faults_of(changed(model_type="qwen3_mo", architectures=None, extra_heads=4))
    assert fault.nearest == "qwen3_moe"
    assert "write the card by hand" in fault.message


@pytest.mark.parametrize("wrong", ["4096", 4096.5, True, -1])
def test_a_size_must_be_a_whole_number(wrong: object) -> None:
    (fault,) = faults_of(changed(hidden_size=wrong))
    assert fault.field == "hidden_size"
    assert fault.found == repr(wrong)


def test_without_a_model_type_nothing_is_guessed() -> None:
    (fault,) = faults_of(changed(model_type="absent"))
    assert fault.field == "model_type"


def test_what_is_not_understood_is_named_and_not_used() -> None:
    model = imported(changed(extra_heads=4, off=False, nothing=None), "config.json")
    assert model.notes == ("Not understood, and not used: extra_heads = 4.",)


def test_what_belongs_to_training_is_said_with_the_field_that_says_the_same() -> None:
    told = {"attn_pdrop": 0.1, "resid_pdrop": 0.0, "hidden_dropout": 0.05, "gradient_checkpointing": True}
    model = imported(changed(**told, _attn_implementation="flash_attention_2"), "config.json")
    assert model.notes == (
        "attn_pdrop 0.1 belongs to training: state training.attention_dropout: 0.1 in the scenario.",
        "hidden_dropout 0.05 belongs to training: state training.hidden_dropout: 0.05 in the scenario.",
        "gradient_checkpointing true belongs to training: state training.gradient_checkpointing: full in the scenario.",
        "_attn_implementation flash_attention_2 belongs to training: state training.attention: flash in the scenario.",
    )


@pytest.mark.parametrize("key", sorted(set(OF_TRAINING.values())))
def test_what_belongs_to_training_is_a_field_of_it(key: str) -> None:
    assert key in dictionary("training")


@pytest.mark.parametrize("key", ["output_attentions", "reorder_and_upcast_attn", "clip_qkv", "alibi"])
def test_an_option_that_takes_memory_is_not_left_out_without_a_word(key: str) -> None:
    assert imported(changed(**{key: True}), "config.json").notes == (f"Not understood, and not used: {key} = true.",)
    assert not imported(changed(**{key: False}), "config.json").notes


def test_a_layout_that_is_not_known_is_a_fault() -> None:
    config = json.loads((ROOT / "tests/data/configs/opt-1.3b.json").read_text(encoding="utf-8"))
    (fault,) = faults_of(config | {"layer_norm_elementwise_affine": False})
    assert fault.expected == "True"


def test_an_unknown_activation_is_said() -> None:
    model = imported(changed(hidden_act="mish"), "config.json")
    assert "hidden_act" not in model.fields
    assert "'mish' is not known" in model.notes[0]


def test_only_the_language_model_of_several_parts_is_read() -> None:
    outer = {"model_type": "llava", "text_config": LLAMA, "vision_config": {}, "tie_word_embeddings": True}
    model = imported(outer, "config.json")
    assert model.fields["tie_word_embeddings"] is False
    assert "Only the language model is counted" in model.notes[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1]", "must be a JSON object"),
        (b'{"a": 1, "a": 2}', "a: is given twice"),
        (b"\xff\xfe", r"1:1: is not UTF-8 text \(found byte 0xFF at offset 0"),
        (b"[" * 100_000, "nested more than 64 deep"),
        (b" " * 1_000_001, "is too large, more than 1 MB"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_config(path)


def test_the_command_writes_a_card_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, out = ROOT / "tests/data/configs/deepseek-v3.json", tmp_path / "models" / "mine.yaml"
    assert main(["import-model", str(config), "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"wrote {out}\n"
    assert "The checkpoint is quantised (fp8)" in shown.err
    faults: list[Fault] = []
    card = read_model(out, faults)
    assert not faults
    assert card is not None
    assert card.values["kv_lora_rank"] == 512
    assert "mine" in catalogue_for([tmp_path]).model_files


def test_dropout_of_a_configuration_stands_on_its_card(tmp_path: Path) -> None:
    out = tmp_path / "models" / "mine.yaml"
    assert main(["import-model", str(ROOT / "tests/data/configs/gpt2.json"), "--out", str(out)]) == 0
    faults: list[Fault] = []
    card = read_model(out, faults)
    assert not faults
    assert card is not None
    assert card.trained_with == {"attention_dropout": 0.1}


def test_the_command_prints_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tiny" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    assert main(["import-model", str(path)]) == 0
    assert "id: tiny\n" in capsys.readouterr().out


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import-model", str(tmp_path / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err


RENAMED = ("llama-3-8b", "mistral-7b-v0.1", "mixtral-8x7b", "qwen2.5-7b", "qwen3-8b", "qwen3-30b-a3b", "deepseek-v3")


@pytest.mark.parametrize("name", RENAMED)
@pytest.mark.parametrize("architectures", [["OursForCausalLM"], None])
def test_a_renamed_model_is_read_as_what_it_is(name: str, architectures: list[str] | None) -> None:
    config = json.loads((ROOT / f"tests/data/configs/{name}.json").read_text(encoding="utf-8"))
    model = imported(config | {"model_type": "ours", "architectures": architectures}, "config.json")
    assert model.fields == imported(config, "config.json").fields
    assert f"'ours' is not known: read as {config['model_type']}," in model.notes[0]


@pytest.mark.parametrize("name", ["gpt2", "olmo-7b", "phi-2"])
def test_the_class_tells_families_whose_keys_do_not(name: str) -> None:
    config = json.loads((ROOT / f"tests/data/configs/{name}.json").read_text(encoding="utf-8"))
    assert imported(config | {"model_type": "ours"}, "config.json").fields == imported(config, "config.json").fields
    assert faults_of(config | {"model_type": "ours", "architectures": ["OursForCausalLM"]})[0].field == "model_type"


@pytest.mark.parametrize("extra", [{"hidden_act": "mish"}, {"layer_norm_eps": 1e-5}, {"residual_multiplier": 0.2}])
def test_a_model_with_something_of_its_own_is_not_guessed(extra: dict[str, Any]) -> None:
    (fault,) = faults_of(changed(model_type="ours", architectures=["OursForCausalLM"], **extra))
    assert "write the card by hand" in fault.message


WRONG: dict[str, tuple[Any, ...]] = {
    "num_hidden_layers": (10**12, 0, -1, 1.5, "32", [32], {}, True, 10**300),
    "hidden_size": (0, 10**20),
    "num_attention_heads": (0, 10**20, 8192),
    "tie_word_embeddings": ("no", 1, []),
    "attention_bias": ("no", 0.5),
    "hidden_act": (7, ["silu"], "x" * 501),
    "quantization_config": ("awq", [1], 4),
    "_name_or_path": (7, "x" * 501),
}


@pytest.mark.parametrize(("key", "value"), [(key, one) for key, values in WRONG.items() for one in values])
def test_a_wrong_value_is_one_fault_with_its_key(key: str, value: object) -> None:
    (fault,) = faults_of(changed(**{key: value}))
    assert fault.field == (key if value != 8192 else "head_dim")
    assert len(str(fault)) < 250


@pytest.mark.parametrize("layers", [1, 2, 7, 48])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_dense_layers_are_counted_without_walking_through_them(layers: int, step: int) -> None:
    config = json.loads((ROOT / "tests/data/configs/qwen3-30b-a3b.json").read_text(encoding="utf-8"))
    listed = [0, 1, 5, 5, 40, 99, -3]
    changes = {"num_hidden_layers": layers, "decoder_sparse_step": step, "mlp_only_layers": listed}
    one_by_one = sum((layer + 1) % step > 0 or layer in listed for layer in range(layers))
    assert imported(config | changes, "config.json").fields.get("num_dense_layers", 0) == one_by_one


def test_a_long_tail_of_unknown_keys_is_said_in_one_line() -> None:
    model = imported(changed(**{f"key_{at}" * 20: at for at in range(1, 100)}), "config.json")
    assert len(model.notes) == 21
    assert model.notes[-1] == "Not understood, and not used: 79 keys more."
    assert max(map(len, model.notes)) < 200


@pytest.mark.parametrize("model_type", ["longt5", "jetmoe", "hymba", "dots3_note", "xlnet"])
def test_what_a_card_cannot_say_is_refused_with_the_reason(model_type: str) -> None:
    """Also where all keys are those of a Llama."""
    with pytest.raises(InputError, match="model_type: has ") as caught:
        imported({**LLAMA, "model_type": model_type}, "config.json")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "matrices", "beside"),
    [
        ("zamba2-1.2b", 1_138_491_392, 38 * (4224 * 5 + 3 * 64 + 4096)),
        ("albert-base-v2", 7_766_016, -768 * (768 + 128)),
        ("electra", 86_016, 0),
    ],
)
def test_shared_layers_are_stored_once(tmp_path: Path, name: str, matrices: int, beside: int) -> None:
    """Linear layers that transformers 5.24 builds, each matrix once, counted on the meta device.

    Beside them a mixer counts its convolutions and norms among its weights, and encoders a pooler and a projection not.
    """
    (tmp_path / "config.json").write_text(json.dumps(ARCHITECTURES[name]["config"]), encoding="utf-8")
    stored, whole = matrices + beside, ARCHITECTURES[name]["parameters"]
    for dtype, each in (("int8", 1), ("bf16", 2)):
        given = f"{{weight_dtype: {dtype}, max_model_len: 64, context_length: 64, prompt_tokens: 16}}"
        found = run(tmp_path, scenario_text(model="./config.json", workload="serving", serving=given))
        assert value(found, "weight_bytes") == stored * each + (whole - stored) * 2
    trained = run(tmp_path, scenario_text(model="./config.json", training="{method: qlora, sequence_length: 64}"))
    assert value(trained, "stored_matrix_parameters") == stored


def test_what_a_configuration_leaves_open_is_a_warning(tmp_path: Path) -> None:
    config = {"model_type": "unheard_of", "vision_config": {"model_type": "a_tower"}, "text_config": LLAMA}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (said,) = run(tmp_path, scenario_text(model="./config.json")).resolved.warnings
    assert said.sentence.startswith("model may be counted wrong: Only the language model is counted, not the towers")


@pytest.mark.parametrize(("ranks", "wide"), [(1, 4), (8, 1)])
def test_the_cache_of_layers_with_wider_heads(tmp_path: Path, ranks: int, wide: int) -> None:
    """Gemma 4 31B: 50 layers cache 16 heads of 256, ten 4 of 512, of which a GPU of eight holds one whole."""
    config = ARCHITECTURES["gemma-4-31b"]["config"]
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    hardware = f"{{accelerator: h100-80gb-sxm, count: {ranks}}}"
    serving = f"{{tensor_parallel_size: {ranks}, max_model_len: 512}}"
    blocks = {"hardware": hardware, "workload": "serving", "serving": serving}
    found = run(tmp_path, scenario_text(model="./config.json", **blocks))
    values = 2 * (50 * 16 // ranks * 256 + 10 * wide * 512)
    assert value(found, "kv_bytes_per_token") == pytest.approx(2 * values)
