"""What a problem asks of h: value, gradient, L, mu, x*, and how points are carried."""

from __future__ import annotations

from typing import Protocol

from polyak_core.arrays import Array
from polyak_core.certificates.reference import Reference
from polyak_core.lifted.form import Form


class Loss(Protocol):
    """What a `Problem` asks of h."""

    size: int
    formula: str

    @property
    def L(self) -> float:
        """Lipschitz constant of the gradient."""

    @property
    def mu(self) -> float:
        """Strong convexity, 0 if there is none."""

    @property
    def mu_restricted(self) -> float:
        """Smallest curvature above 0, NaN if unknown."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about the data, in words."""

    def value(self, x: Array) -> float:
        """h(x) for a plain point of shape (n,)."""

    def grad(self, x: Array) -> Array:
        """Gradient of h, shape (n,)."""

    def reference(self, x0: Array) -> Reference:
        """The minimiser of h reached from x0."""

    def form(self, name: str | None, reference: Reference) -> Form:
        """How points are carried; `name` None lets the loss choose."""
