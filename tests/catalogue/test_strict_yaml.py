"""Every file is either plain data with a place for each value, or a list of its mistakes; never a traceback."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memreport.catalogue.yaml import strict as strict_yaml
from memreport.catalogue.yaml.strict import Document, Mark, parse, read
from memreport.errors import Fault, InputError

BROKEN = [
    # twice the same key
    ("a: 1\nb: 2\na: 3\n", "3:1 a: duplicate key; it first stands on line 1"),
    ("a:\n  b: 1\n  'b': 2\n", "3:3 a.b: duplicate key; it first stands on line 2"),
    ("a: {b: 1, c: 2, b: 3}\n", "1:17 a.b: duplicate key"),
    ("- {x: 1}\n- x: 1\n  x: 2\n", "3:3 1.x: duplicate key; it first stands on line 2"),
    # what hides or multiplies values
    ("a: &x 1\n", "1:4 anchors (&name) are not allowed"),
    ("a: 1\nb: *x\n", "2:4 aliases (*name) are not allowed"),
    ("a: !!str 1\n", "1:4 tags (!name) are not allowed"),
    ("a: !!python/object/apply:os.system ['true']\n", "1:4 tags"),
    ("a: !other!x 1\n", "1:4 tags"),
    ("a:\n  <<: {b: 1}\n", "2:3 a: merge keys (<<) are not allowed"),
    ("%YAML 1.1\n---\na: 1\n", "1:1 directives (%NAME) are not allowed"),
    ("%TAG ! tag:example.org,2000:\n---\na: 1\n", "1:1 directives"),
    ("a: 1\n---\nb: 2\n", "2:1 a second document is not allowed"),
    ("---\n---\na: 1\n", "2:1 a second document is not allowed"),
    # keys that are not text
    ("1: a\n", "1:1 a key must be text; put it in quotes (found 1)"),
    ("a:\n  true: 1\n", "2:3 a: a key must be text"),
    ("a:\n  7e3: 1\n", "2:3 a: a key must be text"),
    ("~: a\n", "1:1 a key must be text"),
    ("?\n: a\n", "1:2 a key must be text; put it in quotes (found nothing)"),
    (".nan: a\n", "1:1 a key must be text"),
    ("? [a, b]\n: c\n", "1:3 a key must be text (found a list or mapping)"),
    ("{{a: b}: c}\n", "1:2 a key must be text (found a list or mapping)"),
    # numbers that no 64-bit float holds
    ("a: .inf\n", "1:4 a: a number must be finite (found .inf)"),
    ("a: [1, -.INF]\n", "1:8 a.1: a number must be finite"),
    ("a: .NaN\n", "1:4 a: a number must be finite"),
    ("a: 1e999\n", "1:4 a: a number must be finite; this one is too large"),
    ("a: 2.0e-999\n", "1:4 a: this number is too small"),
    ("a: 9007199254740993\n", "1:4 a: a whole number beyond 9,007,199,254,740,992 is too large"),
    ("a: -9007199254740993\n", "1:4 a: a whole number beyond"),
    ("a: 0x20000000000001\n", "1:4 a: a whole number beyond"),
    ("a: " + 6000 * "9" + "\n", "1:4 a: a whole number beyond"),
    # characters
    ("a: x\x07y\n", "1:5 invisible and control characters are not allowed (found U+0007)"),
    ("a: 'x\u200by'\n", "1:6 invisible and control characters are not allowed (found U+200B)"),
    ("a: 1\nb: x\u2028c\n", "2:5 invisible and control characters are not allowed (found U+2028)"),
    ("a: \ud800\n", "1:4 invisible and control characters are not allowed (found U+D800)"),
    ('a: "x\\0"\n', "1:4 a: invisible and control characters are not allowed (found U+0000)"),
    ('"\\uD800": 1\n', "1:1 invisible and control characters are not allowed (found U+D800)"),
    ('a: "\\U00110000"\n', "1:7 not valid YAML: this number or escape is out of range"),
    # syntax
    ("a: 1\n\tb: 2\n", "2:1 a tab may not indent or separate"),
    ("a:\t1\n", "1:3 a tab may not indent or separate"),
    ("a: @x\n", "1:4 no value begins with this character"),
    ("a: 1\nb 2\nc: 3\n", "2:1 this key has no ':' after it"),
    ("a: 1\nb: 'x\n", "2:4 this quotation mark is never closed"),
    ("a: 'x\n---\n'\n", "1:4 this quotation mark is not closed before '---'"),
    ('a: "C:\\dir"\n', "1:8 unknown escape"),
    ('a: "\\x1"\n', "1:7 incomplete escape"),
    ("a: b: c\n", "1:5 no ':' is allowed here"),
    ("a: - b\n", "1:4 no list item is allowed here"),
    ("a: [\n", "2:1 the file ends before a value or closing bracket"),
    ("a: {b: 1\n", "1:4 this bracket is never closed"),
    ("a: [1, 2\nb: 3\n", "2:2 expected ',' or ']' in the list begun on line 1"),
    ("a:\n  {b: 1, c: 2]\n", "2:14 expected ',' or '}' in the mapping begun on line 2"),
    ("a:\n    b: 1\n  c: 2\n", "3:3 this does not line up with, or belong to, the block begun on line 1"),
    ('a: "x" y\n', "1:8 this does not line up with, or belong to, the block"),
    ("a: ]\n", "1:4 a value is missing before this"),
    ('"a" "b"\n', "1:5 nothing may follow the end of the value"),
    ("a: |x\n  b\n", "1:5 after | or > the text begins on a new line"),
    ("a: * b\n", "1:4 a text that begins with & or * needs quotes"),
    ("%YAML " + 5000 * "9" + ".1\n---\na: 1\n", "1:7 not valid YAML"),
    # size
    ("", "1:1 the file is empty"),
    ("\ufeff", "1:1 the file is empty"),
    ("# a comment alone\n---\n", "1:1 the file is empty"),
    (65 * "[" + 65 * "]", "1:65 lists and mappings are nested more than 64 deep"),
    (100_000 * "[", "1:65 lists and mappings are nested more than 64 deep"),
    (100_000 * "{a: ", "1:257 lists and mappings are nested more than 64 deep"),
    ("".join(f"{depth * ' '}a:\n" for depth in range(70)), "65:65 lists and mappings are nested more than 64 deep"),
    ("a:\n" + 20_000 * "- 1\n", "19999:3 the file holds more than 20,000 keys and values"),
    ("a: " + 1_000_000 * "x", "1:1 is too large, more than 1 MB"),
    ("a: " + 500_000 * "é", "1:1 is too large, more than 1 MB"),
    # places are counted as an editor counts them
    ("\ufeffa: 1\r\n\r\nä: .inf\r\nb: 1\r\n", "3:4 ä: a number must be finite"),
    ("# é\tü\ra: 1\ra: 2\r", "3:1 a: duplicate key; it first stands on line 2"),
    ("a: 'é\t😀' # \t x\nb: ['😀', .inf]\n", "2:10 b.1: a number must be finite"),
]


def faults_of(text: str) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        parse(text, "f.yaml")
    return caught.value.faults


def shown(faults: tuple[Fault, ...]) -> list[str]:
    return [str(fault).replace(": ", " ", 1).removeprefix("f.yaml:") for fault in faults]


@pytest.mark.parametrize(("text", "expected"), BROKEN, ids=[expected[:50] for _, expected in BROKEN])
def test_a_broken_file_has_one_fault_at_its_place(text: str, expected: str) -> None:
    (only,) = shown(faults_of(text))
    assert only.startswith(expected)


def test_all_faults_of_a_file_are_shown_in_order() -> None:
    text = "a: &x 1\na: 2\nb: {c: .inf, c: *x}\na: 3\n7: 1e999\n<<: !t 1\n\u200b: 1\nz: [\n"
    assert [(fault.line, fault.column) for fault in faults_of(text)] == [
        (1, 4), (2, 1), (3, 8), (3, 14), (3, 17), (4, 1), (5, 1), (5, 4), (6, 1), (6, 5), (7, 1), (9, 1),
    ]  # fmt: skip


def test_a_file_of_bytes_is_one_fault() -> None:
    (fault,) = faults_of("x\0" * 1000)
    assert "and 999 more like it follow; is this a text file?" in fault.message
    assert len(faults_of("x\0" * strict_yaml.MAX_CHARACTER_FAULTS)) == strict_yaml.MAX_CHARACTER_FAULTS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("70e9", 70e9), ("7.0e10", 7e10), ("1.10", 1.1), (".5", 0.5), ("-3.", -3.0), ("+1e-3", 0.001), ("0e999", 0.0),
        ("017", 17), ("08", 8), ("-5", -5), ("+5", 5), ("0", 0), ("000", 0), ("0o17", 15), ("0xfF", 255),
        ("9007199254740992", 2**53), ("-9007199254740992", -(2**53)),
        ("no", "no"), ("on", "on"), ("Yes", "Yes"), ("off", "off"), ("y", "y"),
        ("true", True), ("False", False), ("TRUE", True), ("tRue", "tRue"),
        ("null", None), ("~", None), ("", None), ("nUll", "nUll"),
        ("12:30", "12:30"), ("2026-11-20", "2026-11-20"), ("1_000", "1_000"), ("1,000", "1,000"), ("80 GB", "80 GB"),
        ("0b11", "0b11"), ("1e", "1e"), (".", "."), ("inf", "inf"), ("nan", "nan"), ("٣", "٣"), ("=", "="),
        ("'70e9'", "70e9"), ('"true"', "true"), ("''", ""), ("|\n  1\n", "1\n"), ('"\\t\\u00e9"', "\té"),
    ],
)  # fmt: skip
def test_scalars_of_the_core_schema(text: str, expected: object) -> None:
    (value,) = parse(f"- {text}", "f").data
    assert (type(value), value) == (type(expected), expected)


TEXT = "# é\nschema: 1\ntraining:\n  zero_stage: 3\n  'x.y': [1, {b: 2}]\nempty:\nlist:\n- a\n-\n  - b\n"


@pytest.mark.parametrize("convert", [str, lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
def test_every_value_and_key_has_a_mark(convert: type[str]) -> None:
    document = parse(convert(TEXT), "f")
    assert document.data == {
        "schema": 1, "training": {"zero_stage": 3, "x.y": [1, {"b": 2}]}, "empty": None, "list": ["a", ["b"]],
    }  # fmt: skip
    assert {path: mark[1:] for path, mark in document.marks.items()} == {
        (): (2, 1), ("schema",): (2, 9), ("training",): (4, 3), ("training", "zero_stage"): (4, 15),
        ("training", "x.y"): (5, 10), ("training", "x.y", 0): (5, 11), ("training", "x.y", 1): (5, 14),
        ("training", "x.y", 1, "b"): (5, 18), ("empty",): (6, 7), ("list",): (8, 1), ("list", 0): (8, 3),
        ("list", 1): (10, 3), ("list", 1, 0): (10, 5),
    }  # fmt: skip
    assert {path: mark[1:] for path, mark in document.key_marks.items()} == {
        ("schema",): (2, 1), ("training",): (3, 1), ("training", "zero_stage"): (4, 3), ("training", "x.y"): (5, 3),
        ("training", "x.y", 1, "b"): (5, 15), ("empty",): (6, 1), ("list",): (7, 1),
    }  # fmt: skip
    assert document.text == TEXT


def test_a_fault_points_at_value_key_or_parent() -> None:
    document = parse(TEXT, "f")
    path = ("training", "zero_stage")
    assert document.mark((*path, "deeper", 0)) == Mark("f", 4, 15)
    value = document.fault(path, "must be less", found="3", expected="0, 1, 2", nearest="2")
    assert value == Fault("must be less", "f", 4, 15, "training.zero_stage", "3", "0, 1, 2", "2")
    assert document.fault(path, "unknown", at_key=True).column == 3
    missing = document.fault(("training", "x.y", 1, "c"), "is missing", at_key=True)
    assert (missing.line, missing.column, missing.field) == (5, 14, "training.x.y.1.c")


def test_endless_mistakes_are_not_all_listed() -> None:
    assert len(faults_of("%x\n" * 30_000)) == strict_yaml.MAX_NODES + 1


def test_sixty_four_levels_and_twenty_thousand_values_are_allowed() -> None:
    assert parse(64 * "[" + 64 * "]", "f").mark((0,) * 63).column == 64
    assert len(parse(19_999 * "- 1\n", "f").data) == 19_999


def test_read_finds_the_text_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ä.yaml"
    path.write_bytes("\ufefftitle: é\r\n".encode())
    document = read(path)
    assert (document.data, document.file) == ({"title": "é"}, str(path))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            b"a: 1\nb: caf\xe9\nb: 2\n",
            ["2:7: bytes that are not UTF-8 text are not allowed (found byte 0xE9)", "3:1: b"],
        ),
        (b"a: \xc0\xaf\n", ["1:4: bytes that are not UTF-8 text are not allowed (found byte 0xC0)"]),
        ("a: 1\n".encode("utf-16"), ["1:1: the file is UTF-16 text (allowed: UTF-8)"]),
        (b"", ["1:1: the file is empty"]),
        (b"x" * 1_000_001, [" is too large, more than 1 MB"]),
    ],
)
def test_read_refuses_bytes_that_are_not_text(tmp_path: Path, raw: bytes, expected: list[str]) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(raw)
    with pytest.raises(InputError) as caught:
        read(path)
    found = [str(fault).removeprefix(f"{path}:") for fault in caught.value.faults]
    assert [text[: len(start)] for text, start in zip(found, expected, strict=True)] == expected


def test_read_names_a_missing_file_and_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "llama.yaml").touch()
    assert refusal(tmp_path / "lama.yaml").nearest == "llama.yaml"
    assert "no such file" in refusal(tmp_path / "none" / "x.yaml").message
    assert "no such file" in refusal(Path("a\0b")).message


def test_read_refuses_folders_pipes_and_what_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "closed").touch()
    monkeypatch.setattr(os, "open", deny)  # permissions do not stop the superuser
    assert "it is a folder" in refusal(tmp_path).message
    assert "not a regular file" in refusal(tmp_path / "pipe").message
    assert "Permission denied" in refusal(tmp_path / "closed").message
    assert "too long" in refusal(tmp_path / ("x" * 500)).message


def deny(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def refusal(path: Path) -> Fault:
    with pytest.raises(InputError) as caught:
        read(path)
    (only,) = caught.value.faults
    assert only.file == str(path)
    return only


def outcome(text: str) -> Document | InputError:
    try:
        return parse(text, "f")
    except InputError as error:
        return error


def assert_places_exist(faults: tuple[Fault, ...], text: str) -> None:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert faults
    assert all(1 <= fault.line <= len(lines) for fault in faults)
    assert all(1 <= fault.column <= len(lines[fault.line - 1]) + 1 for fault in faults)


PIECES = (
    [
        *"abc\n\n\n  :-?[]{},&*!|>'\"%@`#~\t\r\x00\x85\ufeff\u2028",
        "\n  ",
        ": ",
        "- ",
        "? ",
        "---\n",
        "...\n",
        "<<",
        "\\x",
    ],
    ["%YAML 1.2\n", "!!str ", "&a ", "*a", "1e999", ".inf", "\\U00110000", "\\ud800", "|2\n", ">-\n", "a: ", "🙂"],
)
YAML_LIKE = st.lists(st.sampled_from(PIECES[0] + PIECES[1]), max_size=60).map("".join)


@settings(max_examples=400)
@given(YAML_LIKE | st.text(max_size=200))
@example('"\\U00110000"')
def test_any_text_is_a_document_or_a_list_of_faults(text: str) -> None:
    result = outcome(text)
    if isinstance(result, InputError):
        assert_places_exist(result.faults, text)
    else:
        assert () in result.marks


@settings(max_examples=400)
@given(st.binary(max_size=200) | YAML_LIKE.map(str.encode))
@example(b"%YAML " + 5000 * b"1")
def test_any_bytes_are_a_document_or_a_list_of_faults(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(raw)
    try:
        faults: tuple[Fault, ...] = ()
        assert () in read(path).marks
    except InputError as error:
        faults = error.faults
    assert all(fault.line and fault.column for fault in faults)


PLAIN_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=20)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | PLAIN_TEXT
)
STRUCTURES = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN_TEXT, inner, max_size=4), max_leaves=20
)


@settings(max_examples=200)
@given(STRUCTURES, st.sampled_from([None, 2]))
def test_json_reads_as_itself(data: object, indent: int | None) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    document = outcome(text)
    assert isinstance(document, Document), document
    assert document.data == data


@settings(max_examples=200)
@given(STRUCTURES)
def test_marks_point_at_what_they_name(data: object) -> None:
    text = json.dumps([data], ensure_ascii=False, indent=1)
    document = parse(text, "f")
    lines = text.split("\n")
    for path, mark in document.key_marks.items():
        assert lines[mark.line - 1].startswith(json.dumps(path[-1], ensure_ascii=False), mark.column - 1)
    assert set(document.key_marks) == {path for path in document.marks if path and isinstance(path[-1], str)}


def test_a_hundred_small_files_take_a_fifth_of_a_second() -> None:
    text = "".join(f"group{group}:\n" + "".join(f"  field{n}: {n}e3\n" for n in range(3)) for group in range(4))
    assert min(seconds_for(text) for _ in range(5)) < 0.2


def seconds_for(text: str) -> float:
    start = time.process_time()
    for _ in range(100):
        parse(text, "f")
    return time.process_time() - start
