from __future__ import annotations

import json

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # it ships no types

from memreport.paths import data_root
from memreport.publish.svg.typefaces import FAMILY, Face, faces, fitted, needed, readable, text_width

FOLDER = data_root() / "templates" / "fonts"
TABLE = json.loads((FOLDER / "faces.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("face", faces(), ids=lambda face: face.file)
def test_the_table_says_which_characters_a_font_has(face: Face) -> None:
    font = TTFont(FOLDER / face.file)
    stated = {code for start, stop in zip(face.starts, face.stops, strict=True) for code in range(start, stop + 1)}
    assert stated == {code for code in font.getBestCmap() if code >= 0x20}
    assert not {"Inter", "Noto Sans"} & {str(one.toUnicode()) for one in font["name"].names if one.nameID in (1, 16)}


@pytest.mark.parametrize(("file", "weight"), [("MRSans-Regular.woff2", "400"), ("MRSans-SemiBold.woff2", "600")])
def test_the_table_says_how_wide_a_character_is(file: str, weight: str) -> None:
    font = TTFont(FOLDER / file)
    characters, widths = font.getBestCmap(), font["hmtx"]
    for one, width in TABLE["widths"][weight].items():
        assert width == pytest.approx(widths[characters[ord(one)]][0] / font["head"].unitsPerEm, abs=1e-3)


def test_text_is_about_as_wide_as_its_characters() -> None:
    assert text_width("iiii", 10) < text_width("MMMM", 10)
    assert text_width("Llama", 20) == pytest.approx(2 * text_width("Llama", 10))
    assert text_width("模型", 10) == 20
    assert text_width("bold", 10, 700) > text_width("bold", 10)


def test_long_text_is_cut_to_its_width() -> None:
    text = "zero3 with optimizer offload and full checkpointing"
    assert fitted("short", 100, 8) == "short"
    assert fitted(text, 60, 8).endswith("…")
    assert text_width(fitted(text, 60, 8), 8) <= 60


def test_what_no_face_can_draw_is_written_as_a_number() -> None:
    assert readable("Llama ✓ 訓練 한국어 שפה نموذج") == "Llama ✓ 訓練 한국어 שפה نموذج"
    assert readable("a🚀b") == "a[U+1F680]b"


def test_only_the_faces_that_a_text_needs_are_loaded() -> None:
    assert {face.family for face in needed("plain text")} == {FAMILY}
    assert {face.family for face in needed("⌈訓練⌉")} == {FAMILY, "MRSansMath", "MRSansChinese"}


def test_every_font_file_has_a_licence() -> None:
    licence = (FOLDER / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert all(f"{face.family} " in licence for face in faces())
    assert {path.name for path in FOLDER.glob("*.woff2")} == {face.file for face in faces()}


@pytest.mark.parametrize("width", range(60, 420, 20))
def test_text_is_cut_between_words_and_before_nothing_that_opens(width: int) -> None:
    text = "llama.cpp logs its buffer: 300.75 MiB for 512 tokens; tools/server/README.md, `--n-gpu-layers`, (default)"
    cut = fitted(text, width, 9)
    assert cut.endswith("…")
    assert text_width(cut, 9) <= width
    kept = cut.removesuffix("…")
    assert text.startswith(kept)
    assert kept[-1] not in " ,;:([{`"
    in_a_word = text[len(kept)].isalnum() and kept[-1].isalnum()
    assert not in_a_word or len(kept.rpartition(" ")[0]) < 0.7 * len(kept)
