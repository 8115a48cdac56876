"""Hints and solutions of the notebooks: folded under each question, every number in them measured here."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from polyak_widgets import Settings, run_experiment

import polyak_core as pc
from polyak_core.methods.paper import Iterate
from polyak_core.runs.six_estimates import six_estimates
from polyak_core.theory import accelerated_rate, envelope_constant, largest_schedule_constant

FOLDER = Path(__file__).parents[2] / "notebooks"
NUMBER = re.compile(r"(?<![\w.^{-])(?:\d{1,3}(?: \d{3})+|\d+\.\d+|\d{2,})(?![\w^])")


def solutions(stem: str) -> list[str]:
    """What is folded as a solution, in order."""
    last = nbformat.read(FOLDER / f"{stem}.ipynb", as_version=4).cells[-1].source
    return re.findall(r"<summary>Solution</summary>(.*?)</details>", last, flags=re.DOTALL)


def numbers(text: str) -> set[str]:
    """The numbers of a text that somebody must have measured; formulas and code hold none."""
    plain = re.sub(r"\s+", " ", re.sub(r"`[^`]*`|\$[^$]*\$|\*[^*]*\*", " _ ", text))
    return set(NUMBER.findall(plain))


def spaced(number: float) -> str:
    return f"{int(number):,}".replace(",", " ")


def log(kappa: float = 1e4, n: int = 100, kind: str = "log") -> pc.Problem:
    return pc.quadratic(pc.spectrum(kind, n=n, condition_number=kappa))


def count(problem: pc.Problem, method: str, tolerance: float = 1e-10, **keywords: object) -> int:
    k = pc.solve(problem, method, 100_000, target=tolerance, **keywords).first_below(tolerance)
    assert k is not None
    return k


def factor(big: int, small: int) -> str:
    ratio = big / small
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def what_knowing_mu_is_worth() -> Iterator[str]:
    small, large = log(1e2), log(1e4)
    for tolerance, method in product((1e-6, 1e-10), ("apg", "pgd")):
        counts = [count(problem, method, tolerance) for problem in (small, large)]
        yield from map(spaced, counts)
        yield factor(counts[1], counts[0])
    yield from ("10", "100")  # the square root of the factor between the two kappa, and that factor
    for kappa, tolerance in ((1e3, 1e-3), (1e4, 1e-5), (1e4, 1e-6), (1e6, 1e-7)):
        yield from (spaced(count(log(kappa), method, tolerance)) for method in ("fista", "apg"))


def estimating_mu() -> Iterator[str]:
    yield from ("50", "100", "400")  # the iterations that are looked at
    problem = log(1e3, 50)
    for method in ("pgd", "apg"):
        least = np.minimum.accumulate(pc.solve(problem, method, 400).mu_hat) / problem.mu - 1
        yield from (f"{least[k]:.2g}" for k in (10, 50, 100, 400))
    for spectrum in ("outlier", "log"):
        values = {"spectrum": spectrum, "start": "no_slow", "methods": ["apg", "adapt_apg_v2"]}
        experiment = run_experiment(Settings.from_values({**values, "iterations": 3000}))
        yield from (spaced(run.trace.first_below(1e-10)) for run in experiment.runs)
        if spectrum == "outlier":
            yield f"{experiment.runs[1].trace.mu[-1]:.2g}"
    lasso = pc.paper_problem("sonar", "lasso")
    plain, certified = (count(lasso, "adapt_apg_v2", estimator=name) for name in ("polyak", "certified"))
    assert plain == certified
    yield spaced(plain)


def how_exact() -> Iterator[str]:
    problem = log()
    yield from (spaced(count(problem, "apg", mu=f * problem.mu)) for f in (10, 0.1, 1, 2, 0.5))
    admitted = largest_schedule_constant(problem, problem.L / 2)
    for mu0 in (0.5, 1e-2, 1e-3, problem.mu):
        yield spaced(count(problem, "adapt_apg", estimator="schedule", C=0.0, mu0=mu0))
    for times in (1e4, 1e5, 1e6):
        yield spaced(count(problem, "adapt_apg", estimator="schedule", C=times * admitted))
    measured = envelope_constant(problem, pc.solve(problem, "adapt_apg", 3000, target=1e-10))
    assert round(measured / problem.L) == 11
    yield spaced(round(measured / admitted, -4))


def restart_or_adapt() -> Iterator[str]:
    problem = log()
    for gamma, restarts in ((0.1, 141), (20.0, 1), (2.0, 12)):
        target = {"target": 1e-10} if gamma == 2 else {}
        trace = pc.solve(problem, "restart", 3000, gamma=gamma, **target)
        assert trace.restarted.sum() == restarts
        yield f"{trace.beta.max():.3f}"
    yield from ("141", "12", "3 000", f"{pc.solve(problem, 'apg', 3).beta[1]:.3f}")
    for kind in ("log", "linear"):
        spectrum = log(kind=kind)
        yield spaced(count(spectrum, "restart", gamma=2.0))
        yield from (spaced(count(spectrum, f"restart_{by}")) for by in ("function", "gradient"))
    for kind in ("log", "linear", "clusters"):
        trace = pc.solve(log(kind=kind), "adapt_apg_v2", 20_000, target=1e-10)
        yield spaced(trace.gradients[trace.first_below(1e-10)])
        yield spaced(count(log(kind=kind), "restart", gamma=2.0))


def twice_too_high(problem: pc.Problem, delta: float) -> tuple[float, float, float]:
    """The gaps over delta where mu_k is 10 % too low, where half, and where v2 is twice the exact run."""
    exact = pc.solve(problem, "adapt_apg_v2", 60_000, target=1e-25)
    wrong = problem.f_star - delta * exact.gap[0]
    low = pc.solve(problem, "adapt_apg_v2", 60_000, f_star=wrong, target=delta * 1e-6)
    n = min(len(exact), len(low))
    share = low.gap[:n] / exact.gap[:n]
    below = [next(k for k in range(n) if low.mu[k] < part * exact.mu[k]) for part in (0.9, 0.5)]
    twice = next(k for k in range(20, n) if (share[k : k + 30] > 2).all())
    at = [low.gap[k] for k in below] + [exact.gap[twice]]
    return tuple(gap / exact.gap[0] / delta for gap in at)


def wrong_or_unknown_minimum() -> Iterator[str]:
    problem = log()
    first = pc.solve(problem, "pgd", 1).gap[0]
    for method, keywords in (("adapt_apg_v2", {}), ("restart", {"gamma": 2.0})):
        yield spaced(count(problem, method, **keywords))
        for side in (-1, 1):
            yield spaced(count(problem, method, f_star=problem.f_star + side * 1e-6 * first, **keywords))
    levels = np.array([twice_too_high(problem, delta) for delta in (1e-3, 1e-5, 1e-8)])
    assert np.all((levels[:, 0] > 8) & (levels[:, 0] < 9))
    assert np.all((levels[:, 1] > 0.75) & (levels[:, 1] < 1))
    yield from ("0.8", f"{levels[:, 2].min():.3f}", f"{levels[:, 2].max():.2f}")
    for loss, method, f_star in product(("lasso", "logistic"), ("adapt_apg_v2", "restart"), ("dual", None)):
        yield spaced(count(pc.paper_problem("sonar", loss), method, f_star=f_star))


def the_papers_figures() -> Iterator[str]:
    squares, lasso = (pc.paper_problem("sonar", loss) for loss in ("least_squares", "lasso"))
    yield from (spaced(count(lasso, method, 1e-2)) for method in ("fista", "adapt_apg_v2"))
    assert count(lasso, "restart", 1e-2, gamma=8.0) == count(lasso, "fista", 1e-2)
    yield spaced(count(squares, "fista", 1e-2))
    yield spaced(count(squares, "restart", 1e-2, gamma=8.0))
    yield spaced(count(squares, "apg", 1e-2))
    yield from (spaced(count(squares, method)) for method in ("apg", "adapt_apg_v2"))
    yield from (spaced(count(lasso, method)) for method in ("adapt_apg_v2", "apg"))


def your_own_data(folder: Path) -> Iterator[str]:
    cells = nbformat.read(FOLDER / "07_your_own_data.ipynb", as_version=4).cells
    names = {"np": np, "pc": pc, "mkdtemp": lambda: str(folder)}
    exec(next(cell.source for cell in cells if "savez" in cell.source), names)
    counts, kappas = [], []
    for scaling in ("none", "standardize"):
        data = pc.load_dataset(names["path"], scaling=scaling)
        problem = pc.least_squares(data.X, data.y)
        counts.append([count(problem, method, 1e-6) for method in ("pgd", "apg", "adapt_apg_v2")])
        kappas.append(problem.condition_number)
    yield from map(spaced, counts[0])
    yield from map(str, counts[1])
    gain = kappas[0] / kappas[1]
    yield from (spaced(round(gain, -2)), f"{gain**0.5:.0f}", spaced(round(counts[0][0] / counts[1][0], -2)))
    faster = {round(counts[0][i] / counts[1][i], -1) for i in (1, 2)}
    yield from (f"{each:.0f}" for each in faster)
    assert [f"{kappa:.3g}" for kappa in kappas] == ["1.15e+04", "4.83"]
    data = pc.load_dataset(names["path"], scaling="none")
    for lam in (0.1, 0.01):
        problem = pc.logistic(data.X, data.y, lam=lam)
        apg, v2, fista = (count(problem, method) for method in ("apg", "adapt_apg_v2", "fista"))
        yield from (spaced(apg), spaced(v2), spaced(fista), f"{100 * (v2 / apg - 1):.0f}")


def heavy_ball(beta: float):
    def method(problem, x0):
        k, x, y, y_before = 0, x0, x0, x0
        while True:
            yield Iterate(k, x, y, beta=beta)
            k, x = k + 1, y
            y, y_before = problem.prox_step(y) + beta * (y - y_before), y

    return method


def your_own_method(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    problem = log()
    root = np.sqrt(problem.mu / problem.L)
    for name, beta in (("right", (1 - root) ** 2), ("classical", ((1 - root) / (1 + root)) ** 2)):
        monkeypatch.setitem(pc.METHODS, name, pc.METHODS["pgd"])  # taken back at the end, whatever is there
        monkeypatch.delitem(pc.METHODS, name)
        pc.register(name, heavy_ball(beta), label=name)
        yield spaced(count(problem, name))
    yield spaced(count(problem, "apg"))


def one_direction_at_a_time() -> Iterator[str]:
    shrinks = 1 - np.sqrt(1e-4)
    yield from (f"{shrinks:.2f}", f"{-1 / np.log(shrinks):.1f}", f"{-0.5 / np.log(shrinks):.1f}")
    limits = [((1 - beta) / (1 + beta)) ** 2 for beta in pc.solve(log(), "fista", 400).beta]
    below = next(k for k, limit in enumerate(limits) if limit < 1e-4)
    assert below == pytest.approx(150, rel=0.05)


def sandwich() -> dict[str, Any]:
    """What the listings of notebook 11 define."""
    cells = nbformat.read(FOLDER / "11_the_estimate_sequence.ipynb", as_version=4).cells
    names: dict[str, Any] = {"np": np, "pc": pc}
    for cell in cells:
        if "show-code" in cell.metadata.get("tags", ()):
            exec(cell.source, names)
    return names


def the_estimate_sequence() -> Iterator[str]:
    names, problem = sandwich(), log()
    by_bound = np.log(1e-10) / np.log(1 - np.sqrt(1 / problem.condition_number))
    yield from (spaced(np.ceil(by_bound)), spaced(np.ceil(by_bound / 2)), spaced(count(problem, "apg")))
    for times in (4, 100):
        mu = times * problem.mu
        lower, upper = names["run"](mu)
        assert (lower <= upper * (1 + 1e-9)).all(), "the first inequality needs no mu"
        yield spaced(np.argmax(upper > names["gap"](problem.x0) + mu / 2 * problem.x0 @ problem.x0))


def six_estimates_of_one_mu() -> Iterator[str]:
    yield from ("1 500",)  # the iterations that are looked at
    problem, lasso = log(), pc.paper_problem("sonar", "lasso")

    def lows(problem: pc.Problem, method: str) -> dict[str, float]:
        values = six_estimates(problem, method, 1500)
        return {
            name: float(np.nanmin(each)) / problem.mu for name, each in values.items() if name != "growth"
        }

    slow, fast, penalised = lows(problem, "pgd"), lows(problem, "adapt_apg_v2"), lows(lasso, "adapt_apg_v2")
    yield from (f"{slow[name]:.2f}" for name in ("polyak", "curvature"))
    assert max(fast["polyak"], fast["curvature"]) < 1.01
    yield f"{fast['local']:.3f}"
    local = six_estimates(problem, "adapt_apg_v2", 1500)["local"]
    yield spaced((local < problem.mu * (1 - 1e-9)).sum())
    yield from (f"{penalised[name]:.1f}" for name in ("local", "curvature", "certified"))
    assert min(penalised.values()) > 1


def what_a_method_is_told() -> Iterator[str]:
    for method in ("pgd", "silver_mu", "apg"):
        counts = [count(log(kappa), method) for kappa in (1e2, 1e4)]
        yield from map(spaced, counts)
        yield factor(counts[1], counts[0])
        assert counts[1] / counts[0] < {"pgd": 100, "silver_mu": 10**1.58, "apg": 10}[method]
    distinct = pc.quadratic(20 * [1, 0.5, 0.2, 0.1, 0.01])
    assert count(distinct, "cg") == 5
    sonar = pc.paper_problem("sonar", "lasso")
    assert [name for name in ("pgd", "silver_mu", "apg", "cg") if not pc.METHODS[name].missing(sonar)] == [
        "pgd",
        "apg",
    ]


def test_the_listing_of_the_estimate_sequence_is_apg_and_both_inequalities_hold():
    problem = log()
    lower, upper = sandwich()["run"](problem.mu)
    trace = pc.solve(problem, "apg", 1499)
    np.testing.assert_allclose(lower * accelerated_rate(problem, trace.k), trace.gap, rtol=1e-9)
    assert (lower <= upper * (1 + 1e-9)).all()
    constant = trace.gap[0] + problem.mu / 2 * trace.distance[0] ** 2
    assert (upper <= constant * (1 + 1e-9)).all()
    assert f"{constant:.2f}" == "5.63"


MEASURED = {
    "01_known_mu": what_knowing_mu_is_worth,
    "02_estimating_mu": estimating_mu,
    "03_how_exact": how_exact,
    "04_restart_or_adapt": restart_or_adapt,
    "05_wrong_or_unknown_minimum": wrong_or_unknown_minimum,
    "06_the_papers_figures": the_papers_figures,
    "10_one_direction_at_a_time": one_direction_at_a_time,
    "11_the_estimate_sequence": the_estimate_sequence,
    "12_six_estimates": six_estimates_of_one_mu,
    "13_what_a_method_is_told": what_a_method_is_told,
}


@pytest.mark.parametrize("stem", MEASURED)
def test_every_number_of_a_solution_is_measured(stem):
    assert numbers(" ".join(solutions(stem))) == set(MEASURED[stem]())


def test_the_numbers_beside_figure_2_are_those_of_the_findings():
    """Those runs take minutes: `make figures` makes them, and the findings print them."""
    page = (FOLDER.parent / "docs" / "findings.md").read_text(encoding="utf-8")

    def deepest(problem: str) -> list[int]:
        row = next(line for line in page.splitlines() if line.startswith(f"| {problem} |"))
        cells = [cell.split(" / ")[-1] for cell in row.split(" | ")[2:4]]  # of v2 and of AdaptAPG
        return [int(re.sub(r"\D", "", cell)) for cell in cells]

    cells = nbformat.read(FOLDER / "06_the_papers_figures.ipynb", as_version=4).cells
    text = next(cell.source for cell in cells if "row of the SVM" in cell.source)
    logistic = sorted(deepest("Musk, logistic") + deepest("Madelon, logistic"))
    few, many = (spaced(round(count, -2)) for count in (logistic[0], logistic[-1]))
    never = re.search(r"On Madelon, SVM dual \*\*no method reaches 10⁻⁸ within (.*?) iterations", page)
    assert never is not None
    budget = int(re.sub(r"\D", "", never[1]))
    assert f"need {few} to {many} iterations" in text
    assert f"v2 needs {spaced(round(deepest('Musk, SVM dual')[0], -3))} iterations" in text
    assert f"reaches $10^{{-8}}$ in {spaced(budget)}." in text
    assert numbers(text) == {few, many, "66 000", spaced(budget)}


def test_the_numbers_on_a_file_of_one_s_own_are_measured(tmp_path):
    assert numbers(" ".join(solutions("07_your_own_data"))) == set(your_own_data(tmp_path))


def test_the_numbers_on_the_heavy_ball_are_measured(monkeypatch):
    assert numbers(" ".join(solutions("08_your_own_method"))) == set(your_own_method(monkeypatch))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("[01][0-9]*.ipynb")), ids=lambda path: path.stem)
def test_each_question_has_a_hint_and_a_solution(path):
    last = nbformat.read(path, as_version=4).cells[-1].source
    assert path.stem == "00_start" or "Solution" in last
    for question in re.split(r"^\d\. ", last, flags=re.MULTILINE)[1:]:
        assert re.findall(r"<summary>(\w+)</summary>", question) == ["Hint", "Solution"]
        hint, solution = re.findall(r"</summary>\s+(.*?)\s+</details>", question, flags=re.DOTALL)
        assert min(len(hint), len(solution)) > 30


def test_a_number_that_nobody_measured_is_seen():
    assert numbers(r"takes 1 234 iterations, $\kappa = 10^4$, `x = 555`, 7.2 times, and 12") == {
        "1 234",
        "7.2",
        "12",
    }
