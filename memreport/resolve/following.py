"""What a field is where nobody states it and another choice decides: rules for files and, printed, for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from memreport.catalogue.load import Catalogue
from memreport.catalogue.records import NO_UNITS, Key, ModelCard
from memreport.catalogue.scenario import dictionary
from memreport.figures.constants import SPOKEN_TOKENS
from memreport.formula.words import ceil, larger, smaller, where
from memreport.frozen import frozen
from memreport.resolve.records import FOLLOWS_CARD, Origin

Of = tuple[ModelCard, Catalogue, str]
"""A model, the catalogue and the workload."""
Rule = Callable[[Mapping[str, Any]], Any]
DECIDING = {
    "framework": "frameworks", "engine": "engines", "objective": "objectives", "method": "methods",
    "zero_stage": "zero_stages",
}  # fmt: skip
"""Fields that name a program or what it does, with their tables: columns say what follows where nobody states it."""
DEMAND = "demand"
"""Stands among the fields that are stated where a scenario has a demand."""
LACKS_BF16 = "lacks_bf16"
"""Of a GPU: 1 where it has units for FP16, and none for BF16."""


@frozen
class Following:
    """A field that takes the rule's number, or the `choice` where that is above zero and the model's card says nothing.

    It follows where neither the field nor one of `unless` is stated and, where `given` names any, one of these is.
    """

    field: str
    rule: Rule
    choice: Any = None
    unless: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    workload: str = ""

    def applies(self, stated: Callable[[str], bool]) -> bool:
        """Whether the field follows, as far as what is stated decides it."""
        is_open = not any(map(stated, (self.field, *self.unless)))
        return is_open and (not self.given or any(map(stated, self.given)))


def _readable(name: str) -> Rule:
    """A length, or what the model reads where that is less."""

    def least(of: Mapping[str, Any]) -> Any:
        most = of["max_position_embeddings"]
        return where(most > 0, smaller(of[name], most), of[name])

    return least


def _whole(of: Mapping[str, Any]) -> Any:
    return of["prompt_tokens"] + of["output_tokens"] * _makes_tokens(of)


def _heard(of: Mapping[str, Any]) -> Any:
    """What an encoder makes of sound: as many places as it has, whatever is said in it."""
    return where(of["audio_seconds"] > 0, of["max_position_embeddings"], of["prompt_tokens"])


def _spoken(of: Mapping[str, Any]) -> Any:
    """Tokens of the words that are said in it."""
    return ceil(of["audio_seconds"] * SPOKEN_TOKENS)


def _all_attend(of: Mapping[str, Any]) -> Any:
    """Whether every token of an input sees every other, as in encoders."""
    return (of["is_decoder"] <= 0) + (of["is_encoder_decoder"] > 0)


def _longest(held: Rule) -> Rule:
    return lambda of: larger(_readable("max_model_len")(of), held(of))


def _admitted(name: str) -> Rule:
    return lambda of: smaller(of[name], of["max_model_len"])


def _says(column: str) -> Rule:
    return lambda of: of[column]


def _prepared(of: Mapping[str, Any]) -> Any:
    """Whether what is not quantised of a base is put into FP32; shards of one are left as they are.

    Source: PEFT 0.21, `prepare_model_for_kbit_training`.
    """
    return of["prepares_base"] * of["base_quantised"] * (1 - of["shards_parameters"])


def _makes_tokens(of: Mapping[str, Any]) -> Any:
    """Whether a model answers with tokens, not with a vector or a score."""
    return of["is_decoder"] * (of["pooling"] <= 0)


def _runs_one(of: Mapping[str, Any]) -> Any:
    """Whether one sequence runs at a time, as it does where tokens are made, and no demand says how many there are."""
    return of["runs_one_sequence"] * _makes_tokens(of) * (of["users"] + of["requests_per_second"] <= 0)


def _parts(of: Mapping[str, Any]) -> Any:
    """Parts of a stage, where the layers of one are stated: what is split over stages, embedding and loss with it."""
    ends = of["account_for_embedding_in_pipeline_split"] + of["account_for_loss_in_pipeline_split"]
    layers = larger(of["num_layers_per_virtual_pipeline_stage"], 1)
    parts = ceil((of["num_hidden_layers"] + ends) / of["pipeline_parallel_size"] / layers)
    stated = of["num_layers_per_virtual_pipeline_stage"] > 0
    return where(stated, parts, of["virtual_pipeline_parallel_size"])


ONLY_FOLLOWED = frozenset({"num_layers_per_virtual_pipeline_stage", "unstated_batched_tokens", "from_ollama"})
"""Fields that nobody types into a workbook: others follow from them while a scenario is read, or cells say the same."""
REQUEST = ("prompt_tokens", "output_tokens")
HALF_PRECISION = {"precision": "fp16-mixed", "weight_dtype": "fp16", "kv_cache_dtype": "fp16"}
"""What stands in for BF16 on a GPU with units for FP16 alone.  Source: vLLM `--dtype auto`; PyTorch `GradScaler`."""
FOLLOWING = (
    *(Following(name, _says(LACKS_BF16), choice) for name, choice in HALF_PRECISION.items()),
    Following("precision", _prepared, "bf16-autocast"),
    Following("precision", lambda of: of[LACKS_BF16] * _prepared(of), "fp16-autocast"),
    Following("weight_dtype", _says("from_ollama"), "q4_k_m"),
    Following("gradient_checkpointing", _says("checkpoints_layers"), "full"),
    Following("activation_offload", _says("offloads_checkpoints"), choice=True, unless=("gradient_checkpointing",)),
    Following("fp8_recipe", _says("delayed_fp8_scales"), "te-delayed"),
    Following("loss", lambda of: of["scores_in_tiles"] * of["trains_in_tiles"], "linear-tiles"),
    Following("loss", _says("limits_loss"), "linear-limited"),
    Following("loss", _says("chunks_loss"), "chunked"),
    Following("loss", lambda of: of["cuts_loss"] * (of["tensor_parallel_size"] > 1), "loss-parallel"),
    Following("zero_stage", lambda of: of["shards_weights"] * (of["count"] > 1), 3),
    Following("virtual_pipeline_parallel_size", _parts),
    Following(
        "pipeline_parallel_size",
        lambda of: where(of["spreads_layers"] > 0, of["count"], of["pipeline_parallel_size"]),
        unless=("tensor_parallel_size",),
        workload="serving",
    ),
    Following("pooling", _says("pools"), choice=True),
    Following("max_num_seqs", lambda of: where(_runs_one(of) > 0, 1, of["max_num_seqs"])),
    Following("unstated_sequences", lambda of: of["max_num_seqs"] * 1, unless=("max_num_seqs", DEMAND)),
    Following(
        "unstated_batched_tokens", lambda of: of["max_num_batched_tokens"] * 1, unless=("max_num_batched_tokens",)
    ),
    Following("sequence_length", _readable("sequence_length")),
    Following("output_tokens", lambda of: where(_makes_tokens(of) > 0, of["output_tokens"], 1)),
    Following("output_tokens", lambda of: where(of["audio_seconds"] > 0, _spoken(of), of["output_tokens"])),
    Following("prompt_tokens", _readable("prompt_tokens"), unless=(DEMAND, "output_tokens")),
    Following("prompt_tokens", _heard),
    Following(
        "attention_computed_share",
        lambda of: where(_all_attend(of) > 0, 1, of["attention_computed_share"]),
        workload="serving",
    ),
    Following("context_length", _readable("context_length"), unless=(DEMAND, *REQUEST)),
    Following("context_length", lambda of: where(of["audio_seconds"] > 0, _whole(of), of["context_length"])),
    Following("context_length", _whole, given=(DEMAND, *REQUEST)),
    Following("max_model_len", _longest(lambda of: of["context_length"]), unless=(DEMAND,)),
    Following("max_model_len", _longest(_whole), given=(DEMAND,)),
    *(Following(name, _admitted(name), unless=(DEMAND,)) for name in ("context_length", "prompt_tokens")),
)
"""In this order, each on what those before it have set: a sequence holds prompt and answer, an engine admits it."""


@lru_cache
def following(workload: str) -> tuple[Following, ...]:
    """The rules of a workload."""
    return tuple(
        follower
        for follower in FOLLOWING
        if follower.field in dictionary(workload) and follower.workload in {"", workload}
    )


@lru_cache
def followed(workload: str) -> tuple[str, ...]:
    """The fields that follow another choice."""
    return tuple(dict.fromkeys(follower.field for follower in following(workload)))


def otherwise(name: str, card: ModelCard, catalogue: Catalogue, workload: str) -> Any:
    """What a field is before any rule: what the model's card says, or its default."""
    if name != "weight_dtype":
        return card.values.get(name, dictionary(workload)[name].default)
    is_known = card.weight_dtype in catalogue.tables["weight_formats"].ids
    return card.weight_dtype if is_known else dictionary(workload)[name].default


def stating(origins: Mapping[str, Origin], demanded: bool) -> Callable[[str], bool]:
    """Whether somebody stated a field, by where each value comes from; a demand is stated with its block."""

    def stated(name: str) -> bool:
        origin = origins.get(name)
        return demanded if name == DEMAND else origin is not None and origin.kind not in FOLLOWS_CARD

    return stated


class RuleEffect(NamedTuple):
    """A rule on one scenario: whether it decides there, and what its field is after it; None where that is stated."""

    follower: Following
    decides: bool
    value: Any


def effects(
    settings: Mapping[str, Any], stated: Callable[[str], bool], card: ModelCard, catalogue: Catalogue, workload: str
) -> Iterator[RuleEffect]:
    """What follows from the GPU, the program, the model and lengths where nobody stated it, rule by rule."""
    found = {name: otherwise(name, card, catalogue, workload) for name in followed(workload) if not stated(name)}
    usual, read, known = dict(found), _Read(found, settings, catalogue), cache(stated)
    for follower in following(workload):
        decides = follower.applies(known)
        if decides and follower.choice is not None:
            decides = usual[follower.field] == dictionary(workload)[follower.field].default
        if decides and follower.choice is None:
            found[follower.field] = float(follower.rule(read))
        elif decides and follower.rule(read) > 0:
            found[follower.field] = follower.choice
        yield RuleEffect(follower, decides, found.get(follower.field))


def follow(
    settings: MutableMapping[str, Any],
    stated: Callable[[str], bool],
    card: ModelCard,
    catalogue: Catalogue,
    workload: str,
) -> None:
    """Set what follows from other choices, where nobody stated it."""
    found = {name: otherwise(name, card, catalogue, workload) for name in followed(workload) if not stated(name)}
    found |= {
        each.follower.field: each.value
        for each in effects(settings, stated, card, catalogue, workload)
        if each.follower.field in found
    }
    settings.update({name: value for name, value in found.items() if settings.get(name) != value})


def follows(name: str, settings: Mapping[str, Any], origins: Mapping[str, Origin], of: Of) -> bool:
    """Whether a field of a case is what it would be if nobody stated it."""
    card, catalogue, workload = of
    if name not in followed(workload):
        return False
    stated = stating({each: origin for each, origin in origins.items() if each != name}, demanded=False)
    made = {each.follower.field: each.value for each in effects(settings, stated, card, catalogue, workload)}
    return bool(made.get(name, otherwise(name, card, catalogue, workload)) == settings[name])


@frozen
class _Read(Mapping[str, Any]):
    """Numbers that rules read: settings, what has been found of them, and columns of the GPU and the program."""

    found: Mapping[str, Any]
    settings: Mapping[str, Any]
    catalogue: Catalogue

    def __getitem__(self, name: str) -> Any:
        if name in self.found or name in self.settings:
            return self.found.get(name, self.settings.get(name))
        if name in OF_GPU:
            return float(OF_GPU[name](self.catalogue, self.settings["accelerator"]))
        return next(self._columns(name), 0.0)

    def _columns(self, name: str) -> Iterator[float]:
        for field, title in DECIDING.items():
            table = self.catalogue.tables[title]
            if name in table.columns and (row := table.positions.get(self.settings.get(field, ""))) is not None:
                yield float(table.columns[name].values[row])

    def __iter__(self) -> Iterator[str]:
        return iter(self.settings)

    def __len__(self) -> int:
        return len(self.settings)


def read_of(field: str, choice: Key, name: str, catalogue: Catalogue) -> float:
    """What rules read of a name that one choice supplies."""
    return float(_Read({}, {field: choice}, catalogue)[name])


def lacks_bf16(catalogue: Catalogue, gpu: Key) -> bool:
    """Whether a GPU has units for FP16, and none for BF16."""
    table = catalogue.tables["accelerators"]
    row = table.positions.get(gpu)
    bf16, fp16 = (
        row is None or table.columns[f"{rate}_flop_per_second"].bases[row] != NO_UNITS for rate in ("bf16", "fp16")
    )
    return fp16 and not bf16


OF_GPU = {LACKS_BF16: lacks_bf16}
"""What rules read of a GPU beside its columns."""
