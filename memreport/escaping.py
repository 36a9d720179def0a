"""Texts of strangers (names, keys, notes, addresses) made harmless: one function for each kind of output.

Everything that is printed or published goes through the function of its kind, however its text came about.
"""

from __future__ import annotations

import re

_HIDDEN = "\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
"""What changes a line without being seen: control characters of the second set, directions of writing, half characters.

Unicode Standard Annex 9, and ECMA-48, read 2026-11-20.
"""
_OBEYED = re.compile(f"[\x00-\x08\x0b-\x1f{_HIDDEN}]")
_BROKEN = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MARKS = re.compile(r"[\\`*_{}\[\]<>|~&#!]")
_BLOCK = re.compile(r"^(?:[-+](?=\s|$)|[-=]+$|\d+(?=[.)](?:\s|$)))")
_LIVE = tuple("=+-@\t\r\n＝＋－＠")
"""With these a spreadsheet begins a formula: OWASP, "CSV Injection", read 2026-11-20."""
_WEB = re.compile(r"https?://[^\s/?#@\\]+(?:[/?#][^\s<>\"\\]*)?", re.IGNORECASE)
_AUTOLINK = re.compile(r"(?i)(://|\bwww(?=\.))")


def terminal(text: str) -> str:
    """Lines for a terminal: what it would obey or hide is shown by its number, as JSON writes it."""
    return _OBEYED.sub(_shown, text)


def one_line(text: str) -> str:
    """A part of a message: the same, and a line's end or a tab does not end the line."""
    return _BROKEN.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def markdown(text: str) -> str:
    """Text in a line, heading or table of Markdown: no mark, image, link, HTML, mention or list comes out of it."""
    flat = _MARKS.sub(r"\\\g<0>", " ".join(one_line(" ".join(text.split())).split()))
    quiet = _AUTOLINK.sub(_broken_link, flat).replace("@", "@<!-- -->")
    return _BLOCK.sub(lambda found: f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}", quiet)


def _broken_link(found: re.Match[str]) -> str:
    return "\\://" if found[0] == "://" else f"{found[0]}<!-- -->"


def html(text: str) -> str:
    """Text in HTML or SVG, also inside a quoted attribute."""
    for mark, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(mark, name)
    return _NOT_IN_XML.sub("\ufffd", text)


def is_live(text: str) -> bool:
    """Whether a spreadsheet would take a text for a formula, also behind spaces."""
    return text.lstrip(" ").startswith(_LIVE)


def csv_cell(value: object) -> object:
    """A value of a CSV file; a text that a spreadsheet would take for a formula gets a quote before it."""
    return f"'{value}" if isinstance(value, str) and is_live(value) else value


def link(address: str) -> str:
    """An address that may become a link: http or https with a host and no user; nothing for any other."""
    return address if _WEB.fullmatch(address) and address.isprintable() else ""
