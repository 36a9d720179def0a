"""`memreport gate`: whether a change of scenarios keeps the rules of a policy."""

from __future__ import annotations

import argparse
from pathlib import Path

from memreport.commands import emit, path, say
from memreport.errors import DONE, FINDING

FORMATS = ("text", "markdown", "json", "sarif", "junit", "github")
ENDINGS = {".txt": "text", ".md": "markdown", ".json": "json", ".sarif": "sarif", ".xml": "junit"}


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("base", metavar="BASE", help="what is merged into: scenarios@origin/main, or a folder or file")
    parser.add_argument("head", metavar="HEAD", nargs="?", default="", help="what is judged (default: BASE's path now)")
    parser.add_argument(
        "--policy", default="policy.yaml", metavar="FILE", help="the rules, read from BASE (default: %(default)s)"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: %(default)s)")
    parser.add_argument(
        "--write",
        type=path,
        action="append",
        default=[],
        metavar="FILE",
        help=f"write it to a file too, by its ending {', '.join(ENDINGS)}; may be given again",
    )
    parser.add_argument("--today", type=_day, metavar="DAY", help="the day, in UTC (default: today)")
    parser.add_argument(
        "--init", action="store_true", help="measure BASE and write the first limits, a quarter above, to the policy"
    )
    comment = parser.add_argument_group("a comment that replaces itself (markdown; memreport comment posts it)")
    comment.add_argument("--tag", type=_tag, default="gate", help="which of several comments it is (default: gate)")
    comment.add_argument("--valid-at", type=_instant, metavar="TIME", help="when the job began, in UTC, as "
                         "in 2026-11-22T13:00:00Z (default: now)")  # fmt: skip


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code: 1 for a finding, never for what could not be computed."""
    from memreport.build.gate.gating import gate
    from memreport.commands.gate.written import written
    from memreport.files import write_whole

    day = given.today or _now()[:10]
    if given.init:
        return _first(given, day)
    for file in given.write:
        _ending(file)
    began = given.valid_at or _now()
    report = gate(given.base, given.head, given.policy, day)
    for file in given.write:
        write_whole(file, written(report, ENDINGS[file.suffix], given.tag, began).encode())
    emit(written(report, given.format, given.tag, began))
    return FINDING if report.fails else DONE


def _first(given: argparse.Namespace, day: str) -> int:
    from memreport.build.gate.first_policy import first_policy
    from memreport.commands import path as as_path

    file = as_path(given.policy)
    text, said = first_policy(given.base, file, day)
    emit(text)
    say(f"memreport: {said}")
    return DONE


def _ending(file: Path) -> None:
    from memreport.errors import Fault, InputError

    if file.suffix not in ENDINGS:
        raise InputError([Fault("has no ending that says its format", str(file), expected=", ".join(ENDINGS))])


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(text: str) -> str:
    from datetime import date

    try:
        return str(date.fromisoformat(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2026-11-22") from error


def _instant(text: str) -> str:
    from datetime import datetime

    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").strftime("%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007  Z is UTC
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 2026-11-22T13:00:00Z") from error


def _tag(text: str) -> str:
    if not text or not all(character.isascii() and (character.isalnum() or character in "-_.") for character in text):
        raise argparse.ArgumentTypeError(f"{text!r} is no tag: letters, digits, dots and hyphens")
    return text
