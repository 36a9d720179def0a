"""The comment of a gate replaces itself: in place, by no older job, not with the same words, of nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memreport.build.gate import posting
from memreport.commands.main import main
from tests.commands.forge import FakeForge, github, gitlab, serving

Said = pytest.CaptureFixture[str]
MARK = "<!-- memreport-gate:%s valid-at=2026-11-22T%02d:00:00Z -->\n%s\n"


@pytest.fixture(params=[github, gitlab], ids=["github", "gitlab"])
def forge(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeForge]:
    monkeypatch.setattr(posting, "FIRST_WAIT", 0.001)
    with serving() as one:
        for name, value in request.param(one).items():
            monkeypatch.setenv(name, value)
        yield one


def post(folder: Path, body: str, code: int = 0) -> None:
    (folder / "gate.md").write_text(body, encoding="utf-8")
    assert main(["comment", str(folder / "gate.md")]) == code


def test_a_comment_is_posted_then_changed_in_place(forge: FakeForge, tmp_path: Path) -> None:
    forge.comments[1] = {"id": 1, "body": "hello", "user": None, "author": None}
    post(tmp_path, MARK % ("gate", 10, "a"))
    post(tmp_path, MARK % ("gate", 11, "b"))
    assert [one["body"] for one in forge.comments.values()] == ["hello", MARK % ("gate", 11, "b")]
    post(tmp_path, MARK % ("other", 11, "b"))
    assert len(forge.comments) == 3


@pytest.mark.parametrize(("there", "why"), [((11, "b"), "newer"), ((9, "a"), "says the same")])
def test_an_older_job_and_the_same_words_change_nothing(
    forge: FakeForge, tmp_path: Path, capsys: Said, there: tuple[int, str], why: str
) -> None:
    forge.add((MARK % ("gate", *there)).replace("\n", "\r\n") if there[0] == 9 else MARK % ("gate", *there))
    kept = forge.comments[1]["body"]
    post(tmp_path, MARK % ("gate", 10, "a"))
    assert (forge.asked, forge.comments[1]["body"]) == (["GET"], kept)
    assert why in capsys.readouterr().err


def test_a_mark_that_somebody_else_wrote_stops_nothing(forge: FakeForge, tmp_path: Path) -> None:
    forge.add(MARK % ("gate", 23, "fine"), author="mallory")
    post(tmp_path, MARK % ("gate", 10, "a"))
    assert forge.comments[2]["body"] == MARK % ("gate", 10, "a")


def test_it_is_found_on_a_later_page(forge: FakeForge, tmp_path: Path) -> None:
    for number in range(150):
        forge.add(f"talk {number}")
    forge.add(MARK % ("gate", 9, "old"))
    post(tmp_path, MARK % ("gate", 10, "a"))
    assert (len(forge.comments), forge.comments[151]["body"]) == (151, MARK % ("gate", 10, "a"))


def test_a_server_that_fails_for_a_while_is_asked_again(forge: FakeForge, tmp_path: Path, capsys: Said) -> None:
    forge.fails = [502, 429]
    post(tmp_path, MARK % ("gate", 10, "a"))
    assert forge.asked == ["GET", "GET", "GET", "POST"]
    forge.fails = [503] * 5
    post(tmp_path, MARK % ("gate", 11, "b"), code=3)
    assert "answers 503 to GET" in capsys.readouterr().err


def test_what_cannot_be_posted_is_no_finding(
    forge: FakeForge, tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge.fails = [403]
    post(tmp_path, MARK % ("gate", 10, "a"), code=2)
    assert "answers 403 to GET: may " in capsys.readouterr().err
    monkeypatch.setenv("GITHUB_REF", "refs/heads/main")
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "")
    post(tmp_path, MARK % ("gate", 10, "a"), code=2)
    assert "the number of the pull or merge request" in capsys.readouterr().err
    for name in posting.FORGES:
        monkeypatch.delenv(name)
    post(tmp_path, MARK % ("gate", 10, "a"), code=2)
    assert "is no job of GitHub or GitLab" in capsys.readouterr().err
    assert forge.asked == ["GET"]
