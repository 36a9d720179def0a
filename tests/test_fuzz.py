"""A slice of `make fuzz` with a fixed seed, and the corpus of inputs that once broke the program."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from memreport.catalogue.quantities import in_gib, pair_in_gib
from memreport.commands.main import main
from tests.fuzz import TARGETS, Target, input_of, named_after, run
from tests.fuzz_tally import table
from tests.support import ROOT, scenario_text

FAULTS = ROOT / "tests" / "faults" / "refused"
SEED, INPUTS, SECONDS = 20261122, 60, 40.0
READ_BY = {".yaml": (("show",), ("plan",)), ".json": (("import-model",),)}


def test_a_slice_of_mutated_files_ends_in_messages() -> None:
    tallies = run(SEED, INPUTS, SECONDS)
    assert sum(one.tried for one in tallies.values()) >= 5
    assert not [kind for kind, one in tallies.items() if one.failed], table(tallies)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.kind)
def test_an_input_is_the_same_each_time(target: object) -> None:
    one = next(known for known in TARGETS if known is target)
    first = input_of(one, 7)
    assert len({input_of(one, seed) for seed in range(40)}) > 30
    assert input_of(one, 7) == first


def test_the_fuzzer_sees_what_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import import_module

    commands = import_module("memreport.commands.main")
    from tests import fuzz

    def slips(*_: object) -> int:
        raise KeyError("slip")

    monkeypatch.setattr(commands, "_done", slips)
    assert "code 70" in fuzz.outcome(["list"])
    monkeypatch.setattr(commands, "main", slips)
    assert "KeyError escaped" in fuzz.outcome(["list"])


@pytest.mark.parametrize(
    ("path", "command"),
    [
        pytest.param(path, command, id=f"{path.name}-{command[0]}")
        for path in sorted(FAULTS.iterdir())
        for command in READ_BY.get(path.suffix, ())
    ],
)
def test_what_once_broke_the_program_is_a_message(
    path: Path, command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(path, tmp_path)
    assert main([*command, str(tmp_path / path.name)]) == 2
    said = capsys.readouterr().err
    assert path.name in said
    assert "internal error" not in said


@pytest.mark.parametrize(
    ("table", "rows", "broken", "words"),
    [
        ("hardware/hosts.yaml", "hosts", {"host_accelerators": 0}, "hosts.0.host_accelerators: must be at least 1"),
        (
            "scenarios/reference/optimizers.yaml",
            "rows",
            {"id": {"id": "adamw"}},
            "rows.0.id: must be text or a whole number",
        ),
    ],
)
def test_a_table_with_an_impossible_row_is_a_message(
    table: str, rows: str, broken: dict[str, object], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = yaml.safe_load((ROOT / table).read_text(encoding="utf-8"))
    data[rows][0] |= broken
    own = tmp_path / table
    own.parent.mkdir(parents=True)
    own.write_text(yaml.safe_dump(data), encoding="utf-8")
    case = tmp_path / "scenarios" / "case.yaml"
    case.parent.mkdir(exist_ok=True)
    case.write_text(scenario_text(), encoding="utf-8")
    assert main(["show", str(case)]) == 2
    assert words in capsys.readouterr().err


def test_a_card_whose_source_is_text_is_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "models").mkdir()
    shutil.copy(FAULTS / "cards" / "source-text.yaml", tmp_path / "models" / "mine.yaml")
    (tmp_path / "case.yaml").write_text(scenario_text(model="mine"), encoding="utf-8")
    assert main(["show", str(tmp_path / "case.yaml")]) == 2
    assert "models/mine.yaml:6:9: source: must be a block of fields" in capsys.readouterr().err


def test_control_characters_of_a_configuration_are_a_fault_at_load(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = json.loads((ROOT / "tests/data/configs/llama-3-8b.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(config | {"_name_or_path": "a\x1b[2Jb"}), encoding="utf-8")
    (tmp_path / "case.yaml").write_text(scenario_text(model="config.json"), encoding="utf-8")
    assert main(["show", str(tmp_path / "case.yaml")]) == 2
    said = capsys.readouterr().err
    assert "config.json: _name_or_path: invisible and control characters are not allowed (found U+001B)" in said


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.kind)
def test_what_is_not_mutated_is_read_to_the_end(target: Target, tmp_path: Path) -> None:
    seed = next(path for path in target.seeds() if path.stem not in ("conventions", "006"))
    data = target.parse(seed.read_text(encoding="utf-8"))
    text = target.render(named_after(target.place, data))
    for name, content in {**target.others(), target.place: text}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert next(main(one) for one in target.commands(tmp_path, tmp_path / target.place)) in (0, 1)


def test_a_table_of_ones_own_need_not_have_every_row_that_a_search_knows(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "case.yaml").write_text(scenario_text(training="{optimizer: adamw}"), encoding="utf-8")
    for name in ("optimizers", "methods", "checkpointing_modes", "offload_targets", "zero_stages"):
        data = yaml.safe_load((ROOT / "scenarios" / "reference" / f"{name}.yaml").read_text(encoding="utf-8"))
        own = {"adamw", "full", "none", 0}
        data["rows"] = [row for row in data["rows"] if row["id"] in own]
        (tmp_path / "reference" / f"{name}.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    for command in ("show", "plan"):
        assert main([command, str(tmp_path / "case.yaml")]) in (0, 1)


def test_a_number_of_a_table_or_an_override_is_bounded_as_a_field_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(scenario_text(overrides="{logits_bytes: 1e308}"), encoding="utf-8")
    assert main(["show", str(path)]) == 2
    assert "must be at most 1e+30" in capsys.readouterr().err
    path.write_text(scenario_text(), encoding="utf-8")
    (tmp_path / "reference").mkdir()
    text = (ROOT / "scenarios" / "reference" / "optimizers.yaml").read_text(encoding="utf-8")
    own = text.replace("optimizer_moments: 2", "optimizer_moments: 1e308", 1)
    assert own != text
    (tmp_path / "reference" / "optimizers.yaml").write_text(own, encoding="utf-8")
    assert main(["show", str(path)]) == 2
    assert "optimizers.yaml:" in (said := capsys.readouterr().err)
    assert "must be at most 1e+30" in said


def test_sizes_that_are_no_numbers_are_shown_all_the_same() -> None:
    assert pair_in_gib(float("inf"), 1.0) == ("unlimited", in_gib(1.0))
