"""The methods by name, with what people should know of each, and a way to add one's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from functools import cached_property

from polyak_core.arrays import Array
from polyak_core.checks import Given, shown, text
from polyak_core.display import aligned, facts_html, table_html
from polyak_core.methods.backtracking import fista_backtracking, pgd_backtracking, v2_backtracking
from polyak_core.methods.conjugate import cg, heavy_ball_polyak
from polyak_core.methods.optimal import item, tmm
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
from polyak_core.methods.self_tuning import ac_fgm, adgd_accel, auto_restart
from polyak_core.methods.silver import silver, silver_mu
from polyak_core.problems.least_squares import LeastSquares
from polyak_core.problems.oracle import Oracle
from polyak_core.problems.problem import Problem
from polyak_core.problems.quadratic import Quadratic


class Domain(StrEnum):
    """The problems that a method is for."""

    ANY = "any problem"
    SMOOTH = "problems without a penalty"
    QUADRATIC = "quadratics and least squares without a penalty"

    def has(self, problem: Problem) -> bool:
        """Whether a problem is one of them."""
        quadratic = isinstance(problem.loss, Quadratic | LeastSquares)
        return self is Domain.ANY or (problem.penalty is None and (quadratic or self is Domain.SMOOTH))


DEMANDS = (
    "nothing",
    "L",
    "L and mu",
    "f*",
    "L and f*",
    "L, f* and gamma",
    "products with the matrix",
)
"""What methods must be given, from the least to the most."""


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
        domain: the problems that it can run on.
        promise: the problems that its guarantee is for, where these are fewer.
        stacks: whether it works on many runs as rows of one array.
        rises: whether its gap rises by design, so that only its lows say whether it makes progress.

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
    _: KW_ONLY
    domain: Domain = Domain.ANY
    promise: Domain = Domain.ANY
    stacks: bool = True
    rises: bool = False

    @property
    def demand(self) -> str:
        """What it must be given, as one of `DEMANDS`; mu_0 has a value of its own."""
        names = [name for name in self.needs if name != "mu_0"] or ["nothing"]
        return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])

    def missing(self, problem: Problem) -> str:
        """Why it cannot run on a problem, in words; empty if it can, as far as its class goes."""
        if self.domain.has(problem):
            return ""
        has = "has a penalty" if problem.penalty is not None else "is no quadratic"
        return f"is for {self.domain}, and {problem.name} {has}; choose such a problem, or another method"

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
    adgd_accel=Method(
        adgd_accel,
        "AdGD, accelerated",
        "Step and momentum from the latest curvature.",
        (),
        "Malitsky and Mishchenko 2020",
        domain=Domain.SMOOTH,
        stacks=False,
    ),
    ac_fgm=Method(
        ac_fgm, "AC-FGM", "Fast gradient with the L just met.", (), "Li and Lan 2023", stacks=False
    ),
    auto_restart=Method(
        auto_restart,
        "Auto restart",
        "FISTA in runs, as long as their falls suggest.",
        ("L",),
        "Aujol, Dossal, Labarriere and Rondepierre 2021",
        stacks=False,
    ),
    silver=Method(
        silver,
        "Silver steps",
        "Gradient steps of many lengths, no momentum.",
        ("L",),
        "Altschuler and Parrilo 2023",
        domain=Domain.SMOOTH,
        stacks=False,
        rises=True,
    ),
    silver_mu=Method(
        silver_mu,
        "Silver steps, true μ",
        "Silver steps for strongly convex functions.",
        ("L", "mu"),
        "Altschuler and Parrilo 2023",
        domain=Domain.SMOOTH,
        stacks=False,
        rises=True,
    ),
    item=Method(
        item,
        "ITEM, true μ",
        "The smallest distance that can be promised.",
        ("L", "mu"),
        "Taylor and Drori 2021",
        domain=Domain.SMOOTH,
        stacks=False,
    ),
    tmm=Method(
        tmm,
        "Triple momentum, true μ",
        "Three combinations of two points.",
        ("L", "mu"),
        "Van Scoy, Freeman and Lynch 2018",
        domain=Domain.SMOOTH,
        stacks=False,
    ),
    heavy_ball_polyak=Method(
        heavy_ball_polyak,
        "Polyak heavy ball",
        "Heavy ball with steps computed from f*.",
        ("f*",),
        "Goujaud, Taylor and Dieuleveut 2022",
        domain=Domain.SMOOTH,
        promise=Domain.QUADRATIC,
        stacks=False,
    ),
    cg=Method(
        cg,
        "CG",
        "The lowest gap that k gradients of a quadratic allow.",
        ("products with the matrix",),
        "Hestenes and Stiefel 1952",
        domain=Domain.QUADRATIC,
        stacks=False,
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


def method_named(name: str) -> Method:
    """The method of this name; of a solver from outside, which is in no table, what its name says."""

    def outside(problem: Oracle, x0: Array) -> Iterator[Iterate]:
        raise ValueError(f"{name} was recorded, and cannot be run here.")

    return METHODS.get(name) or Method(outside, name, "Recorded from outside.", (), "outside")


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
