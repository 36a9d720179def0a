"""What title and question of a scenario say of its fields, where nothing else states them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from memreport.catalogue.cached_tables import Tables
from memreport.catalogue.question.demand import (
    TARGETS,
    demand_asked,
    replicas_stated,
    requests_sent,
    users_asked,
    users_of_all,
)
from memreport.catalogue.question.hardware import host_memory_said
from memreport.catalogue.question.lengths import lengths_asked, prefix_shared
from memreport.catalogue.question.money import energy_price_said
from memreport.catalogue.question.run import hours_of_run
from memreport.catalogue.question.settings import BATCH_SAID, GIGA, network_said, settings_asked
from memreport.catalogue.question.stated import block_of, question_of, variants_of
from memreport.catalogue.question.workload import (
    COMPARED,
    formats_asked,
    is_stated,
    method_asked,
    methods_said,
    objective_asked,
    objectives_said,
)
from memreport.catalogue.records import PROMPT_TOKENS, SEQUENCE_LENGTH
from memreport.catalogue.unstated.engine import frameworks_named
from memreport.catalogue.unstated.formats import formats_known
from memreport.catalogue.unstated.model import hires_gpus
from memreport.catalogue.words.meaning import QUESTION, Meaning, Read, WordRead, said_in_question
from memreport.catalogue.words.tables import settings_of
from memreport.catalogue.yaml.strict import Document
from memreport.errors import plural

READ_AS = "is read as {}, which is not stated"
AS_DEMAND = "is read as a demand, where each user has a request under way all the time"
MOST_AT_ONCE = "max_num_seqs"
AT_ONCE = "so many have a request under way at once"
NOT_STATED = "no method is stated"
LOADS_IN_4_BITS, IN_4_BITS = "unsloth", ", and this trains QLoRA unless it is told otherwise"
"""A framework whose models have 4 bits by default.  Source: Unsloth, FastLanguageModel.from_pretrained."""
GENERATED = "half of each sequence is generated on the same GPUs before a step, as no rollout_tokens are stated"
OFFLOADED_OVER_SEVERAL = "no zero_stage is stated, and over several GPUs offloading goes with ZeRO-3"
GIB, ROLLOUT = 2**30, "rollout_tokens"
ADAPTERS_ALONE = "no method is stated, and only adapters have this"
PEFT_TYPE = "peft_type"
ADAPTERS = frozenset({"lora_rank", "target_modules", "use_dora", PEFT_TYPE, "transformed_layers", "num_virtual_tokens"})
"""Fields that adapters alone have."""
Found = tuple[str, Mapping[str, Any], WordRead]
"""A section, what is stated in it, and how that is read."""


def with_asked(document: Document, words: tuple[WordRead, ...], tables: Callable[[], Tables]) -> Read:
    """The scenario with what is said of it in words, and the words that assume something."""
    data = document.data
    for reading in (
        _method,
        partial(_framework, tables),
        partial(_objective, tables),
        _settings,
        _ranks,
        _host,
        _electricity,
        _hours,
        _network,
        partial(_format, tables),
        _prefix,
        _lengths,
        _demand,
        _users,
    ):
        for section, stated, word in reading(data):
            block = data.get(section, {})
            if isinstance(block, dict):
                data, words = {**data, section: {**block, **stated}}, (*words, word)
    data = _with_targets(data)
    return (document if data is document.data else replace(document, data=data)), words


def _with_targets(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Times of `search:` as targets of a demand that is stated: all GPUs keep them, however many carry the load.

    Where both state a time, the stricter one.
    """
    search, demand = block_of(data, "search"), block_of(data, "demand")
    timed = [name for name in TARGETS if isinstance(search.get(name), int | float)]
    if not demand or not timed or data.get("workload") != "serving":
        return data
    targets = {TARGETS[name]: _stricter(name, search[name], demand.get(TARGETS[name])) for name in timed}
    kept = {name: value for name, value in search.items() if name not in timed}
    return {**data, "demand": {**demand, **targets}, "search": kept}


def _stricter(name: str, limit: float, target: Any) -> Any:
    """The stricter of a limit and a target that a demand states: the shorter wait, the faster pace."""
    if not isinstance(target, int | float):
        return target or limit
    return (max if name.endswith("_per_second") else min)(limit, target or limit)


def _method(data: Mapping[str, Any]) -> Iterator[Found]:
    """Low rank adapters where a question or what belongs to them names them, and no method stands anywhere."""
    if method := method_asked(data):
        settings = settings_of("training", "method", method)
        yield "training", settings, said_in_question(method, NOT_STATED, settings)
        return
    section = block_of(data, "training")
    if (named := ADAPTERS & section.keys()) and not is_stated(data, "method"):
        meaning = Meaning({"method": "lora"}, "PEFT", assumes=ADAPTERS_ALONE)
        name = min(named)
        yield "training", {"method": "lora"}, WordRead(name, str(section[name]), meaning, ("training", name))
    elif not is_stated(data, "method"):
        yield from _methods_of_variants(data)


def _methods_of_variants(data: Mapping[str, Any]) -> Iterator[Found]:
    """The same of variants that name a kind of adapter; a page may have others beside the method that it shows."""
    for variant, block in variants_of(data).items():
        own = {name for name in block if str(name).removeprefix("training.") == PEFT_TYPE}
        if own and data.get("workload") == "training":
            meaning = Meaning({"method": "lora"}, "PEFT", assumes=ADAPTERS_ALONE)
            word = WordRead(min(own), str(block[min(own)]), meaning, ("variants", variant, min(own)))
            yield "variants", {variant: {"training.method": "lora", **block}}, word


def _framework(tables: Callable[[], Tables], data: Mapping[str, Any]) -> Iterator[Found]:
    """What trains, where a question names one framework, and what that takes by default."""
    if data.get("workload") != "training" or is_stated(data, "framework"):
        return
    found = frameworks_named(question_of(data), tables)
    for name, meaning in found.items() if len(found) == 1 else ():
        open_ = meaning.settings["framework"] == LOADS_IN_4_BITS and not is_stated(data, "method")
        usual = settings_of("training", "method", "qlora") if open_ and not methods_said(question_of(data)) else {}
        settings = {**usual, **meaning.unless_stated, **block_of(data, "training"), **meaning.settings}
        read = replace(meaning, assumes=f"{meaning.assumes}{IN_4_BITS}") if usual else meaning
        yield "training", settings, WordRead("question", name, read, QUESTION)


def _objective(tables: Callable[[], Tables], data: Mapping[str, Any]) -> Iterator[Found]:
    """What is learned from: `How much memory does DPO need?`; and that what is rewarded is generated first."""
    if objective := objective_asked(data):
        settings = {"objective": objective}
        yield "training", settings, said_in_question(objective, "no objective is stated", settings)
    if is_stated(data, ROLLOUT) or ROLLOUT in lengths_asked(data):
        return
    length = block_of(data, "training").get("sequence_length", SEQUENCE_LENGTH)
    rollout = {ROLLOUT: length // 2 if isinstance(length, int) else 0}
    if objective and _generates(objective, tables()):
        yield "training", rollout, said_in_question(objective, GENERATED, rollout)
    compared = {said.value for said in objectives_said(question_of(data)).values()}
    for name, block in variants_of(data).items():
        own = block.get("training.objective")
        if own in compared and _generates(own, tables()):
            yield (
                "variants",
                {name: {**block, f"training.{ROLLOUT}": rollout[ROLLOUT]}},
                said_in_question(own, GENERATED),
            )


def _generates(objective: str, tables: Tables) -> bool:
    """Whether the policy generates the answers that it learns from."""
    table = tables["objectives"]
    return bool(table.columns["generates"].values[table.row(objective)])


def _settings(data: Mapping[str, Any]) -> Iterator[Found]:
    """Settings that a question names, such as a batch or FSDP, and those that go with them."""
    named = dict(settings_asked(data))
    for name, said in named.items():
        shared = name == MOST_AT_ONCE and BATCH_SAID.search(question_of(data))  # among the replicas, as users are
        settings = {name: math.ceil(said.value / replicas_stated(data)) if shared else said.value}
        word = said_in_question(said.words, "it is not stated", settings, places=said.places)
        yield str(data["workload"]), settings, word
    if "optimizer_offload" in named and "zero_stage" not in named and _shares(data):
        stage = {"zero_stage": 3}
        yield "training", stage, said_in_question(named["optimizer_offload"].words, OFFLOADED_OVER_SEVERAL, stage)


def _ranks(data: Mapping[str, Any]) -> Iterator[Found]:
    """As many GPUs as a model is spread over, where a question says that and not how many there are."""
    hardware, block = data.get("hardware"), block_of(data, str(data.get("workload")))
    stated = isinstance(hardware, dict) and ("count" in hardware or "hardware.count" in str(data.get("variants")))
    sizes = [block.get(f"{kind}_parallel_size", 1) for kind in ("tensor", "pipeline", "context")]
    if isinstance(hardware, dict) and not stated and all(isinstance(size, int) for size in sizes):
        count = math.prod(sizes)
        if count > 1:
            yield "hardware", {"count": count}, said_in_question("parallel", READ_AS.format(f"{count} GPUs"))


def _shares(data: Mapping[str, Any]) -> bool:
    """Whether there are several GPUs, and nothing says how they share what is trained."""
    hardware = data.get("hardware")
    several = isinstance(hardware, dict) and hardware.get("count", 1) != 1
    return several and not is_stated(data, "zero_stage")


def _host(data: Mapping[str, Any]) -> Iterator[Found]:
    """Memory of the machine that GPUs stand in: `one RTX 4090 with 64 GB of RAM`."""
    said = host_memory_said(question_of(data))
    if said and not is_stated(data, "host_memory_bytes"):
        assumes = "is read as host_memory_bytes, which are not stated"
        yield (
            "overrides",
            {"host_memory_bytes": said.value * GIB},
            said_in_question(said.words, assumes, places=said.places),
        )


def _electricity(data: Mapping[str, Any]) -> Iterator[Found]:
    """What electricity costs: `at $0.30 per kWh`."""
    said = energy_price_said(question_of(data))
    if said and said.value and not is_stated(data, "usd_per_kilowatt_hour") and not is_stated(data, "energy_price"):
        assumes = READ_AS.format("usd_per_kilowatt_hour")
        word = said_in_question(f"${said.value:g} a kWh", assumes, places=said.places)
        yield "overrides", {"usd_per_kilowatt_hour": said.value}, word


def _hours(data: Mapping[str, Any]) -> Iterator[Found]:
    """How long a training goes on, in hours: `train on 8 H100 for a week`."""
    if said := hours_of_run(data):
        word = said_in_question(said.words, READ_AS.format("training_hours"), places=said.places)
        yield "overrides", {"training_hours": said.value, "hours": said.value}, word


def _network(data: Mapping[str, Any]) -> Iterator[Found]:
    """The network between nodes: `2 nodes of 8 H100 with 10 Gbit ethernet`."""
    count = block_of(data, "hardware").get("count", 1)
    said = network_said(question_of(data), count if isinstance(count, int) else 1)
    if said and not is_stated(data, "network_bytes_per_second"):
        assumes = f"is read as {said.value / GIGA:.3g} GB/s of network for each GPU"
        word = said_in_question(said.words, assumes, places=said.places)
        yield "overrides", {"network_bytes_per_second": said.value}, word


def _format(tables: Callable[[], Tables], data: Mapping[str, Any]) -> Iterator[Found]:
    """The format of weights, where it is one that is known, and not one of two that are compared."""
    compares = bool(COMPARED.search(question_of(data)))
    known = [*formats_known(formats_asked(data), tables)]
    several = len(known) > 1 or not data.get("variants")
    if known and not (several and compares):
        found = known[0].value
        word = said_in_question(found, READ_AS.format("weight_dtype"), places=known[0].places)
        yield "serving", {"weight_dtype": found}, word


def _prefix(data: Mapping[str, Any]) -> Iterator[Found]:
    """What prompts of a service begin with alike, which is cached once."""
    if data.get("workload") != "serving" or is_stated(data, "prefix_cached_share"):
        return
    prompt = lengths_asked(data).get("prompt_tokens")
    if said := prefix_shared(question_of(data), prompt.value if prompt else PROMPT_TOKENS):
        assumes = f"is read as {said.value['shared_prefix_tokens']:,.0f} tokens of all prompts that are cached once"
        yield "serving", said.value, said_in_question(said.words, assumes, places=said.places)


def _lengths(data: Mapping[str, Any]) -> Iterator[Found]:
    """Lengths of prompts, answers and contexts."""
    for name, said in lengths_asked(data).items():
        word = said_in_question(f"{said.value:,} tokens", READ_AS.format(name), places=said.places)
        yield str(data["workload"]), {name: said.value}, word


def _demand(data: Mapping[str, Any]) -> Iterator[Found]:
    """The demand that the question of a service states."""
    hired = hires_gpus(question_of(data), data.get("model"))  # which carry nobody's demand
    if not hired and (demand := demand_asked(data)):
        amounts = (f"{name} {value:g}" for name, value in demand.value.items() if isinstance(value, int | float))
        sent = requests_sent(question_of(data))
        spread = f" ({sent.value.words})" if sent and sent.value.words else ""
        word = said_in_question(", ".join(amounts) + spread, AS_DEMAND, places=demand.places)
        yield "demand", demand.value, word


def _users(data: Mapping[str, Any]) -> Iterator[Found]:
    """As many sequences at once as the question of a service names users, shared out among the replicas of each."""
    of_all = users_of_all(data)
    if of_all and (users := users_asked(data)):
        settings, found = {MOST_AT_ONCE: users.value}, f"{of_all.value:,.0f} {plural('user', of_all.value)}"
        shared = users.value != of_all.value
        for name, block in variants_of(data).items():
            if own := users_asked(_as_variant(data, block)):
                at_once = {name: {**block, f"serving.{MOST_AT_ONCE}": own.value}}
                yield "variants", at_once, said_in_question(found, AT_ONCE)
        yield "serving", settings, said_in_question(found, AT_ONCE, {} if shared else settings, places=users.places)
        if shared or of_all.value == 1:  # so many, however many replicas there are
            beside = said_in_question(found if shared else "nobody beside", AT_ONCE)
            yield "search", {"concurrency": math.ceil(of_all.value)}, beside


def _as_variant(data: Mapping[str, Any], block: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of one of its variants, as far as that says where it runs and how it is spread."""
    parts = {part: block_of(data, part) for part in ("hardware", "serving")}
    own = {part: {**stated, **_in_section(block, part)} for part, stated in parts.items()}
    return {**data, **own, "variants": {}}


def _in_section(block: Mapping[str, Any], part: str) -> dict[str, Any]:
    return {name.partition(".")[2]: value for name, value in block.items() if name.partition(".")[0] == part}
