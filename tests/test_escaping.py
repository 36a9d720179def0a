"""Names of strangers: harmless in every kind of output, one by one and through show, diff, build and plan."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memreport.commands.main import main
from memreport.errors import Fault
from memreport.escaping import csv_cell, html, link, markdown, one_line, terminal
from tests.support import ROOT, scenario_text

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
IMAGE = "![x](https://evil.example/a.png)"
FORMULA = "=HYPERLINK(1)"
HOSTILE = (IMAGE, "# heading", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "a | b", FORMULA, "@team")
VARIANTS = (
    "{"
    + ", ".join(f"{json.dumps(name)}: {{training.sequence_length: {512 + at}}}" for at, name in enumerate(HOSTILE))
    + "}"
)
COST = "{basis: rent, price: aws-p4de-on-demand, hours: %s}"


@given(some.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert not OBEYED.search(terminal(text))
    assert not re.search("[\n\t\r\x1b]", one_line(text))
    json_text = json.dumps({"x": text}, ensure_ascii=False)
    assert json.loads(terminal(json_text)) == {"x": text}


@given(some.text(alphabet="![]()<>#*_`|\\-+1. =&~@:/wht\n\t\x1bps", max_size=30))
def test_markdown_is_one_line_without_marks(text: str) -> None:
    said = markdown(text)
    assert "\n" not in said
    assert "\x1b" not in said
    bare = re.sub(r"\\[^a-zA-Z0-9\s]", "", said).replace("@<!-- -->", "").replace("<!-- -->", "")
    assert not re.search(r"[`*_\[\]<>|#!~&{}]", bare)
    assert not re.search(r"(?<!\\)://", said)
    assert not re.match(r"(?:[-+]|\d+[.)])(?:\s|$)|[-=]+$", said)


def test_plain_text_stays_as_it_is() -> None:
    for text in ("Cost rises by $41.17 (+12 %)", "+12 h", "4.17 days", "llama-3", "Größe 3 → 4", "", "−5 points"):
        assert terminal(text) == one_line(text) == markdown(text) == html(text) == text


@given(some.text(alphabet="<>&\"'a\x00\x1b\ud800"))
def test_html_holds_no_tag_and_no_character_that_xml_lacks(text: str) -> None:
    assert not re.search("[<>\"'\x00\x1b\ud800]", html(text))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "  =1", "＝1"])
def test_a_text_is_no_formula(text: str) -> None:
    assert csv_cell(text) == f"'{text}"
    assert csv_cell(-1.5) == -1.5


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://example.org/a?b=1#c", True),
        ("http://example.org", True),
        ("HTTPS://EXAMPLE.ORG/", True),
        ("javascript:alert(1)//://", False),
        ("file:///etc/passwd", False),
        ("smb://host/share", False),
        ("ftp://example.org/a", False),
        ("ms-excel:ofe|u|https://example.org", False),
        ("https://user:word@example.org", False),
        ("https:// example.org", False),
        ("https://example.org/\x1b", False),
        ("https://", False),
        ("www.example.org", False),
    ],
)
def test_only_the_web_becomes_a_link(address: str, *, allowed: bool) -> None:
    assert link(address) == (address if allowed else "")


def test_a_fault_is_on_its_own_line() -> None:
    bad = "x\n\x1b[31mmemreport: all is well\u202e"
    said = str(Fault("is wrong", file=bad, field=bad, found=bad, expected=bad))
    assert "\n" not in said
    assert not OBEYED.search(said)


def written(folder: Path, hours: int, **blocks: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "case.yaml"
    title = json.dumps(f"{IMAGE} {FORMULA}")
    text = scenario_text(model="llama-3.2-1b", variants=VARIANTS, cost=COST % hours, title=title, **blocks)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_pull_request_comment_holds_no_image_heading_or_tag(tmp_path: Path, capsys: Any) -> None:
    note = json.dumps(IMAGE + "<script>")
    old = written(tmp_path / "a", 10)
    new = written(tmp_path / "b", 20, version=2, changes=f"[{{version: 2, date: 2026-11-20, note: {note}}}]")
    assert main(["diff", str(old), str(new), "--format", "markdown"]) == 0
    said = capsys.readouterr().out
    bare = re.sub(r"\\[^a-zA-Z0-9\s]", "", said).replace("@<!-- -->", "")
    assert not re.search(r"!\[|\]\(|<\w|@\w|://", bare)
    assert "\n# heading" not in said
    rows = [line for line in re.sub(r"\\\|", "", said).splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in rows} <= {4, 6, 8}


CONFIG = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 128, "vocab_size": 256, "max_position_embeddings": 128, "[2Jkey\n": 3,
}  # fmt: skip


def test_nothing_reaches_the_terminal_that_it_obeys(tmp_path: Path, capsys: Any) -> None:
    config = tmp_path / "con\x1b[31mfig.json"
    config.write_text(json.dumps(CONFIG | {"\x1b[2Jkey\u202e\n": 3}))
    broken = tmp_path / "bro\x1b[31mken.yaml"
    broken.write_text('schema: 1\n"\\e[31mkey": 1\nmodel: "\\e]0;x\\a"\n')
    listed = tmp_path / "named.yaml"
    listed.write_text(scenario_text("named", variants='{"\\e[31mred": {}, "\\u202eback": {}}'))
    commands = [
        ["import-model", str(config)], ["show", str(broken)], ["show", str(listed)], ["diff", str(listed), str(listed)],
        ["show", str(listed), "--format", "json"], ["show", str(listed), "--variant", "\x1b[31m"],
        ["show", str(tmp_path / "no\x1b[31mthing.yaml")], ["\x1b[31m"], ["show", "--\x1b[31m"], ["list", "\x1b[31m"],
        ["build", str(broken), "--out", str(tmp_path / "out")], ["verify", str(broken)], ["audit", str(config)],
        ["diff", str(broken) + "@HEAD", str(broken)], ["plan", str(listed), "--variant", "\x9b31m"],
    ]  # fmt: skip
    for command in commands:
        with suppress(SystemExit):
            main(command)
        said = capsys.readouterr()
        assert not OBEYED.search(said.out + said.err), command


def test_a_csv_for_a_spreadsheet_holds_no_formula(tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, 10)
    assert main(["plan", str(path), "--format", "csv", "--policy", "search"]) in (0, 1)
    for row in csv.reader(io.StringIO(capsys.readouterr().out)):
        for cell in row:
            assert not re.match(r"[=@\t\r]|[+-](?![\d.])", cell)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of everything, from a folder whose name is looked for afterwards."""
    folder = tmp_path_factory.mktemp("folder-that-nobody-may-know")
    path = written(folder / "given", 10, version=2)
    (folder / "given" / "previous").mkdir()
    (folder / "given" / "previous" / "case.yaml").write_text("version: 1\nnonsense: [\n")
    (folder / "given" / "models").mkdir()
    (folder / "given" / "hardware").mkdir()
    card = "file:///etc/passwd"
    price = (
        "schema: 1\nprices:\n  - {id: ours, kind: rent, accelerator: a100-80gb-sxm, usd_per_accelerator_hour: 2, "
        f"currency: USD, date: 2026-11-01, source: {{title: '{FORMULA}', address: '{card}'}}}}\n"
    )
    (folder / "given" / "hardware" / "prices.yaml").write_text(price)
    path.write_text(path.read_text().replace("aws-p4de-on-demand", "ours"))
    (folder / "given" / "config.json").write_text(json.dumps(CONFIG | {"_name_or_path": str(folder / "given")}))
    by_path = folder / "given" / "by-path.yaml"
    by_path.write_text(scenario_text("by-path", model="config.json", version=2))
    paths = [str(path), str(by_path)]
    assert main(["build", *paths, "--out", str(folder / "out"), "--jobs", "1"]) == 0
    return folder


def parts(path: Path) -> dict[str, bytes]:
    """What a file holds, in the clear: members of a workbook, streams and attachments of a PDF, else its bytes."""
    whole = {path.name: path.read_bytes()}
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            whole |= {f"{path.name}/{name}": book.read(name) for name in book.namelist()}
    if path.suffix == ".pdf":
        whole |= {f"{path.name}/{at}": data for at, data in enumerate(streams(whole[path.name]))}
    return whole


def members(data: bytes) -> dict[str, bytes]:
    """The members of a workbook that is attached; nothing of what is none."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return {}
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        return {name: book.read(name) for name in book.namelist()}


def streams(data: bytes) -> list[bytes]:
    """The streams of a PDF, unpacked; attachments are streams too."""
    import zlib

    found = []
    for match in re.finditer(rb"stream\r?\n", data):
        with_rest = zlib.decompressobj()
        try:
            found.append(with_rest.decompress(data[match.end() :]))
        except zlib.error:
            continue
    return found


def test_no_published_file_says_where_it_was_made(built: Path) -> None:
    spelt = [str(built), str(built.resolve()), str(ROOT), str(Path(sys.executable).parents[1])]
    wanted = [one.encode(code) for one in spelt for code in ("utf-8", "utf-16-be", "utf-16-le")]
    files = [path for path in (built / "out").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".xlsx", ".pdf", ".json", ".html"}
    seen = 0
    for path in files:
        for name, data in parts(path).items():
            seen += 1
            assert not [one for one in wanted if one in data], name
            for member, inner in members(data).items():
                assert not [one for one in wanted if one in inner], f"{name}/{member}"
    assert seen > 50


def test_only_web_addresses_are_links_in_workbook_and_sheet(built: Path) -> None:
    for path in (built / "out").rglob("*.xlsx"):
        for name, data in parts(path).items():
            if name.endswith(".rels"):
                targets = re.findall(rb'Target="([^"]*)"[^>]*TargetMode="External"', data)
                assert all(re.match(rb"https?://|[\w./-]+\.(?:pdf|xlsx|json)$", one) for one in targets), name
    pdf = b"".join(parts(built / "out" / "case" / "case.pdf").values())
    assert b"/URI (file" not in pdf
    assert b"file:///etc" not in b"".join(re.findall(rb"/URI \(([^)]*)\)", pdf))


def test_a_text_that_begins_like_a_formula_is_a_text_in_every_cell(built: Path) -> None:
    sheets = parts(built / "out" / "case" / "case.xlsx")
    assert any(FORMULA.encode() in data for data in sheets.values())
    for name, data in sheets.items():
        assert not [one for one in re.findall(rb"<f>[^<]*</f>", data) if b"HYPERLINK" in one], name


def test_hostile_names_are_text_on_every_page(built: Path) -> None:
    page = (built / "out" / "index.html").read_text()
    assert "<img src=x" not in page
    assert "<script>alert" not in page
    assert "&lt;img src=x" in page


def test_the_next_build_finds_its_stamps_and_leaves_all_as_it_is(built: Path, capsys: Any) -> None:
    given = [str(built / "given" / name) for name in ("case.yaml", "by-path.yaml")]
    assert main(["build", *given, "--out", str(built / "out"), "--jobs", "1"]) == 0
    assert "0 built, 2 unchanged" in capsys.readouterr().err
