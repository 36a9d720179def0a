"""Jobs as other programs state them: what is read, what is said to be unread, and one message for what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from memreport.catalogue.programs.job import StatedJob, is_stated_job, stated_job
from memreport.catalogue.programs.shell import shell_commands
from memreport.catalogue.programs.table import programs
from memreport.catalogue.words.names import words_file
from memreport.commands.main import main
from memreport.errors import BAD_INPUT, DONE, InputError
from tests.support import ROOT

AXOLOTL = """
base_model: NousResearch/Meta-Llama-3.1-8B
load_in_4bit: true
adapter: qlora
sequence_len: 2048
micro_batch_size: 2
lora_r: 32
lora_target_linear: true
lora_target_modules: [q_proj, v_proj]
bf16: auto
gradient_checkpointing: true
fsdp: [full_shard, auto_wrap]
fsdp_config: {fsdp_state_dict_type: FULL_STATE_DICT, fsdp_of_tomorrow: true}
dataset_prepared_path: last_run
a_new_option: 3
"""
VERL = """
MODEL_PATH=${MODEL_PATH:-Qwen/Qwen3-8B}
TP=2   # of the engine
ACTOR=(actor_rollout_ref.model.path=${MODEL_PATH})
case "${DEVICE}" in
    gpu) n=8 ;;
    npu) n=16 ;;
esac
ACTOR+=(
    actor_rollout_ref.actor.ppo_mini_batch_size=64
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4
    actor_rollout_ref.rollout.n=5
    actor_rollout_ref.rollout.tensor_model_parallel_size=${TP}
    trainer.logger='["console", "wandb"]'
)
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    data.max_prompt_length=1024 data.max_response_length=$(expr 1024 / 2 \\* 4) \\
    "${ACTOR[@]}" trainer.n_gpus_per_node=$n "$@"
"""
SWIFT = """
NPROC_PER_NODE=4 \\
swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B --max_length 2048 --max_completion_length 1024 \\
    --per_device_train_batch_size 2 --deepspeed zero3
"""
COMPOSE = """
services:
  web: {image: nginx}
  llm:
    image: vllm/vllm-openai:latest
    command: [--model, Qwen/Qwen3-8B, --tensor-parallel-size, "2", --max-model-len, "8192"]
"""
POD = """
kind: Deployment
spec: {template: {spec: {containers: [{image: "vllm/vllm-openai:v0.9", args: ["--model=Qwen/Qwen3-32B",
  "--max-model-len=32768"]}]}}}
"""
GPT = """
ARGS="--num-layers 12 --hidden-size 768 --num-attention-heads 12 --max-position-embeddings 1024 --seq-length 1024"
torchrun --nproc_per_node 8 pretrain_gpt.py $ARGS --micro-batch-size 4 --global-batch-size 64 --bf16
"""


def stated(folder: Path, name: str, text: str) -> StatedJob:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return stated_job(str(file))


def saved(folder: Path, *line: str) -> dict[str, object]:
    """The scenario that `fit` makes of a job."""
    file = folder / "saved.yaml"
    file.unlink(missing_ok=True)
    assert main(["fit", *line, "--save", str(file)]) == DONE
    found: dict[str, object] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def test_a_configuration_is_read_and_what_is_not_known_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job.yml").write_text(AXOLOTL, encoding="utf-8")
    assert main(["fit", str(tmp_path / "job.yml"), "h100", "x2"]) == DONE
    said = " ".join(capsys.readouterr().out.split())
    assert "Read as axolotl: Llama 3.1 8B, 2 x h100-80gb-sxm, method qlora" in said
    assert "micro_batch_size 2" in said
    assert "zero_stage 3" in said
    assert "Not read: a_new_option." in said


def test_a_script_is_read_with_its_variables_and_never_run(tmp_path: Path) -> None:
    job = stated(tmp_path, "run.sh", VERL)
    assert (job.program, job.models[0], job.count) == ("verl", "Qwen/Qwen3-8B", 8)
    assert job.options["rollout_parallel_size"] == 2
    assert job.options["max_completion_length"] == 2048
    assert "tensor_model_parallel_size" not in job.options


def test_a_batch_of_prompts_is_one_of_their_answers(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_text(VERL, encoding="utf-8")
    training = saved(tmp_path, str(file), "h100")["training"]
    assert isinstance(training, dict)
    assert main(["show", str(tmp_path / "saved.yaml"), "--all"]) == DONE
    assert (training["ppo_mini_batch_size"], training["rollout_n"]) == (64, 5)


@pytest.mark.parametrize(
    ("name", "text", "program", "count", "option", "value"),
    [
        ("run.sh", SWIFT, "ms-swift", 4, "max_prompt_length", 2048),
        ("compose.yaml", COMPOSE, "vllm", 0, "max_model_len", 8192),
        ("pod.yaml", POD, "vllm", 0, "max_model_len", 32768),
        ("ds.json", '{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}', "deepspeed", 0, "framework",
         "deepspeed"),
        ("acc.yaml", "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16", "accelerate", 8,
         "mixed_precision", "bf16"),
        ("tune.yaml", "model: {_component_: torchtune.models.phi4.lora_phi4_14b, lora_rank: 8}\nbatch_size: 2",
         "torchtune", 0, "method", "lora"),
    ],
)  # fmt: skip
def test_each_program_is_known_by_its_words(
    tmp_path: Path, name: str, text: str, program: str, count: int, option: str, value: object
) -> None:
    job = stated(tmp_path, name, text)
    assert (job.program, job.count, job.options[option]) == (program, count, value)


def test_a_model_may_be_its_fields(tmp_path: Path) -> None:
    job = stated(tmp_path, "run.sh", GPT)
    assert job.architecture["vocab_size"] == 50_304
    assert job.architecture["intermediate_size"] == 4 * 768
    (tmp_path / "run.sh").write_text(GPT, encoding="utf-8")
    model = saved(tmp_path, str(tmp_path / "run.sh"), "a100-80gb-sxm")["model"]
    assert isinstance(model, dict)
    assert model["num_hidden_layers"] == 12


def test_a_command_line_may_be_cut_short_and_takes_the_models_own_context(tmp_path: Path) -> None:
    line = "vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel 8 --no-enable-prefix-caching"
    assert is_stated_job(line)
    made = saved(tmp_path, line, "h100")
    assert made["hardware"] == {"accelerator": "h100-80gb-sxm", "count": 8}
    assert made["serving"] == {
        "tensor_parallel_size": 8, "enable_prefix_caching": False, "engine": "vllm", "max_model_len": 131_072,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("python -m sglang.launch_server --model-path Qwen/Qwen3-8B --context-length 16384", "context_length", 16_384),
        ("docker run --gpus all -p 1:1 lmsys/sglang sglang serve --model-path Qwen/Qwen3-8B", "max_model_len", 40_960),
        ("llama-server -m my/Llama-3.2-3B-Instruct-Q4_K_M-00001-of-00002.gguf -ot exps=CPU -np 2", "np", 2),
    ],
)
def test_a_server_is_read_as_its_own_program_means_it(tmp_path: Path, line: str, field: str, value: object) -> None:
    serving = saved(tmp_path, line, "h100", "1x")["serving"]
    assert isinstance(serving, dict)
    assert serving[field] == value
    assert not {"gpus", "exps", "p"} & serving.keys()
    assert "max_model_len" not in serving or field == "max_model_len"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["vllm serve nobody/no-model -tp 2", "h100"], "names no model of the catalogue"),
        (["vllm serve Qwen/Qwen3-8B -tp 2", "h100", "--qlora"], "a job says itself how it trains or serves"),
        (["nowhere.sh", "h100"], "nowhere.sh: cannot be read: there is no such file"),
        (["nowhere.yaml", "h100"], "nowhere.yaml: cannot be read: there is no such file"),
        ([str(ROOT / "scenarios/llama3-70b-8xa100.yaml"), "h100"], "is a scenario: memreport show"),
        (["vllm serve Qwen/Qwen3-8B -tp 2", "h1000"], "no GPU of the catalogue is called so"),
        (["vllm serve Qwen/Qwen3-8B --max-model-len <n>", "h100"], "serving.max_model_len"),
    ],
)
def test_what_cannot_be_read_is_one_message(line: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", *line]) == BAD_INPUT
    error = capsys.readouterr().err
    assert said in error
    assert error.count("memreport:") == 1
    assert "the mapping" not in error


def test_a_configuration_is_no_scenario_and_that_is_all_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(AXOLOTL, encoding="utf-8")
    assert main(["show", str(file)]) == BAD_INPUT
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_script_that_names_itself_ends() -> None:
    doubled = "A='$A$A$A'\n" + "".join(f"B{n}='$B{n - 1}$B{n - 1}$B{n - 1}'\n" for n in range(40))
    assert len(list(shell_commands(f"{doubled}vllm serve $A $B39\n{'$(' * 5000}"))) >= 1


def test_every_row_has_a_source_and_every_program_a_way_to_be_known() -> None:
    file = words_file("programs")
    assert not [row for row in file["rows"] if row["source"] not in file["sources"]]
    assert not [program.name for program in programs() if not (program.commands or program.keys)]


def test_layers_of_one_copy_over_several_gpus_are_no_copy_on_each() -> None:
    line = "swift sft --model Qwen/Qwen2.5-7B --train_type lora --dataset x"
    with pytest.raises(InputError, match="spreads the layers of one copy over its GPUs"):
        stated_job(f"CUDA_VISIBLE_DEVICES=0,1 {line}")
    assert stated_job(f"CUDA_VISIBLE_DEVICES=0 {line}").count == 1
    assert stated_job(f"CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=2 {line}").count == 2


DEEPSPEED = """{"bf16": {"enabled": "auto"}, "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 3,
  "offload_optimizer": {"device": "cpu"}, "overlap_comm": true, "reduce_bucket_size": "auto"}}"""
TRAINED = "--model_name_or_path meta-llama/Llama-3.1-8B --bf16 --per_device_train_batch_size 2"


@pytest.mark.parametrize(
    ("begin", "program", "count"),
    [
        ("torchrun --nproc_per_node 4 train.py", "transformers", 4),
        ("accelerate launch --num_processes=2 my/own_script.py", "transformers", 2),
        ("deepspeed --num_gpus 8 train.py", "transformers", 8),
        ("python -m train.main", "transformers", 0),
        ("torchrun --nproc-per-node 2 run_sft.py", "trl", 2),
    ],
)
def test_a_script_is_read_by_its_options_whatever_it_is_called(begin: str, program: str, count: int) -> None:
    job = stated_job(f"{begin} {TRAINED}")
    assert (job.program, job.count, job.models) == (program, count, ("meta-llama/Llama-3.1-8B",))


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("axolotl train {} --micro-batch-size 4", "axolotl"),
        ("accelerate launch -m axolotl.cli.train {} --micro-batch-size 4", "axolotl"),
        ("llamafactory-cli train {} --micro-batch-size 4", "llamafactory"),
    ],
)
def test_a_command_is_read_with_the_file_that_it_names(tmp_path: Path, line: str, program: str) -> None:
    (tmp_path / "job.yml").write_text(AXOLOTL, encoding="utf-8")
    job = stated_job(line.format(tmp_path / "job.yml"))
    assert (job.program, job.models, job.files) == (program, ("NousResearch/Meta-Llama-3.1-8B",), job.files)
    assert (job.options["sequence_len"], job.options["micro_batch_size"]) == (2048, 4)  # the line wins
    with pytest.raises(InputError, match=r"nowhere\.yml: cannot be read"):
        stated_job(line.format(tmp_path / "nowhere.yml"))


def test_a_file_of_deepspeed_is_read_with_the_line_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ds.json").write_text(DEEPSPEED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["fit", f"deepspeed run_clm.py {TRAINED} --deepspeed ds.json", "h100", "x4"]) == DONE
    said = " ".join(capsys.readouterr().out.split())
    assert "framework deepspeed" in said
    assert "precision bf16-mixed" in said
    assert "zero_stage 3" in said
    assert "Not read: deepspeed" not in said
    assert stated_job(f"deepspeed run_clm.py {TRAINED} --deepspeed ds.json").files == ("ds.json",)
    assert "deepspeed" in stated_job(f"deepspeed run_clm.py {TRAINED} --deepspeed zero3.json").options


@pytest.mark.parametrize(
    ("told", "options"),
    [
        ("--config_file fsdp.yaml", {"distributed_type": "FSDP"}),
        ("--use_deepspeed --zero_stage 3", {"distributed_type": "deepspeed", "zero_stage": 3}),
        ("--multi_gpu", {"distributed_type": "multi_gpu"}),
    ],
)
def test_how_accelerate_shares_states_stands_before_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, options: dict[str, object]
) -> None:
    """Read as one copy on each GPU, such a job would take three times as much."""
    monkeypatch.chdir(tmp_path)
    Path("fsdp.yaml").write_text("distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: FULL_SHARD}\n")
    job = stated_job(f"accelerate launch {told} --num_processes 4 train.py {TRAINED}")
    assert {name: job.options[name] for name in options} == options
    assert job.count == 4


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("vllm serv meta-llama/Llama-3.1-8B", "did you mean 'vllm serve'?"),
        ("vlm serve meta-llama/Llama-3.1-8B", "did you mean 'vllm serve'?"),
        ("llamafactory-cli trian job.yaml", "did you mean 'llamafactory-cli train'?"),
        ("torchrun train.py", "a script with --model_name_or_path"),
        ("somewhat --size 8B", "vllm serve"),
    ],
)
def test_a_command_that_is_not_read_is_no_name_of_a_model(
    line: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", line, "h100"]) == BAD_INPUT
    said = capsys.readouterr().err
    assert "is a command that is not read" in said
    assert meant in said
