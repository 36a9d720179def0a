"""Named numbers that computed times alone rest on: kernels, launches, shares that are reached, errors."""

from memreport.formula.words import Constant

# What a number is stands on one line, where it is from on the next.
# fmt: off
# work and traffic of kernels
ELEMENTWISE_FLOP = Constant("ELEMENTWISE_FLOP", 1, "FLOP", "work per element of an add or ReLU", "004 'The Roofline'")
NORM_FLOP = Constant("NORM_FLOP", 10, "FLOP", "work per element of a norm", "004 'The Roofline', 5 FLOP/byte")
SOFTMAX_FLOP = Constant("SOFTMAX_FLOP", 5, "FLOP", "work per score of a softmax", "004 'The Roofline', per score")
OPTIMIZER_FLOP = Constant("OPTIMIZER_FLOP", 15, "FLOP", "work per parameter of an Adam step", "arXiv:1412.6980, alg. 1")
RESIDUAL_SUMS = Constant("RESIDUAL_SUMS", 2, "", "after attention and after the MLP", "HF modelling code")
SURFACE = Constant("SURFACE", 2 / 3, "", "what grows with depth x width, as depth x width x width does", "geometry")
THIRD = Constant("THIRD", 1 / 3, "", "one third", "definition")
SCORE_PASSES = Constant(
    "SCORE_PASSES", 5, "", "times that a stored score is moved: product, softmax in and out, cast, product", "llama.cpp"
)
SAMPLING_BYTES = Constant(
    "SAMPLING_BYTES", 12, "byte", "read and written per logit while sampling: three passes in FP32", "vLLM V1 sampler"
)
CONVERTED_VALUE_BYTES = Constant(
    "CONVERTED_VALUE_BYTES", 14, "byte",
    "moved per value of a product: FP32 and 16 bit written and read on either side, beside the product's own 2",
    "llama.cpp ggml-cuda, operations counted",
)
PACKED_VALUE_BYTES = Constant(
    "PACKED_VALUE_BYTES", 8, "byte",
    "the same where blocks of 8 bits are multiplied: FP32 written and read, 36 bytes for 32 values of the input",
    "llama.cpp ggml-cuda/quantize.cu `quantize_mmq_q8_1`, counted",
)
UNPACKED_BYTES = Constant("UNPACKED_BYTES", 2, "byte", "a weight unpacked to 16 bit", "llama.cpp ggml-cuda")
COMPILED_LOSS_BYTES = Constant(
    "COMPILED_LOSS_BYTES", 8, "byte", "moved per logit by a compiled loss: read twice, gradient written", "Inductor"
)
SHORT_STATE_BYTES = Constant(
    "SHORT_STATE_BYTES", 16, "byte", "most a hidden unit of a short convolution keeps: 4 FP32 tokens", "HF LFM2"
)

# matrix products and attention
TILE = Constant("TILE", 128, "", "rows and columns of a tile of a matrix product", "CUTLASS, cuBLAS: 128 by 128")
GROUPED_TILE = Constant("GROUPED_TILE", 64, "", "rows of a tile of a grouped product", "CUTLASS grouped products")
ALIGNED_VALUES = Constant("ALIGNED_VALUES", 8, "", "16-bit values in 16 bytes", "cuBLAS, alignment of its fast kernels")
MOST_WAVE_LOSS = Constant("MOST_WAVE_LOSS", 4, "", "most that empty tiles lengthen a product", "fit of operator tables")
OFTEN_CHOSEN = Constant(
    "OFTEN_CHOSEN", 1.65, "",
    "how often half of the experts are chosen, over the mean of all: median of what grouped products take",
    "aiconfigurator, mixture tables of vLLM, SGLang and TensorRT-LLM with choices by a power law, at 095f58a",
)
FLASH_BACKWARD = Constant("FLASH_BACKWARD", 2.5, "", "five products backward for two forward", "arXiv:2307.08691, 4.1")
FLOP_PER_CYCLE = Constant(
    "FLOP_PER_CYCLE", 256, "FLOP", "of a multiprocessor that issues to 128 lanes, two operations each", "CUDA guide"
)

# power, and what runs at once
PRODUCTS_BY_POWER = Constant(
    "PRODUCTS_BY_POWER", 0.39, "", "power by which the rate of products follows the watts that a GPU has for its peak",
    "fitted steps of A100, H100 and B200; H100 lies 14 % above what the other two say",
)
ATTENTION_BY_POWER = Constant(
    "ATTENTION_BY_POWER", 0.72, "", "the same of fused attention", "steps of three GPUs say 1.0, A100 at 300 W 0.2"
)
MOST_SUSTAINED = Constant(
    "MOST_SUSTAINED", 0.95, "", "share of its peak that a GPU with power to spare reaches",
    "H20, 142 of 148 TFLOP/s on large products: torch-performance-test-data, issue 77",
)
PRESENT_CUDA = Constant(
    "PRESENT_CUDA", 12.6, "", "first CUDA whose products are as fast on Hopper as those of 13.0",
    "steps with PyTorch 2.6 (12.4: DeepCompile's) and before against NeMo 24.09 (12.6) and since",
)
LEAST_POWER = Constant("LEAST_POWER", 1, "W", "keeps a GPU without a reference from dividing by zero", "definition")
OVERLAP_LOSS = Constant(
    "OVERLAP_LOSS", 0.5, "", "of a collective's time, what it takes from arithmetic beside it",
    "judged: collectives take a tenth to a fifth of the multiprocessors, and bandwidth",
)
HALVED_DECODE_TOKENS = Constant(
    "HALVED_DECODE_TOKENS", 32, "token", "fewest tokens of a decode step that vLLM cuts into two batches",
    "vLLM, config/parallel.py, dbo_decode_token_threshold",
)
HALVED_PREFILL_TOKENS = Constant(
    "HALVED_PREFILL_TOKENS", 512, "token", "the same of a step that holds prompts",
    "vLLM, config/parallel.py, dbo_prefill_token_threshold",
)

# launches and the host
PRODUCTS_PER_LAYER = Constant(
    "PRODUCTS_PER_LAYER", 4, "", "queries with keys and values, output, into the MLP and out of it", "HF modelling code"
)
KERNELS_OF_LATENT_ATTENTION = Constant(
    "KERNELS_OF_LATENT_ATTENTION", 4, "", "joint down projection, query up, latent key and latent value",
    "arXiv:2405.04434, section 2.1.2",
)
ATTENTION_MODULE_KERNELS = Constant(
    "ATTENTION_MODULE_KERNELS", 19, "",
    "kernels beside norms and MLP: four products, ten of rotation, two that lengthen the cache, attention, two sums",
    "HF LlamaDecoderLayer, operations counted in transformers 4.46, 4.51 and 5.17",
)
NORM_MODULE_KERNELS = Constant(
    "NORM_MODULE_KERNELS", 8, "", "of a norm: two casts, square, mean, sum, root, two products", "HF LlamaRMSNorm"
)
COMPILED_KERNELS = Constant(
    "COMPILED_KERNELS", 38, "",
    "of a compiled dense layer: 21 products, attention's three, and fused ones between them, forward and backward",
    "PyTorch Inductor, counted",
)
QUANTISED_KERNELS = Constant(
    "QUANTISED_KERNELS", 28, "", "that unpack a layer's seven matrices, forward and backward", "bitsandbytes, counted"
)
SHORTEST_PRODUCT_SECONDS = Constant(
    "SHORTEST_PRODUCT_SECONDS", 2.5e-6, "s", "launch of the smallest product on any data-centre GPU",
    "ai-dynamo/aiconfigurator 095f58a, gemm tables, least fitted launch: B300, BF16, 2.5 us",
)
SHORTEST_ALL_REDUCE_SECONDS = Constant(
    "SHORTEST_ALL_REDUCE_SECONDS", 3.8e-6, "s", "smallest all-reduce of two GPUs of one node",
    "ai-dynamo/aiconfigurator 095f58a, all-reduce tables, least fitted latency: H100, 2 GPUs, 3.8 us",
)
GRAPH_KERNEL_SECONDS = Constant(
    "GRAPH_KERNEL_SECONDS", 1.36e-6, "s", "a small kernel in a graph: launch of products, L40S",
    "aiconfigurator 095f58a",
)
MXFP4_LAUNCH_SHARE = Constant(
    "MXFP4_LAUNCH_SHARE", 0.5, "", "of other experts' launch, with FP4 units",
    "aiconfigurator 095f58a: B200, B300, GB200",
)
ROLLOUT_STEP_SECONDS = Constant(
    "ROLLOUT_STEP_SECONDS", 0.4e-3, "s", "host's time of a step in which samples are generated", "engines.yaml, vllm"
)
ROLLOUT_SAMPLE_SECONDS = Constant(
    "ROLLOUT_SAMPLE_SECONDS", 12e-6, "s", "the same for each sample that is generated", "engines.yaml, vllm"
)
HOST_READ_SHARE = Constant(
    "HOST_READ_SHARE", 0.6, "", "share of the host's memory bandwidth that a processor reads weights at",
    "llama-bench on two processors, 56 to 68 %: CPU_BENCH of hardware/efficiency.yaml",
)
HOST_COPY_SHARE = Constant(
    "HOST_COPY_SHARE", 0.8, "", "share of the host link that large copies reach",
    "NVIDIA bandwidthTest, 25 to 26 of 31.5 GB/s with PCIe 4.0 x16",
)
REFERENCE_THREAD_RATING = Constant(
    "REFERENCE_THREAD_RATING", 2930, "", "single-thread rating of the processors of a DGX H100", "hardware/hosts.yaml"
)

# adapters
ATTENTION_MATRICES = Constant(
    "ATTENTION_MATRICES", 4, "", "query, key, value and output projection", "HF modelling code"
)
ADAPTER_MATRICES = Constant("ADAPTER_MATRICES", 2, "", "of an adapter", "arXiv:2106.09685, section 4.1")
ADAPTER_PASSES = Constant("ADAPTER_PASSES", 2.5, "", "forward and backward, over forward", "PEFT, operations counted")
ADAPTER_KERNELS = Constant("ADAPTER_KERNELS", 18, "", "of one adapted matrix, forward and backward", "PEFT, counted")
ADAPTER_RESULT_PASSES = Constant(
    "ADAPTER_RESULT_PASSES", 6, "",
    "times that an adapter's result is read or written: made, scaled, added to the base's, which is read and written",
    "PEFT `lora.Linear.forward`, operations counted",
)
COMPILED_ADAPTER_BYTES = Constant(
    "COMPILED_ADAPTER_BYTES", 4, "byte",
    "the same compiled: its products' results written and read once, the rest in the kernels between",
    "PyTorch Inductor, operands counted",
)
COMPILED_ADAPTER_KERNELS = Constant(
    "COMPILED_ADAPTER_KERNELS", 6, "", "of one adapted matrix that is compiled: its products alone", "PyTorch Inductor"
)
MERGING_PASSES = Constant("MERGING_PASSES", 8, "", "times that experts with adapters are moved", "PEFT, on an H100")
DORA_BYTES = Constant("DORA_BYTES", 100, "byte", "moved for a weight's norm in FP32", "PEFT 0.21, on an H100")
PERSISTENT_RANK = Constant(
    "PERSISTENT_RANK", 10, "",
    "rank up to which an adapter's matrices are no larger than what ZeRO-3 leaves whole, ten times the hidden size",
    "transformers, DeepSpeed integration, `stage3_param_persistence_threshold: auto`",
)

# errors of computed times
WIDE_PCIE_ERROR = Constant(
    "WIDE_PCIE_ERROR", 0.24, "", "half of a step is reduced over PCIe, where eight GPUs reach 0.35 to 0.66 of the slot",
    "tests/calibration/operators/pcie-all-reduces.csv",
)
HOSTED_ERROR = Constant(
    "HOSTED_ERROR", 0.5, "",
    "error of the time in which a host steps an optimizer, beside that of the rest of the step",
    "tests/calibration/operators/host-updates.csv: five of nine within 20 %",
)
RESCALED_ERROR = Constant(
    "RESCALED_ERROR", 0.12, "", "error of times rescaled by a run of one's own: noise of runs and of versions",
    "the same training configuration differs 1 to 6 % between vendors, 7 % across containers: MLPerf Training",
)
RESCALED_SERVED_ERROR = Constant(
    "RESCALED_SERVED_ERROR", 0.15, "",
    "error of serving times rescaled by a run of one's own: what versions of an engine differ by",
    "serving points of one configuration in several versions of an engine: aiconfigurator, silicon_sample.csv",
)
MANY_SEQUENCES = Constant("MANY_SEQUENCES", 64, "", "sequences above which engines admit fewer", "served points")
GATE_PASSES = Constant("GATE_PASSES", 9, "", "moved per value by a gate: it and its gradients", "HF, counted")
ROTATION_PASSES = Constant("ROTATION_PASSES", 26.5, "", "moved per value that is rotated", "HF, counted")
CAP_PASSES = Constant("CAP_PASSES", 13, "", "moved per value by a cap", "HF Gemma2, counted")
CAP_FACTOR = Constant("CAP_FACTOR", 2.6, "", "the same over the least of a softmax, 5", "HF Gemma2, counted")
# 17.4 values more than a plain softmax's 20 are counted; one step on an H100 showed odd rows to be half as fast.
SINK_FACTOR = Constant("SINK_FACTOR", 7, "", "moved more with sinks, over that least", "HF gpt-oss, counted")
