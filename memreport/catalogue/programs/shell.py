"""Commands of a shell script or line, with its variables put in; nothing is run.

What a condition decides is not known: of several values of a variable the first that is assigned in one counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from memreport.frozen import frozen

QUOTED = r"""'[^']*'|"(?:\\.|[^"\\])*\""""
COMPUTED = r"\$\((?:[^()]|\((?:[^()]|\([^()]{0,400}\)){0,400}\)){0,400}\)"
INNER = rf"{COMPUTED}|\$\{{[^{{}}]{{0,400}}(?:\{{[^{{}}]{{0,400}}\}}[^{{}}]{{0,400}}){{0,9}}\}}"
"""What is computed or chosen inside a word, within bounds: nothing that a script says may take for ever."""
WORD = rf"(?:{QUOTED}|{INNER}|\\.|[^\s;&|()'\"\\])+"
PART = re.compile(
    rf"(?P<comment>(?<![^\s;])\#[^\n]*)|(?P<end>\n|;+|&&?|\|\|?)|(?P<paren>[()])|(?P<word>{WORD})|.", re.DOTALL
)
ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
BODY = re.compile(r"read\b[^\n]*?(\w+)\s*<<-?\s*[\"']?(\w+)[\"']?\n(.{0,20000}?)\n\s*\2\b", re.DOTALL)
"""A text that a script reads into a variable."""
VARIABLE = re.compile(r"\$\{(\w+)(?:\[[@*]\])?(?::?[-=]((?:[^{}]|\$\{[^{}]*\})*))?\}|\$(\w+)")
CALCULATED = re.compile(r"\$\((?:\(|expr )([\d\s*/+\\-]+)\)?\)")
STEPS = tuple(re.compile(rf"(\d+)\s*([{signs}])\s*(\d+)") for signs in ("*/", "+-"))
"""Of whole numbers, what is calculated first and then."""
LIST = re.compile(r"\$\{\w+\[[@*]\]\}")
LISTED = re.compile(rf'"({LIST.pattern})"')
"""A list of words, each of which stays whole."""
OPENS, CLOSES = {"if", "case", "for", "while"}, {"fi", "esac", "done"}
PREFIXES = {"export", "local", "declare", "readonly", "env", "exec", "sudo", "then", "else", "do", "set"}
MOST_ROUNDS, LONGEST = 20, 50_000
"""Rounds in which variables are put into variables, and characters of what is put in: one may name itself."""


@frozen
class ShellCommand:
    """The words of one command, and the variables that stand before it or in the script."""

    words: tuple[str, ...]
    variables: Mapping[str, str]


def shell_commands(text: str) -> Iterator[ShellCommand]:
    """The commands of a script, one after the other."""
    text = re.sub(r"\\\r?\n", " ", text.replace("\r\n", "\n"))
    known = {name: " ".join(body.split()) for name, _, body in BODY.findall(text)}
    depth, decided = 0, set(known)
    for words in _statements(BODY.sub("", text)):
        depth += sum(word in OPENS for word in words[:1]) - sum(word in CLOSES for word in words[:1])
        own = _assigned(words)
        for name, (added, value) in own.items():
            if not (depth and (added or name in decided)):
                known[name] = (f"{known.get(name, '')} " if added else "") + _expanded(value, known)
            decided.update({name} if depth else ())
        rest = words[len(own) + sum(word in PREFIXES for word in words[: len(own) + 1]) :]
        if rest:
            yield ShellCommand(tuple(_split(rest, known)), {name: _bare(value) for name, value in known.items()})


def _statements(text: str) -> Iterator[list[str]]:
    """Words between the ends of commands; a list in brackets is the value of what it is assigned to."""
    words: list[str] = []
    listed: list[str] | None = None
    for found in PART.finditer(text):
        kind, part = found.lastgroup, found[0]
        if listed is not None:
            if part == ")":
                words[-1] += " ".join(listed)
                listed = None
            elif kind == "word":
                listed.append(part)
        elif part == "(" and words and words[-1].endswith("="):
            listed = []
        elif kind == "word":
            words.append(part)
        elif kind in ("end", "paren") and words:
            yield words
            words = []
    if words:
        yield words


def _assigned(words: Iterable[str]) -> dict[str, tuple[str, str]]:
    """What stands before a command and is assigned there, or added."""
    found = {}
    for word in words:
        match = ASSIGNED.fullmatch(word)
        if match:
            found[match[1]] = match[2], match[3]
        elif word not in PREFIXES:
            break
    return found


def _split(words: Iterable[str], known: Mapping[str, str]) -> Iterator[str]:
    """Words with variables put in: a list becomes several."""
    for word in words:
        whole = _expanded(LISTED.sub(r"\1", word), known)
        if LIST.search(word):
            yield from (_bare(found[0]) for found in re.finditer(WORD, whole))
        elif word.startswith("$"):
            yield from map(_bare, whole.split())
        else:
            yield _bare(whole)


def _expanded(text: str, known: Mapping[str, str]) -> str:
    """A text with the variables put in that are known, as far as they are."""
    for _ in range(MOST_ROUNDS):
        put = CALCULATED.sub(_calculated, _put(text, known))
        if put == text:
            break
        text = put
    return text


def _put(text: str, known: Mapping[str, str]) -> str:
    """A text with each variable's value in its place; as it is where that would be too long."""
    values = [(found.span(), _value(found, known)) for found in VARIABLE.finditer(text)]
    if sum(len(value) for _, value in values) > LONGEST:
        return text
    for (begin, end), value in reversed(values):
        text = text[:begin] + value + text[end:]
    return text


def _value(found: re.Match[str], known: Mapping[str, str]) -> str:
    name, default = found[1] or found[3], found[2]
    if name in known and LIST.fullmatch(found[0]):
        return known[name]
    value = _bare(known[name]) if name in known else ""
    if value or name in known:
        return value or _bare(default or "")
    return found[0] if default is None else _bare(default)


def _calculated(found: re.Match[str]) -> str:
    """Whole numbers in products, then in sums; as it is where something else is left."""
    text = found[1].replace("\\", "").strip()
    for step in STEPS:
        while step.search(text):
            text = step.sub(_step, text, count=1)
    return text if text.isdigit() else found[0]


def _step(found: re.Match[str]) -> str:
    one, two = int(found[1]), int(found[3])
    made = {"*": one * two, "+": one + two, "-": max(one - two, 0), "/": one // max(two, 1)}
    return str(made[found[2]])


def _bare(word: str) -> str:
    """A word without its quotes."""
    parts = re.findall(rf"{QUOTED}|\\.|[^'\"\\]+|.", word, re.DOTALL)
    return "".join(_unquoted(part) for part in parts)


def _unquoted(part: str) -> str:
    if len(part) > 1 and part[0] == part[-1] and part[0] in "'\"":
        return re.sub(r'\\(["\\$`])', r"\1", part[1:-1]) if part[0] == '"' else part[1:-1]
    return part[1:] if part[0] == "\\" and len(part) > 1 else part
