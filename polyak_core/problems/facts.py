"""What is said of a problem: one list of facts, as text and in notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from polyak_core.display import facts_html

if TYPE_CHECKING:
    from polyak_core.problems.problem import Problem

EQUALS = (" = ", ": ")
"""What a table leaves out between a name and its value."""


def problem_facts(problem: Problem) -> Iterator[tuple[str, str, str]]:
    """Name, sign between and value of each constant, of f* if it is known already, and of each note."""
    other = problem.L != problem.true_L and not problem.constant
    above = f" (at most {problem.mu_error:.1g} too high)" if problem.mu_error > 0 else ""
    yield "L", " = ", f"{problem.L:.6g}" + (f" (given; true L = {problem.true_L:.6g})" if other else "")
    yield "mu", " = ", f"{problem.mu:.6g}{above}"
    yield "condition number L/mu", " = ", f"{problem.condition_number:.6g}"
    if problem.mu_restricted > 0:
        yield "smallest non-zero curvature", " = ", f"{problem.mu_restricted:.6g}"
    if problem.solution.certified:
        yield "f*", " = ", f"{problem.f_star:.17g}"
        proven = problem.reference.proven
        yield (
            "f(x*) - min f",
            *((" <= ", f"{problem.f_star_error:.2g}") if proven else (" is ", "an estimate")),
        )
        yield "found by", ": ", problem.f_star_source
    else:
        yield "f*", ": ", "not computed yet: problem.f_star, or the first run, computes it"
    if problem.solution.known:
        yield "representation", ": ", problem.form.name
    if problem.mu > problem.L / 2:
        why = "L/mu < 2, so the default mu_0 = L/2 of AdaptAPG lies below mu; give mu0= for more"
        yield "note", ": ", why
    if problem.constant:
        why = "f is constant" if problem.penalty is None else "h has no curvature"
        yield "note", ": ", f"{why}, so every L is right; L = 1 is used"
    yield from (("note", ": ", note) for note in problem.loss.notes)


def problem_html(problem: Problem) -> str:
    """A problem in a notebook; no work is begun for it."""
    head = [("f", problem.loss.formula), ("size", f"n = {problem.loss.size}")]
    facts = [
        (name, value if between in EQUALS else f"{between.strip()} {value}")
        for name, between, value in problem_facts(problem)
    ]
    return facts_html(problem.name, head + facts)


def described(problem: Problem) -> str:
    """The formula with all constants, plain text, a line each; f* is sought for it."""
    head = f"{problem.name}: {problem.loss.formula}, n = {problem.loss.size}"
    _ = problem.form  # with it f* is sought
    return "\n".join([head, *("".join(fact) for fact in problem_facts(problem))])
