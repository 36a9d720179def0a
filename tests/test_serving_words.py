"""Choices of serving jobs, each stated in a scenario, with what it changes computed by hand or logged by its engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.advise.decide import decide
from memreport.compute import Computed
from memreport.errors import InputError
from memreport.report.answer.answered import answered
from memreport.report.engine_command import engine_command
from memreport.report.view import View
from tests.support import run, scenario_text, value

EIGHT = "{accelerator: h200-141gb-sxm, count: 8, host: dgx-h200}"
ONE = "{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}"
MIB, GIB = 2**20, 2**30


def server(folder: Path, serving: str, model: str = "llama-3.1-8b", hardware: str = ONE) -> Computed:
    return run(folder, scenario_text(workload="serving", model=model, serving=serving, hardware=hardware))


@pytest.mark.parametrize("stated", ["workload: inference\n", "workload: Serve\n", ""])
def test_a_service_by_other_names(tmp_path: Path, stated: str) -> None:
    """`inference`, or a block of `serving:` alone, is a service; its framework is the engine; bought is bought."""
    text = scenario_text(
        workload="serving",
        model="llama-3.1-8b",
        serving="{framework: sglang}",
        hardware="{accelerator: rtx-4090, count: 1}",
        cost="{basis: Purchase, purchase_price: rtx-4090-launch}",
    ).replace("workload: serving\n", stated)
    found = run(tmp_path, text).resolved
    settings = found.variants[0].settings
    assert (found.workload, settings["engine"], settings["basis"]) == ("serving", "sglang", "buy")


def test_the_indexer_of_sparse_attention_caches_a_key(tmp_path: Path) -> None:
    """656 bytes of FlashMLA's FP8 and 132 of the indexer in each of 61 layers; SGLang logs 43.67 GiB for 975,424."""
    found = server(tmp_path, "{engine: sglang, kv_cache_dtype: fp8-ds-mla}", "deepseek-v3.2", EIGHT)
    assert value(found, "kv_bytes_per_token") == pytest.approx(61 * (656 + 132))
    assert value(found, "kv_bytes_per_token") == pytest.approx(43.67 * GIB / 975_424, rel=2e-4)


def test_a_narrower_layer_takes_pages_as_long_as_the_others(tmp_path: Path) -> None:
    """Gemma 4 26B-A4B in FP8, logged twice: 81.8 GiB for 714,768 tokens, 51.62 for 451,040: 30 times 4,096 bytes."""
    found = server(tmp_path, "{engine: vllm-0.19, kv_cache_dtype: fp8}", "gemma-4-26b-a4b")
    assert value(found, "kv_block_bytes") == 16 * 30 * 4096
    assert value(found, "kv_block_bytes") / 16 == pytest.approx(81.8 * GIB / 714_768, rel=2e-4)
    assert value(found, "kv_bytes_per_token") == 25 * 4096 + 5 * 2048


def test_experts_in_mxfp4_beside_matrices_of_eight_bits(tmp_path: Path) -> None:
    """llama-bench prints 11.27 GiB for gpt-oss 20B MXFP4 MoE; its embedding of 201,088 x 2,880 is on the host."""
    found = server(tmp_path, "{engine: llama.cpp, weight_dtype: mxfp4}", "gpt-oss-20b")
    embedding = 201_088 * 2_880 * 34 / 32
    assert value(found, "weight_bytes") + embedding == pytest.approx(11.27 * GIB, rel=5e-3)


def test_ranks_of_tensor_parallelism_share_a_latent_cache(tmp_path: Path) -> None:
    """DeepSeek-V3 with TP 8: every rank holds all 576 values a layer, or an eighth of the tokens with DCP 8."""
    whole = server(tmp_path, "{tensor_parallel_size: 8}", "deepseek-v3", EIGHT)
    cut = server(tmp_path, "{tensor_parallel_size: 8, decode_context_parallel_size: 8}", "deepseek-v3", EIGHT)
    assert value(whole, "kv_bytes_per_token") == 61 * 576 * 2
    assert value(cut, "kv_bytes_per_token") == 61 * 576 * 2 / 8
    assert value(cut, "kv_cache_bytes") == pytest.approx(value(whole, "kv_cache_bytes") / 8)


def test_attention_in_data_parallel_groups(tmp_path: Path) -> None:
    """Ranks of their own that share experts: attention and cache whole on each, one of eight experts of a layer."""
    found = server(tmp_path, "{expert_parallel_size: 8}", "mixtral-8x7b", EIGHT)
    expert = 3 * 4096 * 14336 * 32
    assert value(found, "rank_parameters") == 46_702_792_704 - 7 * expert
    assert value(found, "kv_bytes_per_token") == 2 * 8 * 128 * 2 * 32


def test_a_prompt_is_shared_by_groups_of_gpus(tmp_path: Path) -> None:
    """Prefill context parallelism takes GPUs of its own: 8 are one replica of TP 4 by 2, not two."""
    found = server(tmp_path, "{tensor_parallel_size: 4, context_parallel_size: 2}", hardware=EIGHT)
    assert value(found, "data_parallel_size") == 1
    assert value(found, "kv_bytes_per_token") == 2 * 2 * 128 * 2 * 32 / 2


def test_a_draft_model_has_weights_and_a_cache(tmp_path: Path) -> None:
    """Llama 3.2 1B beside 3.1 8B: 1,235,814,400 parameters, 16 layers of 8 heads of 64 beside 32 of 8 of 128."""
    draft = (
        "draft_parameters: 1235814400, draft_num_hidden_layers: 16, draft_num_key_value_heads: 8, draft_head_dim: 64"
    )
    plain, drafted = server(tmp_path, "{}"), server(tmp_path, f"{{{draft}}}")
    assert value(drafted, "weight_bytes") - value(plain, "weight_bytes") == 2 * 1_235_814_400
    assert value(drafted, "kv_bytes_per_token") == 2 * 2 * 8 * (32 * 128 + 16 * 64)
    assert value(drafted, "kv_pool_tokens") < value(plain, "kv_pool_tokens")
    for word in (
        "draft_model: meta-llama/Llama-3.2-1B-Instruct",
        "speculative_config: {model: llama-3.2-1b, num_speculative_tokens: 4}",
        "--speculative-draft-model-path: llama-3.2-1b",
    ):
        named = server(tmp_path, f"{{{word}}}")
        assert value(named, "weight_bytes") == value(drafted, "weight_bytes"), word
        assert value(named, "kv_bytes_per_token") == value(drafted, "kv_bytes_per_token"), word
        assert named.resolved.variants[0].settings["speculative_tokens"] == 4, word


def test_a_draft_model_without_a_card_is_said(tmp_path: Path) -> None:
    found = server(tmp_path, "{speculative_draft_model_path: someone/eagle-of-their-own}")
    assert value(found, "draft_weight_bytes") == 0
    assert [word.found for word in found.resolved.loaded.words] == ["someone/eagle-of-their-own"]


def test_a_layer_that_predicts_one_more_token_caches_as_the_model_does(tmp_path: Path) -> None:
    found = server(tmp_path, "{draft_num_hidden_layers: 1, tensor_parallel_size: 8}", "deepseek-v3", EIGHT)
    assert value(found, "kv_bytes_per_token") == pytest.approx(62 * 576 * 2)


def test_adapters_of_a_batch_have_buffers(tmp_path: Path) -> None:
    """Llama 3.1 8B, 4 adapters of rank 64 in BF16, TP 2: widths that stay whole, and those that are cut in two."""
    two = "{accelerator: h100-80gb-sxm, count: 2, host: dgx-h100}"
    given = "tensor_parallel_size: 2"
    plain = server(tmp_path, f"{{{given}}}", hardware=two)
    adapted = server(tmp_path, f"{{{given}, max_loras: 4, max_lora_rank: 64}}", hardware=two)
    attention = 4 * 4096 + (4096 + 2 * 1024 + 4096) / 2
    mlp = 3 * (4096 + 14336 / 2)
    edges = 2 * (128_256 + 4096)
    buffers = 4 * 64 * 2 * (32 * (attention + mlp) + edges)
    assert value(adapted, "weight_bytes") - value(plain, "weight_bytes") == pytest.approx(buffers)
    assert value(adapted, "kv_pool_bytes") == pytest.approx(value(plain, "kv_pool_bytes") - buffers)


def test_weights_on_the_host_leave_room_for_the_cache(tmp_path: Path) -> None:
    plain, offloaded = server(tmp_path, "{}"), server(tmp_path, "{cpu_offload_bytes: 4 GiB}")
    assert value(plain, "weight_bytes") - value(offloaded, "weight_bytes") == 4 * GIB
    assert value(server(tmp_path, "{cpu_offload_bytes: 1 TiB}"), "weight_bytes") == 0


LAYER = 218_103_808
REST = 8_030_261_248 - 32 * LAYER
LOADED = {
    "as-stored": 32 * LAYER + 2 * REST,
    "quantized-by-layer": 32 * LAYER + 2 * REST + 2 * LAYER,
    "quantized-after": 2 * 32 * LAYER + 2 * REST + 2 * LAYER,
    "copied": 2 * (32 * LAYER + 2 * REST),
}


@pytest.mark.parametrize("mode", LOADED)
def test_what_lies_beside_weights_while_they_are_loaded(tmp_path: Path, mode: str) -> None:
    """Llama 3.1 8B in FP8, embedding and head in BF16; one layer's matrices are 218,103,808 parameters."""
    found = server(tmp_path, f"{{weight_dtype: fp8, load_mode: {mode}}}")
    assert value(found, "loading_bytes") == LOADED[mode]


def test_a_server_that_cannot_load_does_not_start(tmp_path: Path) -> None:
    """Llama 3.3 70B in FP8 fits 80 GiB once quantised; its BF16 checkpoint of 141 GB does not."""
    given = "weight_dtype: fp8, max_num_seqs: 1, max_num_batched_tokens: 2048, load_mode"
    fits = server(tmp_path, f"{{{given}: as-stored}}", "llama-3.3-70b", ONE)
    dies = server(tmp_path, f"{{{given}: quantized-after}}", "llama-3.3-70b", ONE)
    assert value(fits, "loading_excess_bytes") == 0
    assert value(fits, "fits") == 1
    assert value(dies, "fits") == value(dies, "running_sequences") == 0
    assert value(dies, "peak_bytes") == pytest.approx(value(dies, "loading_peak_bytes"))


@pytest.mark.parametrize(
    ("model", "sequences", "context", "mebibytes"),
    [("llama-2-7b", 1, 2048, 164), ("llama-2-7b", 1, 4096, 296), ("llama-3.1-8b", 4, 2048, 560)],
)
def test_scores_of_llama_cpp(tmp_path: Path, model: str, sequences: int, context: int, mebibytes: float) -> None:
    """32 heads and a mask of 4 bytes for the cache by 512, and four hidden vectors; 560 MiB is what its log says."""
    given = f"max_num_seqs: {sequences}, max_model_len: {context}, context_length: {context}"
    lengths = "prompt_tokens: 512, output_tokens: 128, max_num_batched_tokens: 512"
    found = server(
        tmp_path, f"{{engine: llama.cpp, weight_dtype: q4_k_m, flash_attention: false, {given}, {lengths}}}", model
    )
    assert value(found, "transient_bytes") == mebibytes * MIB


@pytest.mark.parametrize(
    ("engine", "accelerator", "hidden", "width"),
    [
        ("vllm", "h100-80gb-sxm", 3072, 2944),
        ("vllm", "b200", 3072, 3072),
        ("sglang", "h100-80gb-sxm", 2880, 2880),
        ("sglang", "b200", 3072, 3072),
        ("llama.cpp", "b200", 2880, 2880),
    ],
)
def test_kernels_of_blackwell_round_both_sizes_up(
    tmp_path: Path, engine: str, accelerator: str, hidden: int, width: int
) -> None:
    """gpt-oss: experts of 2,880 by 2,880 become 3,072 by 2,944 with Marlin, 3,072 by 3,072 where there is FP4."""
    hardware = f"{{accelerator: {accelerator}, count: 1, host: server}}"
    found = server(tmp_path, f"{{engine: {engine}, weight_dtype: mxfp4-experts}}", "gpt-oss-20b", hardware)
    assert value(found, "expert_padding_factor") == pytest.approx(hidden * width / 2880**2)


def test_every_rank_holds_projections_into_latents(tmp_path: Path) -> None:
    """DeepSeek-V3 in FP8 over eight GPUs: 61 layers of 7,168 by 1,536 + 576, and 58 routers of 256 x 7,169, whole."""
    found = server(tmp_path, "{tensor_parallel_size: 8, weight_dtype: fp8}", "deepseek-v3", EIGHT)
    latents, routers = 61 * 7168 * (1536 + 512 + 64), 58 * 256 * 7169
    assert value(found, "replicated_matrix_parameters") == latents
    norms = (61 * 2 + 1) * 7168
    assert value(found, "replicated_parameters") == latents + routers + norms
    whole = server(tmp_path, "{weight_dtype: fp8}", "deepseek-v3", EIGHT)
    added = 7 / 8 * (latents + 2 * (routers + norms))
    assert value(found, "weight_bytes") == pytest.approx(value(whole, "weight_bytes") / 8 + added)


@pytest.mark.parametrize(("format_", "matrices"), [("nvfp4", 0.5 + 1 / 16), ("mxfp4", 0.5 + 1 / 32)])
def test_weights_of_four_bits_with_scales(tmp_path: Path, format_: str, matrices: float) -> None:
    """Llama 3.1 8B: a byte of scale for 16 or 32 weights of the layers' matrices; the rest in 16 bit."""
    found = server(tmp_path, f"{{weight_dtype: {format_}}}")
    assert value(found, "weight_bytes") == pytest.approx(matrices * 32 * LAYER + 2 * REST)


def test_layers_of_llama_cpp_stay_on_the_host_with_their_cache(tmp_path: Path) -> None:
    """Llama 3.1 8B of 32 layers, -ngl 25: the output layer and 24 of them; a quarter of matrices and cache stays."""
    given = "engine: llama.cpp, weight_dtype: fp16, kv_cache_dtype: fp16, max_num_seqs: 1"
    whole = server(tmp_path, f"{{{given}}}")
    cut = server(tmp_path, f"{{{given}, n_gpu_layers: 25}}")
    assert value(server(tmp_path, f"{{{given}, n_gpu_layers: 99}}"), "weight_bytes") == value(whole, "weight_bytes")
    assert value(whole, "weight_bytes") - value(cut, "weight_bytes") == 8 * LAYER * 2
    assert value(cut, "kv_bytes_per_token") == 24 * 2 * 8 * 128 * 2
    assert value(cut, "host_cache_bytes") == 8 * 2 * 8 * 128 * 2 * 4096
    assert value(cut, "peak_parts_bytes") == pytest.approx(value(cut, "peak_bytes"))
    assert "--n-gpu-layers 25 --model" in engine_command(View(cut), 0)
    assert "--n-gpu-layers 999 --model" in engine_command(View(whole), 0)


def test_experts_of_some_layers_stay_on_the_host(tmp_path: Path) -> None:
    """12 of 24 layers of gpt-oss 20B: half of 24 x 32 x 3 x 2,880 x 2,880 weights of 17 bytes for 32."""
    some, every, none = (
        server(tmp_path, f"{{engine: llama.cpp, weight_dtype: mxfp4, {word}}}", "gpt-oss-20b")
        for word in ("n_cpu_moe: 12", "cpu_moe: true", "cpu_moe: false")
    )
    experts = 24 * 32 * 3 * 2880 * 2880 * 17 / 32
    assert value(some, "offloaded_weight_bytes") == pytest.approx(experts / 2, rel=1e-3)
    assert value(every, "offloaded_weight_bytes") == pytest.approx(experts, rel=1e-3)
    assert value(none, "weight_bytes") - value(some, "weight_bytes") == value(some, "offloaded_weight_bytes")
    longer = value(some, "decode_step_seconds") - value(none, "decode_step_seconds")
    assert longer == pytest.approx(value(some, "hosted_step_seconds"))
    assert longer == pytest.approx(experts / 2 * value(some, "decode_expert_share") / (0.6 * 614.4e9), rel=1e-3)
    assert "--n-cpu-moe 12" in engine_command(View(some), 0)


def test_a_common_prefix_is_cached_once(tmp_path: Path) -> None:
    """Llama 3.1 8B, 131,072 bytes a token: 64 sequences of 4,096, of which 2,050, so 128 blocks of 16, are common."""
    given = "max_num_seqs: 64, context_length: 4096, max_model_len: 4096"
    shared = server(tmp_path, f"{{{given}, shared_prefix_tokens: 2050}}")
    assert value(shared, "kv_cache_bytes") == 131_072 * (2048 + 64 * 2048)
    assert value(shared, "shared_prefix_bytes") == 131_072 * 2048
    pool = value(shared, "kv_pool_bytes")
    assert value(shared, "paged_concurrent_sequences") == (pool - 131_072 * 2048) // (131_072 * 2048)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("n_gpu_layers: 20", "n_gpu_layers: is an option of llama.cpp"),
        ("engine: llama.cpp, n_gpu_layers: 1", "n_gpu_layers: is an option of llama.cpp"),
        ("engine: llama.cpp, ngl: 0", "leave all layers to the processor"),
        ("engine: trtllm, enable_dbo: true", "enable_dbo: is an option of vLLM, SGLang and LMDeploy"),
        ("engine: vllm-0.8, enable_dbo: true", "this engine cuts no batch in two"),
        ("shared_prefix_tokens: 4096", "shared_prefix_tokens: must be less than context_length"),
    ],
)
def test_what_no_engine_takes_is_refused(tmp_path: Path, given: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        server(tmp_path, f"{{{given}}}")


@pytest.mark.parametrize(
    ("engine", "asked", "option"),
    [("vllm", True, "--enable-dbo"), ("sglang", True, "--enable-two-batch-overlap"), ("lmdeploy", True, "")]
    + [(engine, False, "") for engine in ("trtllm", "llama.cpp")],
)
def test_batches_are_cut_in_two_where_the_engine_can(tmp_path: Path, engine: str, asked: bool, option: str) -> None:
    """Where it cannot, the switch may still be off."""
    found = server(tmp_path, f"{{engine: {engine}, enable_dbo: {str(asked).lower()}}}")
    assert option in engine_command(View(found), 0)


def test_the_host_holds_what_is_offloaded(tmp_path: Path) -> None:
    """Two replicas of four GPUs on a node of 2 TiB: 10 GiB of weights of each GPU, 100 GiB of cache of each replica."""
    given = "tensor_parallel_size: 4, cpu_offload_bytes: 10 GiB, kv_offloading_size"
    model, hardware = "llama-3.3-70b", "{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}"
    found = server(tmp_path, f"{{{given}: 100 GiB}}", model, hardware)
    assert value(found, "host_bytes_per_node") == (8 * 10 + 2 * 100) * GIB
    assert value(found, "fits") == 1
    assert "--kv-offloading-size 100" in engine_command(View(found), 0)
    assert value(server(tmp_path, f"{{{given}: 1 TiB}}", model, hardware), "fits") == 0


@pytest.mark.parametrize("model", ["bert-base-uncased", "xlm-roberta-large", "modernbert-base"])
def test_an_encoder_serves_without_a_cache(tmp_path: Path, model: str) -> None:
    """Weights and one layer's tensors: no keys and values are kept, and nothing is sampled."""
    given = "max_model_len: 512, context_length: 512, prompt_tokens: 256, output_tokens: 1"
    found = server(tmp_path, f"{{{given}}}", model)
    assert value(found, "kv_cache_bytes") == value(found, "logits_bytes") == 0
    rest = value(found, "weight_bytes") + value(found, "overhead_bytes") + value(found, "loading_excess_bytes")
    assert value(found, "peak_bytes") == pytest.approx(rest)
    assert value(found, "tokens_per_second") < value(found, "tokens_per_second_bound")
    assert "--runner pooling" in engine_command(View(found), 0)


def test_an_encoder_answers_with_one_vector(tmp_path: Path) -> None:
    lengths = "max_model_len: 512, context_length: 512, prompt_tokens: 256"
    found = server(tmp_path, f"{{{lengths}}}", "bert-base-uncased")
    assert found.resolved.variants[0].settings["output_tokens"] == 1
    assert "texts/s" in answered(decide(found))[0].detail
    with pytest.raises(InputError, match="output_tokens: must be 1 where a model answers with one vector"):
        server(tmp_path, f"{{{lengths}, output_tokens: 20}}", "bert-base-uncased")


def test_an_engine_for_cuda_runs_on_no_other_gpu(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not run on this GPU"):
        server(tmp_path, "{engine: trtllm}", hardware="{accelerator: mi300x, count: 1, host: mi300x-platform}")


def test_experts_that_stay_whole_are_asked_for(tmp_path: Path) -> None:
    found = server(tmp_path, "{enable_expert_parallel: true, tensor_parallel_size: 8}", "qwen3-235b-a22b", EIGHT)
    assert engine_command(View(found), 0).endswith("--enable-expert-parallel")


def test_what_nothing_measured_has_a_wider_range(tmp_path: Path) -> None:
    """Five percent of the peak beside the engine's own uncertainty, by one rule for every such choice."""
    plain = server(tmp_path, "{}")
    for given in ("shared_prefix_tokens: 64", "cpu_offload_bytes: 1 GiB", "max_loras: 1"):
        found = server(tmp_path, f"{{{given}}}")
        own = value(found, "overhead_bytes") * value(plain, "overhead_uncertainty") / value(found, "peak_bytes")
        assert value(found, "peak_uncertainty") == pytest.approx(own + 0.05)
    assert value(plain, "unverified_choice") == 0


@pytest.mark.parametrize(("engine", "tied"), [("vllm", 1), ("litgpt", 0)])
def test_the_head_of_litgpt_is_a_matrix_of_its_own(tmp_path: Path, engine: str, tied: int) -> None:
    """Falcon 7B ties 65,024 rows of 4,544; a scenario that states it otherwise is right."""
    found = server(tmp_path, f"{{engine: {engine}}}", "falcon-7b")
    assert value(found, "parameters") == 6_921_720_704 + (1 - tied) * 65_024 * 4544
    back = run(
        tmp_path,
        scenario_text(
            workload="serving", model="falcon-7b", serving="{engine: litgpt}", hardware=ONE,
            variants="{a: {}, b: {serving.engine: vllm}}",
        ),
    )  # fmt: skip
    assert [value(back, "has_own_head", index) for index in (0, 1)] == [1, 0]


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ("engine: llama-server, -c: 32768, -np: 4, -fa: on, -ctk: q8_0, -ngl: -1",
         "engine: llama.cpp, max_model_len: 8192, max_num_seqs: 4, kv_cache_dtype: q8_0"),
        ("engine: llama-cpp-python, type_k: 8, n_gpu_layers: -1, offload_kqv: true",
         "engine: llama.cpp-b9400, kv_cache_dtype: q8_0"),
        ("engine: trtllm, kv_cache_config: {max_tokens: 100000, host_cache_size: 8000000000}",
         "engine: trtllm, max_cached_tokens: 100000, kv_offloading_size: 8e9"),
        ("engine: ollama, OLLAMA_CONTEXT_LENGTH: 16384, OLLAMA_KEEP_ALIVE: 5m",
         "engine: llama.cpp, max_model_len: 16384, max_num_seqs: 1, weight_dtype: q4_k_m"),
    ],
)  # fmt: skip
def test_options_of_engines_are_read(tmp_path: Path, words: str, own: str) -> None:
    found, expected = (server(tmp_path, f"{{{text}}}") for text in (words, own))
    for name in ("peak_bytes", "kv_cache_bytes", "kv_pool_bytes"):
        assert value(found, name) == value(expected, name)


def test_the_cache_of_one_sequence_is_told_beside_that_of_all(tmp_path: Path) -> None:
    text = scenario_text(
        workload="serving", model="llama-3.1-8b", question="How much KV cache does one user take?",
        serving="{engine: llama.cpp, ctx_size: 16384, parallel: 2}", hardware=ONE,
    )  # fmt: skip
    answer, _ = answered(decide(run(tmp_path, text)))
    assert "KV cache 2 GiB (1 GiB of each)" in answer.headline
    assert "with 2 sequences at once" in answer.headline


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("enable_lora: true", "max_loras: 1"),
        ("engine: vllm-0.10.2", "engine: vllm-0.15"),
        ("engine: vllm-0.8.5", "engine: vllm-0.8"),
        ("compilation_config: {cudagraph_mode: NONE, custom_ops: [all]}", "enforce_eager: true"),
    ],
)
def test_options_of_vllm_take_what_they_take(tmp_path: Path, said: str, own: str) -> None:
    """An engine that serves adapters has room for one of rank 16; a version is the engine of its time."""
    given, stated = (value(server(tmp_path, f"{{{words}}}"), "kv_pool_tokens") for words in (said, own))
    assert given == stated
