"""Reference pages of the docs, from the data dictionary and the register of figures; run with `python -m`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from memreport.catalogue.fields.dictionary import Entry
from memreport.catalogue.quantities import plain
from memreport.catalogue.scenario import dictionary
from memreport.catalogue.words.names import field_words
from memreport.catalogue.words.tables import SECTIONS, WordRow, source_of_words, word_rows
from memreport.figures.registry import GROUPS
from memreport.files import write_whole
from memreport.formula.printing import to_excel
from memreport.formula.recording import Figure

WORKLOADS = ("training", "serving")
NO_EFFECT = "changes neither memory nor time, or is what is counted anyway"


def pages() -> dict[str, str]:
    """Text of each page by file name."""
    return {
        "inputs.md": "\n".join(["# Inputs", "", _ABOUT_INPUTS, "", *_input_lines(), *_word_lines()]) + "\n",
        "figures.md": "\n".join(["# Figures", "", _ABOUT_FIGURES, "", *_figure_lines()]) + "\n",
    }


_ABOUT_INPUTS = (
    "Every field of a scenario and of a model card, with its unit, default and limits. Quantities may carry units. "
    "A choice is a name from a table (`memreport list TABLE`)."
)
_ABOUT_WORDS = (
    "A scenario may use them, in small letters or capitals; what is assumed with one is said as a warning. A row of "
    "that name in a table of one's own means itself. Names of fields: {}."
)
_ABOUT_FIGURES = "Every figure with its unit, formula, basis and source. A scenario may override any of them by name."


def _input_lines() -> Iterable[str]:
    sections: dict[str, list[Entry]] = {}
    for workload in WORKLOADS:
        for entry in dictionary(workload).values():
            if entry not in sections.setdefault(entry.section, []):
                sections[entry.section].append(entry)
    for section, entries in sections.items():
        yield from (
            f"## {section}",
            "",
            "| field | meaning | unit | default | allowed | source |",
            "|---|---|---|---|---|---|",
        )
        yield from (_input_row(entry) for entry in entries)
        yield ""


def _input_row(entry: Entry) -> str:
    default = "required" if entry.required else _plain(entry.default)
    cells = (f"`{entry.name}`", entry.meaning, entry.unit, default, _allowed(entry), entry.source)
    return _row(cells)


def _allowed(entry: Entry) -> str:
    if entry.table:
        return f"one of {entry.table}"
    if entry.kind == "switch":
        return "true, false"
    limits = [
        f"from {plain(entry.lowest)}" if entry.lowest is not None else "",
        f"to {plain(entry.highest)}" if entry.highest else "",
    ]
    return " ".join(limit for limit in limits if limit)


def _plain(value: object) -> str:
    if value is None:
        return "supplied by the choice"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return plain(value)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _word_lines() -> Iterable[str]:
    about = _ABOUT_WORDS.format(source_of_words("OPTIONS"))
    yield from ("## Words of other programs", "", about, "", "| word | stands for | source |", "|---|---|---|")
    for section, fields in field_words().items():
        for name, words in fields.items():
            yield f"| {_code(f'{section}.{word}' for word in words.split())} | {name} | |"
    yield from (_word_line(row) for section in SECTIONS for row in word_rows(section))
    yield ""


def _word_line(row: WordRow) -> str:
    settings = {**row.meaning.settings, **row.meaning.unless_stated}
    listed = (f"{name}: {_plain(value)}" for name, value in settings.items())
    word = _code(f"{name}: {word}" for name in row.names for word in row.words) or _code(row.names)
    return f"| {word} | {', '.join(listed) or row.meaning.assumes or NO_EFFECT} | {row.meaning.source} |"


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _figure_lines() -> Iterable[str]:
    for workload in WORKLOADS:
        for group in GROUPS[workload]:
            yield from (f"## {workload}: {group.title}", "", "| figure | meaning | unit | formula | basis | source |")
            yield "|---|---|---|---|---|---|"
            yield from (_figure_row(figure) for figure in group.figures)
            yield ""


def _figure_row(figure: Figure) -> str:
    formula = f"`{to_excel(figure.expression)}`"
    cells = (f"`{figure.name}`", figure.meaning, str(figure.unit), formula, figure.basis, figure.source)
    return _row(cells)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the pages into the folder that is named, by default docs."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs")
    for name, text in pages().items():
        write_whole(folder / name, text.encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
