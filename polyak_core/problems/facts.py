"""What is said of a problem, as text and in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyak_core.display import Facts, facts_html

if TYPE_CHECKING:
    from polyak_core.problems.problem import Problem


def problem_facts(problem: Problem) -> Facts:
    """The formula with its constants; f* only if it is there already."""
    facts = [("f", problem.loss.formula), ("size", f"n = {problem.loss.size}"), ("L", f"{problem.L:.6g}")]
    if problem.L != problem.true_L and not problem.constant:
        facts[-1] = ("L", f"{problem.L:.6g} (given; the true one is {problem.true_L:.6g})")
    facts += [("μ", f"{problem.mu:.6g}"), ("κ = L/μ", f"{problem.condition_number:.6g}")]
    if problem.mu_restricted > 0 and problem.mu_restricted != problem.mu:
        facts.append(("smallest curvature > 0", f"{problem.mu_restricted:.6g}"))
    if problem.solution.certified:
        error = f"f(x*) − min f ≤ {problem.f_star_error:.2g}"
        if not problem.reference.proven:
            error = "an estimate"
        facts += [("f*", f"{problem.f_star:.17g}"), ("error", error), ("by", problem.f_star_source)]
    else:
        facts.append(("f*", "not sought yet: problem.f_star, or the first run, does it"))
    return facts + [("note", note) for note in problem.loss.notes]


def problem_html(problem: Problem) -> str:
    """A problem in a notebook."""
    return facts_html(problem.name, problem_facts(problem))


def described(problem: Problem) -> str:
    """The formula with all constants, plain text, a line each."""
    constant = problem.constant
    overridden = problem.L != problem.true_L and not constant
    error = f"<= {problem.f_star_error:.2g}" if problem.reference.proven else "is an estimate"
    above = f" (at most {problem.mu_error:.1g} too high)" if problem.mu_error > 0 else ""
    lines = [
        f"{problem.name}: {problem.loss.formula}, n = {problem.loss.size}",
        f"L = {problem.L:.6g}" + (f" (given; true L = {problem.true_L:.6g})" if overridden else ""),
        f"mu = {problem.mu:.6g}{above}, condition number L/mu = {problem.condition_number:.6g}",
    ]
    if problem.mu_restricted > 0:
        lines.append(f"smallest non-zero curvature = {problem.mu_restricted:.6g}")
    lines += [
        f"f* = {problem.f_star:.17g}, f(x*) - min f {error} ({problem.f_star_source})",
        f"representation: {problem.form.name}",
    ]
    if problem.mu > problem.L / 2:
        lines.append(
            "note: L/mu < 2, so the default mu_0 = L/2 of AdaptAPG lies below mu; give mu0= for more"
        )
    if constant:
        why = "f is constant" if problem.penalty is None else "h has no curvature"
        lines.append(f"note: {why}, so every L is right; L = 1 is used")
    return "\n".join(lines + [f"note: {note}" for note in problem.loss.notes])
