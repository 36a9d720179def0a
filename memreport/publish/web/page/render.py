"""The page as one file: data in a template element, its own script and style by their hashes, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
import json
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
    script, style = script_of(engines, pastes="configs" in data), _own("page.css")
    template = environment.get_template("page.html.j2")
    return template.render(
        said, data=inert_json(data), script=script, style=style, policy=policy(script, style), title=said["title"]
    )


def script_of(engines: Sequence[PageEngine], *, pastes: bool) -> str:
    """Everything that runs: what the words call, the figures, then the page itself; rules of what may be pasted."""
    figures = ",\n".join(f"{one.workload}:{one.script()}" for one in engines)
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
    """A script without indents and lines of comment, which stay in its source; no text of it goes over lines."""
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


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


_INERT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def inert_json(data: Mapping[str, Any]) -> str:
    """JSON that no reader of HTML or JavaScript takes for anything but text."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_INERT)
