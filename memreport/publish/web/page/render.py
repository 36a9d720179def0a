"""The page as one file: data in a template element, its own script and style by their hashes, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memreport.catalogue.huggingface.plain import family_rules
from memreport.catalogue.huggingface.reader import WHERE_MISSING
from memreport.files import MOST_YAML, read_bytes
from memreport.formula.printing import to_javascript
from memreport.formula.recording import recorded
from memreport.formula.words import JAVASCRIPT
from memreport.paths import data_root
from memreport.publish.web.page.engine import PageEngine
from memreport.publish.web.page.packed import inert_json
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
