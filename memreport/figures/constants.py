"""Named numbers: each with unit, meaning and source.  A formula holds no other number than these, 0 and 1."""

from __future__ import annotations

from memreport.formula.words import Constant

KEY_AND_VALUE = Constant("KEY_AND_VALUE", 2, "", "a key and a value vector", "003 'KV Cache Memory in LLM Inference'")
FLOP_PER_MULTIPLY_ADD = Constant("FLOP_PER_MULTIPLY_ADD", 2, "FLOP", "a multiplication and an addition", "definition")
ONE_TOKEN = Constant("ONE_TOKEN", 1, "token", "turns a number of tokens into a plain count", "definition")
TOKENS_PER_MILLION = Constant("TOKENS_PER_MILLION", 1e6, "token", "tokens in the customary price unit", "definition")
SECONDS_PER_HOUR = Constant("SECONDS_PER_HOUR", 3600, "s/h", "seconds in an hour", "definition")
WATTS_PER_KILOWATT = Constant("WATTS_PER_KILOWATT", 1000, "W*h/kWh", "watt-hours in a kilowatt-hour", "definition")
PLAIN_MLP_MATRICES = Constant("PLAIN_MLP_MATRICES", 2, "", "up and down projection", "arXiv:1706.03762, section 3.3")
TOLERANCE = Constant("TOLERANCE", 1e-9, "", "relative difference that rounding may cause", "double precision")
INDEXER_VALUE_BYTES = Constant(
    "INDEXER_VALUE_BYTES", 1.03125, "byte", "an FP8 value with its part of the FP32 scale of 128 such values",
    "SGLang, NSATokenToKVPool: 132 bytes for 128 values",
)  # fmt: skip
FP32_BYTES = Constant("FP32_BYTES", 4, "byte", "a single-precision number", "IEEE 754")
SUB_GROUP_PARAMETERS = Constant(
    "SUB_GROUP_PARAMETERS", 1e9, "", "parameters of a sub-group of ZeRO-3", "DeepSpeed 0.19, `sub_group_size`"
)
SUB_GROUP_BYTES = Constant("SUB_GROUP_BYTES", 4e9, "byte", "a sub-group in FP32", "DeepSpeed 0.19, `sub_group_size`")
PINNED_SUB_GROUP_BYTES = Constant(
    "PINNED_SUB_GROUP_BYTES", 2**32, "byte", "a sub-group in FP32, rounded up to a power of two",
    "PyTorch host allocator",
)  # fmt: skip
NVME_BUFFERS = Constant(
    "NVME_BUFFERS", 5, "", "FP32 buffers of a sub-group through which states on a disk go: four, and one of gradients",
    "DeepSpeed 0.19, zero/offload_config.py `buffer_count`; zero/stage3.py `initialize_optimizer_states`",
)  # fmt: skip
HOST_PROCESS_BYTES = Constant(
    "HOST_PROCESS_BYTES",
    2.5 * 2**30,
    "byte",
    "what a training process keeps in host memory beside its buffers",
    "Llama 3.2 1B and Qwen2.5 0.5B with DeepSpeed ZeRO-2 on an H200: 31.7 and 11.2 GiB resident, 2026-11-26",
)

# serving, roofline, transfer, time
ELEMENTWISE_FLOP = Constant("ELEMENTWISE_FLOP", 1, "FLOP", "work per element of an add or ReLU", "004 'The Roofline'")
NORM_FLOP = Constant("NORM_FLOP", 10, "FLOP", "work per element of a norm", "004 'The Roofline', 5 FLOP/byte")
STATES_OF_A_REQUEST = Constant(
    "STATES_OF_A_REQUEST",
    2,
    "",
    "states of linear attention that a request is counted with, where prefixes are cached",
    "vLLM, v1/kv_cache_interface.py MambaSpec, mode align",
)
LIKE_GROUPS = Constant(
    "LIKE_GROUPS", 1.5, "", "kinds of layers that differ by less form groups as large as the commoner", "vLLM 0.17"
)
ONE_BYTE = Constant("ONE_BYTE", 1, "byte", "keeps a kernel that is not launched from dividing by zero", "definition")
PRODUCTS_PER_LAYER = Constant(
    "PRODUCTS_PER_LAYER", 4, "", "queries with keys and values, output, into the MLP and out of it", "HF modelling code"
)
SHORTEST_PRODUCT_SECONDS = Constant(
    "SHORTEST_PRODUCT_SECONDS",
    2.5e-6,
    "s",
    "launch of the smallest product on any data-centre GPU",
    "ai-dynamo/aiconfigurator 095f58a, gemm tables, least fitted launch: B300, BF16, 2.5 us",
)
SHORTEST_ALL_REDUCE_SECONDS = Constant(
    "SHORTEST_ALL_REDUCE_SECONDS",
    3.8e-6,
    "s",
    "smallest all-reduce of two GPUs of one node",
    "ai-dynamo/aiconfigurator 095f58a, all-reduce tables, least fitted latency: H100, 2 GPUs, 3.8 us",
)
OPTIMIZER_FLOP = Constant("OPTIMIZER_FLOP", 15, "FLOP", "work per parameter of an Adam step", "arXiv:1412.6980, alg. 1")
REDUCTIONS_PER_LAYER = Constant("REDUCTIONS_PER_LAYER", 2, "", "after attention and after the MLP", "arXiv:1909.08053")
RESIDUAL_SUMS = Constant("RESIDUAL_SUMS", 2, "", "after attention and after the MLP", "HF modelling code")
RING_PASSES = Constant("RING_PASSES", 2, "", "an all-reduce scatters and then gathers", "arXiv:1910.02054, section 7.1")
SURFACE = Constant("SURFACE", 2 / 3, "", "what grows with depth x width, as depth x width x width does", "geometry")
SOFTMAX_FLOP = Constant("SOFTMAX_FLOP", 5, "FLOP", "work per score of a softmax", "004 'The Roofline', per score")
TRAINING_PASSES = Constant("TRAINING_PASSES", 3, "", "a forward pass, and a backward one of twice its work", "6ND rule")
TWO = Constant("TWO", 2, "", "two", "definition")
FOUR = Constant("FOUR", 4, "", "four", "definition")
EIGHT = Constant("EIGHT", 8, "", "eight", "definition")
SIXTEEN = Constant("SIXTEEN", 16, "", "sixteen", "definition")
THIRTY_TWO = Constant("THIRTY_TWO", 32, "", "thirty-two", "definition")

SHORTEST_TIME = Constant("SHORTEST_TIME", 1e-12, "s", "keeps a kernel without work from dividing by zero", "definition")
PRECONDITIONED_SIDE = Constant(
    "PRECONDITIONED_SIDE", 10_000, "", "longest side of a matrix that is preconditioned", "SOAP, max_precond_dim"
)
HALF = Constant("HALF", 1 / 2, "", "one half", "definition")
SPOKEN_TOKENS = Constant(
    "SPOKEN_TOKENS", 3.5, "", "tokens of a second of speech: 150 words a minute, 1.4 tokens a word", "rule of thumb"
)
WIDE_PCIE_ERROR = Constant(
    "WIDE_PCIE_ERROR",
    0.24,
    "",
    "half of a step is reduced over PCIe, where eight GPUs reach 0.35 to 0.66 of the slot",
    "tests/calibration/operators/pcie-all-reduces.csv",
)
THIRD = Constant("THIRD", 1 / 3, "", "one third", "definition")
KERNELS_OF_LATENT_ATTENTION = Constant(
    "KERNELS_OF_LATENT_ATTENTION",
    4,
    "",
    "joint down projection, query up, latent key and latent value",
    "arXiv:2405.04434, section 2.1.2",
)
OFTEN_CHOSEN = Constant(
    "OFTEN_CHOSEN",
    1.65,
    "",
    "how often half of the experts are chosen, over the mean of all: median of what grouped products take",
    "aiconfigurator, mixture tables of vLLM, SGLang and TensorRT-LLM with choices by a power law, at 095f58a",
)
UNMEASURED_WIDER = Constant(
    "UNMEASURED_WIDER", 1.2, "", "ranges of what was not measured itself, over those of its class", "stated"
)
SAMPLING_BYTES = Constant(
    "SAMPLING_BYTES", 12, "byte", "read and written per logit while sampling: three passes in FP32", "vLLM V1 sampler"
)
ROLLOUT_STEP_SECONDS = Constant(
    "ROLLOUT_STEP_SECONDS", 0.4e-3, "s", "host's time of a step in which samples are generated", "engines.yaml, vllm"
)
ROLLOUT_SAMPLE_SECONDS = Constant(
    "ROLLOUT_SAMPLE_SECONDS", 12e-6, "s", "the same for each sample that is generated", "engines.yaml, vllm"
)

# computed time of a training step
TILE = Constant("TILE", 128, "", "rows and columns of a tile of a matrix product", "CUTLASS, cuBLAS: 128 by 128")
GROUPED_TILE = Constant("GROUPED_TILE", 64, "", "rows of a tile of a grouped product", "CUTLASS grouped products")
MOST_WAVE_LOSS = Constant("MOST_WAVE_LOSS", 4, "", "most that empty tiles lengthen a product", "fit of operator tables")
FLASH_BACKWARD = Constant("FLASH_BACKWARD", 2.5, "", "five products backward for two forward", "arXiv:2307.08691, 4.1")
NVME_SHARE = Constant(
    "NVME_SHARE",
    0.65,
    "",
    "share of the disks' bandwidth that states read and written as often reach: reads 95 %, writes half",
    "DeepSpeed, `aio` measurements, thread 998; drives' data sheets",
)
GRADIENT_COPY_SHARE = Constant(
    "GRADIENT_COPY_SHARE",
    0.15,
    "",
    "share of the host link that gradients copied one by one reach, in FP32",
    "DeepSpeed issue 6695 (two models on one GPU) and its ZenFlow blog (four A100): 4 to 6 GB/s",
)
PRODUCTS_BY_POWER = Constant(
    "PRODUCTS_BY_POWER",
    0.39,
    "",
    "power by which the rate of products follows the watts that a GPU has for its peak",
    "fitted steps of A100, H100 and B200; H100 lies 14 % above what the other two say",
)
ATTENTION_BY_POWER = Constant(
    "ATTENTION_BY_POWER", 0.72, "", "the same of fused attention", "steps of three GPUs say 1.0, A100 at 300 W 0.2"
)
MOST_SUSTAINED = Constant(
    "MOST_SUSTAINED",
    0.95,
    "",
    "share of its peak that a GPU with power to spare reaches",
    "H20, 142 of 148 TFLOP/s on large products: torch-performance-test-data, issue 77",
)
LEAST_POWER = Constant("LEAST_POWER", 1, "W", "keeps a GPU without a reference from dividing by zero", "definition")
DEEPEP_LINK_SHARE = Constant(
    "DEEPEP_LINK_SHARE", 0.77, "", "share of the link that DeepEP reaches in a node", "its README: 153 GB/s on H800"
)
OVERLAP_LOSS = Constant(
    "OVERLAP_LOSS",
    0.5,
    "",
    "of a collective's time, what it takes from arithmetic beside it",
    "judged: collectives take a tenth to a fifth of the multiprocessors, and bandwidth",
)
HOSTED_ERROR = Constant(
    "HOSTED_ERROR",
    0.5,
    "",
    "error of the time in which a host steps an optimizer, beside that of the rest of the step",
    "tests/calibration/operators/host-updates.csv: five of nine within 20 %",
)
RESCALED_ERROR = Constant(
    "RESCALED_ERROR",
    0.12,
    "",
    "error of times rescaled by a run of one's own: noise of runs and of versions",
    "the same training configuration differs 1 to 6 % between vendors, 7 % across containers: MLPerf Training",
)
RESCALED_SERVED_ERROR = Constant(
    "RESCALED_SERVED_ERROR",
    0.15,
    "",
    "error of serving times rescaled by a run of one's own: what versions of an engine differ by",
    "serving points of one configuration in several versions of an engine: aiconfigurator, silicon_sample.csv",
)
TENSOR_WAITED = Constant("TENSOR_WAITED", 0.7, "", "tensor-parallel traffic beside products", "two runs of torchtitan")
MERGING_PASSES = Constant("MERGING_PASSES", 8, "", "times that experts with adapters are moved", "PEFT, on an H100")
DORA_BYTES = Constant("DORA_BYTES", 100, "byte", "moved for a weight's norm in FP32", "PEFT 0.21, on an H100")
ALIGNED_VALUES = Constant("ALIGNED_VALUES", 8, "", "16-bit values in 16 bytes", "cuBLAS, alignment of its fast kernels")
GRADIENTS_AT_A_SUM = Constant(
    "GRADIENTS_AT_A_SUM",
    3,
    "",
    "gradients of one matrix as autograd adds them: the sum, the next, their sum",
    "torch 2.13",
)
ADAPTER_RESULT_PASSES = Constant(
    "ADAPTER_RESULT_PASSES",
    6,
    "",
    "times that an adapter's result is read or written: made, scaled, added to the base's, which is read and written",
    "PEFT `lora.Linear.forward`, operations counted",
)
COMPILED_ADAPTER_BYTES = Constant(
    "COMPILED_ADAPTER_BYTES",
    4,
    "byte",
    "the same compiled: its products' results written and read once, the rest in the kernels between",
    "PyTorch Inductor, operands counted",
)
COMPILED_LOSS_BYTES = Constant(
    "COMPILED_LOSS_BYTES", 8, "byte", "moved per logit by a compiled loss: read twice, gradient written", "Inductor"
)
ATTENTION_MATRICES = Constant(
    "ATTENTION_MATRICES", 4, "", "query, key, value and output projection", "HF modelling code"
)
ADAPTER_MATRICES = Constant("ADAPTER_MATRICES", 2, "", "of an adapter", "arXiv:2106.09685, section 4.1")
PERSISTENT_RANK = Constant(
    "PERSISTENT_RANK",
    10,
    "",
    "rank up to which an adapter's matrices are no larger than what ZeRO-3 leaves whole, ten times the hidden size",
    "transformers, DeepSpeed integration, `stage3_param_persistence_threshold: auto`",
)
ADAPTER_PASSES = Constant("ADAPTER_PASSES", 2.5, "", "forward and backward, over forward", "PEFT, operations counted")
ADAPTER_KERNELS = Constant("ADAPTER_KERNELS", 18, "", "of one adapted matrix, forward and backward", "PEFT, counted")
CONVERTED_VALUE_BYTES = Constant(
    "CONVERTED_VALUE_BYTES",
    14,
    "byte",
    "moved per value of a product: FP32 and 16 bit written and read on either side, beside the product's own 2",
    "llama.cpp ggml-cuda, operations counted",
)
SCORE_PASSES = Constant(
    "SCORE_PASSES", 5, "", "times that a stored score is moved: product, softmax in and out, cast, product", "llama.cpp"
)
PACKED_VALUE_BYTES = Constant(
    "PACKED_VALUE_BYTES",
    8,
    "byte",
    "the same where blocks of 8 bits are multiplied: FP32 written and read, 36 bytes for 32 values of the input",
    "llama.cpp ggml-cuda/quantize.cu `quantize_mmq_q8_1`, counted",
)
UNPACKED_BYTES = Constant("UNPACKED_BYTES", 2, "byte", "a weight unpacked to 16 bit", "llama.cpp ggml-cuda")
COMPILED_ADAPTER_KERNELS = Constant(
    "COMPILED_ADAPTER_KERNELS", 6, "", "of one adapted matrix that is compiled: its products alone", "PyTorch Inductor"
)
COMPILED_KERNELS = Constant(
    "COMPILED_KERNELS",
    38,
    "",
    "of a compiled dense layer: 21 products, attention's three, and fused ones between them, forward and backward",
    "PyTorch Inductor, counted",
)
QUANTISED_KERNELS = Constant(
    "QUANTISED_KERNELS", 28, "", "that unpack a layer's seven matrices, forward and backward", "bitsandbytes, counted"
)

# weights on the host
HOST_READ_SHARE = Constant(
    "HOST_READ_SHARE",
    0.6,
    "",
    "share of the host's memory bandwidth that a processor reads weights at",
    "llama-bench on two processors, 56 to 68 %: CPU_BENCH of hardware/efficiency.yaml",
)
HOST_COPY_SHARE = Constant(
    "HOST_COPY_SHARE",
    0.8,
    "",
    "share of the host link that large copies reach",
    "NVIDIA bandwidthTest, 25 to 26 of 31.5 GB/s with PCIe 4.0 x16",
)

# captured graphs
WIDE_GRAPHS_FROM = Constant(
    "WIDE_GRAPHS_FROM", 256, "", "batch from which graphs are 16 apart", "vLLM `_set_cudagraph_sizes`"
)
LARGEST_GRAPH = Constant("LARGEST_GRAPH", 512, "", "largest batch with a graph", "vLLM `max_cudagraph_capture_size`")

# serving by a demand
SLOWEST_PACE = Constant("SLOWEST_PACE", 1e-6, "token/s", "keeps a demand without a pace finite", "definition")
STATE_SHARE = Constant("STATE_SHARE", 0.474, "", "of a split pool", "SGLang `mamba_full_memory_ratio` 0.9")
STATES_OF_A_SLOT = Constant("STATES_OF_A_SLOT", 5, "", "states of a request", "SGLang mamba ratio, extra_buffer")
WINDOW_RATIO = Constant("WINDOW_RATIO", 0.8, "", "tokens over others'", "SGLang `swa_full_tokens_ratio`")
MANY_SEQUENCES = Constant("MANY_SEQUENCES", 64, "", "sequences above which engines admit fewer", "served points")
TAIL = Constant("TAIL", 0.05, "", "requests that may be later than the target: one in twenty", "percentile 95")
TAIL_LOGARITHM = Constant("TAIL_LOGARITHM", 2.995732273553991, "", "natural logarithm of one over that share", "ln 20")

# money
HOURS_PER_MONTH = Constant("HOURS_PER_MONTH", 730, "h", "hours in a twelfth of a year", "definition: 8,760 / 12")
ONE_HOUR = Constant("ONE_HOUR", 1, "h", "turns hours into a plain count", "definition")
HOURS_PER_YEAR = Constant("HOURS_PER_YEAR", 8760, "h", "hours in a year of 365 days", "definition")
MONTHS_PER_YEAR = Constant("MONTHS_PER_YEAR", 12, "", "months in a year", "definition")
ONE_USD = Constant("ONE_USD", 1, "USD", "keeps a saving of nothing from dividing by zero", "definition")
SMALLEST_PRICE = Constant("SMALLEST_PRICE", 1e-12, "USD", "keeps a price of nothing from dividing by 0", "definition")
SMALLEST_RATE = Constant("SMALLEST_RATE", 1e-6, "", "keeps an annuity without interest finite", "definition")

# what documents count with
BITS_PER_BYTE = Constant("BITS_PER_BYTE", 8, "/byte", "bits in a byte", "definition")
CHANNEL_BYTES = Constant("CHANNEL_BYTES", 8, "byte", "width of a channel of host memory", "JEDEC JESD79-4 (DDR4)")
SIX = Constant("SIX", 6, "", "six", "definition")
HALF_BYTES = Constant("HALF_BYTES", 2, "byte", "a 16-bit number", "IEEE 754; bfloat16")
INT64_BYTES = Constant("INT64_BYTES", 8, "byte", "an index of a token", "PyTorch: indices are int64")
LISTING_VALUES = Constant("LISTING_VALUES", 12, "", "values per token and hidden unit", "003 'training_memory_budget'")
THREE = Constant("THREE", 3, "", "three", "definition")

# what frameworks save for the backward pass
FP8_BYTES = Constant("FP8_BYTES", 1, "byte", "a number in FP8", "OCP 8-bit floating point")
MASK_BYTES = Constant("MASK_BYTES", 1, "byte", "one element of a dropout mask", "torch.bool")
TOKEN_ID_BYTES = Constant("TOKEN_ID_BYTES", 8, "byte", "one token of an input or label", "torch.int64")
ROUTED_TOKEN_BYTES = Constant(
    "ROUTED_TOKEN_BYTES",
    40,
    "byte",
    "expert chosen and three permutations in 8 bytes each, share of the expert before and after sorting in 4 each",
    "HF grouped_mm_experts_forward, counted with torch 2.13",
)
SCALED_GRADIENTS = Constant(
    "SCALED_GRADIENTS",
    2.5,
    "",
    "results and gradients of wide adapters that DoRA scales, over an adapter's own result",
    "PEFT 0.21, tensors in memory counted with torch 2.13",
)
LOSS_PARTS_AT_ONCE = Constant("LOSS_PARTS_AT_ONCE", 4, "", "parts come in fours", "unsloth_zoo, `get_chunk_size`")
SMALL_GPU_BATCHED_TOKENS = Constant(
    "SMALL_GPU_BATCHED_TOKENS", 2048, "token", "tokens of a step on a GPU that is not large",
    "vLLM, engine/arg_utils.py `get_batch_defaults`",
)  # fmt: skip
SMALL_GPU_SEQUENCES = Constant(
    "SMALL_GPU_SEQUENCES", 256, "", "sequences at once on a GPU that is not large",
    "vLLM, engine/arg_utils.py `get_batch_defaults`",
)  # fmt: skip
LARGE_GPU_SEQUENCES = Constant(
    "LARGE_GPU_SEQUENCES", 1024, "", "sequences at once on a large GPU",
    "vLLM, engine/arg_utils.py `get_batch_defaults`",
)  # fmt: skip
UNVERIFIED_SPREAD = Constant(
    "UNVERIFIED_SPREAD",
    0.05,
    "",
    "more of the range where nothing published judges a choice",
    "docs/accuracy.md: 10.7 % at first in the worst group but one, beyond the 6 % of the others",
)
NO_LOGITS_BYTES = Constant("NO_LOGITS_BYTES", 0, "byte", "of a stage without the head", "definition")
WIDEST_GROUPED_HEAD = Constant(
    "WIDEST_GROUPED_HEAD", 256, "", "widest head for which keys of few heads are not repeated", "HF use_gqa_in_sdpa"
)
ATTENTION_MODULE_KERNELS = Constant(
    "ATTENTION_MODULE_KERNELS",
    19,
    "",
    "kernels beside norms and MLP: four products, ten of rotation, two that lengthen the cache, attention, two sums",
    "HF LlamaDecoderLayer, operations counted in transformers 4.46, 4.51 and 5.17",
)
NORM_MODULE_KERNELS = Constant(
    "NORM_MODULE_KERNELS", 8, "", "of a norm: two casts, square, mean, sum, root, two products", "HF LlamaRMSNorm"
)
FLOP_PER_CYCLE = Constant(
    "FLOP_PER_CYCLE", 256, "FLOP", "of a multiprocessor that issues to 128 lanes, two operations each", "CUDA guide"
)
REFERENCE_THREAD_RATING = Constant(
    "REFERENCE_THREAD_RATING", 2930, "", "single-thread rating of the processors of a DGX H100", "hardware/hosts.yaml"
)
SHORT_STATE_BYTES = Constant(
    "SHORT_STATE_BYTES", 16, "byte", "most a hidden unit of a short convolution keeps: 4 FP32 tokens", "HF LFM2"
)
GRAPH_KERNEL_SECONDS = Constant(
    "GRAPH_KERNEL_SECONDS",
    1.36e-6,
    "s",
    "a small kernel in a graph: launch of products, L40S",
    "aiconfigurator 095f58a",
)
EXPERT_PROMPT_KERNELS = Constant(
    "EXPERT_PROMPT_KERNELS", 6, "", "of a mixture layer: two of sorting, two products, activation, sum",
    "SGLang `fused_experts_impl` at 0.5.6, counted",
)  # fmt: skip
RECURRENT_PROMPT_KERNELS = Constant(
    "RECURRENT_PROMPT_KERNELS", 12, "", "of a recurrent layer: convolution, gates, two norms, eight of chunks",
    "flash-linear-attention `chunk_gated_delta_rule`, counted",
)  # fmt: skip
MXFP4_LAUNCH_SHARE = Constant(
    "MXFP4_LAUNCH_SHARE",
    0.5,
    "",
    "of other experts' launch, with FP4 units",
    "aiconfigurator 095f58a: B200, B300, GB200",
)
