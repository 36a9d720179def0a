"""The parts of a workbook from anybody: a file and an archive within bounds, and XML that was read once as a stream.

Nothing here needs a library, so that what is refused is refused at once.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.parsers.expat import ExpatError

from memreport.audit.bounds import Extent, OutOfBoundsError
from memreport.errors import Fault, InputError
from memreport.files import MOST_WORKBOOK, read_bytes

LARGEST_CONTENT = 96 * 2**20
MOST_PARTS = 2_000
HIGHEST_RATIO = 400
"""XML packs 10 to 50 times; a part that packs 400 times and is larger than SMALL_PART is made to fill a memory."""
SMALL_PART = 2**20
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
XML = (".xml", ".rels", ".vml")
NEEDED = ("[Content_Types].xml", "xl/workbook.xml")


def sound_parts(path: Path) -> tuple[bytes, dict[str, bytes]]:
    """The file, and its parts by name.  Raises InputError with one fault."""
    data = _bytes(path)
    parts = _parts(path, data)
    _refuse_out_of_bounds(path, parts)
    return data, parts


def refusal(path: Path, message: str, found: str = "", expected: str = "") -> InputError:
    """What is wrong with a workbook, as one fault."""
    return InputError([Fault(message, file=str(path), found=found, expected=expected)])


def _bytes(path: Path) -> bytes:
    """The file, unless it is missing, too large or of another kind."""
    data = read_bytes(path, MOST_WORKBOOK)
    if data.startswith(OLE):
        raise refusal(path, "is encrypted with a password, or of the format before 2007", expected="a plain .xlsx")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise refusal(path, "is no workbook, or was cut short", expected="an .xlsx file")
    return data


def _parts(path: Path, data: bytes) -> dict[str, bytes]:
    """All parts, once their number and sizes are known to be sane."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _refuse_bombs(path, members)
            parts = {member.filename: archive.read(member) for member in members}
    except InputError:
        raise
    except Exception as error:  # zipfile raises its own errors, zlib's, OSError, RuntimeError and more
        raise refusal(path, "is damaged", f"{type(error).__name__}: {error}"[:200]) from error
    missing = [name for name in NEEDED if name not in parts]
    if missing:
        raise refusal(path, "is a zip archive, but no workbook", f"no {missing[0]}")
    return parts


def _refuse_bombs(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """Raise for archives that unpack to far more than they are; Python never reads more than a member declares."""
    whole = sum(info.file_size for info in members)
    if len(members) > MOST_PARTS:
        raise refusal(path, "has too many parts", str(len(members)), f"at most {MOST_PARTS}")
    if whole > LARGEST_CONTENT:
        raise refusal(path, "unpacks to too much", f"{whole} bytes", f"at most {LARGEST_CONTENT}")
    for member in members:
        if member.flag_bits & 1:
            raise refusal(path, "is encrypted", member.filename)
        if member.file_size > max(SMALL_PART, HIGHEST_RATIO * member.compress_size):
            raise refusal(path, "unpacks to suspiciously much", f"{member.filename}: {member.file_size} bytes")
    if len({info.filename.lower() for info in members}) < len(members):
        raise refusal(path, "holds two parts of one name")


def _refuse_out_of_bounds(path: Path, parts: Mapping[str, bytes]) -> None:
    """One cell in the last corner, or one merged range over everything, would make readers walk billions of cells."""
    extent = Extent()
    for name, data in parts.items():
        if name.lower().endswith(XML):
            try:
                extent.read(data)
            except OutOfBoundsError as error:
                said = f"{name}: {error}"
                raise refusal(path, "holds more than a workbook may, or declares what none does", said) from error
            except (ExpatError, ValueError, LookupError) as error:  # an encoding that is none is a LookupError
                raise refusal(path, "cannot be read as a workbook", f"{name}: {error}"[:200]) from error
