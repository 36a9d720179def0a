"""`dataclass`, but each class is made into one when it is first used: a command uses a part of the classes it reads.

Python writes and compiles six methods for each frozen dataclass, which takes longer than anything else of an import.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  # said twice, it is exported
    from typing import Any

MADE = (
    "__dataclass_fields__",
    "__dataclass_params__",
    "__match_args__",
    "__init__",
    "__repr__",
    "__eq__",
    "__hash__",
    "__setattr__",
    "__delattr__",
)
"""What `dataclasses.dataclass` adds to a class."""


class _NotYet:
    """In place of one of these, until any of them is asked for."""

    def __init__(self, owner: type, name: str, make: Callable[[type], type]) -> None:
        self.owner, self.name, self.make = owner, name, make

    def __get__(self, instance: object, _: type | None = None) -> Any:
        if vars(self.owner).get(self.name) is self:
            for name in MADE:
                if isinstance(vars(self.owner).get(name), _NotYet):
                    delattr(self.owner, name)
            self.make(self.owner)
        found = getattr(self.owner, self.name)
        return found if instance is None or not hasattr(found, "__get__") else found.__get__(instance)


if not TYPE_CHECKING:

    def dataclass(cls: type | None = None, /, **how: bool) -> Any:
        """`dataclasses.dataclass`, when it is needed."""
        return _later(cls, how) if cls else lambda cls: _later(cls, how)


def _later(cls: type, how: dict[str, bool]) -> type:
    def make(owner: type) -> type:
        import dataclasses

        return dataclasses.dataclass(**how)(owner)

    for name in MADE:
        if name not in vars(cls):
            setattr(cls, name, _NotYet(cls, name, make))
    return cls
