"""Stages of a pipeline, stated in a scenario, with what each holds computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.compute import Computed
from memreport.errors import InputError
from tests.support import run, scenario_text, value

SIXTEEN = "{accelerator: h100-80gb-sxm, count: 16, host: dgx-h100}"
LAYERS = ("first_stage_layers", "middle_stage_layers", "last_stage_layers")
LAYER = 2 * 4096 * (4096 + 1024) + 3 * 4096 * 14_336 + 2 * 4096
EDGE = 128_256 * 4096
PIPED = "framework: megatron, gradient_accumulation_steps: 16, pipeline_parallel_size"


def job(folder: Path, training: str, model: str = "llama-3-8b") -> Computed:
    return run(folder, scenario_text(model=model, training=f"{{{training}}}", hardware=SIXTEEN))


@pytest.mark.parametrize(
    ("given", "layers"),
    [
        ("4", (8, 8, 8)),
        ("16", (2, 2, 2)),
        ("4, decoder_first_pipeline_num_layers: 6, decoder_last_pipeline_num_layers: 6", (6, 10, 6)),
        ("4, decoder_last_pipeline_num_layers: 5", (9, 9, 5)),
        ("2, account_for_embedding_in_pipeline_split: true, account_for_loss_in_pipeline_split: true", (16, 0, 16)),
    ],
)
def test_layers_of_the_stages(tmp_path: Path, given: str, layers: tuple[float, ...]) -> None:
    """32 layers: 6 + 10 + 10 + 6, 3 x 9 + 5, and with embedding and loss 17 for each half, less the end that it has."""
    found = job(tmp_path, f"{PIPED}: {given}")
    assert tuple(value(found, name) for name in LAYERS) == layers
    assert value(found, "layers_per_stage") == max(layers)


def test_layers_that_do_not_divide(tmp_path: Path) -> None:
    """Llama 2 13B's 40 layers over 16: 8 stages of 3 and 8 of 2; the second stage is among the first."""
    found = job(tmp_path, f"{PIPED}: 16", "llama-2-13b")
    assert tuple(value(found, name) for name in LAYERS) == (3, 3, 2)


@pytest.mark.parametrize(
    ("given", "parameters"),
    [
        ("4", (8 * LAYER + EDGE, 8 * LAYER, 8 * LAYER + EDGE)),
        ("4, pipeline_schedule: zb-v", (8 * LAYER + 2 * EDGE, 8 * LAYER, 8 * LAYER)),
        ("4, pipeline_schedule: dualpipe", (16 * LAYER + 2 * EDGE, 16 * LAYER, 16 * LAYER)),
        ("4, pipeline_schedule: dualpipe-v", (8 * LAYER + 2 * EDGE, 8 * LAYER, 8 * LAYER)),
    ],
)
def test_parameters_of_the_stages(tmp_path: Path, given: str, parameters: tuple[float, ...]) -> None:
    """The final norm, 4,096 parameters, is spread over the layers' parameters."""
    found = job(tmp_path, f"{PIPED}: {given}")
    names = ("first_stage_parameters", "middle_stage_parameters", "last_stage_parameters")
    assert tuple(value(found, name) for name in names) == pytest.approx(parameters, rel=2e-6)


def test_the_largest_stage_is_the_answer(tmp_path: Path) -> None:
    """The first stage keeps most where many micro-batches are in flight; that of the logits where one is everywhere."""
    long = job(tmp_path, f"{PIPED}: 4, sequence_length: 4096")
    assert value(long, "peak_stage") == 1
    short = job(tmp_path, "framework: megatron, gradient_accumulation_steps: 1, pipeline_parallel_size: 4")
    assert value(short, "peak_stage") == 3
    for found in (long, short):
        peaks = [value(found, f"{name}_stage_peak_bytes") for name in ("first", "middle", "last")]
        assert max(peaks) == pytest.approx(value(found, "peak_bytes"))
        assert value(found, "peak_parts_bytes") == pytest.approx(value(found, "peak_bytes"))


def test_dense_layers_come_first(tmp_path: Path) -> None:
    """DeepSeek-V3 in 16 stages of at most 4: the first has 3 dense layers and a mixture, others mixtures alone."""
    given = f"{PIPED}: 16, decoder_first_pipeline_num_layers: 4, decoder_last_pipeline_num_layers: 1"
    found = job(tmp_path, given, "deepseek-v3")
    assert value(found, "first_stage_mixtures") == 1
    assert value(found, "peak_stage") == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f"{PIPED}: 4, decoder_first_pipeline_num_layers: 31", "leave a layer to each other stage"),
        ("framework: megatron, decoder_last_pipeline_num_layers: 7", "leave a layer to each other stage"),
        (f"{PIPED}: 4, account_for_loss_in_pipeline_split: true", "divide with them over the stages"),
        ("framework: megatron, account_for_loss_in_pipeline_split: true", "are for a pipeline"),
        (f"{PIPED}: 4, decoder_first_pipeline_layers: 7", "decoder_first_pipeline_num_layers"),
        (f"{PIPED}: 4, pipeline_schedule: dualpipes", "dualpipe"),
    ],
)
def test_wrong_stages(tmp_path: Path, given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        job(tmp_path, given)


def test_two_stages_a_gpu_hold_twice_and_work_once(tmp_path: Path) -> None:
    """From both ends each GPU holds two stages of 8 layers, and a micro-batch still passes 8 in turn."""
    plain, both = (job(tmp_path, f"{PIPED}: 4, pipeline_schedule: {name}") for name in ("1f1b", "dualpipe"))
    assert value(both, "held_layers") == 2 * value(plain, "held_layers") == 16
    assert value(both, "layers_per_stage") == value(plain, "layers_per_stage")
    assert value(both, "products_seconds_computed") == value(plain, "products_seconds_computed")
