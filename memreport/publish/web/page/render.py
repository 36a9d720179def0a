"""The page as one file: data in a template element, its own script and style by their hashes, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from memreport.catalogue.huggingface.plain import family_rules
from memreport.catalogue.huggingface.reader import WHERE_MISSING
from memreport.files import MOST_YAML, read_bytes
from memreport.formula.printing import to_javascript
from memreport.formula.recording import recorded
from memreport.formula.words import JAVASCRIPT
from memreport.paths import data_root
from memreport.publish.web.page.engine import PageEngine
from memreport.publish.web.page.repeated import in_signs
from memreport.report.view import tied

SCRIPTS = (
    "numbers.js",
    "engine.js",
    "state.js",
    "yaml.js",
    "elements.js",
    "inputs.js",
    "pasted.js",
    "derivation.js",
    "answer.js",
    "fitting.js",
    "map.js",
    "hardware.js",
    "start.js",
)
"""In the order in which they stand in the page: each uses what stands before it."""


def page_html(data: Mapping[str, Any], engines: Sequence[PageEngine], said: Mapping[str, Any]) -> str:
    """The page of some engines; `said` is what the plain part says of a scenario, which needs no script."""
    from jinja2 import Environment, FileSystemLoader

    root = data_root() / "templates"
    environment = Environment(loader=FileSystemLoader(root), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    script, style = script_of(engines, pastes="configs" in data), _STYLED.sub(r"\1\2", _own("page.css"))
    environment.filters["tied"] = tied
    template = environment.get_template("page.html.j2")
    return template.render(
        said, data=inert_json(data), script=script, style=style, policy=policy(script, style), title=said["title"]
    )


def script_of(engines: Sequence[PageEngine], *, pastes: bool) -> str:
    """Everything that runs: what the words call, the figures, then the page itself; rules of what may be pasted."""
    figures = ",\n".join(f"{engine.workload}:{engine.script()}" for engine in engines)
    own = "\n".join(_bare(_own(name)) for name in SCRIPTS)
    rules = f"{_where_missing()}const FAMILY_RULES={family_rules()};\n" if pastes else ""
    return f'(()=>{{"use strict";\n{JAVASCRIPT}const FIGURES={{{figures}}};\n{rules}{own}}})();'


def _where_missing() -> str:
    """What a configuration means that leaves out a common field."""
    rules = (
        f"{name}:c=>{to_javascript(recorded(rule), lambda key: f'c.{key}')}" for name, rule in WHERE_MISSING.items()
    )
    return f"const WHERE_MISSING={{{','.join(rules)}}};\n"


def _bare(script: str) -> str:
    """A script without comments, needless spaces, ends of lines and statements; its texts stay as they are.

    Every statement ends in a semicolon or a brace, and every division has spaces around it.
    """
    code = _SAID.sub(lambda found: "" if found[0].startswith("//") else found[0], script)
    parts = _SAID.split(code.strip())
    return "".join(part if place % 2 else _tight(part) for place, part in enumerate(parts))


def _tight(code: str) -> str:
    """Code in which a space stands only between two words or two equal signs."""
    return _LAST.sub("", _NEEDLESS.sub("", _SPACED.sub(" ", code)))


_TEXT, _COMMENT = r'"(?:[^"\\]|\\.)*"', r"//[^\n]*"
_TEMPLATE = r"`(?:\$\{(?:`[^`]*`|\{[^{}]*\}|[^`{}])*\}|[^`\\]|\\.)*`"
_PATTERN = r"/(?![ *])(?:\[(?:\\.|[^]\\])*\]|\\.|[^/\\\n])+/"
_SAID = re.compile(f"({_TEXT}|{_COMMENT}|{_TEMPLATE}|{_PATTERN})")
"""A text, a comment, a template, which may hold another one, or a regular expression."""
_SPACED = re.compile(r"\s+")
_NEEDLESS = re.compile(r"(?<![\w$+-]) | (?![\w$+-])|(?<=[+-]) (?=[\w$])|(?<=[\w$]) (?=[+-])")
_LAST = re.compile(r"[;,](?=})|,(?=[)\]])")
_STYLED = re.compile(r"\s*([{};,])\s*|(:)\s+(?!\")")


def _own(name: str) -> str:
    return read_bytes(data_root() / "templates" / "page" / name, MOST_YAML).decode()


def policy(script: str, style: str) -> str:
    """A content policy under which nothing but these two texts counts, and nothing is fetched or sent."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


RUN = "~"
"""Stands in a packed list between a digit and, as a digit too, how often it comes."""
_SIGNS = string.punctuation.translate(dict.fromkeys(map(ord, f'"\\<>&{RUN}')))
PLACES = string.digits + string.ascii_letters + _SIGNS
"""Digits of a packed list: the place of a member among what the list holds."""
LEAST_PACKED = 8
_REPEATED = re.compile(rf"(.)\1{{3,{len(PLACES) - 2}}}")
_NUMBERS = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\d.])(?P<digits>-?\d+?)(?P<zeros>0*)(?:\.0)?(?![\d.eE])')
"""A text, or a whole number: its digits and the zeros that end it."""
_ENCODED = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INERT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def inert_json(data: Mapping[str, Any]) -> str:
    """JSON that no reader of HTML or JavaScript takes for anything but text."""
    return _packed(data).translate(_INERT)


def _json(data: Any) -> str:
    """JSON without spaces, and without the zeros that an exponent says."""
    if type(data) is float and math.isfinite(data):  # as the encoder says it, which takes ten times as long for one
        return _number(repr(data))
    encoded = _ENCODED.encode(data)
    if isinstance(data, str):
        return encoded
    return _number(encoded) if isinstance(data, float | int) else _NUMBERS.sub(_shortened, encoded)


@lru_cache(1 << 14)
def _number(text: str) -> str:
    """A number without the zeros that an exponent says; a page holds the same few thousand many times."""
    return _NUMBERS.sub(_shortened, text)


def _shortened(found: re.Match[str]) -> str:
    """A text as it is; of a whole number its digits, with an exponent where many zeros end it."""
    text, digits, zeros = found[0], found["digits"], found["zeros"]
    if digits is None:
        return text
    return f"{digits}e{len(zeros)}" if len(zeros) > len("e99") else f"{digits}{zeros}"


def _packed(data: Any) -> str:
    """JSON in which lists stand in the shortest of the ways in which the page reads them."""
    if isinstance(data, Mapping):
        named = ",".join(f"{_json(name)}:{_packed(value)}" for name, value in data.items())
        columns = (f'{{"named":{_json(list(data))},{text}}}' for text in _as_columns(list(data.values())))
        return min([f"{{{named}}}", *columns], key=len)
    if not isinstance(data, list | tuple):
        return _json(data)
    if not any(isinstance(item, Mapping | list | tuple) for item in data):
        texts = list(map(_json, data))
        return min([f"[{','.join(texts)}]", *_as_digits(texts), *map(_json, in_signs(data))], key=_size)
    columns = (f"{{{text}}}" for text in _as_columns(data))
    return min([f"[{','.join(map(_packed, data))}]", *columns, *_as_digits(list(map(_json, data)))], key=len)


def _size(text: str) -> int:
    """Bytes of it in the page."""
    return len(text.encode())


def _as_columns(rows: Sequence[Any]) -> Iterator[str]:
    """Rows of one length as columns, whose members repeat each other more than those of a row."""
    lengths = {len(row) if isinstance(row, list | tuple) else 0 for row in rows}
    if len(lengths) == 1 and 0 not in lengths and len(rows) >= LEAST_PACKED:
        yield f'"down":[{",".join(map(_packed, zip(*rows, strict=True)))}]'


def _as_digits(texts: Sequence[str]) -> Iterator[str]:
    """A list that says little as what it holds, and a digit for each member, all of which are given as JSON."""
    if len(texts) < LEAST_PACKED:
        return
    held = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    if len(held) <= len(PLACES):
        digits = "".join(PLACES[held[text]] for text in texts)
        runs = _REPEATED.sub(lambda found: f"{found[1]}{RUN}{PLACES[len(found[0])]}", digits)
        yield f'{{"of":[{",".join(held)}],"at":{_json(runs)}}}'
