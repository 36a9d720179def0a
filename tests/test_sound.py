"""Whisper that is served: an encoder that hears 30 seconds, a decoder that keeps its answer, times real time."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreport.commands.main import main
from memreport.compute import Computed
from memreport.errors import DONE
from tests.support import run, scenario_text, value

ONE = "{accelerator: h100-80gb-sxm, count: 1, host: dgx-h100}"
ATTENTION, MLP, GIB = 4 * 1280**2, 2 * 1280 * 5120, 2**30


def heard(folder: Path, model: str = "whisper-large-v3", serving: str = "{engine: transformers}") -> Computed:
    return run(folder, scenario_text(workload="serving", model=model, serving=serving, hardware=ONE))


def asked(capsys: pytest.CaptureFixture[str], question: str) -> str:
    assert main(["ask", question]) == DONE
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("model", "decoder"), [("whisper-large-v3", 32), ("whisper-large-v3-turbo", 4)])
def test_each_half_works_in_its_own_phase(tmp_path: Path, model: str, decoder: int) -> None:
    found = heard(tmp_path, model)
    assert (value(found, "encoder_layers"), value(found, "decoder_layers")) == (32, decoder)
    weights = sum(
        value(found, f"{name}.decode")
        for name in ("qkv_projection_weights", "output_projection_weights", "plain_mlp_weights")
    )
    assert weights == pytest.approx(decoder * (1.5 * ATTENTION + MLP), rel=2e-3)
    assert value(found, "prefill_layer_share") == pytest.approx(1 - value(found, "decode_layer_share"))


def test_the_cache_holds_what_was_heard_and_what_was_said(tmp_path: Path) -> None:
    """1,500 places in the cross attention of 32 layers, and the answer in their own: as torch 2.11 allocates."""
    found = heard(tmp_path, serving="{engine: transformers, max_num_seqs: 16}")
    assert value(found, "context_length") == 1500 + 105
    assert value(found, "kv_bytes_per_token") == 32 * 2 * 1280 * 2
    assert value(found, "weight_bytes") == pytest.approx(2.876 * GIB, rel=1e-3)


@pytest.mark.xfail(strict=True, reason="what generate() does beside kernels is not counted: 3.1 ms of four layers")
def test_a_step_of_few_layers_takes_what_torch_takes_on_an_h100(tmp_path: Path) -> None:
    """Measured: 5.2 ms of turbo, alone."""
    turbo = heard(tmp_path, "whisper-large-v3-turbo")
    assert value(turbo, "decode_step_seconds") == pytest.approx(0.0052, rel=0.35)


def test_times_are_those_that_torch_takes_on_an_h100(tmp_path: Path) -> None:
    """Measured: 20.1 ms to the first token of turbo, alone; 14 to 26 ms a step of large v3."""
    turbo, large = heard(tmp_path, "whisper-large-v3-turbo"), heard(tmp_path)
    assert value(turbo, "time_to_first_token_seconds") == pytest.approx(0.0201, rel=0.35)
    assert 0.014 < value(large, "decode_step_seconds") < 0.035


def test_speed_is_told_in_times_of_real_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert "times real time" in asked(capsys, "Whisper large-v3 on an RTX 4090, how fast?")
    said = asked(capsys, "How many concurrent streams of whisper-large-v3-turbo on an A10 with faster-whisper?")
    assert "streams in real time" in said


def test_hours_of_sound_are_windows_of_thirty_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    said = asked(capsys, "How long does Whisper large-v3 take for 1000 hours of audio on an A100?")
    assert "for 120,000 requests" in said


def test_mlx_serves_its_own_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """70.6 billion weights in 4.5 bits each are 37 GiB."""
    said = asked(capsys, "Can an M3 Max with 64 GB run Llama 3.3 70B with MLX in 4 bit?")
    assert "Yes, as submitted: 38." in said
