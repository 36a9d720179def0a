"""The page as one file: data in a template element, its own scripts and style by their hashes, nothing fetched."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memreport.catalogue.huggingface.plain import family_rules
from memreport.catalogue.huggingface.reader import WHERE_MISSING
from memreport.files import MOST_YAML, read_bytes
from memreport.formula.printing import to_javascript
from memreport.formula.recording import recorded
from memreport.formula.words import JAVASCRIPT
from memreport.paths import data_root
from memreport.publish.web.page.deflated import deflated
from memreport.publish.web.page.engine import PageEngine
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
    environment.filters["tied"] = tied
    opening, style, script = _own("opening.js"), _own("page.css"), script_of(engines, pastes="configs" in data)
    parts = {"data": deflated(data, script), "script": opening, "style": style}
    return environment.get_template("page.html.j2").render(said, **parts, policy=policy((opening, script), style))


def script_of(engines: Sequence[PageEngine], *, pastes: bool) -> str:
    """Everything that runs: what the words call, the figures, then the page itself; rules of what may be pasted."""
    figures = ",\n".join(f"{engine.workload}:{engine.script()}" for engine in engines)
    own = "\n".join(map(_own, SCRIPTS))
    rules = f"{_where_missing()}const FAMILY_RULES={family_rules()};\n" if pastes else ""
    code = f"{JAVASCRIPT}const FIGURES={{{figures}}};\n{rules}{own}"
    given = '"use strict";const {data:DATA,stopped}=memreport;'
    return f"(()=>{{{given}try{{\n{code}\n}}catch(error){{stopped(error)}}}})();"


def _where_missing() -> str:
    """What a configuration means that leaves out a common field."""
    rules = (
        f"{name}:c=>{to_javascript(recorded(rule), lambda key: f'c.{key}')}" for name, rule in WHERE_MISSING.items()
    )
    return f"const WHERE_MISSING={{{','.join(rules)}}};\n"


def _own(name: str) -> str:
    return read_bytes(data_root() / "templates" / "page" / name, MOST_YAML).decode()


def policy(scripts: Iterable[str], style: str) -> str:
    """A content policy under which nothing but these texts counts, and nothing is fetched or sent."""
    hashes = " ".join(f"'{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
