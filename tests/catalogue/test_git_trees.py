"""Commits that no checkout would take: names that lead elsewhere, links, other repositories, too much of anything."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from memreport.build.versions.previous import since_previous
from memreport.catalogue.git import trees
from memreport.catalogue.git.previous import previous
from memreport.commands.main import main
from tests.support import run, scenario_text

TEXT = scenario_text().encode()
FILE, TREE, LINK, OTHER = "100644", "40000", "120000", "160000"
Entries = Iterable[tuple[str, str, str]]


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=given).stdout.decode().strip()


def blob(folder: Path, content: bytes) -> str:
    return git(folder, "hash-object", "-w", "--stdin", given=content)


def tree(folder: Path, entries: Entries) -> str:
    """A tree as its bytes, which git's own commands would refuse to make."""
    raw = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(id_) for mode, name, id_ in entries)
    return git(folder, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=raw)


def commit(folder: Path, top: str) -> None:
    git(folder, "update-ref", "HEAD", git(folder, "commit-tree", top, "-m", "made by hand"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An empty repository, deep enough that a name which leads out of a copy would show beside it."""
    folder = tmp_path / "repo"
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    (folder / "case.yaml").write_bytes(TEXT)
    return folder


def hostile(folder: Path, kind: str) -> str:
    """The top tree of a commit that holds `case.yaml` and something that must not be followed."""
    case, bad = blob(folder, TEXT), blob(folder, b"schema: 1\nprices: []\n")
    inner = tree(folder, [(FILE, "prices.yaml", bad)])
    if kind == "parent":
        models = tree(folder, [(TREE, "..", tree(folder, [(TREE, "..", tree(folder, [(TREE, "escaped", inner)]))]))])
    elif kind == "absolute":
        models = tree(folder, [(TREE, "", tree(folder, [(TREE, "escaped", inner)]))])
    elif kind == "slash":
        models = tree(folder, [(FILE, "../../escaped.yaml", bad)])
    elif kind == "dot":
        models = tree(folder, [(TREE, ".", inner)])
    elif kind == "link":
        models = tree(folder, [(LINK, "escaped.yaml", blob(folder, b"/etc/hostname"))])
    elif kind == "submodule":
        models = tree(folder, [(OTHER, "escaped", "1" * 40)])
    elif kind == "twice":
        models = tree(folder, [(FILE, "escaped.yaml", bad), (FILE, "escaped.yaml", case)])
    elif kind == "both":
        models = tree(folder, [(FILE, "escaped.yaml", bad), (TREE, "escaped.yaml", inner)])
    elif kind == "control":
        models = tree(folder, [(FILE, "esc\x1b[31maped.yaml", bad)])
    else:
        models = tree(folder, [(FILE, "e" * 300 + ".yaml", bad)])
    return tree(folder, [(FILE, "case.yaml", case), (TREE, "models", models)])


@pytest.mark.parametrize(
    "kind", ["parent", "absolute", "slash", "dot", "link", "submodule", "twice", "both", "control", "long"]
)
@pytest.mark.parametrize("folder", [False, True])
def test_nothing_is_written_outside(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    kind: str, folder: bool,
) -> None:  # fmt: skip
    copies = tmp_path / "one" / "two" / "copies"
    copies.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    commit(repository, hostile(repository, kind))
    before = sorted(tmp_path.rglob("*"))
    asked = str(repository if folder else repository / "case.yaml")
    assert main(["diff", f"{asked}@HEAD", asked]) == 2
    after = [one for one in tmp_path.rglob("*") if ".git" not in one.parts]
    assert sorted(after) == [one for one in before if ".git" not in one.parts]
    assert not any("escaped" in one.name for one in after)
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert "\x1b" not in said
    assert "memreport-" not in said


def test_a_build_says_that_the_previous_version_is_not_read(repository: Path) -> None:
    commit(repository, hostile(repository, "link"))
    text = scenario_text(version=2)
    computed = run(repository, text)
    assert previous(computed.resolved.loaded) is not None
    assert "escaped.yaml as a symbolic link" in since_previous(computed).sentence


def test_the_folder_of_models_as_a_link_is_refused(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, link = blob(repository, TEXT), blob(repository, b"/etc")
    commit(repository, tree(repository, [(FILE, "case.yaml", case), (LINK, "models", link)]))
    case_file = str(repository / "case.yaml")
    assert main(["diff", f"{case_file}@HEAD", case_file]) == 2
    assert "holds models as a symbolic link" in capsys.readouterr().err


def test_other_files_of_a_repository_may_be_links(repository: Path) -> None:
    case, link = blob(repository, TEXT), blob(repository, b"case.yaml")
    commit(repository, tree(repository, [(LINK, "LATEST", link), (FILE, "case.yaml", case)]))
    assert main(["diff", f"{repository}@HEAD", str(repository)]) == 0


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        ("MOST_FILES", 0, "is too large"),
        ("MOST_BYTES", 10, "is too large"),
        ("MOST_BYTES_OF_A_FILE", 10, "at most 10 are read"),
        ("MOST_BYTES_OF_A_LISTING", 10, "more to say of it than 10 bytes"),
    ],
)
def test_limits(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    limit: str, value: int, words: str,
) -> None:  # fmt: skip
    commit(repository, tree(repository, [(FILE, "case.yaml", blob(repository, TEXT))]))
    monkeypatch.setattr(trees, limit, value)
    case = str(repository / "case.yaml")
    assert main(["diff", f"{case}@HEAD", case]) == 2
    assert words in capsys.readouterr().err


def test_a_tree_that_unfolds_without_end_is_not_listed_to_its_end(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten trees of ten entries each are ten thousand million names."""
    monkeypatch.setattr(trees, "MOST_BYTES_OF_A_LISTING", 1_000_000)
    kind, id_ = FILE, blob(repository, TEXT)
    for _ in range(10):
        id_ = tree(repository, [(kind, f"{at}.yaml", id_) for at in range(10)])
        kind = TREE
    commit(repository, id_)
    assert main(["diff", f"{repository}@HEAD", str(repository)]) == 2
    assert "more to say of it than" in capsys.readouterr().err


def test_a_link_that_leads_out_of_the_repository_is_a_fault(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_bytes(TEXT)
    commit(repository, tree(repository, [(FILE, "case.yaml", blob(repository, TEXT))]))
    (repository / "outside.yaml").symlink_to(outside)
    case = str(repository / "outside.yaml")
    assert main(["diff", f"{case}@HEAD", case]) == 2
    assert "leads out of its git repository" in capsys.readouterr().err
