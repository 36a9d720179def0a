"""A scenario in words of other programs, read as the fields and choices that they stand for here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memreport.catalogue.quantities import QuantityError, parse_quantity
from memreport.catalogue.question.workload import workload_asked, workloads_said
from memreport.catalogue.words.following import RANKS, with_followed
from memreport.catalogue.words.meaning import Keys, Meaning, Read, WordRead, said_in_question
from memreport.catalogue.words.names import IN_GIB, NODES, choice_names, in_program, nested, same_field, workload_words
from memreport.catalogue.words.tables import is_no_block, meanings, named_elsewhere
from memreport.catalogue.yaml.strict import Document
from memreport.errors import Fault
from memreport.frozen import frozen

Known = Callable[[str, str], str]
"""The choice of a field that a word names, which then means itself, as its table spells it; "" where it has none."""
Drafts = Callable[[str], Mapping[str, object]]
"""What the card of a draft model says in fields of the job; nothing where there is no such card."""
DRAFT, A_STEP = "draft_model", {"speculative_tokens": 4}
OF_DRAFT = "weights and cache of its {:.3g} billion parameters are counted; a step drafts four tokens unless stated"
WORKLOADS = ("training", "serving")
HARDWARE, SEARCH = "hardware", "search"
OF_SEARCH = ("concurrency",)
"""Words of engines that are fields of `search:`, where it stands for the users of all replicas."""
GPUS = re.compile(r"(?:([1-9]\d{0,5}) ?[x×*] ?)?([A-Za-z][\w .-]*)")
"""GPUs as people write them: `8xH100`, `H100-80GB-SXM`."""
BLOCKS = ("hardware", *WORKLOADS, "demand", "cost", "overrides")
"""Sections of which a variant may state a block, in place of one line for each field."""
AXES = ("rows", "columns")
OF_DEEPSPEED = ("deepspeed", "deepspeed_config")
"""Names whose file or block says that DeepSpeed trains, whatever program calls it."""
OFF = ("none", "false")
SWITCHED = {("mixed_precision", half) for half in ("bf16", "fp16")}
"""Words that are switches of their own name elsewhere.  Source: Accelerate and the Trainer."""
OWN_PRICE = "usd_per_accelerator_hour"
PER_GPU = Meaning({}, "this program", assumes="is read as dollars for an hour of one GPU, not of an instance")
DEEPSPEED_FILE = re.compile(r"z(?:ero)?[_-]?([123])([^/]*offload(_params)?)?[^/]*\.json$")
"""A file of DeepSpeed whose name says the stage, and what goes to the host.  Source: Axolotl's, LLaMA-Factory's."""

EPOCHS, SIZES = "num_train_epochs", ("dataset_samples", "dataset_tokens", "max_steps", "train_samples")
OF_NO_DATASET = Meaning(
    {}, "this program", assumes="says nothing of tokens: state dataset_samples or dataset_tokens, which it multiplies"
)
OF_RANKS = Meaning(
    {}, "PEFT LoraConfig", assumes="states ranks of some matrices: the largest is taken for all, an upper bound"
)
OF_NO_WORKLOAD = "is read as one of serving: no workload is stated"


def in_own_words(document: Document, known: Known, drafts: Drafts, faults: list[Fault]) -> Read:
    """The document with words replaced, each field where its word stands; and the words that assume something."""
    read = _Reading(document, known, drafts, faults)
    data = {key: read.part(key, value) for key, value in document.data.items()}
    data |= {"workload": workload} if (workload := read.with_workload()) else {}
    data = read.with_own_price(data)
    read.check_epochs(data)
    read.check_ranks(data)
    data = with_followed(data, replace(document, marks=read.marks, key_marks=read.key_marks), faults)
    if data == document.data and not read.words:
        return document, ()
    made = replace(document, data=data, marks=read.marks, key_marks=read.key_marks)
    return made, tuple(word for word in read.words if word.meaning.assumes or word.meaning.lacks)


@frozen
class _Setting:
    """A field and its value, and the key that says it, by a word of its own or by one with a meaning."""

    key: str
    name: str
    value: Any
    meaning: Meaning | None = None
    assumed: bool = False

    @property
    def order(self) -> tuple[bool, bool, bool]:
        """First what is stated, then what words set, then what words set that replace others, last what is assumed."""
        return self.meaning is not None, self.assumed, bool(self.meaning and self.meaning.replaces)


def _workload(data: Mapping[str, Any]) -> str:
    """The workload by its own name; where it is not stated, that whose block stands alone."""
    stated = str(data.get("workload") or "")
    beside = str(list((data.get("variants") or {}).values())) if isinstance(data.get("variants"), dict) else ""
    alone = [name for name in WORKLOADS if name in data or re.search(rf"'{name}[.']", beside)]
    return workload_words().get(stated.lower(), stated) or (alone[0] if len(alone) == 1 else workload_asked(data))


class _Reading:
    """The blocks of one document, one after the other."""

    def __init__(self, document: Document, known: Known, drafts: Drafts, faults: list[Fault]) -> None:
        self.document, self.known, self.drafts, self.faults = document, known, drafts, faults
        self.marks, self.key_marks = dict(document.marks), dict(document.key_marks)
        self.workload = _workload(document.data)
        self.words: list[WordRead] = []

    def with_workload(self) -> str:
        """The workload; that of a question that speaks of none is serving."""
        if not self.workload and self.document.data.get("question") and not workloads_said(self.document.data):
            self.workload = WORKLOADS[1]
            self.words.append(said_in_question(self.workload, OF_NO_WORKLOAD, source="this program"))
        return self.workload

    def check_epochs(self, data: dict[str, Any]) -> None:
        """Epochs are of a dataset: without its size they say nothing of a run's length."""
        section = data.get("training")
        sized = any(name in str(data.get(part)) for part in ("training", "variants") for name in SIZES)
        if isinstance(section, dict) and EPOCHS in section and not sized:
            self.words.append(WordRead(EPOCHS, _word(section[EPOCHS]), OF_NO_DATASET, ("training", EPOCHS)))

    def check_ranks(self, data: dict[str, Any]) -> None:
        """Ranks of some matrices are read as the largest of all."""
        section = data.get("training")
        if isinstance(section, dict) and isinstance(section.get(RANKS), dict) and section[RANKS]:
            self.words.append(WordRead(RANKS, _word(section[RANKS]), OF_RANKS, ("training", RANKS)))

    def with_own_price(self, data: dict[str, Any]) -> dict[str, Any]:
        """A number in place of a rental price's name, as the number of one's own that it is."""
        cost, given = data.get("cost"), data.get("overrides")
        if (
            not isinstance(cost, dict)
            or not _is_amount(price := cost.get("price"))
            or not isinstance(given or {}, dict)
        ):
            return data
        if wrong := self._no_price(price):
            self.faults.append(wrong)
            price = 1.0  # or it is a cost without a price, too
        self._moved(("cost", "price"), ("overrides", OWN_PRICE))
        if not str(price).endswith("/h"):  # which says what a bare number leaves open
            self.words.append(WordRead("price", str(price), PER_GPU, ("cost", "price")))
        kept = {name: value for name, value in cost.items() if name != "price"}
        return {**data, "cost": kept, "overrides": {OWN_PRICE: price, **(given or {})}}

    def _no_price(self, price: Any) -> Fault | None:
        """What is wrong with a price of one's own, at the field in which it stands."""
        try:
            parse_quantity(price, "USD/h")
        except QuantityError as error:
            known = f"{error.allowed}; or a name of memreport list rental_prices"
            return self.document.fault(("cost", "price"), error.message, found=repr(price), expected=known)
        return None

    def _moved(self, place: Keys, to: Keys) -> None:
        """A value that stands under other keys keeps its line, and what lies under it."""
        for marks in (self.marks, self.key_marks):
            under = [(path, mark) for path, mark in marks.items() if path[: len(place)] == place]
            marks.update(((*to, *path[len(place) :]), mark) for path, mark in under)

    def part(self, key: str, value: Any) -> Any:
        """One top-level key of a scenario."""
        if key in (*WORKLOADS, SEARCH):
            return self._block(value, (key,))
        if key == HARDWARE:
            return self._hardware(value)
        if key == "cost" and isinstance(value, dict):
            return {name: self._spelt(str(name), inner) for name, inner in value.items()}
        if key in ("variants", "measured") and isinstance(value, dict):
            return {name: self._block(self._flat(block, (key, name)), (key, name)) for name, block in value.items()}
        if key == "tables" and isinstance(value, list):
            return [self._table(table, (key, index)) for index, table in enumerate(value)]
        return value

    def _hardware(self, value: Any, keys: Keys = ()) -> Any:
        """The hardware as a block: `8xH100` is one, too."""
        if not (isinstance(value, str) and (said := GPUS.fullmatch(value.strip()))):
            return value if keys else self._in_nodes(self._block(value, (HARDWARE,)))
        self._moved((*keys, HARDWARE), (*keys, HARDWARE, "accelerator"))
        return {"accelerator": self._spelt("accelerator", said[2]), "count": int(said[1] or 1)}

    def _in_nodes(self, block: Any) -> Any:
        """A number of nodes as the GPUs of all of them; a fault where another number is stated."""
        nodes = next((name for name in NODES if isinstance(block, dict) and name in block), "")
        if not nodes or not all(isinstance(block.get(name, 1), int) for name in (nodes, "count", "per_node")):
            return block
        made = {name: value for name, value in block.items() if name != nodes}
        count = block[nodes] * block.get("per_node", block.get("count", 1))
        if "per_node" in block and block.get("count", count) != count:
            found = f"{count} against {block['count']}"
            self.faults.append(self.document.fault((HARDWARE, nodes), "contradicts count, which it sets", found=found))
        self._moved((HARDWARE, nodes), (HARDWARE, "count"))
        return {**made, "count": count}

    def _flat(self, block: Any, keys: Keys) -> Any:
        """A variant with each field on a line of its own, where blocks of sections stand; a fault where two say one."""
        if isinstance(block, dict) and isinstance(block.get(HARDWARE), str):
            block = {**block, HARDWARE: self._hardware(block[HARDWARE], keys)}
        if not isinstance(block, dict) or not any(isinstance(block.get(name), dict) for name in BLOCKS):
            return block
        made: dict[Any, Any] = {}
        for key, value in block.items():
            inside = value if key in BLOCKS and isinstance(value, dict) else None
            for name, given in {key: value}.items() if inside is None else inside.items():
                place, path = ((*keys, key), key) if inside is None else ((*keys, key, name), f"{key}.{name}")
                if path in made:
                    self.faults.append(self.document.fault(place, "is stated twice", found=str(given)))
                made[path] = given
                self._moved(place, (*keys, path))
        return made

    def _table(self, table: Any, keys: Keys) -> Any:
        whole = table if isinstance(table, dict) else {}
        axes = {axis: self._block(whole[axis], (*keys, axis)) for axis in AXES if axis in whole}
        return {**whole, **axes} if axes else table

    def _block(self, block: Any, keys: Keys) -> Any:
        """Fields with values, or with lists of values of which each is tried."""
        if not isinstance(block, dict) or not all(isinstance(key, str) for key in block):
            return block
        made: dict[str, Any] = {}
        found = [setting for key, value in block.items() for setting in self._read(key, value, keys, block)]
        for word in sorted(found, key=lambda setting: setting.order):
            if not (word.assumed and word.name in made):
                self._put(made, word, keys)
        return made

    def _put(self, made: dict[str, Any], word: _Setting, keys: Keys) -> None:
        """One field, with the place of its word; a fault where another value of it is stated."""
        name, given, place = word.name, word.value, (*keys, word.key)
        other = made.get(name, given)
        if other != given and not (word.meaning and word.meaning.turns(other)):
            found = f"{given} against {other}"
            self.faults.append(self.document.fault(place, f"contradicts {name}, which it sets", found=found))
        if other != given:
            self.words = [replace(read, meaning=read.meaning.left(read.place == (*keys, name))) for read in self.words]
        made[name] = given
        if name != word.key:
            self._moved(place, (*keys, name))

    def _read(self, key: str, value: Any, keys: Keys, block: Mapping[str, Any]) -> Iterator[_Setting]:
        """What a key says in fields of this program."""
        prefix, dot, name = _spelled(key).rpartition(".")
        section = prefix or (str(keys[0]) if keys[0] in (*WORKLOADS, HARDWARE) else self.workload)
        if section == HARDWARE:
            field = same_field().get((section, name.lower()), name)
            yield _Setting(key, f"{prefix}{dot}{field}", self._spelt(field, value))
            return
        if section not in WORKLOADS or (keys[0] == SEARCH and name in OF_SEARCH):
            yield _Setting(key, key, self._spelt(name, value))
            return
        if (value is None and name.lower() in named_elsewhere()) or _has_no_rank(name, value, block):
            return  # nothing, which leaves the option to its program
        if (name.lower(), word := _word(value)) in SWITCHED:
            yield from (replace(read, key=key) for read in self._read(f"{prefix}{dot}{word}", "true", keys, block))
            return
        if isinstance(value, dict) and name.lower() in nested() and not is_no_block(name, value):
            yield from self._nested(key, value, keys, block)
            return
        yield from self._of_field(key, value, (*keys, key), self._written(section, block), section)

    def _of_field(
        self, key: str, value: Any, place: Keys, written: Mapping[str, str], section: str
    ) -> Iterator[_Setting]:
        """What a key says that names one field, in the words of the program that the block names."""
        prefix, dot, name = _spelled(key).rpartition(".")
        stated = {_field(section, given, written): word for given, word in written.items()}
        field = _field(section, name, written)
        if field != name and (section, name.lower()) not in same_field():
            assumes = f"is read as {field}: {_program(section, written)} means that"
            self.words.append(
                WordRead(name, _word(value), Meaning({}, "its documented options", assumes=assumes), place)
            )
        meaning = self._draft(value) if field == DRAFT else None
        meaning = meaning or self._meaning(section, field, value, stated)
        if meaning is None:
            yield _Setting(key, prefix + dot + field, self._own(section, name, field, value, stated))
            return
        self.words.append(WordRead(name, _word(value), meaning, place))
        open_ = {name_: given for name_, given in meaning.unless_stated.items() if name_ not in stated}
        for field_name, given in {**open_, **meaning.settings}.items():
            yield _Setting(key, prefix + dot + field_name, given, meaning, field_name not in meaning.settings)

    def _draft(self, name: Any) -> Meaning | None:
        """A draft model that has a card, as its own fields."""
        if not (fields := self.drafts(str(name))):
            return None
        billions = float(str(fields["draft_parameters"])) / 1e9
        return Meaning({}, "its card", {**fields, **A_STEP}, OF_DRAFT.format(billions))

    def _nested(self, key: str, block: Mapping[str, Any], keys: Keys, beside: Mapping[str, Any]) -> Iterator[_Setting]:
        """Options of a block, at the place of the block."""
        prefix, dot, name = _spelled(key).rpartition(".")
        named = nested()[name.lower()]
        for inner, given in block.items():
            if _has_no_rank(str(inner), given, block):
                continue
            found = prefix + dot + named.get(_spelled(str(inner)), str(inner))
            yield from (replace(read, key=key) for read in self._read(found, given, keys, beside))
        if name in OF_DEEPSPEED:
            yield from self._read(f"{prefix}{dot}distributed_type", "deepspeed", keys, beside)

    def _written(self, section: str, block: Mapping[str, Any]) -> Mapping[str, str]:
        """What the block and its section state, by the names that they use, with the words of the values."""
        whole = {**(self.document.data.get(section) or {}), **block}
        return {_spelled(str(path)).rpartition(".")[2]: _word(value) for path, value in whole.items()}

    def _own(self, section: str, name: str, field: str, value: Any, stated: Mapping[str, str]) -> Any:
        """A value of a field of this program: each of a list, a choice as its table spells it, a number in GiB."""
        if isinstance(value, list):
            return [self._single(section, field, item, stated) for item in value]
        if isinstance(value, dict) and "device" in value:
            value = _word(value)
        if isinstance(value, str):
            return self.known(field, value) or self.known(field, value.rpartition(".")[2]) or value
        return f"{value} GiB" if name in IN_GIB else value

    def _spelt(self, field: str, value: Any) -> Any:
        """A choice as its table spells it."""
        if not isinstance(value, str):
            return value
        return self.known(field, value) or choice_names().get((field, value.lower()), value)

    def _single(self, section: str, field: str, value: Any, stated: Mapping[str, str]) -> Any:
        """One value of a list, where its word stands for a choice of the same field alone."""
        meaning = self._meaning(section, field, value, stated)
        if meaning and set(meaning.settings) == {field}:
            return meaning.settings[field]
        return self._spelt(field, value)

    def _meaning(self, section: str, field: str, value: Any, stated: Mapping[str, str]) -> Meaning | None:
        field, word, program = field.lower(), _word(value), _program(section, stated)
        if field in ("bf16", "fp16"):
            word = "false" if "precision" in stated else word
        if field in ("bf16", "fp16", "precision") and any(stated.get(name, "none") not in OFF for name in OF_DEEPSPEED):
            program = "deepspeed"
        half = "fp16" if stated.get("fp16") in ("true", "auto") else ""
        beside = stated.get("method", ""), half, stated.get("objective", "")
        own = (f"{word}@{program}+{beside[0]}", f"{word}@{program}", *(f"{word}+{other}" for other in beside[1:]))
        last = "" if isinstance(value, list) and len(value) > 1 else word.rpartition(".")[2]
        known = isinstance(value, str) and self.known(field, value)
        tried = own if known else (*own, f"@{program}", f"+{beside[2]}", word, last, "")
        return next(filter(None, (meanings(section).get((field, word)) for word in tried)), None)


def _has_no_rank(name: str, value: Any, block: Mapping[str, Any]) -> bool:
    """Whether the rank is one that PEFT writes and does not read: of OFT, whose blocks are stated, and of AdaLoRA."""
    return name == "r" and (value == 0 or "init_r" in block)


def _is_amount(value: Any) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)) or str(value).removeprefix("-")[:1] in {
        *"0123456789$"
    }


def _spelled(key: str) -> str:
    """An option of a command line as its program's own files write it."""
    return key.lstrip("-").replace("-", "_")


def _program(section: str, stated: Mapping[str, str]) -> str:
    """The program whose words a section is written in."""
    if section == "serving":
        return stated.get("engine", "")
    return stated.get("framework", "deepspeed" if stated.get("deepspeed", "none") not in OFF else "")


def _field(section: str, name: str, written: Mapping[str, str]) -> str:
    """What a name stands for: in one program before all, unless the field that it then means is written, too."""
    own = in_program().get((name.lower(), _program(section, written)), "")
    return own if own and own not in written else same_field().get((section, name.lower()), name)


def _word(value: Any) -> str:
    """A value as a table of words has it: in small letters, a list joined, of an object its device or switch."""
    if isinstance(value, dict):
        value = value.get("device", value.get("enabled", value.get("enable", "")))
    if found := DEEPSPEED_FILE.search(str(value)):
        return f"zero{found[1]}{'_offload' * bool(found[2])}{found[3] or ''}"
    parts = value if isinstance(value, list) else [value]
    return "_".join(str(part).lower().replace(" ", "_") for part in parts)
