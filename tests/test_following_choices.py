"""What follows from a GPU or a framework where a scenario does not state it: server, 16-bit type, FP8 recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.errors import InputError
from memreport.report.assumed import of_cost_words
from memreport.report.view import View
from tests.support import ROOT, run, scenario_text, value

SIXTEEN = "{accelerator: h100-80gb-sxm, count: 16}"
OTHERS = "{base: {}, a PCIe board: {accelerator: l40s}, a host of its own: {accelerator: l40s, host: dgx-a100}}"


def test_a_host_that_nobody_stated_is_the_usual_one_of_the_gpu(tmp_path: Path) -> None:
    """A DGX H100 has an adapter of 400 Gbit/s for each GPU, eight PCIe boards share one; what is stated stays."""
    computed = run(tmp_path, scenario_text(hardware=SIXTEEN, variants=OTHERS))
    hosts = [case.settings["host"] for case in computed.resolved.cases]
    assert hosts == ["dgx-h100", "server", "dgx-a100"]
    assert [value(computed, "network_bytes_per_second", at) for at in range(3)] == [50e9, 6.25e9, 25e9]


@pytest.mark.parametrize(
    ("gpu", "tokens", "sequences", "chunk"),
    [
        ("l4", 2048, 256, 2048),
        ("l40s", 2048, 256, 4096),
        ("a100-80gb-sxm", 2048, 256, 8192),
        ("h100-80gb-sxm", 8192, 1024, 8192),
        ("mi300x", 8192, 1024, 16384),
    ],
)
def test_engines_take_their_batches_by_the_gpu(
    tmp_path: Path, gpu: str, tokens: float, sequences: float, chunk: float
) -> None:
    """vLLM: 70 GiB and no A100 count as large.  SGLang: by classes of memory.  What is stated stays."""
    hardware = f"{{accelerator: {gpu}, count: 1}}"
    stated = "{serving.max_num_seqs: 8, serving.max_num_batched_tokens: 4096}"
    others = f"{{base: {{}}, stated: {stated}, other: {{serving.engine: sglang}}}}"
    found = run(tmp_path, scenario_text(workload="serving", hardware=hardware, variants=others))
    assert [value(found, "step_tokens", at) for at in range(3)] == [tokens, 4096, chunk]
    assert [value(found, "logits_rows", at) for at in range(3)] == [sequences, 8, 32]


@pytest.mark.parametrize(("count", "said"), [(16, True), (8, False)])
def test_an_assumed_network_is_said_where_it_is_used(tmp_path: Path, count: int, said: bool) -> None:
    hardware = f"{{accelerator: h100-80gb-sxm, count: {count}}}"
    view = View(run(tmp_path, scenario_text(hardware=hardware)))
    assert ("host NVIDIA DGX H100" in of_cost_words(view, 0)) is said
    stated = View(run(tmp_path, scenario_text(hardware=hardware.replace("}", ", host: dgx-h100}"))))
    assert not [word for word in of_cost_words(stated, 0) if word.startswith("host")]


def test_a_gpu_of_ones_own_names_its_host(tmp_path: Path) -> None:
    folder = tmp_path / "hardware" / "accelerators"
    folder.mkdir(parents=True)
    card = (ROOT / "hardware" / "accelerators" / "h100-80gb-sxm.yaml").read_text(encoding="utf-8")
    (folder / "h100-80gb-sxm.yaml").write_text(card.replace("host: dgx-h100", "host: dgx-h10"), encoding="utf-8")
    with pytest.raises(InputError, match=r"no such host .*dgx-h10.*\n.*did you mean 'dgx-h100'"):
        run(tmp_path, scenario_text(hardware=SIXTEEN))


def test_an_fp8_recipe_that_nobody_stated_is_the_frameworks(tmp_path: Path) -> None:
    """Megatron-LM scales as Transformer Engine does, with a delay; the others as torchao; what is stated stays."""
    variants = "{base: {}, torchtitan: {framework: torchtitan}, blocks: {fp8_recipe: te-blockwise}}"
    training = "{framework: megatron, precision: fp8, zero_stage: 3}"
    computed = run(tmp_path, scenario_text(hardware=SIXTEEN, training=training, variants=variants))
    recipes = [case.settings["fp8_recipe"] for case in computed.resolved.cases]
    assert recipes == ["te-delayed", "torchao-tensorwise", "te-blockwise"]
    assert [value(computed, "fp8_weight_copies", at) for at in range(3)] == [2, 0, 2]
    assert not computed.resolved.warnings


@pytest.mark.parametrize(
    ("workload", "name", "types"),
    [
        ("training", "precision", ["fp16-mixed", "bf16-mixed", "bf16-pure"]),
        ("serving", "weight_dtype", ["fp16", "bf16", "fp8"]),
    ],
)
def test_a_type_that_nobody_stated_is_one_that_the_gpu_has_units_for(
    tmp_path: Path, workload: str, name: str, types: list[str]
) -> None:
    """A T4 has units for FP16 and none for BF16, an A100 has both; what is stated stays, with a warning."""
    variants = f"{{base: {{}}, A100: {{accelerator: a100-80gb-sxm}}, stated: {{{name}: {types[2]}}}}}"
    text = scenario_text(hardware="{accelerator: t4, count: 1}", workload=workload, variants=variants)
    computed = run(tmp_path, text)
    assert [case.settings[name] for case in computed.resolved.cases] == types
    assert {warning.variant for warning in computed.resolved.warnings if warning.field == name} == {"stated"}


@pytest.mark.parametrize(
    ("gpu", "count", "host"),
    [
        ("rtx-3090", 1, "workstation"),
        ("rtx-3090", 2, "workstation-two"),
        ("rtx-3090", 3, "server"),
        ("rtx-a6000", 1, "server"),
    ],
)
def test_one_or_two_cards_for_gamers_stand_in_a_workstation(tmp_path: Path, gpu: str, count: int, host: str) -> None:
    made = run(tmp_path, scenario_text(hardware=f"{{accelerator: {gpu}, count: {count}}}"))
    assert made.resolved.cases[0].settings["host"] == host


@pytest.mark.parametrize(
    ("serving", "lengths"),
    [
        ("{}", (4096, 4096, 2048)),
        ("{prompt_tokens: 1500, output_tokens: 300}", (1800, 4096, 1500)),
        ("{prompt_tokens: 6000}", (6256, 6256, 6000)),
        ("{output_tokens: 1000, max_model_len: 2048}", (2048, 2048, 2048)),
        ("{prompt_tokens: 1500, context_length: 3000}", (3000, 4096, 1500)),
    ],
)
def test_a_running_sequence_holds_the_prompt_and_the_answer_that_are_stated(
    tmp_path: Path, serving: str, lengths: tuple[float, ...]
) -> None:
    computed = run(tmp_path, scenario_text(workload="serving", serving=serving))
    assert tuple(value(computed, name) for name in ("context_length", "max_model_len", "prompt_tokens")) == lengths


@pytest.mark.parametrize(
    ("workload", "name", "lengths"),
    [("training", "sequence_length", (1024, 2048)), ("serving", "max_model_len", (1024, 4096))],
)
def test_no_length_that_nobody_stated_is_more_than_the_model_reads(
    tmp_path: Path, workload: str, name: str, lengths: tuple[float, ...]
) -> None:
    variants = "{base: {}, larger: {model: llama-3-8b}}"
    computed = run(tmp_path, scenario_text(model="gpt2", workload=workload, variants=variants))
    assert tuple(value(computed, name, at) for at in range(2)) == lengths
    assert not computed.resolved.warnings


def test_checkpoints_that_nobody_stated_are_the_frameworks(tmp_path: Path) -> None:
    """Unsloth checkpoints every layer on the host; stated ones stay on the GPU unless their offload is stated, too."""
    stated = ("", "gradient_checkpointing: full", "gradient_checkpointing: full, activation_offload: true")
    variants = ", ".join(f"{name}: {{framework: unsloth, {words}}}" for name, words in zip("abc", stated, strict=True))
    computed = run(tmp_path, scenario_text(training="{method: qlora}", variants=f"{{base: {{}}, {variants}}}"))
    found = [
        (case.settings["gradient_checkpointing"], case.settings["activation_offload"])
        for case in computed.resolved.cases
    ]
    assert found == [("none", False), ("full", True), ("full", False), ("full", True)]


def test_a_loss_that_nobody_stated_is_the_frameworks(tmp_path: Path) -> None:
    """torchtune's recipes cut the logits into chunks, Unsloth limits their parts; what is stated stays."""
    stated = "{framework: unsloth, loss: fp32-logits}"
    variants = f"{{base: {{}}, tune: {{framework: torchtune}}, unsloth: {{framework: unsloth}}, whole: {stated}}}"
    computed = run(tmp_path, scenario_text(training="{method: qlora}", variants=variants))
    losses = [case.settings["loss"] for case in computed.resolved.cases]
    assert losses == ["framework", "chunked", "linear-limited", "fp32-logits"]
    assert value(computed, "logits_bytes", 2) < value(computed, "logits_bytes", 3) / 2


def test_a_variant_follows_its_own_program_and_not_that_of_the_scenario(tmp_path: Path) -> None:
    """torchtune shards unless told otherwise, llama.cpp spreads the layers; another program does not keep that."""
    trained = "{tune: {}, other: {framework: deepspeed}}"
    text = scenario_text(hardware=SIXTEEN, training="{framework: torchtune}", variants=trained)
    assert [case.settings["zero_stage"] for case in run(tmp_path, text).resolved.cases] == [3, 0]
    text = scenario_text(
        hardware="{accelerator: rtx-3090, count: 2}",
        workload="serving",
        serving="{engine: llama.cpp}",
        variants="{own: {}, other: {engine: vllm}}",
    )
    served = [
        tuple(case.settings[name] for name in ("pipeline_parallel_size", "max_num_seqs"))
        for case in run(tmp_path, text).resolved.cases
    ]
    assert served == [(2, 1), (1, 32)]
