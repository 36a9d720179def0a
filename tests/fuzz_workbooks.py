"""Mutated workbooks for audit and import-inputs: bytes of XML, attributes, the archive's structure, the record.

`python -m tests.fuzz_workbooks 3000` tries as many mutants, and prints and keeps each that gives anything but an answer
or one message.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import struct
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from openpyxl import load_workbook

from memreport.audit import import_inputs, report
from memreport.audit.contained import limited
from memreport.audit.parts import sound_parts
from memreport.errors import MemreportError
from memreport.publish.xlsx.sheet.record import PREFIX
from tests.fuzz_tally import Tally, table
from tests.publish.workbook_cases import saved
from tests.slim import slim
from tests.support import run, scenario_text

Parts = dict[str, bytes]
Change = Callable[[random.Random, Parts], None]
SLOWEST, LARGEST = 5.0, 500 * 2**20
ANSWERS = (0, 1, 2)
"""A process that a limit ends, by a signal, gives one message too."""
CRASHED = 70
KEPT = {"Cover", "Inputs", "Checks", "Table 1 Peak memory"}
SHORT = 19
"""For each whole workbook, as often one of its decisive sheets alone, which takes a tenth of the time."""
FARTHEST = ["A1", "XFD1048576", "A", "!!", "A1:B2", "", "$A$1", "ZZZZ1", "A0", "A9999999", "'x'!A1", "1", "É1"]
TEXTS = [
    "", "0", "-1", "1e308", "1e999", "NaN", "999999999999999999999", "true", "#REF!", "=1/0", "a [x] {y}: b", "\u2028",
    "../../x", "_x0000_", "[1]Sheet!A1", "A" * 40_000, "=" + "(" * 500, "=" + "1+" * 5000 + "1", "=F5", "=SUM(A:XFD)",
]  # fmt: skip
ATTRIBUTE = re.compile(rb'(\s[\w:]+=)"([^"<]*)"')
ELEMENT = re.compile(rb"<([\w:]+)[^<>]*/>|<(v|f|t|vt:lpwstr)(?: [^<>]*)?>[^<]*</\2>")


@dataclass(frozen=True)
class Target:
    """One way to try the program: inputs to begin with, how one is changed, what is run on it."""

    name: str
    seeds: tuple[bytes, ...]
    mutate: Callable[[random.Random, bytes], bytes]
    command: Callable[[Path], list[str]]


def targets() -> list[Target]:
    """Audit and import-inputs on workbooks of both workloads."""
    with tempfile.TemporaryDirectory() as folder:
        seeds = tuple(seed for text in _texts() for seed in _seed(Path(folder), text))
    _warm(seeds[0])
    return [
        Target("audit", seeds, mutated, lambda path: ["audit", str(path)]),
        Target("import-inputs", seeds, mutated, lambda path: ["import-inputs", str(path)]),
        Target("record", seeds, record_mutated, lambda path: ["audit", str(path)]),
    ]


def _warm(seed: bytes) -> None:
    """Read once what each process would read again: the figures' recordings, the dictionary, the libraries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed.xlsx"
        path.write_bytes(seed)
        report.run(path, "json")
        import_inputs.run(path, None, None)


def _texts() -> list[str]:
    training = {"training": "{micro_batch_size: 2, sequence_length: 512}", "variants": "{plain: {}, more: {}}"} | {
        "tables": "[{title: T, figure: peak_bytes, rows: {training.sequence_length: [512, 1024]}}]"
    }
    serving = {"workload": "serving", "model": "llama-3-8b"}
    return [scenario_text(**training), scenario_text(**serving)]


def _seed(folder: Path, text: str) -> list[bytes]:
    """A small workbook in which an input was typed over, so that there is something to bring back."""
    path = saved(run(folder, text, catalogue=slim()), folder)
    book = load_workbook(path)
    sheet = book["Inputs"]
    row = next(
        row for row in range(6, sheet.max_row) if sheet.cell(row, 1).value in ("micro_batch_size", "max_num_seqs")
    )
    sheet.cell(row, 6).value = 3
    book.save(path)
    whole = path.read_bytes()
    for title in set(book.sheetnames) - KEPT:
        del book[title]
    sheet.delete_rows(100, sheet.max_row)
    book.save(path)
    return [whole, *[path.read_bytes()] * SHORT]


def mutated(chance: random.Random, data: bytes) -> bytes:
    """One to three changes of a workbook."""
    if chance.random() < 0.1:
        return _broken_archive(chance, data)
    return _packed(_unpacked(data, lambda parts: _changed(chance, parts)))


def record_mutated(chance: random.Random, data: bytes) -> bytes:
    """The record of the build changed, and nothing else."""
    return _packed(_unpacked(data, lambda parts: _record(chance, parts)))


def _unpacked(data: bytes, change: Callable[[Parts], None]) -> Parts:
    """The parts of a workbook after a change."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    return parts


def _packed(parts: Parts) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def _changed(chance: random.Random, parts: Parts) -> None:
    for _ in range(chance.randint(1, 3)):
        chance.choice(CHANGES)(chance, parts)


def _broken_archive(chance: random.Random, data: bytes) -> bytes:
    """Bytes of the archive itself changed, cut or put in."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 20)):
        at = chance.choice([chance.randrange(len(made)), len(made) - chance.randint(1, min(2000, len(made)))])
        made[at : at + chance.choice([0, 1, 4])] = chance.choice([b"", b"\0", b"\xff" * 4, struct.pack("<I", at)])
    return bytes(made[: chance.choice([len(made), len(made), chance.randrange(len(made))])])


def _picked(chance: random.Random, parts: Parts) -> str:
    """A part, the smaller and more decisive ones as often as the sheets."""
    return chance.choice(sorted(parts))


def _bytes(chance: random.Random, parts: Parts) -> None:
    name = _picked(chance, parts)
    data = bytearray(parts[name])
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(max(len(data), 1))
        data[at : at + chance.randint(0, 3)] = bytes(chance.randrange(256) for _ in range(chance.randint(0, 3)))
    parts[name] = bytes(data)


def _replaced(
    chance: random.Random, data: bytes, pattern: re.Pattern[bytes], made: Callable[[re.Match[bytes]], bytes]
) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return data
    one = chance.choice(found)
    return data[: one.start()] + made(one) + data[one.end() :]


def _attribute(chance: random.Random, parts: Parts) -> None:
    name = _picked(chance, parts)
    value = chance.choice(TEXTS + FARTHEST).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").encode()
    quote = chance.choice([b'"', b"'"])
    parts[name] = _replaced(
        chance, parts[name], ATTRIBUTE, lambda one: chance.choice([one[1] + quote + value + quote, b""])
    )


def _element(chance: random.Random, parts: Parts) -> None:
    name = _picked(chance, parts)
    times = chance.choice([0, 2, 2, 500])
    parts[name] = _replaced(chance, parts[name], ELEMENT, lambda one: one[0] * times)


def _content(chance: random.Random, parts: Parts) -> None:
    """The text of a value, a formula or a string."""
    name = _picked(chance, parts)
    text = chance.choice(TEXTS + FARTHEST).replace("&", "&amp;").replace("<", "&lt;").encode()
    pattern = re.compile(rb">([^<>]+)<")
    parts[name] = _replaced(chance, parts[name], pattern, lambda _: b">" + text.lstrip(b"=") + b"<")


def _structure(chance: random.Random, parts: Parts) -> None:
    """A part removed, emptied, exchanged or under another name."""
    name, other = _picked(chance, parts), _picked(chance, parts)
    what = chance.randrange(4)
    if what == 0:
        parts.pop(name)
    elif what == 1:
        parts[name] = b""
    elif what == 2:
        parts[name], parts[other] = parts[other], parts[name]
    else:
        parts[chance.choice(["../x.xml", "/x", "xl/../x", name.upper(), "x" * 300])] = parts[name]


def _record(chance: random.Random, parts: Parts) -> None:
    """The record, read as JSON and written again with something else in it."""
    name = "docProps/custom.xml"
    text = parts.get(name, b"").decode("utf-8", "replace")
    pieces = re.findall(rf'name="{PREFIX} \d+"[^>]*><vt:lpwstr>([^<]*)<', text)
    whole = "".join(pieces).replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    try:
        data = json.loads(whole)
        _other_json(chance, data)
        made = json.dumps(data)
    except (ValueError, RecursionError):
        made = whole
    made = chance.choice([made, made, made, "[" * 5000, "{" * 900, '{"schema":1}', "null", whole[: len(whole) // 2]])
    cut = [made[at : at + 255] for at in range(0, len(made), 255)]
    quoted = [one.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for one in cut]
    properties = "".join(
        f'<property fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="{at + 2}" name="{PREFIX} {at + 1:04d}">'
        f"<vt:lpwstr>{one}</vt:lpwstr></property>"
        for at, one in enumerate(quoted)
    )
    head = text.partition("<property ")[0] or "<Properties>"
    parts[name] = f"{head}{properties}</Properties>".encode()


def _other_json(chance: random.Random, data: object) -> None:
    """Something else at a place of the record."""
    odd: list[object] = [None, 5, -1, "A", "!!", [], {}, 1e308, "x" * 3000, True, [[[]]], {"A1:B2": 1}, "\u0000"]
    while isinstance(data, dict) and data:
        key = chance.choice(sorted(data))
        if not isinstance(data[key], dict) or not data[key] or chance.random() < 0.25:
            if chance.random() < 0.5:
                data[chance.choice(FARTHEST)] = data.pop(key)
            else:
                data[key] = chance.choice(odd)
            return
        data = data[key]


CHANGES: tuple[Change, ...] = (
    _bytes,
    _attribute,
    _attribute,
    _element,
    _content,
    _content,
    _structure,
    _record,
    _record,
)


def tried(target: Target, data: bytes, folder: Path) -> tuple[str, float]:
    """What is wrong with how one mutant ended, or "", and its CPU seconds; the program's own limits hold."""
    path = folder / "mutant.xlsx"
    path.write_bytes(data)
    errors = folder / "stderr"
    child = os.fork()
    if not child:
        _run(target.command(path), errors)
    _, status, used = os.wait4(child, 0)
    said, seconds = errors.read_text(encoding="utf-8", errors="replace"), used.ru_utime + used.ru_stime
    code = os.waitstatus_to_exitcode(status)
    if (code not in ANSWERS and code > -1) or "Traceback" in said:
        return f"exit {code}: {said[-300:]}", seconds
    if seconds > SLOWEST or used.ru_maxrss * 1024 > LARGEST:
        return f"{seconds:.1f} s, {used.ru_maxrss >> 10} MB: {said[-200:]}", seconds
    return "", seconds


def _run(command: list[str], errors: Path) -> None:
    """The child: what the contained process does, with a traceback where it would answer that something went wrong."""
    sys.stderr = errors.open("w", encoding="utf-8")
    code = CRASHED
    try:
        limited()
        code = _answered(command)
    except MemreportError as error:
        code = error.exit_code
    except BaseException:  # noqa: BLE001  # whatever it is, it is what is looked for
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _answered(command: list[str]) -> int:
    path = Path(command[1])
    sound_parts(path)
    if command[0] == "audit":
        return report.run(path, "json")[1]
    import_inputs.run(path, None, None)
    return 0


def tallied(count: int, seed: int, kept: Path | None = None) -> dict[str, Tally]:
    """What became of so many mutants of each target; what broke the program is kept in a folder, where one is given."""
    found: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory() as folder:
        for target in targets():
            tally = found.setdefault(target.name, Tally())
            for at in range(count):
                data = mutant(target, seed, at)
                wrong, seconds = tried(target, data, Path(folder))
                tally.note(at, wrong, seconds)
                if wrong and kept:
                    (kept / f"{target.name}-{at}.xlsx").write_bytes(data)
    return found


def mutant(target: Target, seed: int, at: int) -> bytes:
    """One input.  Equal seeds and numbers give equal inputs."""
    chance = random.Random(f"{seed} {target.name} {at}")  # noqa: S311  # to be repeatable, not secret
    return target.mutate(chance, chance.choice(target.seeds))


def main() -> None:
    """Try all targets, say what broke, and keep it."""
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1
    kept = Path(tempfile.mkdtemp(prefix="broken-"))
    tallies = tallied(count, seed, kept)
    sys.stdout.write(f"{table(tallies)}\nwhat broke is in {kept}\n")
    sys.exit(1 if any(one.failed for one in tallies.values()) else 0)


if __name__ == "__main__":
    main()
