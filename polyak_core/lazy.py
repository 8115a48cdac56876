"""Attributes made on first use, without a lock that objects share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy_property(Generic[T]):  # noqa: N801  a decorator, as `property` is
    """Like `functools.cached_property`, which until Python 3.12 holds one lock for all objects of a class.

    Two threads that ask at the same time may both make the value; one of the two is kept.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        """Keep the function."""
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Values are kept under the name of the attribute."""
        self._name = name

    @overload
    def __get__(self, thing: None, owner: type) -> lazy_property[T]: ...

    @overload
    def __get__(self, thing: object, owner: type) -> T: ...

    def __get__(self, thing: object | None, owner: type) -> lazy_property[T] | T:
        """Make the value; called only while the object has none of that name."""
        if thing is None:
            return self
        value: T = vars(thing).setdefault(self._name, self._make(thing))
        return value
