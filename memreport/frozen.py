"""Frozen dataclasses that share their methods: compiling six for each of 200 records was a fifth of a command's time.

Where a run makes thousands of a kind, `@dataclass(frozen=True)` itself makes instances quicker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

Record = TypeVar("Record", bound=type)
Fields = tuple[Field[Any], ...]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(made: Record) -> Record:
    """What `@dataclass(frozen=True)` makes of a class; methods that the class has itself stay."""
    own = frozenset(vars(made))
    dataclass(init=False, repr=False, eq=False)(made)
    for name, method in _methods(fields(made)).items():
        if name not in own:
            setattr(made, name, method)
    return made


def _methods(taken: Fields) -> Mapping[str, Callable[..., Any]]:
    equal, hashed = _compared([one.name for one in taken if one.compare])
    shown = _shown([one.name for one in taken if one.repr])
    refused = {"__setattr__": _refused, "__delattr__": _refused}
    return {"__init__": _filled(taken), "__repr__": shown, "__eq__": equal, "__hash__": hashed, **refused}


def _filled(taken: Fields) -> Callable[..., None]:
    names, put = [one.name for one in taken], object.__setattr__
    known, makers = frozenset(names), {one.name: _maker(one) for one in taken if _has_default(one)}

    def fill(self: object, /, *given: Any, **named: Any) -> None:
        values = dict(zip(names, given, strict=False), **named) if given else named
        once = len(values) == len(given) + len(named)
        if len(values) < len(known):
            for name in makers.keys() - values.keys():
                values[name] = makers[name]()
        if not once or values.keys() != known:
            raise TypeError(f"{type(self).__name__} takes {', '.join(names)}, not {len(given)} and {', '.join(named)}")
        for name, value in values.items():
            put(self, name, value)

    return fill


def _has_default(one: Field[Any]) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


def _maker(one: Field[Any]) -> Callable[[], Any]:
    """What gives the value of a field that is left out."""
    return (lambda: one.default) if one.default_factory is MISSING else one.default_factory


def _shown(names: list[str]) -> Callable[[object], str]:
    def show(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return show


def _compared(names: list[str]) -> tuple[Callable[[object, object], Any], Callable[[object], int]]:
    values = attrgetter(*names) if names else type

    def equal(self: object, other: object) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return equal, lambda self: hash(values(self))


def _refused(_: object, name: str, *__: Any) -> NoReturn:
    raise FrozenInstanceError(f"{name} of a frozen record")
