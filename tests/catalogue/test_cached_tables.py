"""Tables are kept between processes while nothing changes that they are made from; what is amiss costs only time."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from memreport.cache import SWITCH
from memreport.catalogue import cached_tables
from memreport.catalogue.load import Catalogue, catalogue_for
from tests.support import ROOT

LONG_AGO = 1_000_000_000


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(SWITCH)
    monkeypatch.setattr(cached_tables, "TICK", -(10**9))  # files of this very moment count as settled


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for every time that tables were read from their files."""
    times: list[int] = []
    read: Callable[[Catalogue], cached_tables.Tables] = Catalogue._read_tables  # what is counted

    def counted(self: Catalogue) -> cached_tables.Tables:
        times.append(1)
        return read(self)

    monkeypatch.setattr(Catalogue, "_read_tables", counted)
    return times


def tables(*folders: Path) -> cached_tables.Tables:
    """As another process would read them: no catalogue of this one is taken."""
    return Catalogue(*catalogue_for(folders).folders).tables


def test_a_second_process_takes_what_the_first_has_read(tmp_path: Path, reads: list[int]) -> None:
    first = tables()
    [kept] = (tmp_path / "cache").rglob("*.tables")
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert tables() == first
    assert len(reads) == 1


def test_a_file_that_changes_is_read_anew(tmp_path: Path, reads: list[int]) -> None:
    place = tmp_path / "jobs/hardware"
    place.mkdir(parents=True)
    hosts, text = place / "hosts.yaml", (ROOT / "hardware/hosts.yaml").read_text(encoding="utf-8")
    hosts.write_text(text, encoding="utf-8")
    before = tables(tmp_path / "jobs")
    hosts.write_text(text.replace("2048 GiB", "2049 GiB"), encoding="utf-8")
    os.utime(hosts, ns=(LONG_AGO, LONG_AGO))
    after = tables(tmp_path / "jobs")
    assert len(reads) == 2
    assert before["hosts"].columns != after["hosts"].columns


@pytest.mark.parametrize("spoilt", [b"", b"too short", pickle.dumps({}), b"0" * 64 + pickle.dumps({"a": 1})])
def test_what_is_damaged_is_read_anew(tmp_path: Path, reads: list[int], spoilt: bytes) -> None:
    first = tables()
    [kept] = (tmp_path / "cache").rglob("*.tables")
    kept.write_bytes(spoilt)
    assert tables() == first
    assert len(reads) == 2


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_what_others_may_have_written_is_not_taken(tmp_path: Path, reads: list[int], mode: int) -> None:
    first = tables()
    [kept] = (tmp_path / "cache").rglob("*.tables")
    for path in (kept, kept.parent):
        before = path.stat().st_mode
        path.chmod(mode)
        assert tables() == first
        path.chmod(before)
    assert len(reads) == 3


def test_nothing_is_kept_where_it_is_switched_off_or_a_file_is_too_new_or_faulty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "jobs/hardware/hosts.yaml"
    broken.parent.mkdir(parents=True)
    broken.write_text("hosts: 7\n", encoding="utf-8")
    tables(tmp_path / "jobs")
    monkeypatch.setattr(cached_tables, "TICK", 10**20)
    tables()
    monkeypatch.setattr(cached_tables, "TICK", 0)
    monkeypatch.setenv(SWITCH, "off")
    tables()
    assert not [*(tmp_path / "cache").rglob("*.tables")]


def test_a_folder_that_cannot_be_written_costs_no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert "accelerators" in tables()


def test_what_no_own_file_adds_to_is_read_once(tmp_path: Path) -> None:
    hosts = tmp_path / "jobs/hardware/hosts.yaml"
    hosts.parent.mkdir(parents=True)
    hosts.write_text((ROOT / "hardware/hosts.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    packaged, own = catalogue_for().tables, tables(tmp_path / "jobs")
    assert {name for name, table in own.items() if table is not packaged[name]} >= {"hosts"}
    assert all(own[name] is packaged[name] for name in ("accelerators", "links", "optimizers"))
