"""One line in, the answer in a few; the scenario behind it builds, and a wrong line is one clear message."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from memreport.advise.plan import job_at
from memreport.catalogue.load import catalogue_for
from memreport.commands.main import main
from memreport.errors import BAD_INPUT, DONE, holding
from memreport.resolve.usual import usual_host
from tests.support import ROOT, run, scenario_text


def test_the_answer_is_a_few_lines_and_the_saved_scenario_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["fit", "llama-3-8b", "rtx-4090", "--qlora", "--save", "job.yaml"]) == DONE
    headline, *rest = capsys.readouterr().out.splitlines()
    assert headline[0] in "✓!"
    assert len(rest) <= 4
    assert max(map(len, rest)) <= 100
    assert any(line.strip().startswith("Assumed: ") for line in rest)
    assert main(["show", "job.yaml"]) == DONE
    assert headline.removeprefix("✓ ")[:40] in " ".join(capsys.readouterr().out.split())


def test_what_the_readme_shows_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("memreport fit ")[1].split("[![")[0]
    command, answer = shown.split("\n\n")[:2]
    main(["fit", *command.partition("#")[0].split()])
    printed, expected = (" ".join(text.split()) for text in (capsys.readouterr().out, answer))
    assert printed.startswith(expected.removesuffix(" ..."))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["lama-3-8b", "rtx-4090"], "did you mean 'llama-3-8b'"),
        (["llama-3-8b", "rtx-409"], "did you mean 'rtx-4090'"),
        (["nowhere.json", "rtx-4090"], "memreport: nowhere.json: cannot be read: there is no such file"),
        (["llama-3-8b", "rtx-4090", "x0"], "is no number of GPUs"),
        (["llama-3-8b", "jetson"], "did you mean 'jetson-agx-orin-64gb' or 'jetson-agx-thor'"),
        (["llama-3-8b", "macbook"], "no GPU of the catalogue is called so (found 'macbook'"),
    ],
)
def test_a_wrong_line_is_one_clear_message(line: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", *line]) == BAD_INPUT
    assert said in capsys.readouterr().err


def test_names_may_be_spelt_without_hyphens_and_in_capitals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "Llama2-7B", "RTX 4090", "--qlora"]) == DONE
    freely = capsys.readouterr().out
    assert main(["fit", "llama-2-7b", "rtx-4090", "--qlora"]) == DONE
    assert capsys.readouterr().out == freely


def test_of_the_forms_of_a_gpu_the_one_that_is_rented_most_is_assumed_and_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["fit", "llama-3-8b", "h100", "--lora"]) == DONE
    assert "Assumed: NVIDIA H100 80 GB SXM5, micro-batch 1" in capsys.readouterr().out
    assert main(["fit", "llama-3-8b", "h100-80gb-sxm", "--lora"]) == DONE
    assert "Assumed: micro-batch 1" in capsys.readouterr().out


def test_a_name_that_holds_all_parts_of_what_was_typed_is_meant_where_it_is_the_only_one(tmp_path: Path) -> None:
    for number, gpu in enumerate(("h100-sxm", "H200")):
        assert main(["fit", "llama-3-8b", gpu, "--lora", "--save", str(tmp_path / f"{number}.yaml")]) == DONE
    files = (tmp_path / f"{number}.yaml" for number in range(2))
    meant = [yaml.safe_load(file.read_text(encoding="utf-8"))["hardware"]["accelerator"] for file in files]
    assert meant == ["h100-80gb-sxm", "h200-141gb-sxm"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("rtx3060", ["rtx-3060-12gb", "rtx-3060-ti"]),
        ("4070ti", ["rtx-4070-ti", "rtx-4070-ti-super"]),
        ("A6000", ["rtx-a6000"]),
        ("NVIDIA GeForce RTX 4080 SUPER", ["rtx-4080-super"]),
        ("DGX Spark", ["gb10"]),
        ("a40", ["a40"]),
        ("rtx306", []),
        ("", []),
    ],
)
def test_a_name_is_made_up_of_parts_of_names_and_of_words_of_titles(typed: str, meant: list[str]) -> None:
    table = catalogue_for().tables["accelerators"]
    titles = dict(zip(map(str, table.ids), table.titles, strict=True))
    assert holding(typed, titles, titles) == meant


def test_words_of_a_title_name_a_gpu_of_a_file_too(tmp_path: Path) -> None:
    found = run(tmp_path, scenario_text(hardware="{accelerator: dgx-spark, count: 1}"))
    assert found.resolved.variants[0].settings["accelerator"] == "gb10"


def test_nothing_is_offloaded_to_memory_that_is_the_accelerators_own() -> None:
    known = catalogue_for()
    table, hosts = known.tables["accelerators"], known.tables["hosts"]
    rates = [table.columns[f"{name}_bytes_per_second"].values for name in ("memory", "host_link")]
    shared = [str(id_) for id_, own, link in zip(table.ids, *rates, strict=True) if own == link]
    memory = {id_: hosts.columns["host_memory_bytes"].values[hosts.row(usual_host(known, id_, 1))] for id_ in shared}
    assert {"m2-ultra", "gb10", "ryzen-7950x"} <= memory.keys()
    own = table.columns["capacity_bytes"].values
    assert all(left < own[table.row(id_)] / 4 for id_, left in memory.items())


def test_what_else_there_is_takes_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A far cheaper number of GPUs where the one asked for fits; where it does not, another job that it holds."""
    main(["fit", "llama-3-70b", "a100-80gb-sxm", "x8", "--full"])
    said = capsys.readouterr().out
    assert "\n  Cheapest in another number: " in said
    assert "Needs 425 GiB of host memory and 788 GiB of disk" in said, (
        "what the answer needs stands before what else there is"
    )
    assert len(said.splitlines()) == 5
    main(["fit", "qwen3-30b-a3b", "a40", "--serve"])
    said = " ".join(capsys.readouterr().out.split())
    assert "; on the same GPUs it fits with AWQ weights, a different job." in said
    main(["fit", "llama-3-8b", "h100-sxm", "--lora"])
    said = capsys.readouterr().out
    assert "elsewhere" not in said
    assert "different" not in said


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "job.yaml"
    kept.write_text("mine", encoding="utf-8")
    assert main(["fit", "llama-3-8b", "rtx-4090", "--save", str(kept)]) == BAD_INPUT
    assert "exists already" in capsys.readouterr().err
    assert kept.read_text(encoding="utf-8") == "mine"


def test_a_card_for_gamers_stands_in_a_workstation_and_others_in_their_own_machine(tmp_path: Path) -> None:
    hosts = {}
    for gpu in ("rtx-4090", "a100-80gb-sxm", "l40s"):
        job = tmp_path / f"{gpu}.yaml"
        main(["fit", "llama-3.2-1b", gpu, "--lora", "--save", str(job)])
        hosts[gpu] = job_at(job).case.settings["host"]
    assert hosts == {"rtx-4090": "workstation", "a100-80gb-sxm": "dgx-a100", "l40s": "server"}


def test_a_checkpoint_that_is_published_quantised_is_served_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "deepseek-v3", "h200-141gb-sxm", "x8", "--serve"]) == DONE
    said = capsys.readouterr().out
    assert said.startswith("✓ Yes, as submitted")
    assert "to each user" in " ".join(said.split())


def test_the_first_screen_of_the_readme_shows_what_the_command_says(capsys: pytest.CaptureFixture[str]) -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").partition("    ✓ ")[2].partition(" ...")[0]
    assert main(["fit", "llama-3-70b", "a100-80gb-sxm", "x8", "--full"]) == DONE
    assert " ".join(capsys.readouterr().out.split()).startswith(" ".join(f"✓ {shown}".split()))


def test_a_gpu_that_no_large_cloud_rents_is_billed_where_it_is_rented(capsys: pytest.CaptureFixture[str]) -> None:
    for gpu, price in (("rtx-4090", "runpod-rtx-4090-secure-on-demand"), ("rtx-3090", "akash-rtx-3090-on-demand")):
        assert main(["fit", "gpt2", gpu, "--full"]) == DONE
        assert f"tokens; {price}." in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("method", "assumed"), [("--full", "sequence 1,024"), ("--serve", "prompt 512")])
def test_no_sequence_is_longer_than_the_model_reads(
    method: str, assumed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "gpt2", "rtx-3080", method]) == DONE
    said = " ".join(capsys.readouterr().out.split())
    assert assumed in said
    assert "no price known" in said


def test_a_gpu_of_ones_own_is_listed_and_fitted_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "hardware" / "accelerators"
    folder.mkdir(parents=True)
    text = (ROOT / "hardware" / "accelerators" / "rtx-4090.yaml").read_text(encoding="utf-8")
    (folder / "rtx-own.yaml").write_text(text.replace("id: rtx-4090", "id: rtx-own"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["list", "accelerators"]) == DONE
    assert "rtx-own" in capsys.readouterr().out
    assert main(["fit", "gpt2", "rtx-own"]) == DONE
    assert "no price known" in " ".join(capsys.readouterr().out.split())


def test_a_gpu_of_apple_is_served_by_the_engine_that_runs_on_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["fit", "llama-3-8b", "m2-ultra", "--serve"])
    assert "Assumed: llama.cpp, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "cut"),
    [
        (("qwen2.5-7b", "rtx-3090", "x32"), {"tensor_parallel_size": 4, "max_num_seqs": 32}),
        (("llama-3.1-405b", "h100-sxm", "x16"), {"tensor_parallel_size": 8, "pipeline_parallel_size": 2}),
        (("llama-3.1-8b", "rtx-4090", "x1"), {"tensor_parallel_size": 1, "max_num_seqs": 8}),
    ],
)
def test_a_server_is_cut_as_its_heads_and_nodes_allow_and_serves_what_has_room(
    tmp_path: Path, line: tuple[str, ...], cut: dict[str, int]
) -> None:
    job = tmp_path / "served.yaml"
    assert main(["fit", *line, "--serve", "--save", str(job)]) == DONE
    assert yaml.safe_load(job.read_text(encoding="utf-8"))["serving"].items() >= cut.items()
