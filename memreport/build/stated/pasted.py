"""Settings of other programs that stand in a question: `num_train_epochs=3`, `lora_r: 32`, `sequence_len 4096`."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from memreport.build.stated.reading import is_known_word
from memreport.catalogue.programs.options import value_of
from memreport.catalogue.programs.table import is_quiet
from memreport.catalogue.words.names import same_field
from memreport.frozen import frozen

WORKLOADS = ("training", "serving")
PAIR = re.compile(
    r"(?<![\w.$/-])(?P<name>[A-Za-z]\w*)(?:(?P<sign> ?[=:] ?)| (?=[\d.]+(?![\w.]*[a-z])|true\b|false\b))"
    r"(?P<value>\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\d{1,3}(?:,\d{3})+(?![\w,.]*\d)|[\w./+-]*[\w\]])",
    re.IGNORECASE,
)
ALONE = ("optim", "optimizer", "adapter", "bf16", "fp16", "tf32", "packing", "bf16_full_eval")
"""Names of settings in one word, which are ones where a sign stands behind them."""
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
OR = r"\(?(?:or|vs\.?|versus)\b"
BESIDE_ANOTHER = re.compile(rf"^,? {OR}", re.IGNORECASE), re.compile(rf"{OR} $", re.IGNORECASE)
"""What stands behind or before one of several values, which are compared: `lora_r=16 or 64`."""
OF_A_CALL = re.compile(r"\b\w+(?:Arguments|Config|Params|LLM)\s*\([\s,]*\)")
"""What is left of a call whose arguments are read."""
LEFT = re.compile(r"(?<=\()[\s,]+|(?:\s*,)+(?=\s*(?:[,.:?!)]|$))|\s+(?=[\s,.:?!)])|^(?:and|with)\b ?")
IN_WORDS = {"num_train_epochs": "{} epochs", "max_steps": "for {} steps"}
"""What says how long a run is, as questions say it, whose data may be said in words."""
MODELS = ("base_model", "model_name_or_path", "model_name", "pretrained_model_name_or_path", "model_id", "model_path")
"""What names the model, as the question may."""
READ_ELSEWHERE = (
    "max_model_len",
    "max_num_seqs",
    "batch_size",
    "seq_len",
    "seq_length",
    "max_seq_length",
    "max_length",
)
"""Settings that are read as words, unless others stand beside them."""


@frozen
class Pasted:
    """A question without the settings in it, and these by the workload that has them."""

    question: str
    workload: str
    settings: dict[str, Any]

    @property
    def words(self) -> str:
        """How they are read."""
        said = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        return f"Read as fields of the {self.workload}: {said}."


def without_settings(question: str) -> Pasted | None:
    """A question whose settings are taken out of it; None where it has none, or none but what is read as words."""
    pairs = _of_one_value(question, [said for said in PAIR.finditer(question) if _is_setting(said)])
    names = [_name(said) for said in pairs]
    known = {each: [name for name in names if is_known_word(each, name)] for each in WORKLOADS}
    workload = max(WORKLOADS, key=lambda each: len(known[each]))
    if {*known[workload]} <= {*READ_ELSEWHERE}:
        return None
    settings, rest = dict[str, Any](), question
    for said in reversed(pairs):
        name, value = _name(said), _value(said)
        field = same_field().get((workload, name), name)
        if name in MODELS:
            said_so = str(value)
        elif field in IN_WORDS and isinstance(value, int | float):
            said_so = IN_WORDS[field].format(said["value"]) if value > 0 else ""
        elif name in known[workload]:
            settings, said_so = {name: value, **settings}, ""
        else:
            said_so = "" if is_quiet(name) else said[0]
        rest = f"{rest[: said.start()]}{said_so}{rest[said.end() :]}"
    return Pasted(OF_A_CALL.sub("", LEFT.sub("", rest)).strip(" ,"), workload, settings)


def _name(said: re.Match[str]) -> str:
    return said["name"].lower()


def _value(said: re.Match[str]) -> Any:
    """What a setting is, of a number without its commas for thousands."""
    given = said["value"]
    return value_of(given.strip("\"'") if given[0] in "\"'[" else THOUSANDS.sub("", given))


def _of_one_value(question: str, pairs: list[re.Match[str]]) -> list[re.Match[str]]:
    """The settings that are said once; those that are compared are left in the question, as others read them."""
    behind, before = BESIDE_ANOTHER
    times = Counter(_name(said) for said in pairs)
    compared = {
        _name(said)
        for said in pairs
        if times[_name(said)] > 1 or behind.search(question[said.end() :]) or before.search(question[: said.start()])
    }
    return [said for said in pairs if _name(said) not in compared]


def _is_setting(said: re.Match[str]) -> bool:
    """Whether a name has an underscore, as names of settings have, or is known to be one."""
    return "_" in said["name"] or (bool(said["sign"]) and _name(said) in ALONE)
