"""The command line.  Data goes to stdout, messages to stderr; imports happen in the command that needs them."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from memreport.commands import forget_output, make_printable, open_closed, say
from memreport.commands.parser import module_of, parser_of
from memreport.errors import BAD_INPUT, DONE, OUR_MISTAKE, MemreportError

INTERRUPTED = 130
NEW_OBJECTS = 500_000
"""Objects that a command makes before the newest are looked through for garbage, of which it leaves hardly any."""

FREED_AT_ONCE = "narenas:1,dirty_decay_ms:100,muzzy_decay_ms:0"
"""How formualizer, whose memory jemalloc manages, gives it back; it keeps as much as a workbook takes else."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 finding, 2 bad input, 3 the machine lacks something, 70 ours"""
    given = sys.argv[1:] if arguments is None else list(arguments)
    _prepare()
    try:
        return _done(given)
    except MemreportError as error:
        say(f"memreport: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        say("memreport: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()
        return DONE
    except OSError as error:
        say(f"memreport: {error.filename or 'the output'}: {error.strerror or error}")
        forget_output()
        return BAD_INPUT
    except Exception as error:  # noqa: BLE001  # nobody shall read a traceback; the line says what a report needs
        from memreport.mistakes import said_of

        say(f"memreport: {said_of(error, given)}")
        return OUR_MISTAKE


def _prepare() -> None:
    """Settings of the process, before a library is loaded that reads them."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    open_closed()
    make_printable()
    _without_plugins()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # or numpy starts threads for products we do not make
    os.environ.setdefault("_RJEM_MALLOC_CONF", FREED_AT_ONCE)


def _without_plugins() -> None:
    """Pydantic asks for none: it would read the entry points of every package, with all that reads letters and zips."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if os.environ["PYDANTIC_DISABLE_PLUGINS"] in ("__all__", "1", "true"):
        asked = sys.modules.setdefault("pydantic.plugin._loader", type(sys)("pydantic.plugin._loader"))
        asked.__dict__.setdefault("get_plugins", tuple)


def _done(given: Sequence[str]) -> int:
    try:
        options = parser_of(given).parse_args(given)
        return int(module_of(options.command).run(options))
    finally:
        sys.stdout.flush()  # or a full disk is found out when nobody can say so any more
