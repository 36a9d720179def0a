"""Every command with every option and every choice of one: the real parser takes it, and the command asks for it.

Processes that read workbooks, a cluster and the calculator are stood in for here; their own tests start them.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memreport import distributed
from memreport.advise.search import distributed as search
from memreport.audit import contained
from memreport.audit.contained import ChildAnswer
from memreport.build import calculator
from memreport.commands.parser import COMMANDS, module_of, parser_of
from memreport.commands.schema import KINDS
from memreport.errors import DONE, FINDING
from tests.commands.forge import AUTHOR, github, serving
from tests.portfolio.test_portfolio import written as portfolio_file
from tests.support import ROOT

CONFIG = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 128,
    "intermediate_size": 256, "max_position_embeddings": 64,
}  # fmt: skip
JOB = "model: llama-3-8b\nhardware: {accelerator: rtx-4090, count: 1}\nworkload: serving\nsearch: {count: [1, 2]}\n"
LINES = f"""
new job.yaml --workload training
new server.yaml --workload serving
ask "Can one L4 serve Llama 3 8B?" --save asked.yaml
fit llama-3-8b rtx-4090 x1 --serve --save served.yaml
fit llama-3-8b rtx-4090 --full
fit 'vllm serve mine -tp 2' rtx-4090 --model llama-3-8b
fit llama-3-8b rtx-4090 --lora
fit llama-3-8b rtx-4090 --qlora
show job.yaml --format table --variant base
show job.yaml --format markdown --fail-if-does-not-fit
show mine.yaml --format json --all
show mine.yaml --format table --figures peak_bytes
show portfolio.yaml --engine dask --scheduler tcp://here:1
show portfolio.yaml --engine local
build mine.yaml broken.yaml --out out --jobs 1 --formats json --confidential --force --keep-going --fail-if-does-not-fit
build mine.yaml --out out --formats json --explain
build portfolio.yaml --out plans --formats json --engine dask --scheduler tcp://here:1
build portfolio.yaml --out plans --formats json --engine local
audit book.xlsx --format table
audit book.xlsx --format json
import-inputs book.xlsx --scenario mine.yaml --write copy.yaml --force
plan mine.yaml
plan mine.yaml --why --format table --variant base --engine local
plan job.yaml --policy checklist --format json
plan job.yaml --policy tree
plan mine.yaml --policy search --format csv --engine dask --scheduler tcp://here:1
diff mine.yaml server.yaml --format text --all
diff mine.yaml mine.yaml --format markdown --fail-if-verdict-changes
diff mine.yaml mine.yaml --format json
gate base --init --policy base/policy.yaml --today 2026-11-25
gate base base --policy base/policy.yaml --write gate.md --tag mine --valid-at 2026-11-25T10:00:00Z
comment gate.md --author {shlex.quote(AUTHOR)}
verify {shlex.quote(str(ROOT / "scenarios/documented"))} --all --format json
list accelerators --format table
list models --format json
import-model config.json --out card.yaml --force
page --out calculator.html --model llama-3-8b
doctor
man
""".strip().splitlines()
LINES += [f"gate base base --policy base/policy.yaml --format {kind}" for kind in
          ("text", "markdown", "json", "sarif", "junit", "github")]  # fmt: skip
LINES += [f"schema --kind {kind} --out {kind}.json" for kind in KINDS]
LINES += [f"completion {shell}" for shell in ("bash", "zsh", "fish")]


@dataclass
class Tried:
    """What was typed of a command, what the command asked its options for, and with which code it ended."""

    typed: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    codes: dict[str, int] = field(default_factory=dict)


class Watched(argparse.Namespace):
    """Options that note which of them are asked for."""

    def __init__(self, given: argparse.Namespace, asked: set[str]) -> None:
        super().__init__(**vars(given))
        object.__setattr__(self, "_asked", asked)

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            super().__getattribute__("_asked").add(name)
        return super().__getattribute__(name)


class AtOnce:
    """A client of a cluster that does what is submitted in this process."""

    def submit(self, work: Any, *given: Any, pure: bool) -> Any:
        """The result itself."""
        return work(*given) if not pure else None

    def map(self, work: Any, tasks: list[Any], *, pure: bool, **given: Any) -> list[Any]:
        """The results themselves."""
        return [self.submit(lambda task: work(task, **given), task, pure=pure) for task in tasks]

    def gather(self, results: Any) -> Any:
        """They are here."""
        return results

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Tried]]:
    folder, found = tmp_path_factory.mktemp("options"), defaultdict[str, Tried](Tried)
    written(folder)
    with pytest.MonkeyPatch.context() as patch, serving() as forge:
        patch.chdir(folder)
        patch.setattr(contained, "contained", lambda *given, **options: ChildAnswer(f"{given} {options}"))
        patch.setattr(calculator, "calculator_page", lambda *given: f"{given}")
        patch.setattr(distributed, "connected", lambda _: AtOnce())
        patch.setattr(search, "connected", lambda _: AtOnce())
        for name, value in github(forge).items():
            patch.setenv(name, value)
        for line in LINES:
            words = shlex.split(line)
            one, options = found[words[0]], parser_of(words).parse_args(words)
            one.typed |= set(words)
            one.codes[line] = module_of(words[0]).run(Watched(options, one.asked))
        yield found


def written(folder: Path) -> None:
    """What the lines read."""
    portfolio_file(folder)
    (folder / "base").mkdir()
    for file in (folder / "mine.yaml", folder / "base" / "mine.yaml"):
        file.write_text(f"schema: 1\nid: mine\nversion: 1\ntitle: A small one\n{JOB}", encoding="utf-8")
    (folder / "broken.yaml").write_text("schema: 1\n", encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")


def options_of(name: str) -> list[argparse.Action]:
    """What the parser of a command takes."""
    parser = argparse.ArgumentParser(add_help=False)
    module_of(name).options(parser)
    return parser._actions


def test_every_option_and_every_choice_is_typed(tried: dict[str, Tried]) -> None:
    for name in COMMANDS:
        for option in options_of(name):
            choices = {str(choice) for choice in option.choices or () if choice != option.default}
            assert {*option.option_strings[-1:]} | choices <= tried[name].typed, (name, option.dest)


def test_every_option_is_asked_for_by_its_command(tried: dict[str, Tried]) -> None:
    for name in COMMANDS:
        assert {option.dest for option in options_of(name)} <= tried[name].asked, name


def test_every_line_ends_as_it_should(tried: dict[str, Tried]) -> None:
    ended = {line: code for one in tried.values() for line, code in one.codes.items()}
    assert set(ended) == set(LINES)
    assert {line for line, code in ended.items() if code not in {DONE, FINDING}} == {
        line for line in LINES if "broken" in line
    }
