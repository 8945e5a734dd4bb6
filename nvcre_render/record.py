"""Frozen records: what dataclasses would give, without importing inspect on every start."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, Self, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """Stand in for the typing decorator, which only type checkers read."""
        return lambda cls: cls


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Record:
    """Base of immutable value objects; fields are the annotations, in order, with optional defaults."""

    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        """Collect the fields once, when the record type is made."""
        cls._fields = (*cls._fields, *vars(cls).get("__annotations__", ()))

    def __init__(self, **values: Any) -> None:
        """Take every field without a default by keyword."""
        unknown = values.keys() - set(self._fields)
        missing = [name for name in self._fields if name not in values and not hasattr(type(self), name)]
        if unknown or missing:
            detail = f"missing {missing}" if missing else f"no field {sorted(unknown)}"
            raise TypeError(f"{type(self).__name__}: {detail}")
        self.__dict__.update(values)

    def but(self, **changes: Any) -> Self:
        """Return a record that differs in these fields."""
        return type(self)(**{**{name: getattr(self, name) for name in self._fields}, **changes})

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    def __eq__(self, other: object) -> bool:
        """Compare by type and value."""
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        """Hash by value, so that records can be dictionary keys."""
        return hash(self._values())

    def __repr__(self) -> str:
        """Show the record as its constructor call."""
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({shown})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: records do not change."""
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: records do not change."""
        raise AttributeError(f"{type(self).__name__} is immutable")
