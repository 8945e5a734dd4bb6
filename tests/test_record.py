"""Records: made by keyword, equal by value, never changed."""

from __future__ import annotations

import copy
import pickle

import pytest

from nvcre_render.record import Record


class Point(Record):
    x: int
    y: int = 0


class Named(Point):
    name: str
    tags: tuple[str, ...] = ()


class Twin(Record):
    x: int
    y: int = 0


def test_fields_are_given_by_keyword_or_take_their_default() -> None:
    assert (Point(x=1).x, Point(x=1).y, Point(x=1, y=2).y) == (1, 0, 2)


def test_a_record_type_has_the_fields_of_its_base() -> None:
    named = Named(x=1, name="a")
    assert (named.x, named.y, named.name, named.tags) == (1, 0, "a", ())
    assert Named._fields == ("x", "y", "name", "tags")
    assert Point._fields == ("x", "y")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Point: missing ['x']"),
        ({"y": 1}, "Point: missing ['x']"),
        ({"x": 1, "z": 2, "a": 3}, "Point: no field ['a', 'z']"),
        ({"z": 2}, "Point: missing ['x']"),
    ],
)
def test_missing_and_unknown_fields_are_refused(fields: dict[str, int], message: str) -> None:
    with pytest.raises(TypeError) as refusal:
        Point(**fields)
    assert str(refusal.value) == message


def test_fields_are_not_given_by_position() -> None:
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[call-arg]


def test_records_are_equal_by_type_and_value() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Twin(x=1)
    assert Point(x=1) != Named(x=1, name="a")
    assert Point(x=1) != (1, 0)


def test_records_are_hashed_by_value() -> None:
    points = {Point(x=1): "first", Point(x=2): "second"}
    assert points[Point(x=1, y=0)] == "first"
    assert len({Point(x=1), Point(x=1, y=0), Point(x=1, y=1)}) == 2


def test_a_record_with_a_list_cannot_be_hashed() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Named(x=1, name=["a"]))  # type: ignore[arg-type]


def test_a_record_shows_as_the_call_that_makes_it() -> None:
    named = Named(x=1, name="a'b", tags=("t",))
    assert repr(named) == """Named(x=1, y=0, name="a'b", tags=('t',))"""
    assert eval(repr(named)) == named  # noqa: S307 - the text above


def test_a_record_never_changes() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match=r"^Point is immutable$"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match=r"^Point is immutable$"):
        point.z = 2
    with pytest.raises(AttributeError, match=r"^Point is immutable$"):
        del point.x
    assert point == Point(x=1)


def test_records_can_be_copied_and_pickled() -> None:
    named = Named(x=1, name="a", tags=("t",))
    for other in (copy.copy(named), copy.deepcopy(named), pickle.loads(pickle.dumps(named))):  # noqa: S301 - our own
        assert other == named
        assert type(other) is Named
