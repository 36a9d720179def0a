"""Frozen records behave as frozen dataclasses do."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import pytest

from memreport.frozen import frozen


@frozen
class Ours:
    name: str
    seen: tuple[int, ...]
    notes: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    size: int = 3

    @cached_property
    def many(self) -> int:
        return len(self.seen)


@dataclass(frozen=True)
class Theirs:
    name: str
    seen: tuple[int, ...]
    notes: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    size: int = 3


@frozen
class Empty:
    """A record of nothing."""


@frozen
class Wider(Ours):
    width: int = 1

    def __repr__(self) -> str:
        return f"{self.width} wide"


GIVEN: tuple[dict[str, Any], ...] = (
    {"name": "a", "seen": (1, 2)},
    {"seen": (), "name": "a", "size": 5},
    {"name": "a", "seen": (1, 2), "notes": {"b": "c"}, "size": 3},
)


@pytest.mark.parametrize("given", GIVEN)
def test_a_record_is_what_a_dataclass_is(given: dict[str, Any]) -> None:
    ours, theirs = Ours(**given), Theirs(**given)
    assert asdict(ours) == asdict(theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert hash(ours) == hash(theirs)
    assert Ours(*asdict(ours).values()) == ours
    assert asdict(replace(ours, name="b")) == asdict(replace(theirs, name="b"))


def test_equal_where_what_is_compared_is_equal() -> None:
    first = Ours("a", (1,))
    assert first == Ours("a", (1,), {"not": "compared"})
    assert first != Ours("a", (2,))
    assert first != object()
    assert first != Wider("a", (1,))
    assert Empty() == Empty()
    assert len({first, Ours("a", (1,)), Ours("b", (1,))}) == 2


def test_a_default_is_made_anew() -> None:
    first, second = Ours("a", ()), Ours("a", ())
    first.notes["b"] = "c"
    assert not second.notes


def test_copies_and_pickles_are_equal() -> None:
    whole = Wider("a", (1, 2), width=7)
    assert whole.many == 2
    assert pickle.loads(pickle.dumps(whole)) == copy.copy(whole) == copy.deepcopy(whole) == whole  # noqa: S301
    assert repr(whole) == "7 wide"
    assert [one.name for one in fields(whole)] == ["name", "seen", "notes", "size", "width"]


def test_nothing_is_changed() -> None:
    whole = Ours("a", ())
    with pytest.raises(FrozenInstanceError, match="name of a frozen record"):
        whole.name = "b"  # type: ignore[misc]  # that it is refused is the test
    with pytest.raises(FrozenInstanceError, match="name of a frozen record"):
        del whole.name
    assert whole.name == "a"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((), {"name": "a"}),
        (("a",), {"name": "a"}),
        (("a", ()), {"name": "a"}),
        (("a", (), {}, 3, 4), {}),
        (("a", ()), {"colour": "red"}),
        ((), {"name": "a", "seen": (), "colour": "red"}),
    ],
)
def test_what_is_missing_unknown_or_given_twice_is_refused(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    for kind in (Ours, Theirs):
        with pytest.raises(TypeError):
            kind(*given, **named)
