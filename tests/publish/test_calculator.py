"""The calculator: any model on any job, what it saves, and configurations that are pasted into it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memreport
from memreport.catalogue.cards import model_values
from memreport.catalogue.huggingface.card import read_config
from memreport.commands.main import main
from tests.browser import browser, browser_needed
from tests.publish.web_page import calculator, data_of, opened, until, values_of

__all__ = ["browser"]
HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=window.hit=2>{{7*7}}${window.hit=3}"


@browser_needed
@pytest.mark.parametrize("job", ["training", "serving"])
def test_the_calculator_equals_the_scenario_that_it_saves(browser: Any, tmp_path: Path, job: str) -> None:
    page = opened(browser, tmp_path, calculator())
    page.select_option("#job", job)
    page.select_option("#lever-model", index=17)
    page.fill("#lever-hardware-count", "4")
    page.keyboard.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save scenario").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    found, wanted = values_of(page), memreport.estimate(path).loc["what if"]
    for name in ("peak_bytes", "parameters", "cost_total_usd"):
        assert found[name] == pytest.approx(wanted[name], rel=1e-12)
    assert page.faults == []
    page.close()


def test_the_command_writes_the_calculator_with_a_model_of_ones_own(tmp_path: Path) -> None:
    config = {"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32}
    sizes = {"num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256, "max_position_embeddings": 8192}
    (tmp_path / "config.json").write_text(json.dumps(config | sizes | {"_name_or_path": HOSTILE}), encoding="utf-8")
    out = tmp_path / "calculator.html"
    assert main(["page", "--model", str(tmp_path / "config.json"), "--out", str(out)]) == 0
    html = out.read_text(encoding="utf-8")
    data = data_of(html)
    first, *values = next(iter(data["cards"]["rows"].values()))
    assert first == HOSTILE
    assert dict(zip(data["cards"]["fields"], values, strict=True))["num_hidden_layers"] == 16
    assert html.count("<script>") == 1


@pytest.mark.parametrize("model", ["no-such-model", "missing/config.json"])
def test_an_unknown_model_is_said_in_a_line(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", "--model", model, "--out", str(tmp_path / "x.html")]) == 2
    assert model in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


PASTED = """texts => {
  const box = document.getElementById("config"), button = box.nextElementSibling, said = button.nextElementSibling;
  const found = texts.map(text => {
    box.value = text;
    button.click();
    return [said.textContent, memreport.cards.rows.pasted];
  });
  return {fields: memreport.cards.fields, found};
}"""
CONFIGS = sorted((Path(__file__).parents[1] / "data" / "configs").rglob("*.json"))


TOWERS = {"vision_config", "audio_config", "embd_layer", "img_processor", "audio_processor"}


def without_towers(config: dict[str, Any]) -> dict[str, Any]:
    inner = {"thinker_config": without_towers(config["thinker_config"])} if "thinker_config" in config else {}
    return {key: block for key, block in config.items() if key not in TOWERS} | inner


def decoders_of(folder: Path) -> list[Path]:
    """Files of cards, and of architectures that have none, without their towers, which a page does not count."""
    known = json.loads((Path(__file__).parents[1] / "data" / "architectures.json").read_text(encoding="utf-8"))
    configs = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in CONFIGS}
    configs |= {f"{name}.json": one["config"] for name, one in known.items()}
    for name, one in configs.items():
        config = without_towers(one)
        (folder / name).write_text(json.dumps(config), encoding="utf-8")
    return [folder / name for name in configs]


@browser_needed
def test_a_pasted_configuration_is_read_as_the_program_reads_it(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, calculator())
    page.get_by_text("paste its config.json").click()
    parts = tmp_path / "of-several-parts.json"
    inner = json.loads(next(path for path in CONFIGS if path.stem == "gemma-3-1b").read_text(encoding="utf-8"))
    parts.write_text(json.dumps({"model_type": "gemma3", "text_config": inner}), encoding="utf-8")
    configs = [parts, *decoders_of(tmp_path)]
    made = page.evaluate(PASTED, [path.read_text(encoding="utf-8") for path in configs])
    for path, (said, row) in zip(configs, made["found"], strict=True):
        assert said.startswith("Read."), (path.name, said)
        found, config = dict(zip(made["fields"], row[1:], strict=True)), read_config(path)
        assert found.pop("weight_dtype") == (config.weight_dtype or "bf16"), path.name
        assert found == model_values(config.record()), path.name
    with page.expect_download() as download:
        page.get_by_role("button", name="Save scenario").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert memreport.estimate(saved).loc["what if"]["parameters"] == values_of(page)["parameters"]
    assert page.faults == []
    page.close()


@browser_needed
def test_a_pasted_checkpoint_is_served_as_it_is_published_and_saved_so(browser: Any, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, calculator())
    page.evaluate("location.hash = 'job=serving'")
    until(page, "memreport.engine.workload === 'serving'")  # the event of a hash comes later
    page.get_by_text("paste its config.json").click()
    for stem, published in (("deepseek-v3", "fp8"), ("llama-3-8b", "bf16")):
        page.evaluate(PASTED, [(CONFIGS[0].parent / f"{stem}.json").read_text(encoding="utf-8")])
        with page.expect_download() as download:
            page.get_by_role("button", name="Save scenario").click()
        saved = tmp_path / download.value.suggested_filename
        download.value.save_as(saved)
        assert f'weight_dtype: "{published}"' in saved.read_text(encoding="utf-8")
        assert memreport.estimate(saved).loc["what if"]["weight_bytes"] == values_of(page)["weight_bytes"]
    assert page.faults == []
    page.close()


@pytest.fixture(scope="module")
def pasting(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A calculator into which one configuration after the other is pasted: what is refused changes nothing of it."""
    page = opened(browser, tmp_path_factory.mktemp("pasting"), calculator())
    page.get_by_text("paste its config.json").click()
    yield page
    page.close()


@browser_needed
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "no JSON object"),
        ("[1]", "no JSON object"),
        ('{"model_type": "gpt_osss"}', "did you mean 'gpt_oss'?"),
        ('{"model_type": "llama", "hidden_size": "x"}', "must be a whole number"),
        ('{"model_type": "mistral", "sliding_window": -1}', "sliding_window must be a whole number"),
        ('{"model_type": "starcoder2", "mlp_type": "gated"}', "another kind of MLP is not known"),
        ('{"model_type": "qwen3_moe", "mlp_only_layers": "all"}', "mlp_only_layers must be a list"),
    ],
)
def test_what_is_no_plain_configuration_is_refused_in_words(pasting: Any, text: str, said: str) -> None:
    pasting.evaluate("document.getElementById('config-said').textContent = ''")
    pasting.fill("#config", text)
    pasting.get_by_role("button", name="Read it").click()
    assert said in pasting.locator("#config-said").inner_text()
