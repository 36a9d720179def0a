"""Classes that are made into dataclasses late behave as those that are made at once."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from memreport.dataclass import MADE, dataclass


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2


@dataclass(frozen=True)
class Named(Point):
    names: list[str] = dataclasses.field(default_factory=list, compare=False)

    def __repr__(self) -> str:
        return f"{self.names}"


@dataclass
class Counter:
    count: int


def _as_at_once(cls: type, **how: bool) -> type:
    own = {name: value for name, value in vars(cls).items() if name not in MADE and name != "__dict__"}
    return dataclasses.dataclass(**how)(type(cls.__name__, cls.__bases__, own))


@pytest.mark.parametrize("ask", [repr, hash, dataclasses.asdict, lambda point: dataclasses.replace(point, x=5)])
def test_the_first_that_is_asked_of_a_class_is_answered(ask: Any) -> None:
    late: Any = dataclass(frozen=True)(type("Point", (), {"__annotations__": {"x": int, "y": int}, "y": 2}))
    at_once = _as_at_once(late, frozen=True)
    assert str(ask(late(1))) == str(ask(at_once(1)))


def test_what_is_asked_of_a_class_before_it_has_members() -> None:
    late: Any = dataclass(frozen=True)(type("Point", (), {"__annotations__": {"x": int}}))
    assert dataclasses.is_dataclass(late)
    assert [one.name for one in dataclasses.fields(late)] == ["x"]
    assert getattr(late, "__match_args__") == ("x",)  # noqa: B009  # as `match` asks


def test_members_are_frozen_equal_and_inherited() -> None:
    assert (Named(1, 2, ["a"]), repr(Named(1, names=["a"]))) == (Named(1, names=["b"]), "['a']")
    assert Point(1) != Named(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Named(1).x = 3  # type: ignore[misc]  # what is tried
    counter = Counter(1)
    counter.count += 1
    assert counter == Counter(2)


def test_a_member_that_was_kept_is_equal_before_any_other_is_made() -> None:
    kept = pickle.dumps(Point(1))
    assert pickle.loads(kept) == Point(1)  # noqa: S301  # its own
    blank: Any = object.__new__(dataclass(frozen=True)(type("Blank", (), {"__annotations__": {"x": int}})))
    blank.__dict__["x"] = 1
    assert (repr(blank), blank == blank) == ("Blank(x=1)", True)  # noqa: PLR0124
