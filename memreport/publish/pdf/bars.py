"""Memory bars of the budget sheet as HTML: lengths alone, every text is the report's."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from memreport.publish.svg.typefaces import readable, text_width
from memreport.report.records.decision import OptionRow
from memreport.report.records.peak import Segment, StackedBar

CUT = 1.5
"""A bar longer than so many usable memories is cut, and says so by a break."""
BAR_POINTS, PADDING = 118.0, 6.0
"""Points of a bar that is as wide as its column, and of what surrounds a number in it."""
POINTS_WIDE = 505.0
TEXT_SIZE = 9.0
SHADES = 8
"""Shades of parts side by side, as the style sheets have them."""


def scale_of(rows: Sequence[OptionRow]) -> float:
    """Bytes of the whole width: what the longest bar needs, up to the cut."""
    usable = max((row.memory.usable.value for row in rows), default=1.0)
    longest = max((row.memory.peak.value for row in rows), default=1.0)
    return max(min(longest, CUT * usable), usable) * 1.02


def option_bar(row: OptionRow, scale: float) -> Markup:
    """The peak of one option, its number in it or after it, clear of the line at what may be used."""
    share = 100 * min(row.memory.peak.value / scale, 1.0)
    cut, number = row.memory.peak.value > scale, escape(readable(row.memory.peak.number))
    kind = {"✗": "no", "!": "tight"}.get(row.mark, "yes")
    broken = '<span class="break">//</span>' if cut else ""
    room = 100 * (text_width(row.memory.peak.number, TEXT_SIZE, 600) + PADDING) / BAR_POINTS
    line = 100 * min(row.memory.usable.value / scale, 1.0)
    inside = share >= room and not (line < room and share + room < 100)
    start = f";padding-left:{line + 2:.2f}%" if inside and line < room else ""
    fill = f'<div class="fill {kind}" style="width:{share:.2f}%{start}">{number if inside else ""}{broken}</div>'
    beside = share if share + room < line else max(share, line)
    after = "" if inside else f'<div class="after" style="left:{beside + 2:.2f}%">{number}</div>'
    tick = f'<div class="tick" style="left:{line:.2f}%"></div>'
    return Markup(f'<div class="bar">{fill}{after}{tick}</div>')  # noqa: S704  # escaped above


def stacked_bar(made: StackedBar) -> str:
    """Parts side by side, none of them nothing; a part with room for it holds its name and number."""
    cells = (_part(part, index, 100 * part.value / made.whole) for index, part in enumerate(made.parts))
    return f'<div class="stack">{"".join(cells)}</div>'


def _part(segment: Segment, index: int, share: float) -> str:
    number = segment.text.removesuffix(" GiB")
    room = share / 100 * POINTS_WIDE - 8
    text = next((each for each in (f"{segment.title} {number}", number) if text_width(each, TEXT_SIZE, 500) < room), "")
    inside = f"<span>{escape(readable(text))}&#8203;</span>"
    return f'<div class="part p{index % SHADES}" style="width:{share:.3f}%">{inside}</div>'
