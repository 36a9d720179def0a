"""The benchmark against other estimators: they are optional, and what they are asked is what the search tries."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memreport.advise.plan import job_at
from tests.bench import GLOBAL_BATCH, INSTALL_PEERS, PEERS, SPACE, against_peers, sample
from tests.support import ROOT


def test_without_peers_the_page_says_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = subprocess.run([sys.executable, "-c", "import llm_analysis"], capture_output=True, check=False)
    if bare.returncode == 0:
        pytest.skip("a peer is installed here")
    monkeypatch.delenv(PEERS, raising=False)
    job = job_at(ROOT / "scenarios/llama3-70b-8xa100.yaml")
    assert list(against_peers(job, 1e-6)) == [f"Search against peers: none is installed; {INSTALL_PEERS}"]


def test_peers_are_asked_for_combinations_of_the_space() -> None:
    for one in sample():
        assert all(one[name] in values for name, values in SPACE.items() if name in one)
        replicas = one["count"] / (one["tensor_parallel_size"] * one["pipeline_parallel_size"])
        assert replicas * one["micro_batch_size"] * one["gradient_accumulation_steps"] == GLOBAL_BATCH
