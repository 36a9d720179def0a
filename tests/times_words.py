"""What docs/accuracy.md says of computed times, beside their tables."""

WORDS = """\
Computed times over measured ones, less one; tokens per second likewise. Fitted groups (`tests/calibration`) are those
that constants were fitted on; no constant has seen a model on a GPU of the judged groups (`tests/truths`). Bias is the
mean of the errors; median, p90 and largest are of their size; in range is the share of measurements within the printed
low and high; widest is the largest high over low.
"""

UNSEEN_WORDS = """\
How wide a range of training must be on a GPU that was not run: steps were computed again with rows of
`hardware/efficiency.yaml` left out. Without the rows of single GPUs, by their architecture alone, errors stay as they
are (dense 2.9 to 6.4 %, eager 4.1 to 7.2 %, mixtures 3 to 13 % in the median of each GPU, before and after). Adapters
on Blackwell Ultra, which no step was fitted on, are computed 25 to 30 % too long. Where the whole architecture is
left out, the median is 13 to 24 % off with Ampere or Blackwell and 32 % with Hopper, and nine of ten rows lie within
24 to 44 %: with the mean of the other two architectures instead of `any` Hopper comes to 9 %, Ampere to 29 to 47 %.
So a range of 1.8 from end to end holds nine of ten where the architecture was measured, mixtures apart, and cannot be
promised where it was not: there it is 1.93, of mixtures 2.05. The three architectures follow their peak per watt
(products by the power -0.39, attention -0.72, streams -0.25, each within 7 % of one that was left out; as fitted now,
products of Hopper reach 14 % more than the other two say), three points. GPUs of one architecture follow the same: four
BF16 steps on H100 that are limited to 500 W come out 14 % too fast with it, and a step on an H20, which is not here,
came from 59 % too slow to 5 % too fast.

Mixtures were fitted on narrow experts alone, 768 to 2,880 wide, until those of Mixtral came, below. Tokens were spread
evenly by order in nearly all, so that the load ratio stands for every wait between the GPUs of a group.
"""

AIM_WORDS = """\
What serving aims at, over all judged points together: a median of at most 12 % for tokens per second and for the time
per token, 35 % for the first token; tokens per second within 25 %, and all in the printed range, in four of five
points (nine of ten while ranges were wider); no bound beaten. All of it is met; groups that miss a part are named.
vLLM with Qwen3 235B was computed 66 % too fast: versions 0.11.1 to 0.14 hand 8-bit experts to DeepGEMM, which fills
up every expert to tiles of 128 rows (vLLM's changes 24462, 26197 and 29346). They are counted at rates of other
tables; it was the judged points that made one look there. Engines whose mixtures were never measured have ranges a
fifth wider.

Groups `saturated`, `vllm-rented` and `automodel` were written down before any of their rows was predicted, 132 rows.
Of hundreds of prompts at once TensorRT-LLM's come out within 12 % on an A100 and SGLang's 40 % too fast at most; vLLM
0.11's prompts of 128 tokens are told up to six times too fast, least with gpt-oss: before any of them
starts, 1,000 requests of a chat take its server 5 to 16 s, one after the other (vLLM's change 20065 counted 6 to 8),
and gpt-oss' own renderer 1 s. Sixteen rows of Qwen3 14B and 32B on "H100 SXM" are not
predicted: they read 1.5 TB/s, as an H100 PCIe does, whose steps agree within 8 %. Neither are AutoModel's mixtures,
whose router sends each token to neighbouring experts. Rented machines are told 28 % too fast in the mean, those with
slow processors most (an EPYC 7702 takes 11 ms a step more, however few sequences run), and all-reduces of four RTX 5090
in a virtual machine take ten times as long as bare ones: no field says how fast a host is.

Thirteen groups more, 187 rows, were written down before any was predicted (`fms-fsdp`, `generate`, `internevo`,
`lmdeploy`, `megatron-ci`, `mlperf-amd`, `mlx`, `nanotron`, `qwen-finetune`, `qwen2.5-vllm`, `torchtitan-scout`,
`torchtune`, `vllm-mi355x`). As first predicted: 52 steps of dense models with a median error of 12 % and 77 % in range,
37 of adapters 20 % and 73 %, 86 answers of dense models 10 % and 88 %, 10 of mixtures 22 % and all; two steps of a
mixture 17 and 37 % too short. Four causes were then found in code and tables, and none was fitted on these rows: hybrid
shards gathered over the network (`fms-fsdp` 72 and 74 % too long, now +7 and -2 %; `internevo` states within a node
agreed by chance and are 9 to 16 % too short, as its single nodes are); weights that are gathered once more to be
computed again, without which one benchmark had put the network at 45 % of its rate, now 60 %, at which five fitted
groups agree best (`zero3` 4 % in the median, from 5.5); states on the host without a master copy, cast all the same
(`torchtune` 70B +171 %, now -19 %); and products of CDNA 3 in FP8, by AMD's own table (`mlperf-amd` adapters 30 %, now
20).

What lies outside still: FSDP of 13B to 70B over four cards of 100 Gbit/s a node (32 to 46 % too long), optimizer states
over 1,024 GPUs (45 % too short), many small micro-batches of nanotron (up to 64 % too short: 90 us of host a kernel),
adapters with 256 tokens (60 to 80 % too long: fewer kernels than transformers') and GPTQ's own products there, and
deterministic kernels on GB200 (40 % too short). The host's speed is not taken for training: steps of adapters on an
A100's host, which are too slow already, would be 33 % too slow in the mean (`qwen-finetune`; 10 % without), so kernels
are miscounted there first.

Ten groups more, 118 judged rows and 35 fitted ones of eight sources, were written down before any was predicted
(`bitsandbytes`, `community`, `gaudi3`, `generate-long`, `llama.cpp-2026`, `maxtext`, `nanotron-more`; fitted
`bitsandbytes`, `generate-h20`, `torchtitan-h200`). As first predicted, median and in range: Gaudi 3 16 % and 96 %; runs
that owners sent in 19 % and 89 %; llama.cpp on new GPUs 11 % and all; MaxText on TPU 29 % and 83 %; nanotron 66 % and
27 %; transformers with a batch or 4 bits 41 % and 33 %, with long prompts or AWQ 41 % and 28 %, with one sequence 31 %
and 44 % (`generate`, known before). The last three had one cause: 0.61 ms a layer of one machine stood for all models
and hosts. Now kernels are counted by kind of layer, their launch is that of the host by its processor's rating
(`hardware/hosts.yaml`), the cache that grows by copies and heads that are repeated are moved as transformers' code
does, and 4-bit matrices of a batch are written out. What a launch takes was fitted on machines with H20, H100 and RTX
4090, and a copy on the H20; no A100 or T4 was. That an A100's host is slower was known from `generate` when the rating
was looked for. TPU took its rates from other architectures; its products are now fitted on two models of MaxText on TPU
v4, which leaves v5e and v5p 2 % off, all in range. Left over: hosts of one processor differ by a third up or down
(virtual machines among them), so that ranges of these engines are wider than of others; a T4's in a cloud is
slower still; LitGPT of 2023 with Phi and Falcon, which joins products and counts as if it did not. nanotron's logs
differ several times over between steps and machines (9.7 and 2.4 s of one run), and a micro-batch on a part of its
layers takes 6 to 8 ms of host a layer; its kernels, and those of torchtitan, torchtune and Unsloth where they are not
compiled, are now started as slowly as transformers' were measured (26 us, from 11). A smaller loss of arithmetic beside
collectives (0.15 to 0.3 of their time, not 0.5) would bring FSDP over four cards a node from 22 to 12 % and automodel
from 15 to 3, and ZeRO-3 from 5 to 16 and DeepSeek-V3 from 4 to 19; fitted groups do not tell them apart (7.1 to 7.5 %
in the mean), so that it was left.

Six groups more, 144 judged rows and 19 fitted ones of ten sources, were written down before any was predicted
(`fms-acceleration`, `llama.cpp-gpus`, `llamafactory`, `packed`, `vectorlm`, `vllm-2026`; fitted rows of the first,
fourth and fifth). As first predicted, median and in range: LLaMA-Factory 8.6 % and 83 %, adapters with 4-bit weights
8.1 % and 93 %, small full trainings 5.3 % and all, packed samples 16 % and all, llama.cpp on 14 kinds of GPU 12.5 % and
91 %, vLLM of 2026 7.1 % and all. Four causes were found. Attention of MPT's tables was Triton's of 2022, which on
Ampere reaches 0.71 of FlashAttention 2 forward and 0.5 backward by the latter's paper; with it told apart, the fitted
rows say 0.63 and 0.53 of the peak for FlashAttention 2 on Ampere (from 0.44 and 0.37: packed 8 %, torchtune 7 from 13,
fms-fsdp 27 from 33; `internevo` 16 from 13 and offloaded states 34 from 30, which were too short already). A residual
stream that autocast leaves in FP32 is moved wider, and cast for each product. Recurrent layers of llama.cpp run some 25
small kernels each (`community` 15 % from 18.5, seen there and counted in its source). What its multiprocessors read of
weights is so much a cycle, 5.5 and 6 bytes by two fitted groups, not a second (the older one 5 % off, from 7; nine
models on 14 kinds of GPU 10 % and all in range, from 11 and 94; A100 of older builds with 4 bits are 20 % too slow).
Left: LLaMA-Factory's rows of 16,384 tokens, which state 70 % of the peak; llama.cpp on V100 with small models (25 to 30
% too fast: it makes no graphs there) and on P100 (the same: no 8-bit products); FSDP over two to four cards of one
host, up to 12 % too short.

Two groups more, 12 judged rows and 8 fitted ones of two sources, were written down before any was predicted (`dgxc`,
`xtuner`; fitted rows of the first). As first predicted: Nemotron-4 340B in NeMo on H100 and GB200 9.4 % in the median,
long sequences of XTuner 8.6 %, the fitted 15B and 405B 6.9 %, all in range. Three causes were found before, in operator
tables and fitted rows. A product that adds to a gradient as it ends waits for 0.35 (A100) to 0.62 (B200) of reading and
writing it, a tenth more of its time where 4,096 tokens are summed. Tensor parallelism in training sends by NCCL's
scatters and gathers, 0.67 to 0.75 of the link and 32 us each; all-reduces of serving engines had been counted (up to
1.04, 4 to 7 us). FlashAttention of 2022 in Triton is as much slower than FlashAttention 2 on Hopper as on Ampere, as
neither has instructions of Hopper; with it Hopper's attention is fitted within what FlashAttention 2 reaches, 0.34 of
the peak, where it lay at the lower limit of 0.30, and its products at 0.67 (0.59 before). Fitted dense steps come out
4.1 % off in the median, 6.4 before, `megatron-b200` 3.6 (judged; 5.5), `own-h200` 6.9 (16), eager steps 6.4 (7.7); FSDP
and ZeRO-3 of one group 8.2 (4.2), mixtures 14 (13). What judges dense steps is told 11 % too short in the mean, by five
groups of 15 (54 rows, 32 % too short: nanotron, optimizer states on hosts, InternEvo, deterministic kernels); the other
93 rows are told 2 % too long, 5.6 % off in the median, 98 % of them in range.

Three groups more, 27 judged rows and 16 fitted ones, were written down before any was predicted (`nemo-docs`, `runs`;
fitted rows of the first; `bridge-26.08` of both): NeMo of 2024 on H100, of 2025 on B200 and GB200, mixtures of 2026,
nanotron's own runs. As first predicted: 7.7 % in the median, 2 % too short in the mean, all in range; dense steps
6.9 %, mixtures 7.7 % (Mixtral 8x7B -3 and +8 %, 8x22B -4 and -10 %), adapters 16 %. Largest: 340B on B200, 29 % too
long. Three things followed. Weights that are gathered once more at once after they were computed again have nothing to
run beside (`zero3` 4.3 % in the median, from 8.2). nanotron's loss moves 52 bytes a logit, not 34, by its source.
Ampere's attention lay at a limit of 0.63, where its paper says up to 0.73: fitted, it is 0.65. With Mixtral's rows the
load ratio is fitted at 1.2, from 1.35: fitted mixtures 4.6 % in the median, from 5.3; judged ones worse, 13.6 from 12.9
and 80 % in range from 95, as gpt-oss was too short already (its router, permutation and rotation are not fused in
Bridge's recipe, which is not counted). What the 54 rows wait for: InternEvo's steps lack 0.45 to 0.6 s each on eight
GPUs, however long, and 3 ms more for each GPU that owns states (reduced to it and sent from it, one after the other);
the 7B of LLaMA is a third slower in all its rows, with or without a host, and its source gives no unit; nanotron's logs
are 20 % too slow with large batches where its own runs of 2025 are 6 and 9 %, and lack 0.04 to 0.4 s for each
micro-batch that goes through a pipeline of two nodes. Nothing of that is counted. Tried, and left: gradients and
weights sent beside all that an interleaved stage has left (340B on B200 to +18 %, GPT-3 of MLPerf from 3.9 to 5.1); a
power of the nodes for the slowest GPU, which seven pairs of fitted steps put at 0.0125 (fitted groups from 6.0 to 5.5 %
in the mean, judged dense steps 10.0 to 10.2 % in the median, mixtures 12.9 to 14.8); arithmetic beside collectives that
loses 0.16 to 0.3 of their time, as arXiv:2507.03114 measured, not 0.5 (no difference in fitted groups, `zero3` 4 to
10 %).

Five groups more, 119 judged rows and nine fitted ones of 22 sources, were written down before any was predicted
(`sglang-cookbook`, `gaudi2`, `jetson`, `strix-halo`, `served-changes`; fitted rows of the first). As first predicted,
median and in the ranges of then: llama.cpp on Strix Halo 6 % and all; rates that changes of vLLM and SGLang print 10 %
and all; Gaudi 2 11 % and 81 %; TensorRT Edge-LLM on a Jetson Thor 19 % and 79 %; SGLang's cookbook 35 % and 56 %, too
fast by 3 % at one sequence and by half at 90. Its fitted rows show the same, and its code why: a prompt is a step of
its own, which no captured graph holds, so that the host starts each kernel and all running sequences wait. What a
kernel takes is fitted on DeepSeek-R1 (60 us, its limit): the cookbook comes to 26 %. The same time for TensorRT-LLM
brought fitted first tokens from 27 to 21 %, but the time per token of Qwen3 235B from 10 to 23: it was not taken. Two
things more are from tables and code, on no row: experts in MXFP4 start in half the time where the silicon has FP4 (gpt-
oss alone on eight B200 +68 to +30 %), and on CDNA grouped products start as much later as plain ones do. MXFP4 on
MI355X had been stated as weights alone (+68 %; now -13). Decoding behind long prompts is stated as prompt and answer
together: the length of a prompt that is not worked on does not enter. Left: latent attention by Triton (GLM-4.7-Flash,
half the time), block-scaled FP8 mixtures on MI300X (25 to 50 % too fast), prompts of Qwen3-Next (60 %), batches of AWQ
on a Jetson (half), and answers of thousands of short requests on Gaudi 2 (50 % too long).

Seven groups more, 142 judged rows and 26 fitted ones of ten sources, were written down before any was predicted
(`sglang-drafts`, `-full`, `-small`, `-mi300x`, `vllm-points`; fitted `nim`, `vllm-4090`), first tokens and times per
token for the first time by themselves. As first predicted, median and in range: times per token of drafting SGLang 11
% and all, of vLLM 4.6 % and all (gpt-oss 18 and 69), on MI300X 23 to 31 % and two of five, of models below 2B 41 %
and 17 %; first tokens 20 to 90 % and 17 to 75; with a full cache SGLang's times per token 2.4 times too long, none in
range, its rates 30 % too high. Two causes were found in code, none fitted on these rows. SGLang keeps a part of its
pool for states, five a request, and tokens of layers with a window for 0.8 of the others' (full caches of Qwen3.6 now
10 to 25 % off; Gemma 4 is half its time still). One process takes in the requests and sends the tokens of a server, 1
ms and 55 us in SGLang, 20 ms and 70 us in TensorRT-LLM, 7 ms a request in vLLM by the fitted rows; first tokens wait
where that binds. Left: SGLang's host of small models (a step of 350M is 1 ms longer), and MI300X from 16 sequences on
(20 to 40 % too fast with SGLang; see below).

Three groups more, 57 judged rows and 82 fitted ones of fourteen sources, were written down before any was predicted
(`qwen3-sglang`, `rapid-mlx`, `served-2026`). As first predicted: one sequence of Qwen3 with SGLang on an H20 8 %, all
in range (rates of the H20 are stated from two of these models); MLX on Macs 23 % too long, as the host was waited for,
13 % now; DeepSeek R1 on 8 H200 5 %, on 8 MI300X 21 % too short, over two nodes of H100 57 %, where NCCL's all-reduces
were missing, 42 % now, and with AWQ in the vLLM of its day 49 %; dense models on RTX PRO 5000 and A100 22 % too short,
on an MI300X, an A6000 and a Thor 1 to 11 % off; first tokens 35 % too short, as equal answers end, and prompts come,
all at once; Qwen3-Coder-Next on an H200 7 times too long, as the row of an older vLLM fills up tiles of experts. LFM2
has no spare states in SGLang, which then overlaps no host work with a step: that is the millisecond of small models.
Exchanges between experts hide behind another half batch where that is asked for (`enable_dbo`), and take from it what
they take in training: DeepSeek's own service on H800 (`deepseek-served`) is predicted 28 % too long a token, 55 %
without. Rates that were computed from both times of the same run are no rows: those times are judged already.

One group more, 68 judged rows of 23 sources, was written down before any was predicted (`served-later`: DGX Sparks
alone and joined, Macs, H20, MI300X and MI355X). As first predicted: 20 % in the median, 7 % too long in the mean, 66
% in range; times per token of mixtures 26 % and 59 %, their first tokens 61 %, dense models 11 % and 82 %. The
largest cause that can be looked up were kernels of CDNA: gpt-oss over eight MI300X was told 65 % too slow and on one
40 % too fast, SGLang's mixtures 15 to 50 % too fast from 16 sequences on. AITER's tables hold what products and
experts take there alone: their arithmetic and traffic add up, where NVIDIA's hide each other; experts start in 23 us,
not 106; those of gpt-oss are unpacked by integers on an MI300X, which adds to reading them. With that the 67 judged
rows of AMD's GPUs are 17 % off in the median (28 before) and 87 % in range (70), times per token 14 % (31) and 89 %
(42), and 24 fitted ones 4 % (7). FP8 with a scale a block runs slower in engines than tuned tables say (one product
of DeepSeek takes 123 us by a published profile, 12 tuned): what its products begin later is fitted on DeepSeek with
SGLang, what its experts do is stated as before. Left: first tokens on MI300X with 16 and 256 at once (twice as long),
Gemma 4 31B with 256, LM Studio's prompts of 146,000 tokens on an M3 Ultra (78 % too long); NVFP4 on a Spark, whose
products read 61 % of the bandwidth (dense 70B 31 % too fast); mixtures over two Sparks (28 to 40 %); gpt-oss with 16
and 32 streams on Sparks is told nearly twice too slow, and on one Spark it beat the bound: 51 of 128 experts would be
read at 16, and take 89 ms, where a token took 73. Text of one book wants the same experts, which no input says: the two
rows of one Spark, and one that does not say what is quantised and beats its bound, were taken out after they had been
predicted and are recorded alone; the two of two Sparks beat none and judge. All gpt-oss rows on Sparks in MXFP4 were
restated after the first prediction and do not judge blindly.

Ranges of serving held 94 to 99 % of the judged points when groups counted by their rows and were left out also where no
other had their engine; now they count alike, and whole answers of mixtures apart. Times of a token are 1.6 wide of
dense models (2 before) and 1.6 of mixtures (3.4), and hold 92 % of the judged points; answers hold 91 %. Those of first
tokens were up to 14 wide, with the wait of a burst in them, and held 81 %; without it, and with three fitted rows of
forty beyond either end (two of mixtures), they are 4 wide, 8.5 beyond 64 sequences, and hold 84 %.
"""
