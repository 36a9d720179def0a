"""The manual page in the macros of man(7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memreport.commands.completion.words import CommandOption, CommandWords


def manual(about: str, commands: Sequence[CommandWords], steps: str, version: str) -> str:
    """The page: name, synopsis, every command with its options, first steps and exit codes."""
    return "".join(f"{line}\n" for line in _lines(about, commands, steps, version))


def _lines(about: str, commands: Sequence[CommandWords], steps: str, version: str) -> Iterator[str]:
    yield f'.TH MEMREPORT 1 "" "memreport {version}" "User Commands"'
    yield from (".SH NAME", f"memreport \\- {_plain(about)}", ".SH SYNOPSIS", ".B memreport", ".I COMMAND ...")
    yield ".SH COMMANDS"
    for command in commands:
        yield from (f".SS {command.name}", _plain(command.about))
        for option in command.options:
            yield from (".TP", _flags(option), _plain(option.help) or "\\&")
    yield from (".SH FIRST STEPS", ".nf", *map(_plain, steps.splitlines()), ".fi")


def _flags(option: CommandOption) -> str:
    """Flags in bold, what stands for the value in italics, choices in words."""
    flags = ", ".join(f"\\fB{_plain(flag)}\\fR" for flag in option.flags)
    value = f"\\fI{_plain('|'.join(option.choices) or option.value)}\\fR" if option.value or option.choices else ""
    return f"{flags} {value}".strip()


def _plain(text: str) -> str:
    """A text in which nothing is a macro: backslashes, hyphens, and dots and quotes that begin a line."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{safe}" if safe[:1] in (".", "'") else safe
