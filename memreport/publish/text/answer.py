"""The answer on a terminal: question, answer, a bar a variant, what to run next; at most 30 lines of 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from memreport.advise.verdict import DOES_NOT_FIT, FITS, QUEUES, TIGHT
from memreport.escaping import one_line as on_one_line
from memreport.publish.text.table import table
from memreport.publish.text.width import columns
from memreport.publish.text.wrapping import cut, whole_sentences, wrapped
from memreport.report.records.answers import MARKS
from memreport.report.records.blocks import Block, Notes, OptionTable, StartLine
from memreport.report.records.decision import Answer, OptionRow, cost_title, time_title
from memreport.report.records.portfolio import SaidTable
from memreport.report.said_blocks import said_table_of

LINES = 30
SIZES = ((20, 34), (10, 34), (0, 34), (0, 22))
"""Characters of a bar that fills the usable memory, and of a name: the first with which a table is not too wide."""
COLOURS = {FITS: "32", TIGHT: "33", QUEUES: "33", DOES_NOT_FIT: "31"}
MOST_HEAD, MOST_ANSWER, MOST_NOTE = 2, 4, 3
HEADS = {20: "peak of what each GPU can use"}
SHORT_HEAD = "peak of usable"


def blocks_text(blocks: Sequence[Block]) -> str:
    """The blocks one below the other; a table of options has the room that the others leave."""
    taken = sum(len(_lines(block, 0)) for block in blocks if not isinstance(block, OptionTable))
    lines = [line for block in blocks for line in _lines(block, LINES - 2 - taken)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _lines(block: Block, room: int) -> list[str]:
    match block:
        case Answer():
            question = wrapped(block.question, MOST_HEAD)
            return [*question, *([""] if question else []), *_answer(block), ""]
        case OptionTable():
            about = [block.about] if block.about else []
            return [*table_lines(block.rows, room - len(about), users=block.users), *about, ""]
        case SaidTable():
            heads, *rows = ([on_one_line(text) for text in row] for row in (block.heads, *block.rows))
            return ["", block.title, table([heads, *rows]), *textwrap.wrap(block.about, columns())]
        case StartLine():
            return _command(block.line)
        case Notes():
            return [line for sentence in block.sentences for line in wrapped(sentence, MOST_NOTE)]
        case _:
            return _lines(said_table_of(block), room)


def said_table(said: SaidTable) -> str:
    """A table below its title, with what must be known to read it."""
    return "\n".join(_lines(said, 0))


def answer_lines(answer: Answer) -> str:
    """Question and answer alone."""
    return "\n".join([*wrapped(answer.question, MOST_HEAD), *_answer(answer)]) + "\n"


def _command(command: str) -> list[str]:
    """A line for a shell: cut between words, and continued with a backslash."""
    lines = textwrap.wrap(
        command, columns() - 4, break_on_hyphens=False, break_long_words=False, subsequent_indent="  "
    )
    return [*(f"{line} \\" for line in lines[:-1]), *lines[-1:], *([""] if lines else [])]


def _answer(answer: Answer) -> Iterator[str]:
    first, *rest = wrapped(f"{answer.mark} {answer.headline}", MOST_ANSWER)
    yield first
    yield from (f"  {line}" for line in rest)
    yield from (f"  {line}" for line in whole_sentences(answer.detail))


def table_lines(rows: Sequence[OptionRow], room: int, *, users: bool = False) -> list[str]:
    """One line a row under its heads, as many as there is room for; the last line counts the others."""
    shown = list(rows) if len(rows) + 1 <= room else list(rows[: max(1, room - 2)])
    tries = [_option_lines(shown, bar_size, name_size, users=users) for bar_size, name_size in SIZES]
    lines = next((each for each in tries if max(map(len, each)) <= columns()), tries[-1])
    left = len(rows) - len(shown)
    return [*lines, *([f"  {left} more: --all"] if left else [])]


def _option_lines(rows: Sequence[OptionRow], bar_size: int, name_size: int, *, users: bool) -> list[str]:
    room, paid = "room for" if users else "headroom", cost_title(rows).removeprefix("Cost ").replace("Cost", "cost")
    titles = ("", HEADS.get(bar_size, SHORT_HEAD), room, time_title(rows).lower(), paid)
    cells = (_cells(option, bar_size, name_size, users=users) for option in rows)
    return table([titles, *cells], lefts=(0, 1)).splitlines()


def _cells(row: OptionRow, bar_size: int, name_size: int, *, users: bool) -> list[str]:
    return [
        f"{row.mark} {_name(row, name_size)}",
        f"{bar(row, bar_size)} {row.memory.text}".strip(),
        row.serves.users if users else row.memory.headroom.text,
        row.takes.time_text,
        row.takes.cost_text,
    ]


def _name(row: OptionRow, size: int) -> str:
    """A row's title, cut before what it lacks of a demand, which is always said."""
    named = row.title.removesuffix(f"; {row.serves.lacks}")
    return (
        f"{cut(named, size - len(row.serves.lacks) - 2)}; {row.serves.lacks}" if row.serves.lacks else cut(named, size)
    )


def bar(row: OptionRow, size: int) -> str:
    """The peak against the usable memory, which is the whole width; an arrow where the peak is larger."""
    share = row.memory.peak.value / row.memory.usable.value if row.memory.usable.value > 0 else 1.0
    if share > 1:
        return ("█" * (size - 1) + "▶")[:size]
    full = round(share * size)
    return "█" * full + "░" * (size - full)


def coloured(text: str) -> str:
    """Lines that begin with the sign of a verdict in its colour; the sign tells the same without it."""
    return "\n".join(_painted(line) for line in text.split("\n"))


def _painted(line: str) -> str:
    sign = line.lstrip()[:2]
    colour = next((COLOURS[word] for word, mark in MARKS.items() if sign == f"{mark} "), "")
    return f"\033[{colour}m{line}\033[0m" if colour else line


def one_line(name: str, answer: Answer) -> str:
    """A scenario among several: its sign, its name and its answer."""
    return cut(f"{answer.mark} {name}: {answer.headline}", columns()) + "\n"


def options_text(answer: Answer, notes: Iterable[str]) -> str:
    """What to do: the answer and the few options, each under what it is to the reader."""
    lines = [*wrapped(answer.question, MOST_HEAD), "", *_answer(answer), ""]
    for option in answer.options:
        lines += [_role_line(option), f"  {_facts(option)}"]
    return "\n".join([*lines, "", *(line for note in notes for line in wrapped(note, MOST_NOTE))]) + "\n"


def _role_line(option: OptionRow) -> str:
    title = f"{option.role_words[:1].upper()}{option.role_words[1:]}"
    return cut(f"{title}: {option.title}" if option.own or option.changes.words else title, columns())


def _facts(option: OptionRow) -> str:
    """Memory, time and cost on one line: where it is too long, first the range of the cost goes, then of the time."""
    memory = (f"{option.mark} {option.word}: {option.memory.text}", f"headroom {option.memory.headroom.text}")
    time, cost = ([each.text, each.amount.text] if each else [] for each in (option.takes.time, option.takes.cost))
    tries = [" · ".join((*memory, *time[:1], *cost[:1])), " · ".join((*memory, *time[:1], *cost[1:]))]
    last = " · ".join((*memory, *time[1:], *cost[1:]))
    return next((text for text in tries if len(text) <= columns() - 2), last)
