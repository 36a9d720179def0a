"""XML and zip archives written in one way only, so that equal content is equal bytes on every machine."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from xml.etree.ElementTree import Element

from memreport.errors import PublishingError

DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date a zip member can carry
PACKED = 5
"""How hard parts are packed: 6 takes half as long again for less than a hundredth."""
XML = "http://www.w3.org/XML/1998/namespace"
OFFICE = "http://schemas.openxmlformats.org"
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
PREFIXES = {
    XML: "xml",
    f"{OFFICE}/drawingml/2006/main": "a",
    f"{OFFICE}/drawingml/2006/chart": "c",
    f"{OFFICE}/drawingml/2006/spreadsheetDrawing": "xdr",
    f"{OFFICE}/officeDocument/2006/relationships": "r",
    f"{OFFICE}/officeDocument/2006/docPropsVTypes": "vt",
    f"{OFFICE}/package/2006/metadata/core-properties": "cp",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://www.w3.org/2001/XMLSchema-instance": "xsi",
}


def printable(text: str) -> str:
    """The text itself, if XML carries every character of it unchanged.

    Raises PublishingError for control characters (a line's end and a tab are none), lone surrogates, U+FFFE, U+FFFF.
    """
    bad = UNPRINTABLE.search(text)
    if bad:
        raise PublishingError(f"the character U+{ord(bad[0]):04X} cannot be written: {text[:40]!r}")
    return text


def xml_bytes(root: Element) -> bytes:
    """The tree as UTF-8 XML: fixed prefixes declared at the root, attributes sorted, nothing optional kept."""
    prefixes = _prefixes(root)
    names = _Names(prefixes)
    declared = "".join(
        f' xmlns{":" + prefix if prefix else ""}="{space}"'
        for space, prefix in sorted(prefixes.items(), key=lambda item: item[1])
        if space != XML
    )
    pieces = [DECLARATION]
    _write(root, names, pieces, declared)
    return "".join(pieces).encode()


def zip_bytes(parts: Mapping[str, bytes]) -> bytes:
    """A zip archive of the parts, in order of name, without dates or anything else of this machine."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(parts):
            member = zipfile.ZipInfo(name, EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3  # Python writes 0 on Windows
            member.external_attr = 0o600 << 16
            archive.writestr(member, parts[name], compresslevel=PACKED)
    return out.getvalue()


class _Names(dict[str, str]):
    """From `{namespace}local`, as ElementTree says it, to `prefix:local`; each is worked out once."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        super().__init__()
        self.prefixes = prefixes

    def __missing__(self, name: str) -> str:
        space, local = _split(name)
        prefix = self.prefixes[space] if space else ""
        self[name] = f"{prefix}:{local}" if prefix else local
        return self[name]


def _split(name: str) -> tuple[str, str]:
    space, brace, local = name[1:].partition("}")
    return (space, local) if brace and name.startswith("{") else ("", name)


def _prefixes(root: Element) -> dict[str, str]:
    """Known namespaces keep their usual prefix; the root's own, where it has none, becomes the default."""
    names = {element.tag for element in root.iter()}
    names.update(key for element in root.iter() for key in element.attrib)
    spaces = {_split(name)[0] for name in names} - {""}
    prefixes = {space: PREFIXES[space] for space in spaces & PREFIXES.keys()}
    own = _split(root.tag)[0]
    if own and own not in prefixes:
        prefixes[own] = ""
    others = sorted(spaces - prefixes.keys())
    return prefixes | {space: f"n{number}" for number, space in enumerate(others, 1)}


def _write(element: Element, names: _Names, pieces: list[str], declared: str = "") -> None:
    """Add the element as text, piece by piece: a workbook has some hundred thousand of them."""
    attributes = "".join([f' {names[key]}="{quoted(value)}"' for key, value in sorted(element.items())])
    name, text = names[element.tag], element.text
    if not text and not len(element):
        pieces.append(f"<{name}{declared}{attributes}/>")
        return
    pieces.append(f"<{name}{declared}{attributes}>{escaped(text) if text else ''}")
    for child in element:
        _write(child, names, pieces)
        if child.tail:
            pieces.append(escaped(child.tail))
    pieces.append(f"</{name}>")


def escaped(text: str) -> str:
    """A text as XML holds it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#xD;")


def quoted(text: str) -> str:
    """A text as an attribute holds it."""
    if text.isalnum():
        return text
    return escaped(text).replace('"', "&quot;").replace("\t", "&#x9;").replace("\n", "&#xA;")
