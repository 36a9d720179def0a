"""One PDF that is at once PDF/UA-1 and PDF/A-3a: what WeasyPrint does not say by itself, and may not fetch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pydyf  # type: ignore[import-untyped]  # it ships no types
from weasyprint.document import DocumentMetadata
from weasyprint.urls import FatalURLFetchingError, URLFetcher

VARIANT = "pdf/a-3a"
_NAMESPACES = (
    b' xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"'
    b' xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"'
    b' xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"'
    b' xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"'
)
_UNIVERSAL_ACCESS = (
    b'<rdf:Description rdf:about="" pdfuaid:part="1"/>'
    b'<rdf:Description rdf:about=""><pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">'
    b"<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>"
    b"<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>"
    b"<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>"
    b'<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">'
    b"<pdfaProperty:name>part</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType>"
    b"<pdfaProperty:category>internal</pdfaProperty:category>"
    b"<pdfaProperty:description>Part of the PDF/UA standard</pdfaProperty:description>"
    b"</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"
)
"""PDF/A knows no PDF/UA: the extension schema says what `pdfuaid:part` means (ISO 19005-3, 6.6.2.3.3)."""


class BothStandards(DocumentMetadata):  # type: ignore[misc]  # WeasyPrint ships no types
    """Metadata that claim PDF/UA-1 beside PDF/A-3a, in one uncompressed block as archives want to read it."""

    def include_in_pdf(self, pdf: Any, variant: str, version: int, conformance: str, compress: bool) -> None:  # noqa: ARG002  # the standard decides
        """Write the block, never compressed."""
        super().include_in_pdf(pdf, variant, version, conformance, compress=False)

    def generate_rdf_metadata(self, variant: str, version: int, conformance: str) -> bytes:
        """WeasyPrint's own description with ours inside the same element."""
        rdf: bytes = super().generate_rdf_metadata(variant, version, conformance)
        opened = rdf.replace(b"<rdf:RDF", b"<rdf:RDF" + _NAMESPACES, 1)
        return opened.replace(b"</rdf:RDF>", _UNIVERSAL_ACCESS + b"</rdf:RDF>")


ATTEMPTS = 8
_AMBIGUOUS = b"\r\nendstream"
_MAY_NOT_CHANGE = {"Type", "Subtype", "Length1", "N"}  # attached files, pictures, fonts, colour profiles


class _Even:
    """Mixed into a stream, it never lets it end in a carriage return, which with the next line feed is one line end."""

    stream: list[bytes]
    extra: dict[str, Any]
    compress: bool
    kept: bytes | None = None

    @property
    def data(self) -> bytes:
        """The stream as it is written, packed once: it is asked for twice, for the identifier and for the file."""
        if self.kept is None:
            self.kept = self._ended()
        return self.kept

    def _ended(self) -> bytes:
        """With blanks added, or uncompressed where it may not be changed."""
        written = self._as_usual()
        while written.endswith(_AMBIGUOUS):
            if self.compress and not _MAY_NOT_CHANGE.isdisjoint(self.extra):
                self.compress = False
            else:
                self.stream.append(b" ")
            written = self._as_usual()
        return written

    def _as_usual(self) -> bytes:
        return cast(bytes, super().data)  # type: ignore[misc]  # the stream that this is mixed into


_EVEN: dict[type, type] = {}


def _even(kind: type) -> type:
    return _EVEN.setdefault(kind, type(kind.__name__, (_Even, kind), {}))


def archived(document: Any, attached: Callable[[], list[Any]]) -> bytes:
    """The document as PDF, the length of every stream beyond doubt (ISO 19005-3, 6.1.7.1).

    The table of objects only exists while writing: where it ends in a carriage return, one more object changes it.
    """
    written = b""
    for more in range(ATTEMPTS):

        def finish(_document: Any, pdf: Any, count: int = more) -> None:
            for part in pdf.objects:
                if isinstance(part, pydyf.Stream):
                    part.__class__ = _even(type(part))
            for _ in range(count):
                pdf.add_object(pydyf.Dictionary())

        document.metadata.attachments = attached()  # each can be read only once
        written = cast(bytes, document.write_pdf(pdf_variant=VARIANT, finisher=finish))
        if _AMBIGUOUS not in written:
            break
    return written


class DataOnly(URLFetcher):  # type: ignore[misc]  # WeasyPrint ships no types
    """Reads what lies inside the page itself; anything else stops the rendering."""

    def __init__(self) -> None:
        super().__init__(allowed_protocols=("data",), allow_redirects=False, fail_on_errors=True)

    def fetch(self, url: str, headers: Any = None) -> Any:
        """The data of a `data:` address.  Raises FatalURLFetchingError for any other."""
        if not url.lower().startswith("data:"):
            raise FatalURLFetchingError(f"a sheet may not fetch {url[:80]}")
        return super().fetch(url, headers)
