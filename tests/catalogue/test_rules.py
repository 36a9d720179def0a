"""Rules between fields: what no engine runs is a fault; what would surprise is computed and said in every output."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memreport.build.outputs import make
from memreport.catalogue.framework_rules import FRAMEWORK_WARNINGS
from memreport.checks import check
from memreport.commands.main import main
from memreport.compute import Computed
from memreport.errors import InputError
from tests.lazily import lazily_read
from tests.publish.pages import text_of
from tests.support import packaged, published, run, scenario_text, value

EIGHT = "{accelerator: a100-80gb-sxm, count: 8, host: dgx-a100}"


def serving(**fields: object) -> str:
    """A serving scenario of Llama 3 8B, whose config gives 8,192 positions."""
    given = ", ".join(f"{name}: {value}" for name, value in fields.items())
    return scenario_text(workload="serving", model="llama-3-8b", serving=f"{{{given}}}")


def training(**fields: object) -> str:
    given = ", ".join(f"{name}: {value}" for name, value in fields.items())
    return scenario_text(hardware=EIGHT, training=f"{{{given}}}")


FAULTS = {
    "optimizer_offload: goes with ZeRO 1, 2 or 3": training(optimizer_offload="cpu"),
    "parameter_offload: goes with ZeRO 3 alone": training(parameter_offload="cpu", zero_stage=2),
    "use_liger_kernel: is an option of Hugging Face's Trainer": training(use_liger_kernel="true", framework="megatron"),
    "prompt_tokens: may not be more than max_model_len": serving(prompt_tokens=4097, max_model_len=4096),
    "link_domain: may not be less than the GPUs of a node": scenario_text(
        hardware="{accelerator: a100-80gb-sxm, count: 16, host: dgx-a100, link_domain: 4}"
    ),
    "cached_share: may not be more than cached_share_high": training(cached_share=0.9, cached_share_high=0.5),
    r"more than cached_share_high \(found what its choice supplies": training(cached_share_high=0.1),
    "fragmentation_share: must lie between": training(fragmentation_share_low=0.2, fragmentation_share_high=0.05),
    "tensor_parallel_size: must divide the key-value heads": scenario_text(
        workload="serving",
        model="{hidden_size: 64, num_hidden_layers: 4, num_attention_heads: 24, num_key_value_heads: 8, head_dim: 8,"
        " intermediate_size: 64, vocab_size: 64, max_position_embeddings: 4096}",
        hardware="{accelerator: a100-80gb-sxm, count: 3}",
        serving="{tensor_parallel_size: 3}",
    ),
}


@pytest.mark.parametrize("says", FAULTS)
def test_what_no_engine_runs_is_a_fault(says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        run(tmp_path, FAULTS[says])


def test_one_accelerator_may_offload_without_zero(tmp_path: Path) -> None:
    text = scenario_text(training="{optimizer_offload: cpu, parameter_offload: cpu}")
    assert run(tmp_path, text).resolved.warnings == ()


T4 = "{accelerator: t4}"
WARNINGS = {
    "sequence_length": training(sequence_length=8192),
    "max_model_len": serving(max_model_len=8193),
    "sequence_length of gpt2": scenario_text(model="gpt2", training="{sequence_length: 1025}"),
    "max_model_len of opt": scenario_text(workload="serving", model="opt-125m", serving="{max_model_len: 4096}"),
    "pipeline_parallel_size": scenario_text(
        hardware="{accelerator: a100-80gb-sxm, count: 3, host: dgx-a100}",
        training="{framework: megatron, pipeline_parallel_size: 3}",
    ),
    "model_flop_utilization of another pipeline": training(
        framework="megatron", pipeline_parallel_size=8, model_flop_utilization=0.1, gradient_accumulation_steps=64
    )
    + "variants: {a: {}, b: {training.pipeline_parallel_size: 4}, c: {training.micro_batch_size: 2}}\n",
    "model_flop_utilization without recomputation": training(model_flop_utilization=0.4)
    + "variants: {a: {}, b: {training.gradient_checkpointing: full}}\n",
    "precision": training(method="qlora", precision="bf16-pure"),
    "tensor_parallel_size": scenario_text(
        hardware="{accelerator: a100-80gb-sxm, count: 16, host: dgx-a100}", training="{tensor_parallel_size: 16}"
    ),
    "per_node": scenario_text(hardware="{accelerator: a100-80gb-sxm, count: 16, per_node: 16, host: dgx-a100}"),
    "host": scenario_text(hardware="{accelerator: rtx-4090, count: 2, host: workstation}"),
    "framework": training(pipeline_parallel_size=8),
    "framework without tensor parallelism": training(framework="litgpt", tensor_parallel_size=2),
    "framework without adapters on a base that is cut": training(method="lora", tensor_parallel_size=2),
    "framework without bitsandbytes": training(framework="megatron", optimizer="paged-adamw"),
    "framework without ZeRO-1": training(zero_stage=1),
    "framework without ZeRO-3": training(framework="nanotron", zero_stage=3),
    "count": scenario_text(hardware="{accelerator: a100-80gb-sxm, count: 12, host: dgx-a100}"),
    "precision without BF16": scenario_text(
        hardware="{accelerator: v100-32gb-sxm}", training="{precision: bf16-mixed}"
    ),
    "precision without FP8": training(precision="fp8"),
    "weight_dtype without BF16": scenario_text(workload="serving", hardware=T4, serving="{weight_dtype: bf16}"),
    "weight_dtype without FP8": serving(weight_dtype="fp8"),
}


@pytest.mark.parametrize("field", WARNINGS)
def test_what_would_surprise_is_computed_with_a_warning(field: str, tmp_path: Path) -> None:
    computed = run(tmp_path, WARNINGS[field])
    assert [one.field for one in computed.resolved.warnings] == [field.partition(" ")[0]]
    assert computed.resolved.warnings[0].source
    assert value(computed, "peak_bytes") > 0


@pytest.mark.parametrize(
    "told", [{"precision": "bf16-autocast"}, {"precision": "fp32"}, {"framework": "litgpt"}, {"method": "lora"}]
)
def test_a_quantised_base_is_doubted_only_with_norms_in_16_bits(told: dict[str, str], tmp_path: Path) -> None:
    text = training(**({"method": "qlora", "precision": "bf16-pure"} | told))
    assert run(tmp_path, text).resolved.warnings == ()


SUPPORTED = {
    "a cut base of Megatron-LM": training(framework="megatron", method="lora", tensor_parallel_size=2),
    "8 bit": training(framework="torchtune", optimizer="adamw-8bit", zero_stage=2),
    "ZeRO-1 of one GPU": scenario_text(training="{zero_stage: 1}"),
    "FP16": scenario_text(hardware=T4, training="{precision: fp16-mixed}"),
    "unpacked to what the card has": scenario_text(workload="serving", hardware=T4, serving="{weight_dtype: int4}"),
    "a rate that is given": scenario_text(
        hardware=T4, training="{precision: bf16-mixed}", overrides="{bf16_flop_per_second: 9e12}"
    ),
    "FP8 where there are units": scenario_text(
        workload="serving", hardware="{accelerator: h100-80gb-sxm, host: dgx-h100}", serving="{weight_dtype: fp8}"
    ),
    "nodes that are full": scenario_text(
        hardware="{accelerator: a100-80gb-sxm, count: 12, per_node: 4, host: dgx-a100}"
    ),
    "a node that is not full": scenario_text(hardware="{accelerator: a100-80gb-sxm, count: 6, host: dgx-a100}"),
}


@pytest.mark.parametrize("what", SUPPORTED)
def test_what_is_supported_is_not_doubted(what: str, tmp_path: Path) -> None:
    assert run(tmp_path, SUPPORTED[what]).resolved.warnings == ()


def test_missing_units_are_named_with_what_runs_instead(tmp_path: Path) -> None:
    (warning,) = run(tmp_path, WARNINGS["precision without BF16"]).resolved.warnings
    message = "multiplies in BF16, and v100-32gb-sxm has no BF16 units; the work runs at the FP32 rate"
    assert warning.message == message


def test_a_module_does_not_go_into_a_workstation(tmp_path: Path) -> None:
    text = scenario_text(hardware="{accelerator: a100-80gb-sxm, count: 8, per_node: 1, host: workstation}")
    (warning,) = run(tmp_path, text).resolved.warnings
    assert warning.message == "holds PCIE or MODULE GPUs, and a100-80gb-sxm is SXM"
    assert warning.place == "case.yaml:6"


def test_a_place_is_warned_of_once_and_a_point_of_a_table_is_told_apart(tmp_path: Path) -> None:
    tables = "\n  - {title: t, figure: peak_bytes, rows: {training.sequence_length: [1024, 8192]}}"
    text = scenario_text(variants="{a: {}, b: {training.sequence_length: 16384}, c: {}}", tables=tables)
    found = run(tmp_path, text).resolved.warnings
    assert [(one.variant, one.in_table) for one in found] == [("b", False), ("a", True)]


def test_the_packaged_scenarios_are_doubted_only_where_a_table_goes_far() -> None:
    assert not [one for computed in published() for one in computed.resolved.warnings if not one.in_table]


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory: pytest.TempPathFactory) -> Computed:
    return run(tmp_path_factory.mktemp("doubtful"), WARNINGS["host"])


def test_show_prints_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(WARNINGS["host"], encoding="utf-8")
    assert main(["show", str(path)]) == 0
    assert "Warning: host holds one GPU" in " ".join(capsys.readouterr().out.split())
    assert main(["show", str(path), "--all"]) == 0
    assert "\nWARNINGS\ncase.yaml:6: host holds one GPU" in capsys.readouterr().out
    assert main(["show", str(path), "--format", "json"]) == 0
    (warning,) = json.loads(capsys.readouterr().out)["warnings"]
    assert (warning["field"], warning["variant"]) == ("host", "base")


def test_workbook_and_data_carry_warnings(doubtful: Computed, tmp_path: Path) -> None:
    files = make(doubtful, ("xlsx", "json")).files
    (tmp_path / "case.xlsx").write_bytes(files["case.xlsx"])
    checks = lazily_read(tmp_path / "case.xlsx")["Checks"]
    texts = [str(cell.value) for (cell,) in checks.iter_rows(min_col=2, max_col=2, max_row=12)]
    assert [text for text in texts if text.startswith("Warning at build, not recomputed: host holds one GPU")]
    assert json.loads(files["case.json"])["warnings"]


def test_the_sheet_carries_warnings_on_its_first_page(doubtful: Computed) -> None:
    assert "Attention: host holds one GPU" in text_of(make(doubtful, ("pdf",)).files["case.pdf"], 0)


OVERRIDES = {
    "fits: 1": "follows from the other figures",
    "headroom_bytes: 1 GiB": "follows from the other figures",
    "peak_instant: 9": "follows from the other figures",
    "peak_bytes: -1": "may not be negative",
    "capacity_bytes: 0": "must be more than 0",
}


@pytest.mark.parametrize("given", OVERRIDES)
def test_an_override_may_not_contradict_what_it_is(given: str, tmp_path: Path) -> None:
    for blocks in ({"overrides": f"{{{given}}}"}, {"variants": f"{{a: {{overrides.{given}}}}}"}):
        with pytest.raises(InputError, match=OVERRIDES[given]):
            run(tmp_path, scenario_text(**blocks))


@pytest.mark.parametrize("workload", ["training", "serving"])
def test_the_range_of_a_given_peak_is_its_own(workload: str, tmp_path: Path) -> None:
    text = scenario_text(workload=workload, variants="{plain: {}, given: {overrides.peak_bytes: 61 GiB}}")
    computed = run(tmp_path, text)
    low, expected, high = (computed.values[name] for name in ("peak_bytes_low", "peak_bytes", "peak_bytes_high"))
    assert expected[1] == 61 * 2**30
    assert low[1] < expected[1] < high[1]
    assert low[1] / expected[1] == pytest.approx(low[0] / expected[0])


def test_a_range_that_its_overrides_turn_over_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(overrides="{peak_bytes: 10 GiB, peak_bytes_low: 20 GiB}"), encoding="utf-8")
    assert main(["show", str(path)]) == 2
    assert "found 10 GiB between 20 GiB and" in capsys.readouterr().err
    check(run(tmp_path, scenario_text(overrides="{peak_bytes: 10 GiB}")))


def test_show_marks_what_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(overrides="{parameters: 7e9, capacity_bytes: 80 GB}"), encoding="utf-8")
    assert main(["show", str(path), "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("parameters ") and "* 7,000,000,000" in line]
    assert [line for line in lines if line.startswith("capacity_bytes ") and line.endswith("74.5 GiB")]


WHAT_THEY_HAVE = ("has_pipeline", "has_tensor_parallel", "cuts_adapted_bases")


def test_what_a_framework_lacks_is_said_with_all_that_have_it() -> None:
    """Columns decide who has it; a sentence that names them by hand would stay as it is when a row is added."""
    table = packaged().tables["frameworks"]
    for column, rule in zip(WHAT_THEY_HAVE, FRAMEWORK_WARNINGS, strict=False):
        shares = zip(table.ids, table.columns[column].values, strict=True)
        having = {str(name).partition("-")[0] for name, share in shares if share}
        assert having == {name for name in map(str, table.ids) if re.search(rf"\b{name}\b", rule.message)}, column


def test_key_value_heads_divide_the_attention_heads(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must divide the attention heads"):
        run(tmp_path, scenario_text(overrides=None, variants="{odd: {model.num_key_value_heads: 3}}"))
