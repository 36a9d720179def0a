"""Where values come from: own folders before packaged ones, inline models, variants, overrides; and what JSON says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memreport.catalogue.load import catalogue_for, scenario_files
from memreport.catalogue.yaml import packaged as packaged_yaml
from memreport.catalogue.yaml import strict as strict_yaml
from memreport.commands.main import main
from memreport.errors import InputError
from memreport.resolve import resolve_all
from tests.support import ROOT, run, scenario_text, value

DATA = sorted([*(ROOT / "hardware").rglob("*.yaml"), *(ROOT / "scenarios").rglob("*.yaml")])
INLINE = """
  hidden_size: 64
  num_hidden_layers: 2
  num_attention_heads: 4
  num_key_value_heads: 2
  head_dim: 16
  intermediate_size: 128
  vocab_size: 100
  max_position_embeddings: 512"""


def written(root: Path, place: str, text: str) -> Path:
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def data_of(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["show", str(path), "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_heads_that_are_not_stated_are_those_of_transformers(tmp_path: Path) -> None:
    short = "".join(
        line for line in INLINE.splitlines(keepends=True) if "key_value" not in line and "head_dim" not in line
    )
    found = run(tmp_path, scenario_text(model=short))
    assert (value(found, "num_key_value_heads"), value(found, "head_dim")) == (4, 16)


PASTED = """{model_type: llama, architectures: [LlamaForCausalLM], hidden_size: 2048, num_hidden_layers: 16,
  num_attention_heads: 32, num_key_value_heads: 8, head_dim: 64, intermediate_size: 8192, vocab_size: 128256,
  max_position_embeddings: 131072, tie_word_embeddings: true, rms_norm_eps: 1.0e-05, torch_dtype: bfloat16}"""


def test_a_configuration_may_be_pasted_as_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(tmp_path, scenario_text(model=PASTED))
    assert value(found, "parameters") == 1_235_814_400
    assert found.values["peak_bytes"] == run(tmp_path, scenario_text(model="llama-3.2-1b")).values["peak_bytes"]
    path = written(tmp_path, "case.yaml", scenario_text(model=PASTED.replace("hidden_size: 2048", "hidden_size: no")))
    assert main(["show", str(path)]) == 2
    assert "case.yaml:5:76: model.hidden_size: must be a whole number (found 'no')" in capsys.readouterr().err


def test_an_own_card_wins_over_the_packaged_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packaged = (ROOT / "hardware/accelerators/a100-80gb-sxm.yaml").read_text(encoding="utf-8")
    written(tmp_path, "hardware/accelerators/a100-80gb-sxm.yaml", packaged.replace("81920 MiB", "81251 MiB"))
    path = written(tmp_path, "scenarios/case.yaml", scenario_text())
    figures = data_of(path, capsys)["variants"]["base"]["figures"]
    assert figures["usable_bytes"] == 81_251 * 2**20
    assert len(catalogue_for([path]).tables["accelerators"].ids) == len(catalogue_for().tables["accelerators"].ids)


def test_an_own_model_card_wins_over_the_packaged_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packaged = (ROOT / "scenarios/models/llama-2-7b.yaml").read_text(encoding="utf-8")
    written(tmp_path, "models/llama-2-7b.yaml", packaged.replace("num_hidden_layers: 32", "num_hidden_layers: 16"))
    path = written(tmp_path, "case.yaml", scenario_text())
    layer = 4 * 4096 * 4096 + 3 * 4096 * 11_008 + 2 * 4096
    assert data_of(path, capsys)["variants"]["base"]["figures"]["parameters"] == 6_738_415_616 - 16 * layer


def test_an_own_host_is_added_to_the_packaged_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    host = (ROOT / "tests/catalogue/valid/hosts.yaml").read_text(encoding="utf-8").replace("id: dgx-a100", "id: mine")
    written(tmp_path, "hardware/hosts.yaml", host.replace("2048 GiB", "1 TB"))
    hardware = "{accelerator: a100-80gb-sxm, count: 8, host: mine}"
    path = written(tmp_path, "case.yaml", scenario_text(hardware=hardware))
    assert data_of(path, capsys)["variants"]["base"]["figures"]["host_headroom_bytes"] == 1e12
    assert "dgx-h100" in catalogue_for([path]).tables["hosts"].ids


def test_a_model_may_be_written_into_the_scenario(tmp_path: Path) -> None:
    computed = run(tmp_path, scenario_text(model=INLINE))
    attention, mlp = 64 * 64 + 2 * 64 * 32 + 64 * 64, 3 * 64 * 128
    assert value(computed, "parameters") == 2 * (attention + mlp + 2 * 64) + 64 + 2 * 100 * 64
    assert computed.resolved.cases[0].card.title == "inline model"


def test_json_says_where_every_input_came_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = scenario_text(
        training="{micro_batch_size: 4}",
        overrides="{parameters: 7e9}",
        variants="{base: {}, long: {training.sequence_length: 8192}}",
    )
    data = data_of(written(tmp_path, "case.yaml", text), capsys)
    base, long = data["variants"]["base"], data["variants"]["long"]
    line = 1 + text.splitlines().index("training: {micro_batch_size: 4}")
    assert base["origin"]["micro_batch_size"] == f"scenario: case.yaml:{line}"
    assert base["origin"]["parameters"] == f"override: case.yaml:{line + 1}"
    assert long["origin"]["sequence_length"] == f"variant: case.yaml:{line + 2}"
    assert base["origin"]["sequence_length"].startswith("default")
    assert base["origin"]["hidden_size"] == "model card: llama-2-7b"
    assert base["overrides"] == {"parameters": 7e9}
    assert set(base["inputs"]) >= set(base["origin"]) - {"parameters"}
    assert data["units"]["peak_bytes"] == "byte"


def test_json_holds_all_figures_in_full_precision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "case.yaml", scenario_text())
    figures = data_of(path, capsys)["variants"]["base"]["figures"]
    computed = run(tmp_path, scenario_text())
    assert figures == {line.name: value(computed, line.name) for line in computed.lines}


def test_quantities_may_carry_units_and_mean_the_same(tmp_path: Path) -> None:
    for text in ("80 GB", "80e9", "80000 MB", "0.08 TB"):
        assert value(run(tmp_path, scenario_text(overrides=f"{{capacity_bytes: {text}}}")), "usable_bytes") == 80e9


def test_a_table_of_a_variant_starts_from_the_variant(tmp_path: Path) -> None:
    tables = "\n  - {title: t, figure: peak_bytes, variant: b, rows: {training.sequence_length: [512, 1024]}}"
    computed = run(tmp_path, scenario_text(variants="{a: {}, b: {training.micro_batch_size: 2}}", tables=tables))
    points = computed.resolved.points(0)
    assert [value(computed, "micro_batch_size", at) for at in points] == [2, 2]
    assert [value(computed, "sequence_length", at) for at in points] == [512, 1024]
    assert [case.name for case in computed.resolved.variants] == ["a", "b"]


def test_folders_hold_scenarios_and_nothing_else() -> None:
    found = scenario_files([ROOT / "scenarios"])
    assert {path.parent for path in found} == {ROOT / "scenarios"}


def test_an_empty_folder_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no scenario"):
        resolve_all([tmp_path])


def test_two_files_of_one_id_are_a_fault(tmp_path: Path) -> None:
    paths = [written(tmp_path, f"{folder}/case.yaml", scenario_text()) for folder in ("a", "b")]
    with pytest.raises(InputError, match="is already the id of"):
        resolve_all(paths)


def test_every_packaged_file_reads_fast_as_it_reads_strictly() -> None:
    assert len(DATA) > 150
    for path in DATA:
        fast, strict = packaged_yaml.read(path), strict_yaml.read(path)
        assert fast.data == strict.data, path


def test_each_scenario_draws_on_the_folders_from_the_given_one_down_to_its_own(tmp_path: Path) -> None:
    card = (Path(__file__).parent / "valid" / "mini.yaml").read_text(encoding="utf-8")
    for team, layers in (("a", 30), ("b", 31)):
        written(tmp_path, f"{team}/jobs/{team}.yaml", scenario_text(team, model="mini"))
        written(tmp_path, f"{team}/jobs/models/mini.yaml", re.sub("(num_hidden_layers: ).*", rf"\g<1>{layers}", card))
    written(tmp_path, "c.yaml", scenario_text("c"))
    found = {one.loaded.scenario.id: one for one in resolve_all([tmp_path])}
    assert [found[team].inputs["num_hidden_layers"][0] for team in "ab"] == [30, 31]
    assert "mini" not in found["c"].catalogue.model_files
    assert resolve_all([tmp_path / "a"])[0].inputs["num_hidden_layers"] == 30


def test_one_scenario_draws_on_the_folders_from_the_current_one_down_as_all_of_them_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = (Path(__file__).parent / "valid" / "mini.yaml").read_text(encoding="utf-8")
    written(tmp_path, "models/mini.yaml", card)
    path = written(tmp_path, "team/jobs/case.yaml", scenario_text(model="mini"))
    monkeypatch.chdir(tmp_path)
    alone, among = resolve_all([path])[0], resolve_all([Path()])[0]
    assert alone.catalogue.folders == among.catalogue.folders
    assert alone.inputs.keys() == among.inputs.keys()
    monkeypatch.chdir(tmp_path / "team")
    with pytest.raises(InputError, match="mini"):
        resolve_all([path])


def test_a_broken_model_hides_no_other_fault(tmp_path: Path) -> None:
    variants = "{a: {model: missing/config.json}, b: {model: lama-2-7b}, c: {training.zero_stage: 7}}"
    with pytest.raises(InputError) as caught:
        resolve_all([written(tmp_path, "case.yaml", scenario_text(model="gone.json", variants=variants))])
    assert [fault.field for fault in caught.value.faults] == [
        "model",
        "variants.a.model",
        "variants.b.model",
        "variants.c.training.zero_stage",
    ]


def test_overrides_stand_in_one_order_in_every_process(tmp_path: Path) -> None:
    """That of the fields, whatever the order of the file and of hashes: published files list them."""
    given = "{basis: buy, purchase_price: a100-80gb-new-high, residual_share: 0, pue: 1.2, hours: 9, adder_share: 0, "
    text = scenario_text(cost=f"{given}depreciation_years: 4, usd_per_kilowatt_hour: 0.1, usd_per_kilowatt_month: 9}}")
    wanted = ["hours", "usd_per_kilowatt_hour", "pue", "usd_per_kilowatt_month", "adder_share", "depreciation_years"]
    assert list(run(tmp_path, text).resolved.cases[0].overrides) == [*wanted, "residual_share"]


def test_a_switch_of_the_standard_is_the_mode_that_it_stands_for(tmp_path: Path) -> None:
    variants = "{on: {gradient_checkpointing: true}, off: {training.gradient_checkpointing: false}}"
    text = scenario_text(training="{gradient_checkpointing: true}", variants=variants)
    modes = [case.settings["gradient_checkpointing"] for case in run(tmp_path, text).resolved.cases]
    assert modes == ["full", "none"]


@pytest.mark.parametrize("given", ["7", "[flash]"])
def test_a_name_that_is_none_says_where_the_names_stand(tmp_path: Path, given: str) -> None:
    with pytest.raises(
        InputError, match=r"case.yaml.*training.attention: must be a name: see memreport list attention_k"
    ):
        run(tmp_path, scenario_text(training=f"{{attention: {given}}}"))
