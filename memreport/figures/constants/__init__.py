"""Named numbers: each with unit, meaning and source.  A formula holds no other number than these, 0 and 1.

Those of computed times alone are in `times`.
"""

from memreport.formula.words import Constant

# What a number is stands on one line, where it is from on the next.
# fmt: off
# numbers, and what turns one unit into another
TWO = Constant("TWO", 2, "", "two", "definition")
THREE = Constant("THREE", 3, "", "three", "definition")
FOUR = Constant("FOUR", 4, "", "four", "definition")
SIX = Constant("SIX", 6, "", "six", "definition")
EIGHT = Constant("EIGHT", 8, "", "eight", "definition")
SIXTEEN = Constant("SIXTEEN", 16, "", "sixteen", "definition")
THIRTY_TWO = Constant("THIRTY_TWO", 32, "", "thirty-two", "definition")
HALF = Constant("HALF", 1 / 2, "", "one half", "definition")
ONE_TOKEN = Constant("ONE_TOKEN", 1, "token", "turns a number of tokens into a plain count", "definition")
ONE_BYTE = Constant("ONE_BYTE", 1, "byte", "keeps a kernel that is not launched from dividing by zero", "definition")
TOKENS_PER_MILLION = Constant("TOKENS_PER_MILLION", 1e6, "token", "tokens in the customary price unit", "definition")
SECONDS_PER_HOUR = Constant("SECONDS_PER_HOUR", 3600, "s/h", "seconds in an hour", "definition")
WATTS_PER_KILOWATT = Constant("WATTS_PER_KILOWATT", 1000, "W*h/kWh", "watt-hours in a kilowatt-hour", "definition")
BITS_PER_BYTE = Constant("BITS_PER_BYTE", 8, "/byte", "bits in a byte", "definition")
SHORTEST_TIME = Constant("SHORTEST_TIME", 1e-12, "s", "keeps a kernel without work from dividing by zero", "definition")
TOLERANCE = Constant("TOLERANCE", 1e-9, "", "relative difference that rounding may cause", "double precision")

# types of numbers
FP32_BYTES = Constant("FP32_BYTES", 4, "byte", "a single-precision number", "IEEE 754")
HALF_BYTES = Constant("HALF_BYTES", 2, "byte", "a 16-bit number", "IEEE 754; bfloat16")
FP8_BYTES = Constant("FP8_BYTES", 1, "byte", "a number in FP8", "OCP 8-bit floating point")
MASK_BYTES = Constant("MASK_BYTES", 1, "byte", "one element of a dropout mask", "torch.bool")
INT64_BYTES = Constant("INT64_BYTES", 8, "byte", "an index of a token", "PyTorch: indices are int64")
TOKEN_ID_BYTES = Constant("TOKEN_ID_BYTES", 8, "byte", "one token of an input or label", "torch.int64")

# layers and passes
KEY_AND_VALUE = Constant("KEY_AND_VALUE", 2, "", "a key and a value vector", "003 'KV Cache Memory in LLM Inference'")
FLOP_PER_MULTIPLY_ADD = Constant("FLOP_PER_MULTIPLY_ADD", 2, "FLOP", "a multiplication and an addition", "definition")
PLAIN_MLP_MATRICES = Constant("PLAIN_MLP_MATRICES", 2, "", "up and down projection", "arXiv:1706.03762, section 3.3")
TRAINING_PASSES = Constant("TRAINING_PASSES", 3, "", "a forward pass, and a backward one of twice its work", "6ND rule")
REDUCTIONS_PER_LAYER = Constant("REDUCTIONS_PER_LAYER", 2, "", "after attention and after the MLP", "arXiv:1909.08053")
RING_PASSES = Constant("RING_PASSES", 2, "", "an all-reduce scatters and then gathers", "arXiv:1910.02054, section 7.1")
NO_LOGITS_BYTES = Constant("NO_LOGITS_BYTES", 0, "byte", "of a stage without the head", "definition")
WIDEST_GROUPED_HEAD = Constant(
    "WIDEST_GROUPED_HEAD", 256, "", "widest head for which keys of few heads are not repeated", "HF use_gqa_in_sdpa"
)
PRECONDITIONED_SIDE = Constant(
    "PRECONDITIONED_SIDE", 10_000, "", "longest side of a matrix that is preconditioned", "SOAP, max_precond_dim"
)

# what frameworks save for the backward pass
ROUTED_TOKEN_BYTES = Constant(
    "ROUTED_TOKEN_BYTES", 40, "byte",
    "expert chosen and three permutations in 8 bytes each, share of the expert before and after sorting in 4 each",
    "HF grouped_mm_experts_forward, counted with torch 2.13",
)
SCALED_GRADIENTS = Constant(
    "SCALED_GRADIENTS", 2.5, "",
    "results and gradients of wide adapters that DoRA scales, over an adapter's own result",
    "PEFT 0.21, tensors in memory counted with torch 2.13",
)
GRADIENTS_AT_A_SUM = Constant(
    "GRADIENTS_AT_A_SUM", 3, "", "gradients of one matrix as autograd adds them: the sum, the next, their sum",
    "torch 2.13",
)
LOSS_PARTS_AT_ONCE = Constant("LOSS_PARTS_AT_ONCE", 4, "", "parts come in fours", "unsloth_zoo, `get_chunk_size`")
UNVERIFIED_SPREAD = Constant(
    "UNVERIFIED_SPREAD", 0.05, "", "more of the range where nothing published judges a choice",
    "docs/accuracy.md: 10.7 % at first in the worst group but one, beyond the 6 % of the others",
)

# hosts, disks and links
SUB_GROUP_PARAMETERS = Constant(
    "SUB_GROUP_PARAMETERS", 1e9, "", "parameters of a sub-group of ZeRO-3", "DeepSpeed 0.19, `sub_group_size`"
)
SUB_GROUP_BYTES = Constant("SUB_GROUP_BYTES", 4e9, "byte", "a sub-group in FP32", "DeepSpeed 0.19, `sub_group_size`")
PINNED_SUB_GROUP_BYTES = Constant(
    "PINNED_SUB_GROUP_BYTES", 2**32, "byte", "a sub-group in FP32, rounded up to a power of two",
    "PyTorch host allocator",
)
NVME_BUFFERS = Constant(
    "NVME_BUFFERS", 5, "", "FP32 buffers of a sub-group through which states on a disk go: four, and one of gradients",
    "DeepSpeed 0.19, zero/offload_config.py `buffer_count`; zero/stage3.py `initialize_optimizer_states`",
)
HOST_PROCESS_BYTES = Constant(
    "HOST_PROCESS_BYTES", 2.5 * 2**30, "byte", "what a training process keeps in host memory beside its buffers",
    "Llama 3.2 1B and Qwen2.5 0.5B with DeepSpeed ZeRO-2 on an H200: 31.7 and 11.2 GiB resident, 2026-11-26",
)
CHANNEL_BYTES = Constant("CHANNEL_BYTES", 8, "byte", "width of a channel of host memory", "JEDEC JESD79-4 (DDR4)")
NVME_SHARE = Constant(
    "NVME_SHARE", 0.65, "",
    "share of the disks' bandwidth that states read and written as often reach: reads 95 %, writes half",
    "DeepSpeed, `aio` measurements, thread 998; drives' data sheets",
)
GRADIENT_COPY_SHARE = Constant(
    "GRADIENT_COPY_SHARE", 0.15, "", "share of the host link that gradients copied one by one reach, in FP32",
    "DeepSpeed issue 6695 (two models on one GPU) and its ZenFlow blog (four A100): 4 to 6 GB/s",
)
DEEPEP_LINK_SHARE = Constant(
    "DEEPEP_LINK_SHARE", 0.77, "", "share of the link that DeepEP reaches in a node", "its README: 153 GB/s on H800"
)
TENSOR_WAITED = Constant("TENSOR_WAITED", 0.7, "", "tensor-parallel traffic beside products", "two runs of torchtitan")

# memory of engines that serve
INDEXER_VALUE_BYTES = Constant(
    "INDEXER_VALUE_BYTES", 1.03125, "byte", "an FP8 value with its part of the FP32 scale of 128 such values",
    "SGLang, NSATokenToKVPool: 132 bytes for 128 values",
)
STATES_OF_A_REQUEST = Constant(
    "STATES_OF_A_REQUEST", 2, "",
    "states of linear attention that a request is counted with, where prefixes are cached",
    "vLLM, v1/kv_cache_interface.py MambaSpec, mode align",
)
STATE_SHARE = Constant("STATE_SHARE", 0.474, "", "of a split pool", "SGLang `mamba_full_memory_ratio` 0.9")
STATES_OF_A_SLOT = Constant("STATES_OF_A_SLOT", 5, "", "states of a request", "SGLang mamba ratio, extra_buffer")
WINDOW_RATIO = Constant("WINDOW_RATIO", 0.8, "", "tokens over others'", "SGLang `swa_full_tokens_ratio`")
LIKE_GROUPS = Constant(
    "LIKE_GROUPS", 1.5, "", "kinds of layers that differ by less form groups as large as the commoner", "vLLM 0.17"
)
WIDE_GRAPHS_FROM = Constant(
    "WIDE_GRAPHS_FROM", 256, "", "batch from which graphs are 16 apart", "vLLM `_set_cudagraph_sizes`"
)
LARGEST_GRAPH = Constant("LARGEST_GRAPH", 512, "", "largest batch with a graph", "vLLM `max_cudagraph_capture_size`")
SMALL_GPU_BATCHED_TOKENS = Constant(
    "SMALL_GPU_BATCHED_TOKENS", 2048, "token", "tokens of a step on a GPU that is not large",
    "vLLM, engine/arg_utils.py `get_batch_defaults`",
)
SMALL_GPU_SEQUENCES = Constant(
    "SMALL_GPU_SEQUENCES", 256, "", "sequences at once on a GPU that is not large",
    "vLLM, engine/arg_utils.py `get_batch_defaults`",
)
LARGE_GPU_SEQUENCES = Constant(
    "LARGE_GPU_SEQUENCES", 1024, "", "sequences at once on a large GPU",
    "vLLM, engine/arg_utils.py `get_batch_defaults`",
)

# a demand, and how its times spread
SLOWEST_PACE = Constant("SLOWEST_PACE", 1e-6, "token/s", "keeps a demand without a pace finite", "definition")
TAIL = Constant("TAIL", 0.05, "", "requests that may be later than the target: one in twenty", "percentile 95")
TAIL_LOGARITHM = Constant("TAIL_LOGARITHM", 2.995732273553991, "", "natural logarithm of one over that share", "ln 20")
SPOKEN_TOKENS = Constant(
    "SPOKEN_TOKENS", 3.5, "", "tokens of a second of speech: 150 words a minute, 1.4 tokens a word", "rule of thumb"
)
UNMEASURED_WIDER = Constant(
    "UNMEASURED_WIDER", 1.2, "", "ranges of what was not measured itself, over those of its class", "stated"
)
EXPERT_PROMPT_KERNELS = Constant(
    "EXPERT_PROMPT_KERNELS", 6, "", "of a mixture layer: two of sorting, two products, activation, sum",
    "SGLang `fused_experts_impl` at 0.5.6, counted",
)
RECURRENT_PROMPT_KERNELS = Constant(
    "RECURRENT_PROMPT_KERNELS", 12, "", "of a recurrent layer: convolution, gates, two norms, eight of chunks",
    "flash-linear-attention `chunk_gated_delta_rule`, counted",
)

# money
HOURS_PER_MONTH = Constant("HOURS_PER_MONTH", 730, "h", "hours in a twelfth of a year", "definition: 8,760 / 12")
ONE_HOUR = Constant("ONE_HOUR", 1, "h", "turns hours into a plain count", "definition")
HOURS_PER_YEAR = Constant("HOURS_PER_YEAR", 8760, "h", "hours in a year of 365 days", "definition")
MONTHS_PER_YEAR = Constant("MONTHS_PER_YEAR", 12, "", "months in a year", "definition")
ONE_USD = Constant("ONE_USD", 1, "USD", "keeps a saving of nothing from dividing by zero", "definition")
SMALLEST_PRICE = Constant("SMALLEST_PRICE", 1e-12, "USD", "keeps a price of nothing from dividing by 0", "definition")
SMALLEST_RATE = Constant("SMALLEST_RATE", 1e-6, "", "keeps an annuity without interest finite", "definition")

# what documents count with
LISTING_VALUES = Constant("LISTING_VALUES", 12, "", "values per token and hidden unit", "003 'training_memory_budget'")
