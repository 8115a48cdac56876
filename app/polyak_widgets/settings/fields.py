"""What a person can choose: kinds of field with bounds, unit, label and help, and how values are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, Self

from polyak_core.checks import one_of, real_number, shown
from polyak_widgets.numbers import count_text, given_text, number_text, typed_number

LONGEST = 500
"""Letters of a word or a number."""


@dataclass(frozen=True)
class Bounds:
    """What is allowed, and the part of it that a slider spans."""

    low: float
    high: float
    slider_low: float
    slider_high: float
    _: KW_ONLY
    scale: str = "log"
    whole: bool = False
    above_low: bool = False
    zero: bool = False
    """Whether the left end of the slider stands for 0."""

    @property
    def words(self) -> str:
        """The allowed range, for messages."""
        if self.whole:
            return f"a whole number from {count_text(int(self.low))} to {count_text(int(self.high))}"
        low, high = number_text(self.low), number_text(self.high)
        return f"a number above {low}, at most {high}" if self.above_low else f"a number from {low} to {high}"


class SettingsError(ValueError):
    """A value that is not allowed; `name` says which field it was for.

    >>> from polyak_widgets import Settings, SettingsError
    >>> try:
    ...     Settings(gamma=-1)
    ... except SettingsError as error:
    ...     print(error.name, "-", error)
    gamma - Restart γ = −1 is not allowed: give a number above 0, at most 100.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def choice(default: str, options: Mapping[str, str], label: str, help: str) -> Any:
    """One of several words."""
    return field(
        default=default, metadata={"kind": "choice", "options": options, "label": label, "help": help}
    )


def slider(default: float | None, bounds: Bounds, label: str, help: str, unit: str = "") -> Any:
    """A number, with a slider for the usual part of what is allowed; its owner fills in a default of None."""
    return field(
        default=default,
        metadata={"kind": "slider", "bounds": bounds, "label": label, "help": help, "unit": unit},
    )


def switch(default: bool, label: str, help: str) -> Any:
    """On or off."""
    return field(default=default, metadata={"kind": "switch", "label": label, "help": help})


def text(default: str, longest: int, label: str, help: str) -> Any:
    """Free text of at most `longest` letters; its owner judges what it says."""
    return field(default=default, metadata={"kind": "text", "longest": longest, "label": label, "help": help})


def names(default: tuple[str, ...], judge: Callable[[Any], tuple[str, ...]], label: str, help: str) -> Any:
    """Several names out of a list; `judge` returns them in order or raises ValueError."""
    return field(default=default, metadata={"kind": "methods", "judge": judge, "label": label, "help": help})


class Checked:
    """A frozen dataclass of such fields: every value is judged when it is made.

    Raises:
        SettingsError: a value that is not allowed.
    """

    def __post_init__(self) -> None:
        """Judge each value, and keep it in its own type."""
        for each in fields(self):  # type: ignore[arg-type]  # every heir is a dataclass
            try:
                judged = _judged(each.metadata, getattr(self, each.name))
            except ValueError as error:
                raise SettingsError(each.name, str(error)) from None
            object.__setattr__(self, each.name, judged)

    def __repr__(self) -> str:
        """The call that makes the same, with what differs from the defaults."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        plain = {each.name: each.default for each in fields(self) if each.default is not None}  # type: ignore[arg-type]
        arguments = {name: values[name] for name, default in plain.items() if values[name] != default}
        same = type(self)(**arguments)  # fills in what has its default from its owner
        arguments |= {name: value for name, value in values.items() if value != getattr(same, name)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """The same from a plain dictionary; what is not in it keeps its default.

        Raises:
            SettingsError: a name that is no field, or a value that is not allowed.
        """
        if not isinstance(values, Mapping):
            raise SettingsError("", "A state of this page maps names to values; reload the page.")
        known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(str(name) for name in values if name not in known)
        if unknown:
            raise SettingsError(
                unknown[0], f"{unknown[0]!r:.40} is not a setting of this page; leave it out."
            )
        return cls(**values)

    def values(self) -> dict[str, Any]:
        """A plain dictionary, as `from_values` takes it."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _judged(metadata: Mapping[str, Any], value: Any) -> Any:
    """The value in its own type, or a ValueError in words."""
    if metadata["kind"] in ("choice", "switch", "slider") and _is_long(value):
        raise ValueError(f"{metadata['label']}: this value is too long for this field.")
    return JUDGES[metadata["kind"]](metadata, value)


def _is_long(value: Any) -> bool:
    """Whether messages cannot repeat it."""
    try:
        return len(repr(value)) > LONGEST
    except Exception:  # Python writes no whole number of more than 4300 digits; others fail in their own way
        return True


def _choice(metadata: Mapping[str, Any], value: Any) -> str:
    return str(one_of(value, metadata["label"], tuple(metadata["options"])))


def _switch(metadata: Mapping[str, Any], value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{metadata['label']} = {shown(value)} is not allowed: give True or False.")
    return value


def _text(metadata: Mapping[str, Any], value: Any) -> str:
    if not isinstance(value, str) or len(value) > metadata["longest"]:
        raise ValueError(f"{metadata['label']} must be a text of at most {metadata['longest']} letters.")
    return value


def _number(metadata: Mapping[str, Any], value: Any) -> float:
    bounds: Bounds = metadata["bounds"]
    if isinstance(value, str):
        value = _typed(metadata["label"], value, bounds.words)
    number = real_number(value, metadata["label"], bounds.words)
    inside = bounds.low <= number <= bounds.high and not (bounds.above_low and number == bounds.low)
    if not inside or (bounds.whole and number != int(number)):
        raise ValueError(f"{metadata['label']} = {given_text(value)} is not allowed: give {bounds.words}.")
    return int(number) if bounds.whole else number


def _typed(label: str, text: str, allowed: str) -> float:
    """The number in a text, or a ValueError in words."""
    if not text.strip():
        raise ValueError(f"{label} is empty: give {allowed}.")
    try:
        return typed_number(text)
    except ValueError as error:
        raise ValueError(f"{label} = {error}: give {allowed}.") from None


def _names(metadata: Mapping[str, Any], value: Any) -> tuple[str, ...]:
    judge: Callable[[Any], tuple[str, ...]] = metadata["judge"]
    return judge(value)


JUDGES = {"choice": _choice, "switch": _switch, "text": _text, "slider": _number, "methods": _names}
