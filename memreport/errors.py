"""Everything that may go wrong on purpose, by cause.  Each fault carries where, what was found and what is allowed."""

from __future__ import annotations

from functools import lru_cache

from memreport.escaping import one_line, terminal

TYPE_CHECKING = False  # typing and dataclasses cost more to import than the whole of --help may take
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OR = " or "
"""Between names that are equally near."""
UNREADABLE = "cannot be read: "
"""So begins a fault of the machine rather than of a file's contents: what is read may be sound the next time."""
LIKE, LIKE_FROM_THE_FIRST = 0.6, 0.51
"""Of 1: how alike two words are from which one may be meant by the other; where they begin alike less will do."""
DONE, FINDING, BAD_INPUT, MACHINE_LACKS, OUR_MISTAKE = 0, 1, 2, 3, 70
"""Exit codes; the last is EX_SOFTWARE of BSD's sysexits."""


class Fault:
    """One mistake: place (file, line, column), field, what was found, what is allowed, the nearest allowed name."""

    __slots__ = ("column", "expected", "field", "file", "found", "line", "message", "nearest")

    def __init__(
        self,
        message: str,
        file: str = "",
        line: int = 0,
        column: int = 0,
        field: str = "",
        found: str = "",
        expected: str = "",
        nearest: str = "",
    ) -> None:
        self.message, self.file, self.line, self.column = message, file, line, column
        self.field, self.found, self.expected, self.nearest = field, found, expected, nearest

    def __str__(self) -> str:
        file, field, found, expected = map(one_line, (self.file, self.field, self.found, self.expected))
        place = ":".join(str(part) for part in (file, self.line or "", self.column or "") if part)
        extras = [found and f"found {found}", expected and f"allowed: {expected}"]
        hint = f"\n  did you mean {OR.join(map(repr, self.nearest.split(OR)))}?" if self.nearest else ""
        subject = f"{field}: " if field else ""
        tail = "; ".join(extra for extra in extras if extra)
        return (
            f"{place + ': ' if place else ''}{subject}{terminal(self.message)}{' (' + tail + ')' if tail else ''}{hint}"
        )

    def __repr__(self) -> str:
        return f"Fault({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    @property
    def parts(self) -> tuple[object, ...]:
        """All that a fault says, in the order of its slots."""
        return tuple(getattr(self, name) for name in self.__slots__)

    @property
    def is_of_the_machine(self) -> bool:
        """Whether a file could not be read at all, which says nothing of its contents."""
        return self.message.startswith(UNREADABLE)

    @property
    def order(self) -> tuple[str, int, int]:
        """Faults are shown by file, then line, then column."""
        return self.file, self.line, self.column

    def saying(self, message: str) -> Fault:
        """The same fault with another message."""
        changed = {name: getattr(self, name) for name in self.__slots__} | {"message": message}
        return Fault(**changed)


def as_spelt(name: str, known: Iterable[str]) -> str:
    """The known name that differs in hyphens, blanks and capitals alone, as `RTX 4090` does; else nothing."""
    listed = list(known)
    if name in listed:
        return name
    letters = _letters(name)
    same = [key for key in listed if _letters(key) == letters]
    return same[0] if len(same) == 1 else ""


@lru_cache(maxsize=1 << 13)
def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum() or letter == ".")


def holding(name: str, known: Iterable[str], titles: Mapping[str, str] | None = None) -> list[str]:
    """Known names of whose parts, or of whose title's words, all that was typed is made up.

    `rtx3090` and `3090` are of rtx-3090, `h100 sxm` is of h100-80gb-sxm.
    """
    typed, said = _parts(name), titles or {}
    own = ((key, {*_parts(key), *_parts(said.get(key, ""))}) for key in (known if typed else ()))
    return [key for key, parts in own if all(_made_of(part, parts) for part in typed)]


def _made_of(word: str, parts: Iterable[str]) -> bool:
    """Whether a word is parts of a name written together: `rtx3090`; two numbers make no third one, as 27b of 2-7b."""
    rests = (word[len(part) :] for part in parts if word.startswith(part))
    return not word or any(not _splits_number(word, rest) and _made_of(rest, parts) for rest in rests)


def _splits_number(word: str, rest: str) -> bool:
    return rest[:1].isdigit() and word[: -len(rest)][-1:].isdigit()


@lru_cache(maxsize=1 << 13)
def _parts(name: str) -> tuple[str, ...]:
    letters = "".join(letter if letter.isalnum() or letter == "." else " " for letter in name.lower())
    return tuple(part for word in letters.split() if (part := word.strip(".")))


def plural(noun: str, count: object) -> str:
    """A noun for so many of them, be the number a text or not."""
    return noun if count in (1, "1") else f"{noun}s"


def nearest(
    word: object, allowed: Iterable[str], *, cased: bool = False, titles: Mapping[str, str] | None = None
) -> str:
    """The allowed name that `word` most resembles, or up to three of which it is a part; nothing where none is.

    `H100` means h100-80gb-sxm or h100-80gb-pcie, but `peak_byte` only peak_bytes.  Capitals count where `cased`.
    Words of a title name it too, by allowed name: `dgx-spark` is gb10.
    """
    import difflib

    fold = str if cased else str.lower
    written, wanted = {fold(name): name for name in allowed}, fold(str(word))
    longer = sorted((name for name in written if wanted and name.startswith(wanted)), key=len)
    held = () if cased else _in_order(wanted, holding(wanted, written)) or _titled(wanted, written, titles or {})
    if (longer and longer[0][len(wanted) :][:1] in tuple("-_.")) or held:
        return OR.join(written[name] for name in (longer or held)[:3])
    begun = [name for name in written if name[:1] == wanted[:1]]
    found = difflib.get_close_matches
    close = longer or found(wanted, written, 1, LIKE) or found(wanted, begun, 1, LIKE_FROM_THE_FIRST)
    return written[close[0]] if close else ""


def _in_order(wanted: str, names: list[str]) -> list[str]:
    """Names in which the parts stand as they were typed: `llama-2-8b` is no part of hermes-2-pro-llama-3-8b."""
    import re

    return [name for name in names if re.search(".*".join(map(re.escape, _parts(wanted))), name)]


def _titled(wanted: str, written: Mapping[str, str], titles: Mapping[str, str]) -> list[str]:
    said = {key: titles.get(name, "") for key, name in written.items()}
    return holding(wanted, written, said) if titles else []


class MemreportError(Exception):
    """Base of every error raised on purpose; `exit_code` is what the command line returns."""

    exit_code = BAD_INPUT


class InputError(MemreportError):
    """One or many mistakes in what a user wrote; all of them are shown together."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: fault.order))
        super().__init__("\n".join(str(fault) for fault in self.faults))


class UnitError(MemreportError):
    """A formula adds, compares or returns quantities of different units."""


class FormulaError(MemreportError):
    """A formula uses something that a spreadsheet cannot say, or a number without a name."""


class VerificationError(MemreportError):
    """Numbers of a scenario that together give a figure which is not finite, negative or outside its own range."""


class PublishingError(MemreportError):
    """A text or number cannot be written into a workbook or sheet without loss."""


class FailedCheckError(PublishingError):
    """A finished workbook fails a check of its own when it is computed: a finding about memreport or its tables."""

    exit_code = FINDING


class MachineError(MemreportError):
    """The machine lacks a library or font; the message holds the line that installs it."""

    exit_code = MACHINE_LACKS
