"""Settings that a question names: the stage of ZeRO, batches, ranks, parallelism, what saves memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memreport.catalogue.question.hardware import ONE_GPU, OTHERS
from memreport.catalogue.question.lengths import BATCH_OF_LENGTH
from memreport.catalogue.question.model import POOLED
from memreport.catalogue.question.numbers import BATCH_OF, Said, Words, by_words, matched, numbers_in
from memreport.catalogue.question.stated import IS, question_of
from memreport.catalogue.question.workload import CACHE_SIZED, COMPARED, is_stated

BATCH = (
    rf"(?!(?<=\d ){BATCH_OF_LENGTH})(?<!global )(?<!total )(?<!effective )\b"
    rf"(?:micro[ -]?)?batch(?:[ _-]size)?{IS}<digits>\b"
)
BATCH_SAID = Words(BATCH)
WHOLE_ENDS = ("embed_tokens", "lm_head")
OF_EXPERTS = ("mlp.experts.gate_up_proj", "mlp.experts.down_proj")
EVERY_LAYER = 1000
"""More layers than any model has."""
ACCUMULATED = (
    rf"\bgrad(?:ient)?[ _-]?acc(?:um(?:ulation)?)?(?:[ _-]steps)?{IS}<digits>\b"
    r"|\b<digits> (?:gradient )?accumulation steps\b"
)
KINDS = {"TP": "tensor", "PP": "pipeline", "EP": "expert"}
SPREAD = {
    f"{kind}_parallel_size": (
        rf"\b{called} ?=? ?<digits>\b|(?<!expert[ _-])\b{kind}[ _-]parallel\w*(?:[ _-]size)?{IS}<digits>\b"
    )
    for called, kind in zip(map(str.lower, KINDS), KINDS.values(), strict=True)
}
ZERO = r"\bzero[ -]?(?=[123]\b)<digits>"
STAGES = {
    r"\bddp\b|(?<!sharded )\bdata[ -]parallel\b": 0,
    r"\bzero[ -]?1\b": 1,
    r"\bzero[ -]?2\b": 2,
    r"\b(?:zero[ -]?3|fsdp2?)\b": 3,
}
"""Ways to share states over GPUs, and the stage of ZeRO that each is."""
HYBRID = r"\bhsdp\b|\bhybrid[- ]shard\w*"
LAYOUTS = {
    called: (f"{kind}_parallel_size", rf"\b(?:{called.lower()}|{kind}[ -]parallel\w*)")
    for called, kind in KINDS.items()
}
"""Ways to spread a model over GPUs: the field of each, and the words that name it."""
NO_TEXTS = rf"(?! (?:{BATCH_OF})\b)"
"""What does not stand behind a rank: `rank 100 documents` sorts these."""
NUMBERS_SAID = {
    "training": {
        "zero_stage": ZERO,
        "micro_batch_size": rf"{BATCH}(?! prompts\b)",
        "gradient_accumulation_steps": ACCUMULATED,
        "model_flop_utilization": r"<share> mfu\b|\bmfu (?:of |is |at |= ?)?<share>",
        "context_parallel_size": rf"\bcp ?=? ?<digits>\b|\bcontext[ _-]parallel\w*(?:[ _-]size)?{IS}<digits>\b",
        "lora_rank": (
            rf"(?<!galore )(?<!apollo )(?<!re-)\b(?:rank|(?<=lora )r){IS}<digits>\b{NO_TEXTS}|\br ?= ?<digits>\b"
        ),
        "galore_rank": rf"\b(?:galore|apollo)\w*(?: with| of| at)? rank{IS}<digits>\b",
        "expert_tensor_parallel_size": rf"\betp ?=? ?<digits>\b|\bexpert[ _-]tensor[ _-]parallel\w*{IS}<digits>\b",
        "virtual_pipeline_parallel_size": (
            r"\bvpp ?=? ?<digits>\b|\b<digits> (?:virtual|model) (?:pipeline )?(?:stages|chunks)\b"
        ),
        "moe_expert_capacity_factor": rf"\bcapacity[ _-]factor{IS}<number>",
        "data_parallel_shard_degree": (
            r"\b<digits>[ -]way (?:fsdp|shard\w*)|\b(?:hsdp|hybrid shard\w*)\b[^?.]{0,20}?\b<digits> shards\b"
        ),
        "zero_hpz_partition_size": rf"\bhpz(?:[ _-]partition[ _-]size)?{IS}<digits>\b",
        "num_virtual_tokens": r"\b<digits> virtual tokens\b",
        "images_per_sequence": r"\b<digits> images? (?:per|in each) (?:sample|sequence|example)\b",
        "rollout_memory_share": (
            rf"\brollout\w*[^,.?]{{0,20}}\bmemory[ _-](?:utili[sz]ation|share){IS}<share>"
            r"|<share> (?:gpu )?memory[ _-]utili[sz]ation (?:for|of) (?:the )?rollouts?\b"
        ),
        **SPREAD,
    },
    "serving": {
        "max_num_seqs": rf"{BATCH}|\bmax[ _-]num[ _-]seqs{IS}<digits>\b",
        **SPREAD,
        "speculative_tokens": r"\b<digits> (?:drafted|draft|speculative) tokens\b",
        "gpu_memory_utilization": (
            rf"\b(?:gpu[ _-])?memory[ _-](?:utili[sz]ation|share){IS}<share>"
            r"|<share> (?:of )?(?:gpu )?memory[ _-]utili[sz]ation\b"
        ),
        "max_loras": r"\b<digits> (?:different )?(?:(?:lora )?adapters?|loras)\b",
        "max_lora_rank": rf"(?<!re-)\brank{IS}<digits>\b{NO_TEXTS}",
        "decode_context_parallel_size": rf"\bdcp ?=? ?<digits>\b|\bdecode[ _-]context[ _-]parallel\w*{IS}<digits>\b",
    },
}
"""Fields whose number a question names, and the words with it."""
NUMBERS = {section: {name: Words(words) for name, words in of.items()} for section, of in NUMBERS_SAID.items()}
CACHES = {"(?:fp8|8[ -]?bit)": "fp8", "q8(?:_0)?": "q8_0", "q4(?:_0)?": "q4_0"}
CACHES |= {name: name for name in ("int8", "fp16", "bf16", "nvfp4")}
"""Types of a cache, as questions name them."""
CACHED = {
    rf"\b{said} (?:kv[ -]?)?cache\b|\bkv[ -]?cache (?:in|at|of|with|as|to) {said}\b"
    rf"|{CACHE_SIZED}[^?]*(?<!\d[bm]) (?P<said>in {said})\b": known
    for said, known in CACHES.items()
}
"""What is said of the type of a cache: of it alone, where nothing but its size is asked for."""
OFFLOADED = (
    r"\b(?:cpu|host|optimi[sz]er|zero(?:[ -]?(?:[123]|infinity))?)[ -]off-?load\w*|\boff-?load\w* (?:the )?optimi[sz]er"
)
OF_THE_HOST = r"^(?=.*\bfsdp)[^?]*(?P<said>\bcpu[ -]off-?load\w*)|\b(?:param(?:eter)?s?|weights?)[ -]off-?load\w*"
ON_DISK = r"\bzero[ -]?infinity\b[^?]*\bnvme\b|\bnvme[ -]off-?load\w*|\boff-?load\w* to (?:nvme|disk|ssd)s?\b"
CHECKPOINTED = r"(?:\b(?:with|using|and|plus|enabling)|[,+]) (?:full )?(?:(?:gradient|activation) )?checkpointing\b"
BYTE, PLAIN = r"8[ -]?bit", r"(?<!bit )(?<!bit-)(?<!paged )(?<!galore[ -])(?<!apollo[ -])"
NAMED_SO = r"(?:\b(?:with|using|use|uses|by|or|vs\.?|versus|than|and|does|do|optimi[sz]er)[ =:]+(?:the )?|, )"
"""What stands before a word of everyday speech that is the name of an optimizer: `with Muon`, no `SOAP notes`."""
OPTIMIZERS = {
    rf"(?<!paged )(?<!torchao )\b(?:{BYTE} adam\w*|adamw?[ -]{BYTE}\b)": "adamw-8bit",
    rf"{PLAIN}\badamw?\b(?! ?-?8)(?! (?:in|with) bf16)(?! ?-?mini)": "adamw",
    rf"\bpaged (?:{BYTE} adam\w*|adamw?[ -]{BYTE}\b)": "paged-adamw-8bit",
    r"\bpaged adamw?\b(?! ?-?8)": "paged-adamw",
    rf"\btorchao (?:{BYTE} adam\w*|adamw?[ -]{BYTE}\b)": "adamw-8bit-torchao",
    r"\badamw? (?:in|with) bf16(?: states| moments)?\b": "adamw-bf16",
    r"\bbf16 (?:adamw? |optimi[sz]er )(?:states|moments)\b": "adamw-bf16",
    r"\badam-?mini\b": "adam-mini",
    r"\bgalore(?:-adamw?)?\b": "galore-adamw",
    rf"{NAMED_SO}(?P<said>apollo(?:-adamw?)?)\b|\bapollo optimi[sz]er": "apollo-adamw",
    r"\blomo\b": "sgd",
    rf"{NAMED_SO}(?P<said>lion)\b(?![ -]{BYTE})|\blion optimi[sz]er": "lion",
    rf"\b(?:{BYTE} lion|lion[ -]{BYTE})\b": "lion-8bit",
    **{
        rf"{NAMED_SO}(?P<said>{name})\b|\b{name} (?:optimi[sz]er|states?\b|vs\b|versus\b|or\b|instead\b)": name
        for name in ("muon", "shampoo", "soap")
    },
    **{rf"\b{name}\b": name for name in ("adafactor", "sgd", "mezo", "ademamix", "rmsprop", "adagrad")},
}
"""Optimizers as questions name them."""
A_DRAFT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b (?:as (?:an? |the )?)?(?:draft|assistant|speculative)(?: model)?\b")
"""The model that drafts, by its size in billions of parameters."""
DISAGGREGATED = r"\b(?:disaggregat\w+|p/?d (?:separation|disaggregation))\b"
DRAFTED, DRAFTED_TOKENS = r"\bspeculati(?:ve|on)\b(?: decod\w+)?|\b(?:eagle-?[23]?|medusa|mtp)\b", 3
"""Tokens that are drafted before the model itself reads them, and how many where nobody says."""
PRECISIONS = {
    r"\b(?:fp8|float8)\b(?! (?:kv|cache|base))": "fp8",
    r"\bmxfp8\b": "mxfp8",
    r"\btf32\b": "tf32",
    r"\b(?:nvfp4|fp4)\b": "nvfp4",
    r"\bfp32\b(?! (?:grad|logit|master|state|moment|norm|loss|copy|reduc))": "fp32",
    r"\bfp16\b(?! (?:grad|logit|base|weight))": "fp16-mixed",
}
"""Number formats in which a training multiplies, as questions name them."""
USUAL_PRECISION = {r"\b(?:bf16|bfloat16)\b(?! (?:grad|logit|base|weight|moment|state))": "bf16-mixed"}
"""What trains unless another is said, and is named where it is weighed against one."""
WITH = r"(?<!without )(?<!no )\b"
IN_TITAN = r"^(?=.*\btorchtitan\b).*"
"""Words that torchtitan means in a way of its own, wherever it is named."""
SELECTIVE = r"\bselective (?:activation |gradient )?(?:checkpoint|recomput|ac\b)\w*"
LOSSES = {
    r"\bchunked (?:cross[- ]entropy|ce|loss)\b": "chunked",
    r"\bfused[- ]linear (?:cross[- ]entropy|ce|loss)\b|\bflce\b|\bcut[- ]cross[- ]entropy\b": "fused-linear",
    r"\bloss[- ]parallel\w*": "loss-parallel",
    r"\blogits in (?:bf16|bfloat16)\b|\b(?:bf16|bfloat16) logits\b": "bf16-logits",
    r"\blogits in fp32\b|\bfp32 logits\b": "fp32-logits",
}
EVERY = r"\b(?:every|each) (?:{}) layer\b"
SCHEDULES = {
    r"\bgpipe\b": "gpipe",
    r"\b1f1b\b": "1f1b",
    r"\bzero[ -]bubble\b|\bzb-?h1\b": "zb-h1",
    r"\bzb-?h2\b": "zb-h2",
    r"\bzb-?v\b": "zb-v",
    r"\bdual-?pipe\b": "dualpipe",
    r"\bdual-?pipe-?v\b": "dualpipe-v",
}
RECIPES = {
    r"\brow-?wise\b": "torchao-rowwise",
    r"\btensor-?wise\b|\bcurrent scaling\b": "te-tensorwise",
    rf"{IN_TITAN}(?P<said>\btensor-?wise\b)": "torchao-tensorwise",
    r"\bdelayed scaling\b": "te-delayed",
    r"\bblock-?wise (?:fp8|scal\w+)|\bfp8 block-?wise\b": "te-blockwise",
}
CHOICES_SAID: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "training": {
        "zero_stage": {rf"\bfsdp2?\b|\bzero[ -]?infinity\b|{HYBRID}": 3},
        "gradient_checkpointing": {
            CHECKPOINTED: "full",
            r"\bfull (?:activation |gradient )?(?:recomput|checkpoint)\w*": "full",
            SELECTIVE: "selective",
            rf"{IN_TITAN}(?P<said>{SELECTIVE})": "selective-op",
            EVERY.format("second|other|2nd|third|3rd|fourth|4th"): "every-nth",
        },
        "checkpoint_interval": {
            EVERY.format("second|other|2nd"): 2,
            EVERY.format("third|3rd"): 3,
            EVERY.format("fourth|4th"): 4,
        },
        "loss": LOSSES,
        "activation_offload": {r"\bactivations?[ -]off-?load\w*|\boff-?load\w* (?:the )?activations?\b": True},
        "optimizer_in_backward": {
            r"\boptimi[sz]er[ -]in[ -](?:the[ -])?(?:backward|bwd)\b|\bgradient release\b|\b(?:ada)?lomo\b": True
        },
        "fp8_recipe": RECIPES,
        "enable_fsdp_float8_all_gather": {r"\b(?:fp8|float8) all-?gather\b": True},
        "reduce_dtype": {r"\b(?:fp32 (?:gradient )?reduc\w+|reduc\w+ in fp32)\b": "fp32"},
        "hybrid_shard": {HYBRID: True},
        "pipeline_schedule": SCHEDULES,
        "virtual_pipeline_parallel_size": {r"\binterleaved (?:1f1b|pipeline|schedule|stages?)\b": 2},
        "target_modules": {r"\ball[ -](?:the )?linear(?: layers)?\b": "all-linear"},
        "freezes_towers": {r"\bfr(?:eez\w+|ozen) (?:the )?(?:vision|visual|image)[ _-](?:tower|encoder)s?\b": True},
        "length_pattern": {
            r"\bpadded\b": "padded",
            r"\bpacked\b|\bpacking\b": "packed",
            r"\bpadding-free\b": "padding-free",
        },
        "modules_to_save": {
            r"\blm[_ ]?head (?:saved|trained)\b|\bmodules_to_save[^?]*\blm_head\b": ("lm_head",),
            r"\bembed_tokens\b[^?]*\blm_head\b|\btrain\w* (?:the )?embeddings? and (?:the )?head\b": WHOLE_ENDS,
        },
        "target_parameters": {
            r"\blora (?:on|of|for) (?:the |all )?(?:routed )?experts\b(?! (?:in|of|at)\b)"
            r"|\bexperts? (?:lora|adapters)\b": OF_EXPERTS
        },
        "base_weight_dtype": {r"\bgptq\b": "int4", r"\bawq\b": "awq"},
        "rollout_sleeps": {r"\bsleep[ _]mode\b|\b(?:engine|vllm|sglang|rollouts?) sleeps?\b": True},
        "optimizer": OPTIMIZERS,
        "optimizer_offload": {OFFLOADED: "cpu", ON_DISK: "nvme"},
        "parameter_offload": {OF_THE_HOST: "cpu", ON_DISK: "nvme"},
        "precision": {**PRECISIONS, rf"{IN_TITAN}(?P<said>\b(?:fp8|float8)\b)": "fp8-autocast"},
        "torch_compile": {rf"{WITH}torch[. ]compile\b": True},
        "use_liger_kernel": {rf"{WITH}liger\b": True},
    },
    "serving": {
        "pooling": {POOLED: True},
        "kv_cache_dtype": CACHED,
        "disaggregated": {DISAGGREGATED: True},
        "speculative_tokens": {DRAFTED: DRAFTED_TOKENS},
        "enforce_eager": {r"\benforce[ _-]eager\b|\b(?:without|no) cuda graphs?\b": True},
        "flash_attention": {r"\b(?:without|no) flash[ -]?att\w+": False},
        "n_cpu_moe": {r"\bexperts (?:on|in|to) (?:the )?(?:cpu|host|ram)\b|\bcpu[ _-]moe\b": EVERY_LAYER},
    },
}
"""Fields whose choice a question names: the words, and the choice that each stands for."""
MOST = 10**6
NEXT_NUMBER = re.compile(
    r"(?:,| ?,? (?:or|vs\.?|versus|against|than|and|compared (?:to|with))) (\d{1,6})(?![\w.,]*\d)"
    rf"(?! ?(?:[x×%]|[kmb]\b|gi?b\b|replicas|copies|nodes|{OTHERS}|{ONE_GPU}))"
)
"""A further number of the same, behind which nothing else is counted."""
NETWORK = re.compile(
    r"\b(?:(?P<links>\d+) ?x ?)?(?P<speed>\d+(?:\.\d+)?) ?(?P<unit>gbit/?s?|gbps|gbe|g|gigabit)[ -]?"
    r"(?P<kind>ethernet|infiniband|ib|network\w*|roce|interconnect|nics?|lan)?\b(?P<each> (?:per|for each|a) gpu)?"
)
"""The network between nodes: `10 Gbit ethernet`, `25GbE`, `400G InfiniBand per GPU`."""
NODES = Words(r"\b<digits> (?:nodes|servers|machines)\b")
RAILS_FROM, A_NODE, BITS_PER_BYTE, GIGA = 200, 8, 8, 10**9
"""Gbit/s from which InfiniBand joins each GPU by a link of its own, as in DGX A100 and later; GPUs of such a node."""


def network_said(question: str, gpus: int) -> Said[float] | None:
    """Bytes a second of each GPU's share of the network that a question in small letters names."""
    said = next((each for each in NETWORK.finditer(question) if each["kind"] or each["unit"] == "gbe"), None)
    if said is None:
        return None
    rate = float(said["speed"]) * int(said["links"] or 1) * GIGA / BITS_PER_BYTE
    nodes = NODES.whole(question)
    node = gpus // nodes.value if nodes and nodes.value else min(gpus, A_NODE)
    own = said["each"] or (said["kind"] in ("infiniband", "ib") and float(said["speed"]) >= RAILS_FROM)
    return matched(said, rate / (1 if own and not said["links"] else max(node, 1))).with_(nodes)


Choices = Mapping[str, Said[Any]]
"""What a question may leave the choice between, by its words."""


NEGATED = re.compile(r"\b(?:no|not|never|without|disabl\w+|turn\w* off) (?:the |any |an? |using |use )?$")
"""What stands before a setting that a question goes without."""


def _chosen(question: str, known: Mapping[str, Any]) -> Iterator[Said[Any]]:
    """Each of some patterns that stands in a question, as what it stands for."""
    for words, value in known.items():
        said = (_matched(each, value) for each in re.finditer(words, question))
        if found := [each for each in said if not NEGATED.search(question[: each.places[0].start])]:
            yield found[0].with_(*found[1:])


def _matched(match: re.Match[str], value: Any) -> Said[Any]:
    """What a match says, by the part of it that is marked where one is."""
    part = "said" if match.groupdict().get("said") else 0
    return Said(value, match[part], (range(*match.span(part)),))


def stages_said(question: str) -> Choices:
    """Each way to share states that a question in small letters names, and its stage of ZeRO."""
    return by_words(_chosen(question, STAGES))


def layouts_said(question: str, gpus: int) -> Choices:
    """Each way to spread a model that a question in small letters names: by its sizes, or over all GPUs by one kind."""
    sized = {**sizes_said(question), **_copies_said(question)}
    if len(sized) > 1 and not _are_alternatives(question, sized):
        return {}
    kinds = {
        called: Said({field: gpus}, called)
        for called, (field, words) in LAYOUTS.items()
        if re.search(rf"{words}(?! ?=?\d)", question)
    }
    return sized if len(sized) > 1 else kinds if gpus > 1 else {}


def _are_alternatives(question: str, sized: Choices) -> bool:
    """Whether sizes are compared: two of one kind, or `or` between them; those of several kinds go together else."""
    if len({field for said in sized.values() for field in list(said.value)[:1]}) < len(sized):
        return True
    starts = [place.start for said in sized.values() for place in said.places]
    return question.startswith("compare") or bool(COMPARED.search(question[min(starts) : max(starts)]))


def _copies_said(question: str) -> Choices:
    """Copies of a whole model, one a GPU, as what a layout is weighed against: `TP 2 or DP 2`."""
    said = re.search(r"\b(?:dp|data[ -]parallel\w*)[ =]?(\d+)\b|\b(\d+) (?:replicas|copies)\b", question)
    alone = {"tensor_parallel_size": 1, "pipeline_parallel_size": 1}
    return {f"DP {said[1] or said[2]}": matched(said, alone)} if said else {}


def sizes_said(question: str) -> Choices:
    """Each size of a kind of parallelism that a question in small letters names, and the field that it is of."""
    found = (
        matched(each, {field: int(each[1])}, f"{called} {each[1]}")
        for called, (field, words) in LAYOUTS.items()
        for each in re.finditer(rf"{words}(?: size)?(?: of)?[ =]?(\d+)\b", question)
    )
    return by_words(each for each in found if all(0 < size <= MOST for size in each.value.values()))


def optimizers_said(question: str) -> Choices:
    """Each optimizer that a question in small letters names."""
    return by_words(said.as_(said.value, said.value) for said in _chosen(question, OPTIMIZERS))


def precisions_said(question: str) -> Choices:
    """Each number format that the question of a training, in small letters, names."""
    found = _chosen(question, {**PRECISIONS, **USUAL_PRECISION})
    return by_words(
        said.as_(said.value, said.words.upper()) for said in sorted(found, key=lambda each: each.places[0].start)
    )


def numbers_compared(question: str, workload: str) -> Iterator[Choices]:
    """Of each field that a question in small letters names with several numbers, these: `rank 8 vs rank 256`."""
    for field, words in NUMBERS.get(workload, {}).items():
        found = [each for said in words.compiled.finditer(question) for each in _numbers_in_row(question, said, field)]
        if field not in (*SPREAD, "zero_stage") and len({str(each.value) for each in found}) > 1:
            yield by_words(found)


def _numbers_in_row(question: str, said: re.Match[str], field: str) -> Iterator[Said[dict[str, float]]]:
    """The number of a field, and those that stand behind it without its name: `gradient accumulation 16 vs 1`."""
    number = numbers_in(said)[0]
    name = said[0].removesuffix(f"{number:g}").strip(" =:")
    yield matched(said, {field: _whole(number)}, f"{name} {number:g}")
    behind = NEXT_NUMBER.match(question, said.end()) if number >= 1 else None  # no share of a whole has whole numbers
    while behind:
        yield matched(behind, {field: int(behind[1])}, f"{name} {behind[1]}")
        behind = NEXT_NUMBER.match(question, behind.end())


def settings_named(question: str, workload: str) -> Iterator[tuple[str, Said[Any]]]:
    """Fields that a question in small letters names, and what it says of them; none that it names twice."""
    for name, found in {**_choices(question, workload), **_numbers(question, workload)}.items():
        if len({said.value for said in found}) == 1:
            yield name, found[0].with_(*found[1:])


def settings_asked(data: Mapping[str, Any]) -> Iterator[tuple[str, Said[Any]]]:
    """The same of a scenario, where nothing states them."""
    named = settings_named(question_of(data), str(data.get("workload")))
    yield from (found for found in named if not is_stated(data, found[0]))
    if (draft := A_DRAFT.search(question_of(data))) and data.get("workload") == "serving":
        yield "draft_parameters", matched(draft, round(float(draft[1]) * GIGA))
        if not re.search(DRAFTED, question_of(data)):
            yield "speculative_tokens", matched(draft, DRAFTED_TOKENS)


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else round(number, 6)


def _numbers(question: str, workload: str) -> dict[str, list[Said[float]]]:
    said = {name: words.numbers(question) for name, words in NUMBERS.get(workload, {}).items()}
    found = {
        name: [each.as_(_whole(each.value)) for each in every if 0 < each.value <= MOST] for name, every in said.items()
    }
    return {name: every for name, every in found.items() if every}


def _choices(question: str, workload: str) -> dict[str, list[Said[Any]]]:
    """Of the patterns of a field the last that stands there."""
    chosen = {name: [*_chosen(question, words)] for name, words in CHOICES_SAID.get(workload, {}).items()}
    return {name: [each for each in found if each.value == found[-1].value] for name, found in chosen.items() if found}
