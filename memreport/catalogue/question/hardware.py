"""The GPUs that a question names, and those that it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from memreport.catalogue.question.lexer import PEOPLE
from memreport.catalogue.question.model import SIZE_SAID
from memreport.catalogue.question.numbers import BATCH_OF, STATED, Said, Words, matched, number_said, numbers_in
from memreport.catalogue.question.workload import ENERGY, WORDS_OF

OTHERS = (
    rf"{PEOPLE}|sequences|tokens|{BATCH_OF}|adapters|hours|days|weeks|months"
    "|epochs|steps|samples|examples|layers|parameters|watts|kw|kwh|kilowatts|flops|dollars"
)
MAKER = (
    r"(?:(?:nvidia|amd|geforce|instinct|radeon|apple|tesla"
    r"|spot|on-?demand|preemptible|interruptible|reserved|rented|leased|used|new|second-?hand|refurbished|cloud) )*"
)
"""What stands between the number and the name of GPUs: whose they are, and on which terms they are had."""
OF_THE_HOST = (
    r"(?:(?:(?:host|system|cpu|main) )?ram|(?:host|system|cpu|main) memory|ddr\d(?:[ -]?\d{4})?(?: (?:ram|memory))?"
    r"|memory (?:in|of|on) (?:the|my|our|its|an?) (?:pc|host|machine|server|computer|workstation|system|desktop|rig))\b"
)
ITS_MEMORY = rf"(?:with )?\(?\d+[ -]?gi?b\b\)?(?! (?:of )?{OF_THE_HOST})"
SIZE = rf"(?:[ -](?:ti|super|ada|pro|sxm\d?|pcie|nvl(?!\d)|xtx|xt|{ITS_MEMORY}))*"
OTHER_NAMES = (
    r"ryzen ai max\+?(?: 395)?|arc (?:pro )?[ab]\d{2,3}|gaudi ?[23]|tpu v\d[ep]?|trainium ?[12]?|inferentia ?2"
    r"|quadro rtx \d+|titan (?:rtx|v)|p(?:4|40|100)\b|(?:ai pro )?r9700|(?:pro )?w7900|jetson [\w ]*(?:orin|thor)\b"
    rf"(?: (?:nano|nx|agx))?{SIZE}"
)
"""GPUs that are called otherwise than by letters and a number."""
A_SLICE = r"[2-6](?:[ep]\b|[ep]?-\d|[ep]?litepod)"  # of a TPU, and no version of a model: `DeepSeek-V4-Flash`
NAME = (
    rf"(?:dgx[ -]spark|(?:(?:rtx|rx|gtx)[ -]?(?:pro |a)?|mi|gb|gh|[abhlt]|v(?=\d\d|{A_SLICE}))\d{{1,4}}[a-z]*{SIZE}"
    rf"|(?<![\w.-])(?<!minimax )m[1-5](?: (?:max|ultra|pro))?\b|[2-5]0[5-9]0(?:s|ti)?\b{SIZE}|{OTHER_NAMES})"
)
"""A GPU by name."""
ONE_GPU = rf"(?:gpu|card|accelerator|{NAME})"
OF_TIMES = "[ -]?(?:gpu[ -]?)?(?:hours|days)"
OF_GPUS = rf"(gpus|accelerators|cards|nodes|machines|rtx(?! \d)|{NAME}s?|\d{{4}}s?)\b(?!{SIZE}{OF_TIMES})"
FEWEST = r"(?:(?:number|count) of|fewest|minimum(?: number of)?)"
GPUS_COUNTED = rf"(?:how many ((?!({OTHERS})\b)[\w-]+ ){{0,3}}|\b{FEWEST} ([\w-]+ ){{0,2}}){OF_GPUS}"
REPAID = r"\b(?:pa(?:ys?|id) (?:off|back|for itself)|break[- ]?evens?)\b"
BASIS = r"\b(rent|buy|own)(ing)?\b"
BESIDE = r"\b(or|against|versus|vs|than|over|instead of|compared (to|with))\b"
A_TERM = "(?:hour|day|week|month|year)"
FOR_GPUS = (
    rf" (?:in all |total )?for (?:all |the )?(?:(?:{STATED}|an?) )?(?:[x×] ?)?(?:new |used )?{NAME}s?\b"
    rf"(?! (?:for|per|an?|each|every) (?:{STATED} )?{A_TERM})"
)
"""What stands behind dollars that GPUs are bought for: `$310,000 for 8 H200`; those for a time are rent."""
QUOTED = rf"\$ ?\d[\d.,]* ?[km]?{FOR_GPUS}"
RENT_OR_BUY = (
    rf"{BASIS}.*{BESIDE}.*(?:{BASIS}|\b(?:cloud|aws|ec2|azure|gcp)\b)"
    rf"|{REPAID}.*(?:\brent|\bcloud\b)|\brent.*{REPAID}"
    rf"|\$ ?\d.*\b(each|apiece)\b.*{BESIDE}.*\brent(ing)?\b"
    rf"|^(?=.*{QUOTED}).*\$ ?\d[\d.]* ?(?:/|per|an?) ?(?:{ONE_GPU}[ /-]?)?(?:h|hr|hour)\b"
)
WORKING = r"\b(?:serv(?!er)|run(?! ?pod)|train|tun|fine-?tun|pre-?train|infer|host|deploy|model|llm)"
"""Beginnings of words for what GPUs do."""
RENTED_ALONE = rf"^(?:what|how much)\b(?!.*(?:{WORKING}|\bcost of)).*\b(?:costs?|price|pay)\b"
"""What GPUs cost, where nothing is said of what they do."""
OF_WORK = "|".join((WORKING, SIZE_SAID.pattern, *(words for said in WORDS_OF for words in said.values())))
HIRED = (
    rf"^(?!.*(?:{OF_WORK}|\b(?:token|user|need|ask|question|quer|call|messag)))"
    rf"(?:(?!.*\bhow many\b).*(?:\bfor (?:an?|one|\d+) {A_TERM}s?\b|\b(?:an?|one|\d+) {A_TERM}s? of\b)"
    rf"|(?!.*\b(?:colo\w*|power|energy|electricity)\b)(?=.*{NAME})"
    r".*(?:\$ ?\d|\busd\b|\bdollars\b|\b(?:per|an) hour\b|\bhourly\b|\breserved\b|\bon-?demand\b))"
)
"""GPUs for a time or an amount, where nothing is said of what they do: `1 hour of 8 H100`, `H200 for $500,000`."""
A_GPU_HOUR = rf"\b(?:per|an?|each) {ONE_GPU}[ -]hour\b"
OWNED = (
    r"\b(?:costs? of ownership|tco|costs? to own|owning costs?)\b|^(?=.*\bbuy)(?=.*\bcosts?\b).*\bcolocat"
    rf"|^(?=.*{QUOTED}).*{A_GPU_HOUR}"
)
"""What GPUs cost who owns them, electricity too."""
HIRED_TO_WORK = rf"^(?=.*{NAME})(?=.*\b(?:costs?|pay|price)\b).*\bfor (?:an?|one|\d+) {A_TERM}s?\b"
"""The same, whatever they do: their hours decide."""
OF_HARDWARE_ALONE = rf"{RENT_OR_BUY}|{ENERGY}|{RENTED_ALONE}|{HIRED}|{OWNED}|{HIRED_TO_WORK}"
"""What is asked of GPUs whatever runs on them."""
GPU = r"(gpus?|cards?|graphics cards?|accelerators?|hardware|(?:gpu )?instances?)\b"
NEEDED = r"\bwhat ((kind of )?(pc|computer|machine|setup|rig|server) )?(do|would|will) (i|we|you|one) need\b"
BRAND = "nvidia|amd|intel|rtx|gtx|geforce|radeon|instinct|quadro|arc|consumer|gaming"
ANY_OF = (
    r"(which|what|smallest|minimum|least|cheapest|best) "
    rf"((?:{BRAND}|kind of|type of|single|cloud|aws|ec2|amazon|azure|gcp|google cloud|server|data ?cent(er|re)) )*"
)
WHICH_GPU = rf"\b{ANY_OF}{GPU}|{NEEDED}"
ASKS_FOR_GPUS = rf"{GPUS_COUNTED}|{WHICH_GPU}"
"""A question whose answer is hardware that carries a load, not what the stated hardware does under it."""
MEMORY_OF = (
    r"^(?:(?:gpu|peak|total) )?(?:memory|vram) (?:per gpu|us\w+|needed|for|of|to)\b|\bthe (?:memory|vram) (?:of|for)\b"
)
"""Memory that is asked for without `how much`."""
LEAST_MEMORY = r"\b(?:minimum|required|least) (?:gpu )?(?:v?ram|memory)\b|\b(?:v?ram|memory) requirements?\b"
"""What one alone takes."""
TAKEN = "(?:peak memory|(?<!carbon )footprint|memory (?:usage|requirements?))"
"""Memory that something takes, asked for with `what`."""
MEMORY_ASKED = rf"\bhow much (?:gpu )?(?:v?ram|memory)\b|{LEAST_MEMORY}"
PARAMETERS_COUNTED = (
    r"\b(?:how many|number of|count of) (?:[a-z]+ )?parameters\b(?! (?:can|could|may|fit|will))|\bparameter count\b"
)
"""The parameters of a model, which are asked for."""
MEMORY_COMPARED = (
    r"\bcompare\b[^?]*\b(?<!with )(?:v?ram|memory)\b(?! bandwidth)"
    r"|[:,] (?:peak |gpu )?(?:v?ram|memory)(?: us(?:e|age))?(?: (?:per|on each) (?:gpu|card))?\?"
    r"|\b(?:v?ram|memory)\b(?! bandwidth).*\b(?:compared|versus|vs)\b|\bmemory (?:of|for) (?:each|both)\b"
    r"|\b(?:versus|vs)\b.*(?<!gb )(?<!gib )\b(?:v?ram|memory)\b(?= (?:for|of|in|on|us)|,? and|\?)"
)
OF_NO_GPU = (
    rf"{ASKS_FOR_GPUS}|{MEMORY_ASKED}|\bcheap(?:er|est way)\b|\bcosts?\b|\bgpu[ -]?hours\b"
    rf"|{PARAMETERS_COUNTED}|{MEMORY_OF}|{MEMORY_COMPARED}|\bwhat\b.*\b{TAKEN}|\$ ?\d|\bdollars\b"
    r"|\bdisk\b|\bfile size\b|\bram\b.*\boff-?load|\boff-?load.*\bram\b"
    r"|\bwhat(?: is| are|'s) the (?:(?:checkpoint |download )?size|weights|kv)\b"
    r"|\bsaves?\b|\bworth\b|\bhow much (?:faster|slower|longer)\b"
    r"|\bhow (?:big|large|much) (?:is|are|do|does)\b|\bkv[ -]?cache\b"
    r"|\bwhat (?:machine|server|setup|do (?:we|i) need)\b"
)
"""What is asked of no GPU, because the answer names one or is of all: any one may stand where none is stated."""
MOST_GPUS = 10**6
COUNT = rf"(?<!\d\.)(?!\d+\.\d|[2-5]0[5-9]0s?\b)({STATED})(?<!,)"
"""How many, and no version, nor name of a GPU that stands before another: `3090, 4090`."""
NO_COUNT = "(?:gi?b|lanes|pcie|hours?|days?|months?|nodes?)"
BEFORE_NAME = (
    rf"\b(?:({STATED}) (?:or|vs\.?|versus|to) )?(?:{COUNT} ?(?:[x×*] ?)?(?:gpus? (?:of )?)?)?"
    rf"(?:(?<!\d)(\d+)[ -]?gi?b (?:of )?(?:the |an? )?)?{MAKER}(?:(dgx|hgx)[ -])?"
)
BEHIND_NAME = rf"(?:[^\w?.,;]*\b(\d+)x?(?= ?gpus?\b)|s?,? ?\(?[x×*] ?(\d+)\b(?! ?{NO_COUNT}))?"
"""How many of a GPU, before its name in a question in small letters, or, as `H100 x8`, behind it."""
A_TPU, SLICE = re.compile(r"(?:tpu[ -])?v[2-6][ep]?"), re.compile(r"(?:-|litepod-)(\d{1,5})\b")
COUNTED_BY_CHIP, CORES_OF_A_CHIP = ("v5e", "v6e"), 2
"""Slices of TPUs, and those whose name counts chips.  Source: Google Cloud, TPU configurations."""
OF_ITS_MACHINE = 8
"""GPUs of a DGX or HGX machine.  Source: NVIDIA, DGX H100 and HGX H100 datasheets."""
THE_NAME = 5
"""The group of the name itself."""
A_GPU = r"(?:vram|(?:memory )?budget|(?:[a-z]+ ){0,2}(?:gpus?|cards?))\b"
OF_MEMORY = Words(
    rf"\b(?:<count>(?: ?[x×*] ?| ))?(?P<gb>\d+)[ -]?gi?b (?:of )?{A_GPU}"
    r"|\b(?:<count> )?(?:gpus?|cards?) (?:with|of) (?P<each>\d+)[ -]?gi?b\b"
    r"|\b(?:in|into|within|on) (?P<room>\d+)[ -]?gi?b\b(?! (?:of )?ram\b)"
    r"|\b(?:is|are|do|does|will|would) (?P<enough>\d+)[ -]?gi?b (?:be )?(?:enough|suffice|do)\b"
    r"|\b(?:i|we) (?:only )?(?:have|got|own) (?P<own>\d+)[ -]?gi?b\b(?! (?:of )?(?:ram|data|text|\w+ memory)\b)"
)
"""A GPU by its memory: `a 24 GB GPU`, `two cards with 48 GB`."""
BARE_MEMORY = re.compile(
    r"(?<![\w.])(\d+)[ -]?gi?b\b(?! (?:of )?(?:[a-z]+ )?(?:ram|data|text|dataset|files?|disk|storage|model|weights))"
)
"""A memory that is named alone, and is none of a machine or of data."""
LIKE_A_NAME = re.compile(
    r"\b(?:quadro|radeon|rx|gtx|rtx|tesla|geforce)\b|\b[a-z]{1,2}\d{4}[a-z]{0,3}\b|\b\d{4} ?(?:ti|xtx?|gre|super)\b"
)
"""What a GPU may be called."""
OTHER_DEVICE = re.compile(
    r"\b(?:raspberry|pi|i?phones?|ipads?|android|tablets?|laptops?|notebooks?|jetson|nano|swap|intel|chromebook|watch)\b"
)
"""What has memory and no GPU that is known."""
MEMORIES = re.compile(r"(?<![\w.])(\d{1,3}) ?[x×] ?(\d{2,3})(?: ?gi?b)?(?![\w.])")
"""Several: `2x80`."""
MAC = re.compile(
    r"\b(?:apple )?(m\d(?: (?:max|ultra|pro))?|mac(?: ?book| mini| studio)?(?: pro| air)?)\b"
    r"(?: (?:max|ultra|pro))?[^?,.;\d]{0,20}?\b(\d+)[ -]?gi?b\b"
    r"|\b(\d+)[ -]?gi?b (?:(?:of )?(?:unified )?(?:memory|ram) (?:on|in) (?:an? |my |the )?)?"
    r"(?:apple )?(m\d(?: (?:max|ultra|pro))?|mac(?: ?book| mini| studio)?(?: pro| air)?)\b"
)
"""A Mac and its memory: `a MacBook with 32 GB`, `M3 Max 64GB`."""
CHIP = re.compile(
    r"\b(?:mac(?: ?book| mini| studio)?(?: pro| air)? (?:with )?(?:an? )?)?m[1-5] (?:max|ultra|pro)\b", re.IGNORECASE
)
"""The chip of a Mac that is named without memory."""
PROCESSOR = re.compile(r"\bcpus?\b(?:[^?,.;\d]{0,20}?\b(\d+)[ -]?gi?b\b)?|\b(\d+)[ -]?gi?b (?:of )?ram\b")
"""A processor in place of a GPU, and its memory: `on CPU with 64 GB RAM`."""
OFFLOADS = re.compile(r"\boff-?load")
"""What is moved to the memory of the machine, which then has GPUs."""
HOST_MEMORY = re.compile(rf"(?<!how much )\b(\d+)[ -]?(g|t)i?b (?:of )?{OF_THE_HOST}")
"""Memory of the machine that GPUs stand in."""
GIB_EACH = {"g": 1, "t": 1024}


class Gpus(NamedTuple):
    """GPUs as a question names them: how many, 0 where it does not say, the name, the GB before it, those of a node."""

    number: int
    name: str
    memory: str = ""
    per_node: int = 0


@cache
def _named(others: tuple[str, ...]) -> re.Pattern[str]:
    """The pattern of a GPU by name, with further names."""
    known = "".join(rf"{re.escape(each)}(?![\w.])|" for each in others)
    return re.compile(rf"{BEFORE_NAME}({known}{NAME}){BEHIND_NAME}")


NODE = "(?:node|server|machine|host)"
OF_NODES = Words(rf"\b<count> {NODE}s?(?: each)? ?(?P<of>of|with|x|×)? ?(?:each )?$")
"""What stands before the GPUs of one node: `16 nodes of 8 H100`."""
ON_NODES = Words(rf"[^?.,;]{{0,12}}\b(?:per|a|each) {NODE}\b[^?.;]*?\b<count> {NODE}s\b")
"""What stands behind them: `8 H100 per node on 16 nodes`."""
NODES_ALONE, EACH = Words(rf"\b<count> {NODE}s\b"), re.compile(r"s? (?:each|apiece)\b")
"""What stands somewhere before them, where `each` stands behind: `two nodes for a 405B with 8 H100 each`."""
COUNTED_BEFORE = Words(r"(?<![\w.])<count> $")
OF_SO_MANY = Words(rf" (?:gpu )?{NODE}s (?:of|with) <count> (?:gpus?|cards?)\b")
"""Nodes of another size than is usual: `8 H100 nodes of 4 GPUs each`."""
THEIR_NODES = re.compile(r" (?:gpu )?(?:node|server|machine|boxe)(?P<several>s)\b| (?:gpu )?node\b")
"""Nodes that are named after their GPUs: `64 H100 nodes`, `two 8xH100 servers`."""
OVER_NODES = Words(rf"^[^?.;]{{0,60}}?\b<count> {NODE}s\b(?! of| with| each)")
"""Nodes over which GPUs stand that are counted in all: `16 H100 on 2 nodes`."""
RACK = re.compile(r"[ -]nvl(\d{2,3})\b")
"""A rack by the GPUs that one NVLink joins: `GB200 NVL72`."""
OF_EIGHT = re.compile(r"(?:[abh]\d{3}|h20|h800|mi\d{3}|gaudi)")
"""Names of GPUs that are built in by eights."""


class Spread(NamedTuple):
    """GPUs in all, and of them those of one node."""

    number: int
    per_node: int


def spread_said(question: str, gpus: re.Match[str], number: int, name: str) -> Said[Spread] | None:
    """How GPUs of that name, so many as stands there, are spread over nodes; None where nothing says so."""
    if (nodes := _nodes(question, gpus, number)) and nodes.value:
        each = number or OF_ITS_MACHINE
        return nodes.as_(Spread(nodes.value * each, each))
    if rack := RACK.match(question, gpus.end()):
        return matched(rack, Spread(max(number, 1) * int(rack[1]), 0))
    if number and (few := OF_SO_MANY.compiled.match(question, gpus.end())):
        each = int(numbers_in(few)[0])
        return matched(few, Spread(number * each, each))
    theirs = THEIR_NODES.match(question, gpus.end()) if OF_EIGHT.match(name) else None
    if theirs and not re.search(r"\d ?[x×]", gpus[0]) and (theirs["several"] is None) == (number < 2):
        return matched(theirs, Spread(max(number, 1) * OF_ITS_MACHINE, OF_ITS_MACHINE))
    behind = OVER_NODES.whole(question[gpus.end() :])
    if behind and number > behind.value > 1 and number % behind.value == 0:
        return behind.as_(Spread(number, number // behind.value)).moved(gpus.end())
    return None


def _nodes(question: str, gpus: re.Match[str], number: int) -> Said[int] | None:
    """On how many nodes so many GPUs each stand."""
    before = question[: gpus.start()]
    if (found := OF_NODES.search(before)) and (number or found["of"]):
        return matched(found, int(numbers_in(found)[0]))
    if not number:
        return None
    if THEIR_NODES.match(question, gpus.end()) and (counted := COUNTED_BEFORE.whole(before)):
        return counted
    behind = ON_NODES.compiled.match(question, gpus.end())
    if behind is None and EACH.match(question, gpus.end()):
        behind = NODES_ALONE.search(before)
    return matched(behind, int(numbers_in(behind)[0])) if behind else None


ON_GPUS = Words(r"\b(?:on|over|across|using) <count> (?:gpus|cards|accelerators)\b(?! ?(?:with|of) )")
"""How many there are of GPUs whose name stands elsewhere without a number: `spot H100 for a LoRA on 8 GPUs`."""
ONE_ALONE = re.compile(r"\b(?:an?|one) $")


def _counted_apart(question: str, gpus: re.Match[str]) -> Said[int] | None:
    """How many GPUs stand apart from a name that has no number and no article."""
    return None if ONE_ALONE.search(question[: gpus.start()]) else ON_GPUS.whole(question)


OF_HOURS = re.compile(r"s?[ -](?:gpu[ -]?)?(?:hours?|hrs?)\b")
"""What stands behind a name that is of a unit where GPUs are named beside: `A100 hours of a 7B on 64 A100`."""


def _gpus_and_units(question: str, others: tuple[str, ...]) -> tuple[list[re.Match[str]], list[Said[None]]]:
    """Where GPUs are named, and where the name of one stands for its hours, which is named elsewhere, too."""
    every = [*_named(others).finditer(question)]
    hours = [said for said in every if OF_HOURS.match(question, said.end())]
    named = [said[THE_NAME] for said in every if said not in hours]
    units = [said for said in hours if any(name.startswith(said[THE_NAME]) for name in named)]
    return [said for said in every if said not in units], [matched(said, None) for said in units]


def gpus_said(question: str, others: tuple[str, ...] = ()) -> Iterator[Said[Gpus]]:
    """The GPUs that a question in small letters names, in its order; other names than usual are given."""
    named, units = _gpus_and_units(question, others)
    for said in named:
        other, number, memory, machine, name, *behind = said.groups()
        after = next(filter(None, behind), None)
        own = OF_ITS_MACHINE if machine and not after else 1
        apart = None if number or after or machine else _counted_apart(question, said)
        stated = apart.value if apart else int(number_said(number or after or ("1" if machine else "0"))) * own
        spread = _slice(question, said) or spread_said(question, said, stated if number or machine else 0, name)
        count, per_node = spread.value if spread else (stated, 0)
        name = name.replace("+", "").replace(" ", "-")
        counts = (*([int(number_said(other)) * own] if other and count else ()), count)
        words = [f"{each} × {name}" for each in counts] if spread or len(counts) > 1 else [said[0].strip()]
        found = [
            matched(said, Gpus(each, name, memory or "", per_node), called).with_(spread, apart, *units)
            for each, called in zip(counts, words, strict=True)
        ]
        yield from (each for each in found if each.value.number <= MOST_GPUS and not (number and not count))


def _slice(question: str, gpus: re.Match[str]) -> Said[Spread] | None:
    """Chips of a slice of TPUs: `v5e-8` has 8, `v4-8` half as many, as two cores each are counted."""
    said = SLICE.match(question, gpus.end()) if A_TPU.fullmatch(gpus[THE_NAME]) else None
    if said is None:
        return None
    chips = int(said[1]) // (1 if gpus[THE_NAME].endswith(COUNTED_BY_CHIP) else CORES_OF_A_CHIP)
    return matched(said, Spread(max(chips, 1), 0))


TOGETHER = re.compile(r"(?:gpus?|cards?)? ?(?:and|plus|\+|&|with|together with|alongside) (?:an? |one )?")
"""What stands between different GPUs that are used at once: `on a 3090 and a 4090`."""
LISTED = re.compile(r"(?:gpus?|cards?)?(?:,(?: and| or)?| ?and on) (?:on )?(?:an? |one |the )?")
"""What stands between GPUs each of which is asked of by itself: `on an L4, an A10 and a T4`."""


def without_names(question: str) -> str:
    """A question in small letters without the numbers of names of GPUs, each letter where it was: `RTX 4090 users`."""
    for said in _named(()).finditer(question):
        start, end = said.span(THE_NAME)
        question = question[:start] + re.sub(r"\d", " ", said[THE_NAME]) + question[end:]
    return question


def lists_gpus(question: str) -> bool:
    """Whether a question in small letters asks of several GPUs, one after the other."""
    pairs = pairwise(gpus_said(question))
    gaps = (between(question, one, other).strip(" ") + " " for one, other in pairs)
    return any(LISTED.fullmatch(gap) for gap in gaps)


def between(question: str, one: Said[Gpus], other: Said[Gpus]) -> str:
    """What stands between two GPUs of a question."""
    return question[one.places[0].stop : other.places[0].start]


def are_together(question: str, one: Said[Gpus], other: Said[Gpus]) -> bool:
    """Whether a question in small letters uses the GPUs that it names one after the other at once."""
    return bool(TOGETHER.fullmatch(between(question, one, other).strip() + " "))


def memory_said(question: str) -> Said[tuple[int, int]] | None:
    """How many GPUs are meant by their memory alone, and its GB."""
    said = OF_MEMORY.search(question)
    if said is None:
        return None
    count = next(iter(numbers_in(said)), 0 if re.search(GPUS_COUNTED, question) else 1)
    memory = next(filter(None, (said[name] for name in ("gb", "each", "room", "enough", "own"))))
    return matched(said, (int(count), int(memory)))


def memory_alone(question: str) -> Said[tuple[int, int]] | None:
    """The same where a question in small letters names a memory and nothing else of GPUs: `qwen 32b q4 24gb`."""
    if LIKE_A_NAME.search(question) or OTHER_DEVICE.search(question):
        return None  # what is named and not known may have other memory
    if said := MEMORIES.search(question):
        return matched(said, (int(said[1]), int(said[2])))
    said = BARE_MEMORY.search(question)
    return matched(said, (1, int(said[1]))) if said else None


def mac_said(question: str) -> Said[tuple[str, int]] | None:
    """The chip of a Mac, or the name of the machine, and its memory in GB."""
    said = MAC.search(question)
    return matched(said, ((said[1] or said[4]).replace(" ", "-"), int(said[2] or said[3]))) if said else None


def without_mac(text: str) -> str:
    """A text without the Mac that it names: `M3` is a model's name, too."""
    said = MAC.search(text.lower())
    return text[: said.start()] + " " * len(said[0]) + text[said.end() :] if said else text


def without_chips(text: str) -> str:
    """The same without chips that are named without memory, too."""
    return CHIP.sub(lambda each: " " * len(each[0]), without_mac(text))


def processor_said(question: str) -> Said[int] | None:
    """The memory of a processor in GB, 0 where it is not said; None where none is meant."""
    found = [] if OFFLOADS.search(question) else [*PROCESSOR.finditer(question)]
    said = next((each for each in found if each[1] or each[2]), next(iter(found), None))
    return matched(said, int(said[1] or said[2] or 0)) if said else None


def host_memory_said(question: str) -> Said[int] | None:
    """The GiB of the machine in which GPUs stand that a question in small letters names."""
    beside = next(gpus_said(question), None) or OF_MEMORY.search(question) or OFFLOADS.search(question)
    said = HOST_MEMORY.search(question) if beside else None
    return matched(said, int(said[1]) * GIB_EACH[said[2]]) if said else None


def counts_gpus(question: str) -> bool:
    """Whether a question in small letters asks how many GPUs, and not for their hours."""
    return bool(re.search(GPUS_COUNTED, question))
