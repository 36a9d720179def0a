"""An entry of a ledger of one's own may point at a scenario's figure instead of restating its inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.commands.main import main
from memreport.compute import compute
from memreport.resolve import resolve_all
from tests.ledger.ledgers import judged
from tests.support import scenario_text, value

HEAD = "schema: 1\ndocument: own\nentries:\n"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    text = scenario_text("job", training="{micro_batch_size: 2, sequence_length: 1024}",
                         variants="{plain: {}, small: {training.micro_batch_size: 1}}")  # fmt: skip
    (tmp_path / "job.yaml").write_text(text, encoding="utf-8")
    serving = scenario_text("served", workload="serving", serving="{max_num_seqs: 3}")
    (tmp_path / "served.yaml").write_text(serving, encoding="utf-8")
    return tmp_path


def entry(figure: str, number: float, more: str) -> str:
    return f"value: {number:.6g} B\nfigure: {figure}\nexpect: reproduces\n{more}"


def test_the_figure_is_that_of_the_scenario(job: Path) -> None:
    trained, served = (compute(resolve_all([job / name]))[0] for name in ("job.yaml", "served.yaml"))
    entries = (
        entry("peak_bytes", value(trained, "peak_bytes"), "scenario: job.yaml"),
        entry("peak_bytes", value(trained, "peak_bytes", 1), "scenario: job.yaml\nvariant: small"),
        entry("kv_cache_bytes", value(served, "kv_cache_bytes"), "scenario: served.yaml"),
        entry(
            "kv_cache_bytes", 2 * value(served, "kv_cache_bytes"), "scenario: served.yaml\ninputs: {max_num_seqs: 6}"
        ),
    )
    found = judged(job, *entries, head=HEAD)
    assert not found.faults
    assert [one.verdict for one in found.judgements] == ["reproduces"] * 4
    wrong = judged(job, entry("peak_bytes", 1.01 * value(trained, "peak_bytes"), "scenario: job.yaml"), head=HEAD)
    assert [one.verdict for one in wrong.judgements] == ["contradicts itself"]


def test_a_set_up_may_point_too(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    peak = value(compute(resolve_all([job / "job.yaml"]))[0], "peak_bytes", 1)
    head = HEAD.replace("entries:", "setups: {mine: {scenario: job.yaml, inputs: {micro_batch_size: 1}}}\nentries:")
    found = judged(job, entry("peak_bytes", peak, "given: mine"), head=head)
    assert [one.verdict for one in found.judgements] == ["reproduces"]
    assert main(["verify", str(job / "mine.yaml")]) == 0
    assert "1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("scenario: jop.yaml", "entries.0.scenario: no such scenario file"),
        ("scenario: job.yaml\nvariant: smal", "entries.0.variant: no such variant"),
        ("variant: small", "entries.0.variant: needs a scenario"),
        ("scenario: job.yaml\ngiven: 7b", "entries.0.scenario: starts from a scenario or from a set-up"),
    ],
)
def test_a_mistake_is_one_fault_with_its_place(job: Path, more: str, said: str) -> None:
    found = judged(job, entry("peak_bytes", 1.0, more), head=HEAD)
    (fault,) = found.faults
    assert said in str(fault)
    assert "mine.yaml:" in str(fault)


def test_a_broken_scenario_says_so_itself(job: Path) -> None:
    path = job / "job.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("llama-2-7b", "lama-2-7b"), encoding="utf-8")
    (fault,) = judged(job, entry("peak_bytes", 1.0, "scenario: job.yaml"), head=HEAD).faults
    assert "job.yaml:" in str(fault)
