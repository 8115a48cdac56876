"""What a page asks for, not judged yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Request(NamedTuple):
    """Values for `Settings` and `View`, the address that was opened, and the frames that the page has."""

    values: Mapping[str, Any]
    view: Mapping[str, Any]
    opened: str
    seen: dict[str, Any]
