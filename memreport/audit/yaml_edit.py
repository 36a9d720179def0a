"""A value set in a YAML text: comments, order and style of all other lines stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from memreport.catalogue.yaml.scalars import as_whole
from memreport.errors import Fault, InputError
from memreport.frozen import frozen

Scalar = str | float | bool
Value = Scalar | Sequence[Scalar]
Path_ = tuple[str | int, ...]
LARGEST = 1e15
"""Larger numbers are written as they are: 1e+18 says more than 18 zeros."""

UNREADABLE = object()


@frozen
class Edit:
    """A value for a field, by its path from the top: `("variants", "plain", "training.zero_stage")`."""

    path: Path_
    value: Value


def with_edits(text: str, edits: Sequence[Edit], file: str) -> str:
    """The text with every edit made, read back and compared.

    Raises InputError where a path leads through something that is no block, or the text would say something else.
    """
    changed = text
    for edit in edits:
        changed = _with_edit(changed, edit, file)
    if edits and _read(changed) != _expected(text, edits):
        place = ", ".join(_dotted(edit.path) for edit in edits)
        raise InputError(
            [Fault("cannot be changed in this file's own form; change it by hand", file=file, field=place)]
        )
    return changed


def _read(text: str) -> Any:
    """What a text says; nothing that equals anything where it cannot be read."""
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return UNREADABLE


def _expected(text: str, edits: Sequence[Edit]) -> Any:
    """What the text must say once the edits are made."""
    whole = _unshared(yaml.safe_load(text) or {})
    for edit in edits:
        block, (*parents, last) = whole, edit.path
        for key in parents:
            if isinstance(block, dict) and block.get(key) is None:
                block[key] = {}
            block = block[key]
        value = whole_number(edit.value)
        block[last] = list(value) if isinstance(value, tuple) else value
    return whole


def _unshared(read: Any) -> Any:
    """A copy in which an alias is no longer the block that it names, as an edit of one must not change the other."""
    if isinstance(read, dict):
        return {key: _unshared(value) for key, value in read.items()}
    return [_unshared(value) for value in read] if isinstance(read, list) else read


def _with_edit(text: str, edit: Edit, file: str) -> str:
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    for depth, key in enumerate(edit.path):
        if node is None or _is_empty(node):
            return _spliced(text, node, _nested(edit.path[depth:], edit.value))
        found = _member(node, key)
        if found is None:
            if not isinstance(node, yaml.MappingNode):
                raise InputError([Fault("is no block of fields", file=file, field=_dotted(edit.path[:depth]))])
            return _inserted(text, node, edit.path[depth:], edit.value)
        node = found
    assert node is not None  # noqa: S101  # an edit's path is never empty
    return text[: node.start_mark.index] + flow(edit.value) + text[node.end_mark.index :]


def _dotted(path: Path_) -> str:
    return ".".join(map(str, path))


def _member(node: yaml.Node, key: str | int) -> yaml.Node | None:
    """The value of a key, or the item of a list."""
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key]  # type: ignore[no-any-return]  # the stubs leave it open
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == str(key)), None)


def _is_empty(node: yaml.Node) -> bool:
    """`plain:` with nothing behind it."""
    return isinstance(node, yaml.ScalarNode) and node.value == "" and node.style is None


def _spliced(text: str, node: yaml.Node | None, content: str) -> str:
    place = len(text) if node is None else node.start_mark.index
    return f"{text[:place]} {content}{text[place:]}"


def _inserted(text: str, node: yaml.MappingNode, path: Path_, value: Value) -> str:
    """A further key at the end of a block, in the block's own style."""
    if node.flow_style:
        end = node.end_mark.index - 1
        comma = ", " if node.value else ""
        return f"{text[:end].rstrip()}{comma}{_pair(path, value)}{text[end:]}"
    last = _end(node)
    end = text.find("\n", last)
    end = len(text) if end < 0 else end
    return f"{text[:end]}\n{' ' * node.start_mark.column}{_pair(path, value)}{text[end:] or chr(10)}"


def _end(node: yaml.Node) -> int:
    """Where the last thing in a block ends; the block's own end lies behind the empty lines that follow."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _end(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _end(node.value[-1])
    return int(node.end_mark.index)


def _pair(path: Path_, value: Value) -> str:
    """`key: value`, or `key: {further: value}` where the path goes on."""
    rest = flow(value) if len(path) == 1 else _nested(path[1:], value)
    return f"{flow(str(path[0]))}: {rest}"


def _nested(path: Path_, value: Value) -> str:
    return "{" + _pair(path, value) + "}" if path else flow(value)


def flow(value: Value) -> str:
    """A value as it stands on one line of YAML, in a block or between brackets, quoted where either needs it."""
    written = whole_number(value)
    style = '"' if isinstance(written, str) and not written.isprintable() else None
    text: str = yaml.safe_dump(
        [written], default_flow_style=True, default_style=style, width=float("inf"), allow_unicode=True
    )
    return text.strip()[1:-1]


def whole_number(value: Value) -> Scalar | list[Scalar]:
    """A value without the point that a whole number does not need; the same of each in a list."""
    numbers = [value] if isinstance(value, str | int | float) else value
    written = [as_whole(number, LARGEST) for number in numbers]
    return written[0] if numbers is not value else written
