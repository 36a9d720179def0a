"""The command line.  Data goes to stdout, messages to stderr; imports happen in the command that needs them."""

from __future__ import annotations

import argparse
import os
import sys

from memreport.errors import BAD_INPUT, DONE, FINDING, MemreportError, nearest

TYPE_CHECKING = False  # spares --help the import of typing and pathlib
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

    Action = Callable[[argparse.Namespace], int]

INTERRUPTED = 130
FIRST_STEPS = """first steps:
  memreport new my-job.yaml      a commented scenario to start from
  memreport show my-job.yaml     every figure, and the answer on the last lines
  memreport build my-job.yaml    workbook, budget sheet and data in out/

exit codes: 0 done; 1 a finding; 2 bad input; 3 the machine lacks something
memreport COMMAND --help explains a command."""


class _Parser(argparse.ArgumentParser):
    """argparse, with the nearest command where a name is misspelt."""

    def error(self, message: str) -> None:  # type: ignore[override]  # argparse declares NoReturn; exit() does not return
        if "invalid choice: '" in message:
            wrong = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            close = nearest(wrong, COMMANDS)
            message += f"; did you mean {close}?" if close else ""
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (0 done, 1 finding, 2 bad input, 3 the machine lacks something)."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    _make_printable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # or it reads the entry points of every package
    options = _parser(given).parse_args(given)
    try:
        return COMMANDS[options.command].action(options)
    except MemreportError as error:
        print(f"memreport: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("memreport: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains when it exits
        return DONE
    except OSError as error:
        print(f"memreport: {error.filename or 'the output'}: {error.strerror or error}", file=sys.stderr)
        return BAD_INPUT


def _make_printable() -> None:
    """A terminal that lacks a character shows a question mark for it, instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; of the commands, only the given one has its options, so that --help does not wait for the others."""
    from memreport import __version__

    def made(**words: Any) -> argparse.ArgumentParser | None:
        return _Parser(**words) if words["prog"].split()[-1] in given else None

    parser = _Parser(
        prog="memreport",
        description="Memory, speed and cost of training and serving large models.",
        epilog=FIRST_STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"memreport {__version__}")
    only: Any = made
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=only)
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, description=command.help)
        if name in given:
            command.options(sub)
    return parser


class _Command:
    """A command: one line of help, its options, and what it does."""

    def __init__(self, help_: str, options: Callable[[argparse.ArgumentParser], None], action: Action) -> None:
        self.help, self.options, self.action = help_, options, action


def _formats(parser: argparse.ArgumentParser, *names: str) -> None:
    parser.add_argument("--format", choices=names, default=names[0], help="how to print (default: %(default)s)")


def _build_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", type=_path, metavar="PATH", help="scenario files or folders")
    parser.add_argument("--out", type=_path, default="out", metavar="FOLDER", help="where to publish (default: out)")
    parser.add_argument("--jobs", type=_positive, default=0, metavar="N", help="processes (default: one a core)")
    parser.add_argument(
        "--formats", type=_kinds, default=KINDS, metavar="LIST", help="any of xlsx,pdf,json,html (default: all)"
    )
    parser.add_argument("--force", action="store_true", help="build also what has not changed")
    parser.add_argument("--explain", action="store_true", help="say why each scenario is built or left")
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="build the sound scenarios beside broken ones (default: bad input stops before anything is written, and "
        "the first scenario that cannot be published stops the build)",
    )
    parser.add_argument("--fail-if-does-not-fit", action="store_true", help="exit 1 when a first variant does not fit")


def _path(text: str) -> Path:
    from pathlib import Path

    if not text.strip():
        raise argparse.ArgumentTypeError("the name of a file or folder is empty")
    return Path(text)


KINDS = ("xlsx", "pdf", "json", "html")


def _kinds(text: str) -> tuple[str, ...]:
    kinds = tuple(part.strip() for part in text.split(","))
    for kind in kinds:
        if kind not in KINDS:
            raise argparse.ArgumentTypeError(f"{kind!r} is not one of {', '.join(KINDS)}")
    return kinds


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def _build(options: argparse.Namespace) -> int:
    from memreport.build import build

    return build(options)


def _show_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", type=_path, help="a scenario file")
    parser.add_argument("--variant", action="append", default=[], help="only this variant (may be repeated)")
    parser.add_argument("--fail-if-does-not-fit", action="store_true", help="exit 1 when a shown variant does not fit")
    _formats(parser, "table", "json")


def _show(options: argparse.Namespace) -> int:
    from memreport import showing

    text, fits = showing.show(options.scenario, tuple(options.variant), options.format)
    print(text, end="")
    return FINDING if options.fail_if_does_not_fit and not fits else DONE


def _verify_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", type=_path, metavar="PATH", help="ledgers or folders (default: the packaged ones)"
    )
    _formats(parser, "table", "json")


def _verify(options: argparse.Namespace) -> int:
    from memreport.verify.report_text import run

    text, code = run(options.paths, options.format)
    print(text, end="")
    return code


def _audit_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workbook", type=_path, metavar="BOOK.xlsx", help="a workbook that memreport made")
    _formats(parser, "table", "json")


def _audit(options: argparse.Namespace) -> int:
    from memreport.audit.report import run

    text, code = run(options.workbook, options.format)
    print(text, end="")
    return code


def _import_inputs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workbook", type=_path, metavar="BOOK.xlsx", help="a workbook in which inputs were changed")
    parser.add_argument("--scenario", type=_path, metavar="FILE", help="the scenario that it was built from")
    parser.add_argument("--write", type=_path, metavar="COPY", help="write the changed scenario to this file")


def _import_inputs(options: argparse.Namespace) -> int:
    from memreport.audit.import_inputs import run

    text, notes = run(options.workbook, options.scenario, options.write)
    for note in notes or (() if text else ("no inputs were changed",)):
        print(f"memreport: {options.workbook}: {note}", file=sys.stderr)
    print(text, end="")
    return DONE


POLICIES = ("checklist", "tree", "search")


def _plan_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenario", type=_path, help="a scenario file")
    parser.add_argument("--variant", default="", help="the variant to plan for (default: the first)")
    parser.add_argument("--policy", choices=POLICIES, default="", help="only this (default: all)")
    parser.add_argument("--engine", choices=("local", "dask"), default="local", help="where to search (default: local)")
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786")
    _formats(parser, "table", "json", "csv")


def _plan(options: argparse.Namespace) -> int:
    from memreport.advise.distributed import on_cluster
    from memreport.advise.report_text import run
    from memreport.advise.search import in_process

    runner = on_cluster(options.scheduler) if options.engine == "dask" else in_process
    text, code = run(options.scenario, options.variant, options.policy, options.format, runner)
    print(text, end="")
    return code


def _diff_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="a scenario file or folder, or one at a git revision: FILE@HEAD~1")
    parser.add_argument("new", metavar="NEW", help="the same, as it is now")
    parser.add_argument("--fail-if-verdict-changes", action="store_true", help="exit 1 when a verdict differs")
    _formats(parser, "text", "markdown", "json")


def _diff(options: argparse.Namespace) -> int:
    from memreport.diffing import diff

    text, changed = diff(options.old, options.new, options.format)
    print(text, end="")
    return FINDING if options.fail_if_verdict_changes and changed else DONE


def _list_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        default="",
        help="a list: accelerators, models, rental_prices, training-fields, ... (default: the lists there are)",
    )
    _formats(parser, "table", "json")


def _list(options: argparse.Namespace) -> int:
    from memreport import showing

    print(showing.listing(options.what, options.format), end="")
    return DONE


def _schema_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=_path, metavar="FILE", help="write the JSON Schema to this file instead of printing it"
    )


def _schema(options: argparse.Namespace) -> int:
    from memreport.files import write_whole
    from memreport.schema import schema_text

    text = schema_text(options.out.parent if options.out else _path("."))
    if options.out:
        write_whole(options.out, text.encode())
    else:
        print(text, end="")
    return DONE


def _new_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=_path, help="the scenario file to write")
    parser.add_argument(
        "--workload", choices=("training", "serving"), default="training", help="(default: %(default)s)"
    )


def _new(options: argparse.Namespace) -> int:
    from memreport.showing import new_scenario

    folder = _folder_made(options.path)
    new_scenario(options.path, options.workload)
    print(f"{folder}wrote {options.path}", file=sys.stderr)
    schema = options.path.with_name("memreport.schema.json")
    if not schema.exists():
        print(f"for completion in an editor: memreport schema --out {schema}", file=sys.stderr)
    return DONE


def _folder_made(path: Path | None) -> str:
    """What to say when a file has been written whose folder is not there yet; its name may be misspelt."""
    return "" if path is None or path.parent.exists() else f"made the folder {path.parent}\n"


def _import_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="write over a card that exists")
    parser.add_argument("config", type=_path, metavar="CONFIG.json", help="the configuration of a model")
    parser.add_argument("--out", type=_path, metavar="CARD.yaml", help="write the card here instead of printing it")


def _import(options: argparse.Namespace) -> int:
    from memreport.showing import import_model

    folder = _folder_made(options.out)
    text, notes = import_model(options.config, options.out, force=options.force)
    print(folder, end="", file=sys.stderr)
    for note in notes:
        print(f"memreport: {options.config}: {note}", file=sys.stderr)
    print(f"wrote {options.out}" if options.out else text, end="\n" if options.out else "")
    return DONE


def _no_options(parser: argparse.ArgumentParser) -> None:
    """The command takes none."""


def _doctor(_: argparse.Namespace) -> int:
    from memreport.doctor import examine

    text, code = examine()
    print(text, end="")
    return code


COMMANDS = {
    "build": _Command("publish workbooks, budget sheets and data of scenarios", _build_options, _build),
    "show": _Command("print every figure of a scenario", _show_options, _show),
    "verify": _Command("recompute the documented figures and compare their verdicts", _verify_options, _verify),
    "audit": _Command("say whether a workbook is whole, correct and as built", _audit_options, _audit),
    "import-inputs": _Command(
        "turn inputs that were changed in a workbook into a change of its scenario",
        _import_inputs_options,
        _import_inputs,
    ),
    "plan": _Command("say what makes a scenario fit, and what that costs", _plan_options, _plan),
    "diff": _Command("what changed in inputs, figures, verdicts and cost", _diff_options, _diff),
    "list": _Command("list what can be named in a scenario", _list_options, _list),
    "new": _Command("write a commented scenario to start from", _new_options, _new),
    "import-model": _Command("turn a Hugging Face config.json into a model card", _import_options, _import),
    "schema": _Command("print the JSON Schema of scenario files", _schema_options, _schema),
    "doctor": _Command("say what this machine lacks, with the line that installs it", _no_options, _doctor),
}
