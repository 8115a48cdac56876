"""x* of a problem and the points carried around it, sought on first use, once for all copies of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from polyak_core.arrays import Array
from polyak_core.certificates.reference import Reference
from polyak_core.lifted.composite import Composite
from polyak_core.lifted.form import Form
from polyak_core.lifted.logistic import MarginForm
from polyak_core.lifted.nuclear import Spectral
from polyak_core.lifted.quadratic import Eigenbasis, QuadraticForm, Tilted
from polyak_core.penalties import Nuclear, Penalty
from polyak_core.problems.custom import OwnLoss
from polyak_core.problems.loss import Loss
from polyak_core.progress.background import Background


class Solution:
    """What is known of the minimiser.

    Attributes:
        long: whether finding it may take more than about a second; then that is done in a thread of its own.
    """

    def __init__(
        self,
        loss: Loss,
        penalty: Penalty | None,
        representation: str | None,
        certify: Callable[[], Reference],
        long: bool,
    ) -> None:
        """Nothing is sought yet."""
        self.long = long
        self._parts = loss, penalty, representation
        self._search = Background(certify, long)
        self._forming = Background(partial(_formed, loss, penalty, representation, self._search), long)

    @property
    def reference(self) -> Reference:
        """x*, f* and the bound on their error."""
        return self._search.result()

    @property
    def form(self) -> Form:
        """The representation around x*."""
        return self._forming.result()

    @property
    def known(self) -> bool:
        """Whether x* and the form are known."""
        return self._forming.known

    @property
    def certified(self) -> bool:
        """Whether x* and f* are known."""
        return self._search.known

    @property
    def begun(self) -> bool:
        """Whether x* is known, or being sought."""
        return self._search.begun or self._forming.begun

    def form_around(self, x0: Array) -> Form:
        """The representation around a start, for runs without x*; its gaps mean nothing."""
        loss, penalty, representation = self._parts
        gradient = None if isinstance(loss, OwnLoss) else loss.grad(x0)
        start = Reference(x0, np.nan, np.nan, "the start", gradient=gradient, proven=False)
        form = loss.form(representation, start)
        if gradient is not None and penalty is None and isinstance(form, Eigenbasis | MarginForm):
            return form.tilted(gradient)
        return with_penalty(form, penalty, start)


def _formed(
    loss: Loss, penalty: Penalty | None, representation: str | None, search: Background[Reference]
) -> Form:
    reference = search.result()
    return with_penalty(loss.form(representation, reference), penalty, reference)


def with_penalty(form: Form, penalty: Penalty | None, reference: Reference) -> Form:
    """The way to carry points of h + psi, given that of h."""
    gradient = reference.gradient
    if gradient is None or not isinstance(form, QuadraticForm):
        return form
    if penalty is None:  # x_star is no minimiser, except along the known eigenvectors
        return form if isinstance(form, Eigenbasis) else Tilted(form, gradient)
    if isinstance(penalty, Nuclear):
        return Spectral(form, penalty, reference.x_star, gradient)
    return Composite(form, penalty, reference.x_star, gradient)
