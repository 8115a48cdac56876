"""The methods by name, with what people should know of each, and a way to add one's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from polyak_core.checks import Given, shown, text
from polyak_core.display import aligned, facts_html, table_html
from polyak_core.methods.backtracking import fista_backtracking, pgd_backtracking, v2_backtracking
from polyak_core.methods.paper import (
    Iterate,
    adapt_apg,
    adapt_apg_free,
    adapt_apg_v2,
    apg,
    fista,
    fista_printed,
    pgd,
    restart,
)
from polyak_core.methods.rivals import nag_free, restart_function, restart_gradient


@dataclass(frozen=True)
class Method:
    """A method and what people should know of it.

    Attributes:
        generator: ``generator(problem, x0, **parameters) -> Iterator[Iterate]``.
        label: short name.
        summary: one sentence.
        needs: what must be given or known, in words.
        reference: where it comes from.
        backtracking: the generator that finds L on the way, None if there is none.

    >>> import polyak_core as pc
    >>> method = pc.METHODS["adapt_apg_v2"]
    >>> method.label, method.needs, method.reference
    ('Adaptive v2', ('L', 'f*'), "Barre and d'Aspremont 2019, alg. 4")
    """

    generator: Callable[..., Iterator[Iterate]] = field(repr=False)
    label: str
    summary: str
    needs: tuple[str, ...]
    reference: str
    backtracking: Callable[..., Iterator[Iterate]] | None = field(default=None, repr=False)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the keywords that the generator takes."""
        return tuple(inspect.signature(self.generator).parameters)[2:]

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        cells = method_cells(self.generator.__name__, self)
        return facts_html(self.label, list(zip(METHOD_HEAD, cells, strict=True)))


class Methods(dict[str, Method]):
    """Methods by name, shown as a table."""

    def __repr__(self) -> str:
        """A line for each method."""
        return methods_text(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return methods_html(self)


RESTARTS = "O'Donoghue and Candes 2015"
PAPER = "Barre and d'Aspremont 2019"
METHODS = Methods(
    pgd=Method(
        pgd,
        "Proximal gradient",
        "Gradient and prox, no momentum.",
        ("L",),
        "Nesterov 2018",
        pgd_backtracking,
    ),
    apg=Method(apg, "APG, true μ", "Constant momentum computed from mu.", ("L", "mu"), f"{PAPER}, alg. 1"),
    fista=Method(
        fista,
        "FISTA",
        "Growing momentum, no mu.",
        ("L",),
        f"{PAPER}, alg. 5; Beck and Teboulle 2009",
        fista_backtracking,
    ),
    restart=Method(
        restart, "Restart", "FISTA, restarted as the gap shrinks.", ("L", "f*", "gamma"), f"{PAPER}, alg. 6"
    ),
    adapt_apg=Method(
        adapt_apg, "AdaptAPG", "Estimate sequence with mu_k.", ("L", "f*", "mu_0"), f"{PAPER}, alg. 3"
    ),
    adapt_apg_v2=Method(
        adapt_apg_v2,
        "Adaptive v2",
        "Algorithm 1 with mu_k in place of mu.",
        ("L", "f*"),
        f"{PAPER}, alg. 4",
        v2_backtracking,
    ),
    adapt_apg_free=Method(
        adapt_apg_free,
        "One-gradient v2",
        "v2 with a certified estimate that costs nothing.",
        ("L", "f*"),
        "this project",
    ),
    fista_printed=Method(
        fista_printed, "FISTA as printed", "The misprint without the 4: a lesson.", ("L",), f"{PAPER}, alg. 5"
    ),
    restart_function=Method(
        restart_function, "Restart on f", "FISTA, restarted when f rises.", ("L",), RESTARTS
    ),
    restart_gradient=Method(
        restart_gradient, "Restart on gradient", "FISTA, restarted when it points uphill.", ("L",), RESTARTS
    ),
    nag_free=Method(
        nag_free,
        "NAG-free",
        "Algorithm 1 with the least curvature met so far.",
        ("L",),
        "Cavalcanti, Lessard and Wilson 2025",
    ),
)


def _parameters(generator: Given) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(generator).parameters)
    except Exception:  # none that can be called, or one that hides its parameters
        raise ValueError(
            f"generator = {shown(generator)} is not allowed: give a function (problem, x0, ...) that "
            "yields iterates."
        ) from None


def register(
    name: str,
    generator: Callable[..., Iterator[Iterate]],
    label: str = "",
    summary: str = "",
    reference: str = "own",
) -> Method:
    """Add a method of one's own to `METHODS`, to run beside the others.

    Args:
        name: a new name.
        generator: ``generator(problem, x0, ...)`` as in this module; it may take mu, mu0, rule, gamma, seen.
        label: short name for legends; `name` by default.
        summary: one sentence; the first line of the docstring by default.
        reference: where it comes from.

    Raises:
        ValueError: the name is taken or no word, or the parameters are not as above.

    >>> import polyak_core as pc
    >>> def half_steps(problem, x0):
    ...     "Gradient steps of half the length."
    ...     x, k = x0, 0
    ...     while True:
    ...         y = problem.prox_step(x)
    ...         yield pc.Iterate(k, x, y)
    ...         x, k = (x + y) / 2, k + 1
    >>> pc.register("half_steps", half_steps).summary
    'Gradient steps of half the length.'
    >>> pc.solve(pc.quadratic([1.0, 0.5]), "half_steps", iterations=500, target=1e-6).outcome
    <Outcome.TARGET: 'target reached'>
    >>> del pc.METHODS["half_steps"]
    """
    if not text(name, "name").isidentifier():
        raise ValueError(
            f"name = {shown(name)} is not allowed: give a word like those of {', '.join(METHODS)}."
        )
    if name in METHODS:
        raise ValueError(f"a method named {name!r} exists; choose another name than {', '.join(METHODS)}.")
    for what, words in (("label", label), ("summary", summary), ("reference", reference)):
        text(words, what)
    if len(_parameters(generator)) < 2:
        raise ValueError(f"{name} must take (problem, x0, ...): the problem and the start.")
    first_line = (inspect.getdoc(generator) or "").split("\n")[0]
    method = Method(generator, label or name, summary or first_line, (), reference)
    unknown = set(method.parameters) - {"mu", "mu0", "rule", "gamma", "seen"}
    if unknown:
        raise ValueError(f"{name} takes {sorted(unknown)}; a method may take mu, mu0, rule, gamma, seen.")
    METHODS[name] = method
    return method


METHOD_HEAD = ("name", "label", "what it does", "what it needs", "reference")


def method_cells(name: str, method: Method) -> tuple[str, ...]:
    """One line of the table of methods."""
    return name, method.label, method.summary, ", ".join(method.needs) or "nothing", method.reference


def methods_text(methods: Mapping[str, Method]) -> str:
    """The methods as aligned lines."""
    cells = [list(method_cells(name, method)[:4]) for name, method in methods.items()]
    return aligned(cells) or "no methods"


def methods_html(methods: Mapping[str, Method]) -> str:
    """The methods as a table."""
    return table_html(METHOD_HEAD, (method_cells(name, method) for name, method in methods.items()))
