"""An answer as Markdown, for a pull request or a message: every text made harmless."""

from __future__ import annotations

from collections.abc import Sequence

from memreport.escaping import markdown, one_line
from memreport.publish.markdown.table import piped
from memreport.report.records.blocks import Block, Notes, OptionTable, StartLine
from memreport.report.records.decision import Answer, OptionRow
from memreport.report.records.portfolio import SaidTable
from memreport.report.said_blocks import said_table_of

HEADS = ("", "Verdict", "Peak of usable")


def blocks_markdown(blocks: Sequence[Block]) -> str:
    """The blocks one below the other, with a line between them."""
    return "\n\n".join(text for text in map(_block, blocks) if text) + "\n"


def _block(block: Block) -> str:
    match block:
        case Answer():
            said = f"**{block.mark} {markdown(block.headline)}** {markdown(block.detail)}"
            return "\n\n".join(text for text in (markdown(block.question), said.rstrip()) if text)
        case OptionTable():
            heads = (*HEADS, "Room for" if block.users else "Headroom", block.time_title, block.cost_title)
            rows = piped([heads, *(_row(row, users=block.users) for row in block.rows)], lefts=(0, 1))
            return "\n\n".join(part for part in (rows, block.about) if part)
        case SaidTable():
            parts = (f"### {markdown(block.title)}", piped((block.heads, *block.rows)), markdown(block.about))
            return "\n\n".join(part for part in parts if part)
        case StartLine():
            return f"~~~sh\n{one_line(block.line)}\n~~~" if block.line else ""
        case Notes():
            return "\n".join(f"* {markdown(sentence)}" for sentence in block.sentences)
        case _:
            return _block(said_table_of(block))


def _row(row: OptionRow, *, users: bool) -> tuple[str, ...]:
    room = row.serves.users if users else row.memory.headroom.text
    return row.title, f"{row.mark} {row.word}", row.memory.text, room, row.takes.time_text, row.takes.cost_text
