"""One sentence in, the answer on one screen: a scenario of a question alone, which can be saved and built."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from memreport.advise.decide import decide
from memreport.build.answers.fitting import catalogue_here
from memreport.build.answers.saving import save_scenario
from memreport.build.stated.pasted import Pasted, without_settings
from memreport.catalogue.question.lexer import PEOPLE, with_usual_figures
from memreport.catalogue.question.money import other_money_said
from memreport.catalogue.unstated.hardware import leaves_gpu_open
from memreport.catalogue.unstated.model import are_listed, models_near
from memreport.catalogue.unstated.named_gpus import gpus_near
from memreport.catalogue.words.options import SAID_IN_IT
from memreport.catalogue.words.unread import OF_IMAGES
from memreport.compute import Computed
from memreport.errors import DONE, Fault, InputError
from memreport.frame import computed_from
from memreport.publish.text.answer import blocks_text
from memreport.report.answer.screen import screen_of
from memreport.report.records.blocks import Block, Notes
from memreport.report.records.decision import Answer

ID = "question"
SHOW_ALL, ALL_OF_SAVED = "more: show --all)", "more: --save job.yaml, then memreport show --all job.yaml)"
MOST_TITLE = 160
"""Letters of a title."""
NEXT = 'Next: memreport ask "..." --save job.yaml, then memreport plan or build job.yaml'
COMMAND_LINE = re.compile(r"\s--[a-z][\w-]+")
"""An option of a program, which no question has."""
NOT_COMPUTED = re.compile(
    r"(?:what|which) (?:is (?:the )?)?(?:an? )?(?:best |right |good |optimal )?(learning[ -]rate|accuracy|perplexity)\b"
    r"|^how (accurate|good|smart) (?:is|are) (?!the\b|it\b)|\b(?:output|answer) (quality)\b"
    r"|\bhow many ((?:peta|exa|zetta)?flops?)\b"
    r"|\bhow (?:long|fast) (?:does|do|will|would|is|are) (?:it takes? (?:to|for) )?"
    r"(?:(?!\b(?:takes?|needs?|lasts?|runs?|with|if|when|and|\w*train\w*|(?:fine-?)?tun\w*)\b)[^?,:;])*?"
    r"\b(checkpoints?)\b[^?]*\b(?:sav|writ|stor|load|upload)\w*"
    r"|(?:^|\b(?:to|we|i|can|and|for|should) )(distill?(?:ing)?)\b|\b(distillation) (?:of|from)\b"
)
"""What users of a model ask for, too, and no calculation of memory and time can say."""
WEIGHED_ALONE = re.compile(
    r"^(?:does|do|will|would|is|are|should)\b(?![^?]*\bthan (?:[\d$]|an? |one ))(?P<what>[^?]*?)\b"
    r"(?:speeds? up|slows? down|helps?|matters?|hurts?|makes? (?:a|any) difference|worth it)\b"
)
"""What may gain or cost something, which takes a job with it and one without: `Does packing help?`"""
NETWORK = r"\b(?:infiniband|roce|rdma|efa|nvswitch|(?:fast(?:er)?|\d+g\w*) (?:network|ethernet))\b"
NETWORK_NEEDED = re.compile(
    rf"(?:^|\b(?:do|does|will|would|should|whether|if)\b[^?,:;]{{0,60}}? )(?:need|require)s?:? "
    rf"(?:(?:to (?:have|use|buy|get)|an?|any|really|more than|nvlink (?:or|and)|[a-z]?dr|\d+ ?g\w*) )*{NETWORK}"
    rf"|\b(?:is|are) (?:an? |the |[a-z]?dr |\d+ ?g\w* )*{NETWORK}[^?,:;]{{0,24}}?"
    r" (?:needed|necessary|required|worth|essential|mandatory|a must)\b"
)
"""Where a network is what is asked; one that is stated is read: `We need 2 nodes with InfiniBand: how long ...?`"""
SLICE = re.compile(r"\b(?:mig\b(?: slices?| instances?)?(?: [1-7]g\.\d+gb)?|[1-7]g\.\d+gb)\b")
REFUSED = (
    (
        NETWORK_NEEDED,
        "the question asks whether a network is needed, which is not computed",
        "the time with one, and with another: with 25 Gbit ethernet, with 400 Gbit InfiniBand",
    ),
    (
        SLICE,
        "the question is of a slice of a GPU, which is not computed",
        "a whole GPU, or one by its memory: a 10 GB GPU",
    ),
)
"""What is asked, why it is refused, and what to ask instead."""
SMALL_WORD = (
    "on|in|with|for|of|to|by|from|than|have|has|use|using|rent|buy|need|needs|take|takes|fit|fits|is|are|do|does"
    "|about|only"
)
IMPOSSIBLE = re.compile(
    rf"(?<![\w.,-])(?<!\d )[-−]\d[\d,.]* (?:[a-z]+ )?(?:{PEOPLE}|gpus?|requests|tokens|[abhlvt]\d+|rtx)\b"
    rf"|(?<![\w.,$])0(?: [a-z]+)? (?:{PEOPLE}|gpus?|requests|tokens|[abhlvt]\d+|rtx)\b"
    rf"|(?:^|[,;:(] ?|\b(?:{SMALL_WORD}) )(?P<part>\d+\.\d+ ?(?:x |× )?(?:gpus?|[ahlv]\d{{2,3}}|rtx|{PEOPLE})\b)"
)
"""Numbers that nobody has of what is counted; behind a name it is of a version: `CUDA 12.4 RTX 4090`."""
OTHER_SCRIPTS = re.compile(r"[\u0400-\u1cff\u3040-\u9fff\uac00-\ud7af]")
"""Letters of Cyrillic, Arabic, Indian, Chinese, Japanese and Korean."""
OF_OTHERS = re.compile(
    r"\b(?:wie|wieviel|viele?|kostet|brauche|passt|auf|für|und|eine?|der|das|ich|kann|reicht|mit|welche|dauert|lange"
    r"|cu[aá]nt[ao]s?|qué|cuál|necesit[ao]|puedo|para|una?|el|los|las|con|sobre|entrenar|tarda|combien|quelle?|quels"
    r"|faut|pour|est|les?|des|sur|avec|peut|puis|mémoire|entraîner|quant[aeo]|quantas|serve|posso|per|uno|della|sulla"
    r"|preciso|uma|com|qual|treinar)\b"
)
ENGLISH = re.compile(
    r"\b(?:what|how|which|can|could|does|do|is|are|will|would|should|when|who|why|the|to|of|on|for|in|with|and|or|an?|i"
    r"|we|my|our|need|fits?|run|serve|train|cost|long|much|many|memory|per)\b"
)
"""Small words of German, Spanish, French, Italian and Portuguese, and of English."""
MOST_FOREIGN = 2
WEIGHABLE = "checkpointing, FlashAttention, torch.compile, Liger, offloads, ZeRO, optimizers, formats, caches, drafts"
COMPUTED = "memory, GPUs, time, speed, energy, cost"
ASKED = "the question"
EXAMPLE = 'such as memreport ask "Can two RTX 4090 serve a 70B in 4-bit?"'
NO_WEIGHTS = re.compile(r"\b(?:gpt-?[345][\w.]*|chatgpt|claude[\w. -]{0,12}|gemini[\w. -]{0,8}|grok-?[345])(?![\w-])")
"""Models of an API alone."""
LEFT_OUT = ("model", "hardware", "workload")
"""What a question has to name, as fields."""


def asked(question: str, save: Path | None = None) -> tuple[str, int]:
    """The answer as `show` gives it, and 0.  Raises InputError for what the question leaves out."""
    if not question.strip():
        raise InputError([Fault("the question is empty", expected=EXAMPLE)])
    if COMMAND_LINE.search(question):
        raise InputError([Fault("the question is a command line", expected="memreport fit 'COMMAND LINE' GPU [xN]")])
    if fault := _not_answered(with_usual_figures(question).lower()):
        raise InputError([fault])
    pasted = without_settings(question)
    scenario = _scenario(question, save.stem if save else ID, pasted)
    try:
        computed = computed_from(scenario)
    except InputError as error:
        said = pasted.question if pasted else question
        raise InputError([_in_words(fault, said) for fault in error.faults]) from None
    _refuse_unweighed(question.lower(), computed)
    blocks = screen_of(decide(computed, sensitivity=False), ())
    if save:
        save_scenario(save, _as_read(computed), "ask")
    answer, *rest, notes = blocks
    head = replace(answer, question=question) if pasted and isinstance(answer, Answer) else answer
    return blocks_text((head, *rest, _with_next(notes, pasted))), DONE


def _refuse_unweighed(question: str, computed: Computed) -> None:
    """Raises InputError where a question in small letters weighs one thing of which there is no variant."""
    weighed = WEIGHED_ALONE.search(question)
    if weighed and len(computed.resolved.cases) < 2:
        what = repr(weighed["what"].strip())
        raise InputError([Fault("the question weighs what is not computed", found=what, expected=WEIGHABLE)])


def _with_next(notes: Block, pasted: Pasted | None) -> Block:
    """What must be known, with what was read of settings, and what may be done next."""
    if not isinstance(notes, Notes):
        return notes
    fields = (pasted.words,) if pasted and pasted.settings else ()
    rest = (each.replace(SHOW_ALL, ALL_OF_SAVED) for each in notes.sentences[:-1])
    return Notes((*fields, *rest, NEXT))


def _not_answered(question: str) -> Fault | None:
    """The fault of a question in small letters of something else, or of amounts that no rate is stated for."""
    if not _is_english(question):
        return Fault("the question is not in English, the only language that is read", expected=EXAMPLE)
    if other := NOT_COMPUTED.search(question):
        found = next(filter(None, other.groups()))
        return Fault("the question asks for what is not computed here", found=repr(found), expected=COMPUTED)
    for words, message, instead in REFUSED:
        if said := words.search(question):
            return Fault(message, found=repr(said[0]), expected=instead)
    if said := IMPOSSIBLE.search(question):
        return Fault(
            "the question has a number that cannot be", found=repr(said["part"] or said[0]), expected="1, 2, 3, ..."
        )
    if money := other_money_said(question):
        return Fault("the question states an amount for which no rate is known", found=money, expected="US dollars")
    return None


def _is_english(question: str) -> bool:
    """Whether a question in small letters has no letters of other scripts, and not more words of another language."""
    foreign, own = (len({*words.findall(question)}) for words in (OF_OTHERS, ENGLISH))
    return not OTHER_SCRIPTS.search(question) and (foreign < MOST_FOREIGN or foreign <= own)


def _scenario(question: str, id_: str, pasted: Pasted | None) -> dict[str, Any]:
    """The scenario as a file would state it."""
    head = {"schema": 1, "id": id_, "version": 1, "title": question[:MOST_TITLE], "question": question}
    said = {SAID_IN_IT: {pasted.workload: pasted.settings}} if pasted and pasted.settings else {}
    return {**head, "question": pasted.question, **said} if pasted else head


def _as_read(computed: Computed) -> dict[str, Any]:
    """The scenario with what was read of the question, and its variants on the GPUs on which they are compared.

    Without the GPU that stands in where the question names none: in a file it would be one that somebody chose.
    """
    loaded = computed.resolved.loaded
    variants = {name: dict(changes) for name, changes in loaded.scenario.variants.items()}
    read = {**loaded.document.data, **({"variants": variants} if variants else {})}
    if leaves_gpu_open(loaded.words):
        del read["hardware"]
    return read


def _in_words(fault: Fault, question: str) -> Fault:
    """A field that is missing as what the question has to name, with the names that are near what it says."""
    missing = next((name for name in LEFT_OUT if fault.field == name), "")
    if not missing:
        return Fault(fault.message, ASKED, 0, 0, fault.field, fault.found, fault.expected, fault.nearest)
    what, where, near = {"model": _no_model, "hardware": _no_gpu, "workload": _no_workload}[missing](question)
    return Fault(f"the question {what}", expected=where, nearest=near)


def _no_model(question: str) -> tuple[str, str, str]:
    names = catalogue_here().model_names
    if are_listed(question, names):
        return "names several models, and one is computed at a time", "one of them, or which of them: A or B", ""
    if said := NO_WEIGHTS.search(question.lower()):
        return f"is of {said[0]}, whose weights nobody has but its maker", "memreport list models", ""
    if said := OF_IMAGES.search(question.lower()):
        return f"is of {said[0]}: makers and classifiers of images are not counted", "memreport list models", ""
    return "names no model that is known", "memreport list models", models_near(question, names)


def _no_gpu(question: str) -> tuple[str, str, str]:
    return "names no GPU that is known", "memreport list accelerators", gpus_near(question, catalogue_here().tables)


def _no_workload(_question: str) -> tuple[str, str, str]:
    return "speaks of training and of serving", "a question of one of them", ""
