"""Questions about the machine that is there: its memory, layers on its host, what is asked of one sequence."""

from __future__ import annotations

import re

import pytest

from memreport.build.answers.fitting import catalogue_here
from memreport.catalogue.question.hardware import host_memory_said
from memreport.catalogue.unstated.named_gpus import gpus_by_name, instances_said
from memreport.catalogue.words.laptops import laptop_said
from memreport.commands.main import main
from memreport.errors import BAD_INPUT
from tests.conftest import Asked


@pytest.mark.parametrize(
    ("question", "gib"),
    [
        ("a 7b on one rtx 4090 with 64 gb of ram", 64),
        ("one a100 80gb and 256 gb host ram", 256),
        ("8 h100 with 2 tb of system memory", 2048),
        ("how much ram does an rtx 4090 need", None),
        ("a 24 gb gpu and 32 gb ram", 32),
        ("on cpu with 64 gb ram", None),
    ],
)
def test_memory_of_the_machine_beside_that_of_its_gpus(question: str, gib: int | None) -> None:
    said = host_memory_said(question)
    assert (said and said.value) == gib


def test_layers_go_to_the_host_where_the_question_is_about_this_machine(asked: Asked) -> None:
    """42.5 GB of weights in 23.5 GiB: about half of the 80 layers stay, and the host reads the rest for each token."""
    said = asked("How fast is Llama 3 70B Q4 with llama.cpp on an RTX 4090 and 64 GB of RAM?")
    assert "with 41 layers on the GPU" in said
    assert "--n-gpu-layers 41" in said
    assert "Needs 20.5 GiB of host memory." in said


def test_a_question_for_more_gpus_leaves_no_layers_to_the_host(asked: Asked) -> None:
    assert "layers on the GPU" not in asked("How many RTX 4090 does Llama 3 70B Q4 need with llama.cpp?")


def test_offloading_on_several_gpus_goes_with_zero_3(asked: Asked) -> None:
    assert "cpu offload as 3" in asked("Can I fine-tune a 70B on 8 A100 80GB with CPU offload?")


def test_what_a_question_names_is_not_changed(asked: Asked) -> None:
    said = asked("Will a batch size of 8 at 2048 tokens fit when fine-tuning Mistral 7B with QLoRA on a 3090?")
    assert "✓ Yes, with one setting: full checkpointing." in said
    said = asked("Can I fine-tune Llama 3 8B with LoRA rank 64 and batch size 16 on one A100 40GB?")
    assert "✗ No, not on 1 × A100 40 GB SXM4; what fits is micro-batch 1." in said


def test_formats_are_open_to_engines_that_usually_serve_smaller_ones(asked: Asked) -> None:
    assert "✓ Yes, with Q4_K_M weights: 132 of 144 GiB" in asked("Can I run Qwen3 235B on a Mac Studio with 192 GB?")


def test_gpus_of_which_one_holds_the_model_are_compared_one_by_one(asked: Asked) -> None:
    said = asked("Is an RTX 5090 faster than an A100 for serving Llama 3.1 8B?")
    assert "2 × " not in said
    assert "935 tokens/s with 32 at once; rtx 5090 766 tokens/s with 24 at once" in said


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("Llama 3.1 8B", "with one sequence of 4,096 tokens, and 0.5 GiB more for each further one."),
        ("Whisper large v3", "GiB more for each further one."),
        ("BGE-M3", "per GPU."),
    ],
)
def test_memory_is_asked_of_one_sequence(asked: Asked, model: str, said: str) -> None:
    headline = asked(f"How much VRAM does {model} need?").partition("✓ ")[2].partition(" The first")[0]
    assert said in headline


def test_nodes_may_stand_far_before_the_gpus_of_each(asked: Asked) -> None:
    said = asked("Do I need 2 nodes to serve Llama 3.1 405B in FP16 with 8xH100 each?")
    assert "✓ Yes, with two settings: TP 16 and" in said


def test_the_time_of_a_step_is_one_of_training(asked: Asked) -> None:
    said = asked("What would be the time per step for GPT-2 1.5B on 8 V100 with batch size 8?")
    assert "✓ 1.94 s" in said
    assert " s a step" in said or "a step takes" in said


def test_a_gpu_of_ones_own_that_holds_no_model_shares_its_layers_with_the_host(asked: Asked) -> None:
    """Nobody names an engine: vLLM would need eight of them."""
    said = asked("Can a 3060 12GB run Qwen3 30B A3B?")
    assert "✓ Yes, with three settings: experts of 21 layers on the host, llama.cpp server and Q4_K_M weights." in said
    assert "of host memory." in said
    assert "✗ No, not on 1 × GeForce RTX 3060" in asked("Can a 3060 12GB run Qwen3 30B A3B with vLLM?")


def test_training_on_gpus_that_nobody_names_takes_the_fewest(asked: Asked) -> None:
    """With gradients that wait for the last micro-batch it would be 64, most of whose memory stays empty."""
    said = asked("How many H100 do I need to train Llama 3 70B?")
    assert "✓ 24 × H100 80 GB SXM5 with full checkpointing, ZeRO-3 and gradients reduced each micro-batch; 16" in said
    assert "✗ base" not in said
    assert "falls from" not in said


def test_the_peak_memory_of_a_job_is_of_no_gpu(asked: Asked) -> None:
    said = asked("What's the peak memory of full fine-tuning Phi-3 mini with batch size 8 and seq 4096?")
    assert "✗ 231 of 79.6 GiB per GPU, which does not fit." in said


def test_the_chip_of_a_mac_is_no_model(asked: Asked) -> None:
    """BGE M3 is one: an embedding model was served where Falcon was asked for."""
    said = asked("M3 Max 64GB or 4 RTX 5090 for Falcon 40B for 20 users?")
    assert "Falcon" in said.partition("Read in the question")[2]
    assert "texts/s" not in said


def test_which_gpu_carries_a_load_is_decided_by_known_prices(asked: Asked) -> None:
    said = asked("What GPU do I need to serve Llama 3 8B to 10 people?")
    assert re.search(r"✓ 1 × L4, as 1 replica of TP 1 .*: \$\d+ a month", said)
    assert "prices decide between those that do" in said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("I have 24 GB. What is the biggest model I can fine-tune with QLoRA at 4096 tokens?", "Up to llama-3.1-8b"),
        ("What can I run with 8 GB VRAM?", "Up to llama-3.1-8b with Q4_K_M weights"),
        ("Which models fit on 2x 3090?", "Up to llama-3.3-70b with Q4_K_M weights"),
        ("What is the largest model I can run on an L40S?", "Up to qwen2.5-14b (29 of 41 GiB per GPU)"),
    ],
)
def test_a_model_that_is_left_open_is_the_largest_that_the_machine_runs(asked: Asked, question: str, said: str) -> None:
    assert f"✓ {said}" in asked(question)


def test_an_engine_without_kernels_for_a_mac_does_not_run_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "How fast is Llama 3 70B with vLLM on an M2 Ultra?"]) == 2
    assert "serving.engine: does not run on this GPU (found vllm" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("on an RTX 3090 24GB", "rtx 3090 24gb as hardware"),
        ("on an RTX A6000 48GB", "rtx a6000 48gb as hardware"),
        ("on two RTX 4080 (16 GB)", "two rtx 4080 (16 gb) as hardware"),
        ("on a Tesla T4 16GB", "tesla t4 16gb as hardware"),
        ("on an H100 with 80GB", "h100 with 80gb as hardware"),
        ("on an RTX 4090 with 64 GB of RAM", "rtx 4090 as hardware, 64 gb of ram as host_memory_bytes"),
        ("on an RTX 4090 with 64 GB DDR5", "rtx 4090 as hardware, 64 gb ddr5 as host_memory_bytes"),
        ("on an RTX 3090 with 128 GB of DDR4", "rtx 3090 as hardware, 128 gb of ddr4 as host_memory_bytes"),
        ("on an RTX 3090 with 64 GB of memory in the PC", "64 gb of memory in the pc as host_memory_bytes"),
        ("on an RTX 4090 with 64 GB", "the answer is of the rest (found '64 gb')"),
        ("on two 48 GB RTX 4090", "the answer is of the rest (found '48 gb')"),
        ("on a 24 GB RTX 4090", "24 gb rtx 4090 as hardware"),
        ("on an A100 80 GB SXM", "a100 80 gb sxm as hardware"),
        ("with CUDA 12.4 RTX 4090", "as model, rtx 4090 as hardware"),
        ("with vLLM 0.11 H100", "h100 as hardware, 1 user as 1, nobody beside, vllm-0.11 as vllm-0.15"),
        ("for 10 -20 users of an H100", "h100 as hardware, 20 users as 20"),
        ("on a Jetson AGX Orin 64GB", "jetson agx orin 64gb as hardware"),
        ("on a Mac Studio M2 Ultra", "m2 ultra as hardware"),
        ("in 64 GB of memory on an M1 Max", "64 gb of memory on an m1 max as m1-max"),
    ],
)
def test_the_memory_of_a_card_may_stand_behind_its_name(asked: Asked, question: str, said: str) -> None:
    assert said in " ".join(asked(f"Does Llama 3.1 8B fit {question}?").split())


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("Can a Jetson Orin Nano 8GB run Llama 3.2 3B in 4 bit?", "names no GPU that is known"),
        ("Can a Jetson Orin NX 16GB run Llama 3.1 8B in 4 bit?", "names no GPU that is known"),
        ("How much memory is left of an H100 with 40GB under Llama 3.1 8B?", "names no GPU that is known"),
        ("Does Llama 3.1 8B fit an RTX 3090 48GB?", "names no GPU that is known"),
        ("Can an RTX 3060 8GB run Llama 3.1 8B in 4-bit?", "names no GPU that is known"),
        (
            "Does Llama 3.1 8B fit in a MIG 1g.10gb slice of an A100 80GB?",
            "is of a slice of a GPU, which is not computed",
        ),
        ("How many GPUs for -5 users of Llama 3.1 8B?", "has a number that cannot be"),
        ("How many H100 for 0 users of Llama 3.1 8B?", "has a number that cannot be"),
        ("Does Llama 3.1 8B fit 1.5 H100?", "has a number that cannot be"),
        ("Does Llama 3.1 8B fit 0 H100?", "has a number that cannot be"),
    ],
)
def test_what_no_gpu_is_gets_no_answer(capsys: pytest.CaptureFixture[str], question: str, fault: str) -> None:
    assert main(["ask", question]) == BAD_INPUT
    assert fault in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "question",
    [
        "2x3090 vs Mac Studio M2 Ultra for Llama 3.3 70B Q4",
        "Is a Mac Studio M2 Ultra 192GB faster than 2x3090 for Llama 3.3 70B Q4?",
        "M2 Ultra or 2x3090 for Llama 3.3 70B Q4_K_M?",
    ],
)
def test_a_mac_is_weighed_against_gpus_as_one(asked: Asked, question: str) -> None:
    said = asked(question)
    assert "2x3090 gives the most tokens: 14.4 tokens/s; m2 ultra" in said
    assert "6.34 tokens/s" in " ".join(said.split())
    assert "minimax" not in said


@pytest.mark.parametrize(
    ("instance", "hardware"),
    [
        ("AWS g5.12xlarge", ("a10g", 4)),
        ("g6e.xlarge", ("l40s", 1)),
        ("2 p5.48xlarge", ("h100-80gb-sxm", 16)),
        ("p5.4xlarge", ("h100-80gb-sxm", 1)),
        ("AWS p5", ("h100-80gb-sxm", 8)),
        ("Standard_ND96isr_H100_v5", ("h100-80gb-sxm", 8)),
        ("a3-highgpu-8g", ("h100-80gb-sxm", 8)),
        ("an a2-ultragpu-8g", ("a100-80gb-sxm", 8)),
        ("g6e.12xlarge", ("l40s", 4)),
        ("inf2.48xlarge", ("inferentia2", 12)),
        ("2 x inf2.48xlarge", ("inferentia2", 24)),
        ("trn1.32xlarge", ("trainium1", 16)),
        ("g2-standard-8", ("l4", 1)),
        ("ml.g5.2xlarge", ("a10g", 1)),
        ("two Standard_NC48ads_A100_v4", ("a100-80gb-pcie", 4)),
        ("2 nodes of p4de.24xlarge", ("a100-80gb-sxm", 16)),
        ("a4-highgpu-8g", ("b200", 8)),
    ],
)
def test_instances_hold_what_their_prices_say(instance: str, hardware: tuple[str, int]) -> None:
    """A size that no price has is unknown, and not one of another."""
    found = [*instances_said(f"does llama fit on {instance.lower()}?", lambda: catalogue_here().tables)]
    assert [(said.value.name, said.value.number) for said in found] == [hardware]
    assert not [*instances_said("does llama fit on g6e.6xlarge?", lambda: catalogue_here().tables)]


def test_a_machine_that_is_not_known_is_no_gpu_of_its_first_letters() -> None:
    """`a2` is a GPU of 15 GB, and a family of machines with eight A100."""
    for said in ("an a2-foogpu-8g", "a9-standard-8", "an a2.6xlarge"):
        found = [
            each.value[0].name for each in gpus_by_name(f"does it fit on {said}?", lambda: catalogue_here().tables)
        ]
        assert found == []


@pytest.mark.parametrize(
    ("question", "gpu", "held"),
    [
        ("rtx 4070 laptop 8gb, tokens/s?", "rtx-4070", (8, 256)),
        ("a laptop rtx 4090", "rtx-4090", (16, 576)),
        ("rtx 3080 mobile with 16 gb", "rtx-3080", (16, 448)),
        ("an rtx 4080 in my laptop with 32 gb ram", "rtx-4080", (12, 432)),
        ("a 5090 notebook", "rtx-5090", (24, 896)),
        ("an rtx 4090", "rtx-4090", None),
        ("rtx 4070 (mobile)", "rtx-4070", (8, 256)),
        ("mobile 4070", "rtx-4070", (8, 256)),
        ("my laptop has an rtx 4060", "rtx-4060", (8, 256)),
        ("can an rtx 4090 serve qwen2.5 14b for a mobile app?", "rtx-4090", None),
        ("an rtx 4090 mobile app server", "rtx-4090", None),
        ("an rtx 4090 or my laptop", "rtx-4090", None),
        ("a jupyter notebook with an rtx 4090", "rtx-4090", None),
        ("an h100 or my laptop", "h100-80gb-sxm", None),
    ],
)
def test_cards_of_laptops_hold_less(question: str, gpu: str, held: tuple[int, int] | None) -> None:
    name = gpu.removeprefix("rtx-").partition("-")[0]
    at = question.find(name)
    said = laptop_said(question, gpu, range(at, at + len(name)))
    assert (said and tuple(said[0])) == held


def test_a_laptop_is_told(asked: Asked) -> None:
    said = asked("Can a laptop RTX 4070 run Qwen2.5 14B in 4 bit?")
    assert "card of a laptop with 8 GB" in said
    assert "of 6.96 GiB" in said, "92 % of what it holds"
