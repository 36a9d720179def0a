"""The packaged data, read fast.  The tests read the same files strictly, so here libyaml may do the scanning.

Whatever goes wrong with a packaged file is found out by reading it again with `strict_yaml`, which knows the places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from memreport.catalogue.yaml import strict as strict_yaml
from memreport.catalogue.yaml.scalars import plain_scalar
from memreport.catalogue.yaml.strict import Document, Keys, Mark
from memreport.errors import InputError
from memreport.files import MOST_YAML, read_text
from memreport.paths import data_root

_Fast: Any = getattr(yaml, "CSafeLoader", None)


def _nothing(*_: object) -> None:
    """Tags are not asked for: `plain_scalar` says what a scalar is, and PyYAML's guesses take half of the time."""


if _Fast is not None:
    _Fast = type("_Fast", (_Fast,), dict.fromkeys(("descend_resolver", "ascend_resolver", "resolve"), _nothing))


def read(path: Path) -> Document:
    """A file, fast where it is one of ours; raises InputError as `strict_yaml.read` does."""
    try:
        looks = path.stat()
    except OSError:
        return strict_yaml.read(path)
    return _read(path, looks.st_mtime_ns, looks.st_size)


@lru_cache(maxsize=256)
def _read(path: Path, changed: int, size: int) -> Document:  # noqa: ARG001  # a file that has changed is read anew
    """Files are asked for by several tables, and again by each catalogue with files of its own; none changes them."""
    if _Fast is None or data_root() not in path.resolve().parents:
        return strict_yaml.read(path)
    try:
        text = read_text(path, MOST_YAML)
        node = yaml.compose(text, Loader=_Fast)
        data = _plain(node)
    except (InputError, ValueError, yaml.YAMLError):
        return strict_yaml.read(path)
    marks = _Marks(path)
    return Document(str(path), data, marks, marks.of_keys(), text)


def _plain(node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {key.value: _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value) for value in node.value]
    return node.value if node is None or node.style else plain_scalar(node.value)


class _Marks(Mapping[Keys, Mark]):
    """Places of values, or of keys, found only when somebody asks."""

    def __init__(self, path: Path, *, keys: bool = False) -> None:
        self.path, self.keys_wanted, self.found = path, keys, None

    found: Mapping[Keys, Mark] | None

    def of_keys(self) -> _Marks:
        """The same for keys."""
        return _Marks(self.path, keys=True)

    def _all(self) -> Mapping[Keys, Mark]:
        if self.found is None:
            document = strict_yaml.read(self.path)
            self.found = document.key_marks if self.keys_wanted else document.marks
        return self.found

    def __getitem__(self, key: Keys) -> Mark:
        return self._all()[key]

    def __iter__(self) -> Iterator[Keys]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
