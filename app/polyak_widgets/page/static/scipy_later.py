"""SciPy where it comes later, if at all: a module that stands for it until somebody needs a part of it.

A quadratic needs no SciPy, and it is the larger half of what the page weighs. The core imports it at the top
of its modules all the same; so `wait_for_scipy` puts an object there which asks for SciPy on first use.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

NAME = "scipy"


class PackageNeeded(BaseException):
    """Work came to a place that needs a package which comes later; no handler of errors on its way takes it.

    Attributes:
        name: of the package.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Placeholder(ModuleType):
    """Stands for SciPy: asks for it, says why it cannot be had, or hands on what it has.

    Attributes:
        trouble: what to raise where it cannot be had; None where nobody has tried, or it is there.
    """

    def __init__(self) -> None:
        super().__init__(NAME)
        self.trouble: Exception | None = None
        self._real: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        """A part of SciPy.

        Raises:
            PackageNeeded: it is not there yet.
            Exception: it cannot be had.
        """
        if self._real is not None:
            return getattr(self._real, name)
        if self.trouble is not None:
            raise self.trouble
        raise PackageNeeded(NAME)

    def arrived(self) -> None:
        """SciPy can be imported from now on."""
        sys.modules.pop(NAME, None)
        self._real = import_module(NAME)


def wait_for_scipy() -> Placeholder:
    """Let all that is imported from now on find the placeholder."""
    placeholder = Placeholder()
    sys.modules[NAME] = placeholder
    return placeholder
