"""Every sentence of a picture against its runs, on random settings: each claim is counted again."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polyak_widgets.laboratory.experiment import Experiment, MethodRun, run_experiment
from polyak_widgets.laboratory.weights import largest_lam
from polyak_widgets.look import ESTIMATING, WITHOUT_BOUND
from polyak_widgets.numbers import count_word, number_text
from polyak_widgets.panels import PANELS
from polyak_widgets.panels.charts.captions import gap_caption, mu_caption
from polyak_widgets.panels.charts.gap import gap_panel
from polyak_widgets.panels.charts.mu import meaning, mu_panel
from polyak_widgets.panels.curves import clocks
from polyak_widgets.panels.words.headline import FAILING, sentence
from polyak_widgets.panels.words.table import rows
from polyak_widgets.panels.words.unusual import (
    picture_words,
    problem_words,
    title_words,
    unusual,
    unusual_line,
)
from polyak_widgets.panels.words.words import label, status
from polyak_widgets.session.landmarks import landmarks
from polyak_widgets.session.rail import describe
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View

import polyak_core as pc

NUMBER = r"(\d[\d\u202f]*)"
PLAIN = dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True))
COMMON = {
    "methods": st.lists(st.sampled_from(sorted(pc.METHODS)), min_size=1, max_size=11, unique=True).map(tuple),
    "iterations": st.integers(1, 300),
    "mu0": st.sampled_from([0.5, 0.5, 1e-3, 1.0]),
    "gamma": st.sampled_from([0.3, 2.0, 8.0]),
    "estimator": st.sampled_from(["polyak", "certified", "model"]),
    "start": st.sampled_from(["default", "default", "gaussian", "no_slow"]),
    "seed": st.integers(0, 3),
    "target": st.sampled_from([0.0, 0.0, 1e-3, 1e-8, 1.0]),
    "f_star": st.sampled_from(["exact", "exact", "too_low", "too_high", "dual"]),
    "f_star_delta": st.sampled_from([1e-9, 1e-6, 1e-2]),
    "guard": st.sampled_from(["usual", "all", "none"]),
    "L_factor": st.sampled_from([1.0, 1.0, 0.3, 0.5, 0.8, 2.0]),
    "mu_factor": st.sampled_from([1.0, 1.0, 0.5, 3.0, 50.0]),
}
QUADRATIC = st.fixed_dictionaries(
    {
        "n": st.integers(1, 20),
        "spectrum": st.sampled_from(["log", "linear", "clusters", "outlier"]),
        "condition_number": st.sampled_from([1.0, 1.5, 10.0, 1e3, 1e6]),
        **COMMON,
    }
)
ZERO = st.fixed_dictionaries(
    {"spectrum": st.just("own"), "eigenvalues": st.sampled_from(["1", "1 0", "3 0.2 0"]), **COMMON}
)
SYNTHETIC = st.fixed_dictionaries(
    {
        "problem": st.sampled_from(["least_squares", "lasso", "logistic"]),
        "data": st.just("synthetic"),
        "n": st.integers(2, 8),
        "rows": st.integers(3, 20),
        "lam": st.sampled_from([0.01, 1.0, 1e4]),
        "condition_number": st.just(100.0),
        "scaling": st.sampled_from(["center", "none", "standardize"]),
        **COMMON,
    }
)
ANY = st.one_of(QUADRATIC, QUADRATIC, ZERO, SYNTHETIC).map(Settings.from_values)
UNITS = st.sampled_from(["iterations", "gradients", "seconds"])


def text_of(parts):
    return "".join(text for text, _ in parts)


def traces_of(experiment):
    return {run.method: run.trace for run in experiment.runs if run.trace is not None}


def spent(trace, k, unit):
    return {"iterations": float(k), "gradients": trace.gradients[k], "seconds": clocks(trace)["seconds"][k]}[
        unit
    ]


SHORT = 1e-3


def comparable_cost(trace, k, unit):
    """A clock tells no two times below a millisecond apart."""
    return max(spent(trace, k, unit), SHORT if unit == "seconds" else 0)


def might_come(trace, least, unit):
    """Whether a run was stopped before it had spent so much, so that nobody knows when it would be there."""
    stopped = trace.outcome in (pc.Outcome.BUDGET, pc.Outcome.STALLED, pc.Outcome.CANCELLED)
    return stopped and spent(trace, len(trace) - 1, unit) < least


def first_below(trace, level):
    """By a plain loop, so that the page and the test do not share a mistake."""
    return next((k for k, gap in enumerate(trace.gap) if gap <= level * trace.gap[0]), None)


def whole(text):
    return int(text.replace("\u202f", ""))


def named(text, names):
    """The methods whose labels the text has, the longest labels first, so that none hides in another."""
    methods = []
    for method in sorted(names, key=lambda m: -len(names[m])):
        if names[method] in text:
            methods.append(method)
            text = text.replace(names[method], "·")
    return set(methods)


def check_costs(text: str, claim: str, costs: dict[str, float], names: dict[str, str], unit: str) -> None:
    """Who is first at the claimed level, and what that and the others take: said as the runs have it."""
    first = {m for m, cost in costs.items() if cost == min(costs.values())}
    best = next(part for part in re.split(r"(?<=\.) ", text) if "first at" in part or " reach" in part)
    subject = re.split(r" is first at| are equally fast| reach", best)[0]
    if len(first) <= 2:
        assert named(subject, names) == first, text
    if unit != "seconds":
        assert whole(re.match(NUMBER, claim)[1]) == round(min(costs.values())), text
    for method, cost in costs.items():
        takes = re.search(rf"{re.escape(names[method])}(?:, which does not know μ,)? takes {NUMBER}:", text)
        if takes and unit != "seconds":
            assert whole(takes[1]) == round(cost), text
    for part in re.split(r"(?<=\.) ", text):
        if "not got there" in part and "methods" not in part:
            assert named(re.split(" ha(?:s|ve) not got there", part)[0], names) <= set(names) - set(costs), (
                text
            )
        if "takes" in part:
            assert named(part, names) <= set(costs) - first, text


def check_order(experiment: Experiment, text: str, costs: dict[str, float], unit: str) -> None:
    """Nobody is first whom a stopped run might have beaten, and no clock decides below a millisecond."""
    traces, least = traces_of(experiment), min(costs.values())
    alone = [cost for cost in costs.values() if cost == least] == [least]
    won = all(not might_come(trace, least, unit) for m, trace in traces.items() if m not in costs)
    short = unit == "seconds" and least == SHORT
    assert ("too short to compare" in text) == short, text
    assert ("equally fast" in text) == (not alone and won and not short), text
    assert ("is first at" in text) == (alone and len(traces) > 1 and won and not short), text
    assert not (short and re.search("times as|% ", text)), text
    assert not (unit == "seconds" and re.search("as many|fewer", text)), text
    assert ("Without knowing μ" in text) <= (experiment.problem.mu > 0), text


def check_headline(experiment: Experiment, unit: str) -> None:
    traces, text = traces_of(experiment), text_of(sentence(experiment, unit))
    names = {method: label(method, experiment.settings) for method in traces}
    assert not re.search(r"\bnan\b|\bnone\b|∞|\bNone\b", text), text
    if not traces:
        assert "No curve" in text
        return
    if all(trace.gap[0] == 0 for trace in traces.values()):
        largest = largest_lam(experiment.problem)
        assert ("λ_max" in text) == (largest is not None and experiment.settings.lam >= largest)
        return
    failing = {m for m, trace in traces.items() if trace.outcome in FAILING}
    opening = text.split(". ")[0]
    assert bool(failing) == bool(re.search(r"diverge|bounce|finite numbers", opening)), text
    if len(failing) == len(traces):
        assert "is first" not in text
        assert "lowest" not in text
        return
    powers = [t for t in (-3, -6, -10) if 10.0**t > 0.999 * experiment.settings.target]
    levels = {t: {m: first_below(trace, 10.0**t) for m, trace in traces.items()} for t in powers}
    reached = [t for t in levels if any(k is not None for k in levels[t].values())]
    claim = re.search(
        r"(?:is first at|reach(?:es)?) 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+) of the initial gap,? in (.*?)[.:]? ", text + " "
    )
    assert bool(claim) == bool(reached), text
    if not claim:
        check_lowest(experiment, text, failing)
        return
    strictest = reached[-1]
    assert int("".join(PLAIN[c] for c in claim[1])) == strictest, "the strictest that anybody reached"
    costs = {m: comparable_cost(traces[m], k, unit) for m, k in levels[strictest].items() if k is not None}
    check_costs(text, claim[2], costs, names, unit)
    check_order(experiment, text, costs, unit)


def check_lowest(experiment: Experiment, text: str, failing: set[str]) -> None:
    traces = traces_of(experiment)
    ends = {m: t.gap[-1] / t.gap[0] for m, t in traces.items() if m not in failing and t.gap[0] > 0}
    ends = {m: end for m, end in ends.items() if np.isfinite(end)}
    names = {method: label(method, experiment.settings) for method in traces}
    least = {m for m, end in ends.items() if end == min(ends.values())}
    last_sentence = re.split(r"(?<=\.) ", text)[-1]
    if len(least) <= 2:
        assert named(last_sentence, names) == least, text
    assert " lowest" not in last_sentence or len(least) < len(ends), text


def check_captions(experiment: Experiment, unit: str) -> None:
    traces, text = traces_of(experiment), gap_caption(experiment, unit)
    names = {method: label(method, experiment.settings) for method in traces}
    claim = re.search(r"^(.*) (?:is first at|are first together at|reach|reaches) 10([⁻⁰¹³⁶]+)", text)
    if claim:
        level = 10.0 ** int("".join(PLAIN[c] for c in claim[2]))
        costs = {m: first_below(t, level) for m, t in traces.items()}
        costs = {m: comparable_cost(traces[m], k, unit) for m, k in costs.items() if k is not None}
        assert named(claim[1], names) == {m for m, cost in costs.items() if cost == min(costs.values())}, text
        late = [trace for m, trace in traces.items() if m not in costs]
        assert ("first" in claim[0]) <= (not any(might_come(t, min(costs.values()), unit) for t in late)), (
            text
        )
    for words, outcome in (("diverged.", pc.Outcome.DIVERGED), ("stalled", pc.Outcome.STALLED)):
        assert (words in text) == any(t.outcome is outcome and t.gap[0] > 0 for t in traces.values()), (
            text,
            words,
        )
    assert "to find" not in mu_caption(experiment, unit)
    if experiment.problem.mu > 0 and any(t.gap[0] > 0 for t in traces.values()):
        assert mu_caption(experiment, unit).startswith(f"True μ = {number_text(experiment.problem.mu, 3)}.")


def check_meaning(experiment: Experiment) -> None:
    """What is said of the estimates' worth holds for every method that makes some."""
    text, mu = meaning(experiment), experiment.problem.mu
    estimates = {m: trace.mu for m, trace in traces_of(experiment).items() if m in ESTIMATING}
    if text.startswith("upper bounds"):
        bounds = [values for method, values in estimates.items() if method not in WITHOUT_BOUND]
        assert all((values >= mu * (1 - 1e-6)).all() for values in bounds), text
        assert ("AdGD" in text) == (len(bounds) < len(estimates)), text
    if "μ₀ lies below μ" in text:
        assert (estimates["adapt_apg"] < mu).all(), text
    labels = (label(m, experiment.settings) for m in estimates)
    has_f_star = any(name.split(", f*")[0] != name for name in labels)
    assert ("f*" in text) == has_f_star or "μ₀" in text, text
    for view in (View(), View(differences=True)):
        panel = mu_panel(experiment, view)
        full = any(np.isfinite(curve.y).any() for curve in panel["curves"])
        assert full or not traces_of(experiment), "never an empty chart"


def check_status(experiment: Experiment) -> None:
    text = status(experiment)["text"]
    counted = re.search(
        r"(?:All|The other|(?:^|\. )(?=\w+ of \w+ [sr])) ?(\w+)(?: of (\w+))? "
        r"(stopped at|reached the target|reached the precision|solved it)",
        text,
    )
    if counted:
        ends = {
            "stopped at": pc.Outcome.BUDGET,
            "reached the target": pc.Outcome.TARGET,
            "reached the precision": pc.Outcome.FLOOR,
            "solved it": pc.Outcome.EXACT,
        }
        same = {m for m, t in traces_of(experiment).items() if t.outcome is ends[counted[3]]}
        assert count_word(len(same)) == counted[1].lower(), text
        assert ("All" in counted[0]) == (len(same) == len(experiment.runs)), text
        assert counted[2] in (None, count_word(len(experiment.runs))), text
        names = {
            run.method: label(run.method, experiment.settings, without="f_star") for run in experiment.runs
        }
        if "other" in counted[0]:
            assert named(text, names) == set(names) - same, "those named and the others are all"
    for run in experiment.runs:
        if run.trace is None or run.trace.outcome in FAILING:
            assert label(run.method, experiment.settings, without="f_star") in text, text


def check_table(experiment: Experiment) -> None:
    for run, row in zip(experiment.runs, rows(experiment)["body"], strict=True):
        assert row[0]["text"] == label(run.method, experiment.settings)
        if run.trace is None or not run.trace.gap[0] > 0:
            continue
        for exponent, cell in zip((-3, -6, -10), row[1:4], strict=True):
            k = first_below(run.trace, 10.0**exponent)
            text = cell["units"]["iterations"]
            if k is not None:
                assert whole(re.match(NUMBER, text)[1]) == k
            else:
                assert text == "–" or text.startswith("> ")
            one, *later = cell["units"]["seconds"].split(" / ")
            assert one not in later, "said twice"
        at = re.search(r"at (≤ )?(.*)$", row[5])
        if at and not at[1]:
            assert at[2] == number_text(run.trace.gap[-1] / run.trace.gap[0])
        if at and at[1]:
            assert run.trace.gap[-1] < max(run.trace.floor, experiment.problem.f_star_error)


def check_unusual(experiment: Experiment) -> None:
    own, problem = experiment.settings, experiment.problem
    changes = unusual(own, problem)
    for change in changes:
        usual = replace(own, **change.back)
        assert change.name not in {each.name for each in unusual(usual, problem)}, "× takes it back"
        assert change.words in unusual_line(each.words for each in changes)
        assert change.words in picture_words(own, problem)
        assert change.words in title_words(own, problem)
    assert unusual_line([]) == ""
    names = {"L_factor", "target"}
    for name in names:
        assert (getattr(own, name) != FIELDS[name].default) == (name in {each.name for each in changes})
    given_mu = any(run.method == "apg" and run.trace is not None for run in experiment.runs)
    if given_mu:
        assert ("APG, true μ" == label("apg", own)) == (own.mu_factor == 1)


@settings(max_examples=60, deadline=None)
@given(ANY, UNITS)
def test_every_sentence_is_true_of_the_runs(settings, unit):
    experiment = run_experiment(settings)
    check_headline(experiment, unit)
    check_captions(experiment, unit)
    check_status(experiment)
    check_table(experiment)
    check_unusual(experiment)
    check_meaning(experiment)


def test_where_no_method_can_run_both_charts_say_so():
    experiment = run_experiment(Settings(problem="matrix_completion", methods=("cg",), iterations=5))
    for name in ("gap", "mu"):
        panel = PANELS[name](experiment, View())
        assert panel["curves"] == []
        assert panel["summary"].endswith("the table says why.")
    assert "only" in status(experiment)["text"]


def cut(run: MethodRun, records: int) -> MethodRun:
    """The run as it stood while it went on."""
    columns = {n: v[:records] for n, v in vars(run.trace).items() if isinstance(v, np.ndarray)}
    return MethodRun(run.method, replace(run.trace, **columns, outcome=pc.Outcome.BUDGET), False)


@given(st.sampled_from([30.0, 200.0, 1e4]), st.sampled_from(["iterations", "gradients"]), st.data())
def test_while_runs_go_on_nobody_is_said_to_be_first_who_may_not_be(kappa, unit, data):
    """Runs that are cut somewhere: who is said to be first at a level is first there at the end too."""
    settings = Settings(n=12, condition_number=kappa, iterations=250)
    done = run_experiment(settings)
    growing = [cut(run, data.draw(st.integers(1, len(run.trace)))) for run in done.runs]
    text = text_of(sentence(replace(done, runs=tuple(growing)), unit))
    claim = re.search(r"^(.*?) is first at 10([⁻⁰¹³⁶]+)", text)
    if claim:
        level = 10.0 ** int("".join(PLAIN[c] for c in claim[2]))
        traces = traces_of(done)
        costs = {m: first_below(t, level) for m, t in traces.items()}
        costs = {m: spent(traces[m], k, unit) for m, k in costs.items() if k is not None}
        best = {m for m, cost in costs.items() if cost == min(costs.values())}
        assert named(claim[1], {m: label(m, settings) for m in traces}) <= best, text


def test_a_slow_method_that_came_far_is_not_first_while_a_quick_one_has_hardly_begun():
    done = run_experiment(Settings(n=12, condition_number=30.0, iterations=250, methods=("apg", "pgd")))
    apg, pgd = done.runs
    early = text_of(sentence(replace(done, runs=(cut(apg, 3), cut(pgd, 250)))))
    assert "is first" not in early
    assert early.startswith("So far Proximal gradient is lowest")


def headline(unit="iterations", **settings):
    return text_of(sentence(run_experiment(Settings(**settings)), unit))


def test_the_headline_compares_in_the_unit_that_is_counted():
    assert "takes 2\u202f077: 2.5 times as many." in headline("gradients")
    completion = run_experiment(Settings(problem="matrix_completion", iterations=3000))
    assert text_of(sentence(completion, "gradients")).startswith(
        "Adaptive v2 reaches 10⁻¹⁰ of the initial gap in 4\u202f235"
    ), "three methods have stopped at 3000 calls, so nobody knows who would be the first"
    assert text_of(sentence(completion, "iterations")).startswith("Adaptive v2 is first at 10⁻¹⁰")
    short = headline("seconds", n=2, condition_number=4.0, methods=("apg", "adapt_apg_v2"))
    assert (
        short
        == "APG, true μ and Adaptive v2 reach 10⁻¹⁰ of the initial gap in less than 0.001 s: too "
        + ("short to compare.")
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mu_factor": 0.5}, "4\u202f% fewer than APG, given μ/2."),
        ({"f_star": "too_low", "f_star_delta": 0.1}, "f* too low by 0.1 has not got there after 1\u202f500"),
        ({"condition_number": 1e8}, "FISTA is first at 10⁻³ of the initial gap, in 54 iterations."),
        ({"L_factor": 0.1}, "All six methods diverge: "),
        ({"condition_number": 1.0}, "All six methods are equally fast"),
        ({"problem": "lasso", "lam": 1e5}, "λ ≥ λ_max = 14.7: x* = 0 is where all methods start"),
    ],
)
def test_the_headline_says_the_most_important_fact(settings, words):
    assert words in headline(**settings)


def test_an_own_method_takes_part():
    pc.register("mine", pc.METHODS["pgd"].generator, label="My method")
    try:
        assert "My method is first" in headline(methods=("mine", "pgd"), condition_number=10.0) or (
            "My method" in headline(methods=("mine", "pgd"), condition_number=10.0)
        )
        assert "My method takes" in headline(methods=("apg", "mine"), condition_number=10.0)
    finally:
        pc.METHODS.pop("mine")


def test_the_estimate_on_data_with_fewer_rows_comes_near_the_smallest_curvature_above_0():
    data = Settings(problem="least_squares", data="synthetic", rows=50, n=100, iterations=300)
    text = mu_caption(run_experiment(data))
    assert text.startswith("μ = 0 here; the smallest curvature above 0 is 0.57")
    assert "within 1 % of it" in text


def test_the_gap_is_that_to_the_true_f_star_and_no_smaller_than_it_is_known():
    low = gap_panel(run_experiment(Settings(f_star="too_low", iterations=50)))["subtitle"]
    assert low.endswith("drawn with the true f* (exact); methods are given f* too low by 10⁻⁶")
    without = Settings(f_star="too_low", methods=("fista",), iterations=50)
    assert gap_panel(run_experiment(without))["subtitle"].endswith("f* exact"), "FISTA is given no f*"
    floor = rows(run_experiment(Settings(problem="lasso", methods=("adapt_apg_v2",), iterations=2000)))
    assert floor["body"][0][5].startswith("precision floor at ≤ ")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings(), "Quadratic, log-spaced, κ = 10\u202f000, n = 100"),
        (Settings(problem="svm_dual", kernel="rbf"), "Gaussian (RBF) kernel, w = 0.5 × distance"),
        (Settings(spectrum="own"), "eigenvalues from your own list"),
        (
            Settings(problem="logistic", data="synthetic"),
            "on synthetic data, 200 × 100, data spectrum log-spaced, κ = 10\u202f000, λ",
        ),
    ],
)
def test_a_problem_has_its_numbers_in_its_name(settings, words):
    assert words in problem_words(settings)


@pytest.mark.parametrize("scaling", ["center", "standardize"])
@pytest.mark.parametrize("problem", ["least_squares", "logistic", "svm_dual"])
def test_the_slider_of_kappa_says_where_the_problem_has_another_one(problem, scaling):
    settings = Settings(problem=problem, data="synthetic", scaling=scaling, iterations=2)
    its = run_experiment(settings).problem
    note = describe("condition_number", settings, its)["note"]
    if not its.mu:
        assert note.endswith("this problem has μ = 0.")
    elif note:
        assert note.endswith(f"this problem has κ = {number_text(its.L / its.mu, 3)}.")
    else:
        assert its.L / its.mu == pytest.approx(settings.condition_number, rel=0.01)
    assert describe("condition_number", Settings(), its)["note"] == ""


def test_a_guard_is_a_part_of_the_names_that_it_changes():
    high = Settings(f_star="too_high", iterations=5)
    guarded, printed = (replace(high, guard=guard) for guard in ("all", "none"))
    assert label("restart", guarded, "f_star") == "Restart, γ = 2, guarded"
    assert label("adapt_apg", printed, "f_star") == "AdaptAPG, as printed"
    usual = [("adapt_apg", guarded), ("restart", printed), ("fista", printed)]
    assert not any({"guarded", "as printed"} & set(label(*each).split(", ")) for each in usual)
    idle = replace(printed, f_star="too_low")
    assert "as printed" not in label("adapt_apg", idle)
    assert all(change.name != "guard" for change in unusual(idle, run_experiment(idle).problem))


def test_the_caption_says_what_methods_do_with_a_negative_gap():
    high = Settings(f_star="too_high", methods=("adapt_apg_v2", "adapt_apg", "restart"), iterations=1000)
    words = gap_caption(run_experiment(high))
    assert "Adaptive v2 and AdaptAPG make no estimate from it. " in words
    assert "Restart, γ = 2 restarts at every iteration. " in words
    printed = run_experiment(replace(high, guard="none"))
    assert "make no estimate" not in gap_caption(printed)
    assert status(printed)["text"].startswith(
        "Adaptive v2, as printed (k = 486) and AdaptAPG, as printed (k = 642): f* is given too high, so μₖ"
    )


def test_what_has_no_part_in_the_picture_is_no_change():
    """A wrong f* where no method is given one, a seed where nothing is random."""
    idle = Settings(methods=("fista",), f_star="too_low", mu_factor=2.0, mu0=0.1, estimator="model", seed=3)
    assert unusual(idle, run_experiment(replace(idle, iterations=5)).problem) == []
    assert label("fista", idle) == "FISTA"


def test_the_weight_from_which_on_nothing_is_left_to_do_is_a_landmark():
    small, large = (run_experiment(Settings(problem="lasso", lam=lam, iterations=5)) for lam in (1.0, 1e3))
    largest = largest_lam(small.problem)
    assert largest is not None
    assert not large.problem.x_star.any()
    just_below = run_experiment(Settings(problem="lasso", lam=0.999 * largest, iterations=5))
    assert just_below.problem.x_star.any()
    names = [[name for _, name in landmarks("lam", e.settings, e.problem)] for e in (small, large)]
    assert names == [["the paper’s", "λ_max"], ["λ_max", "the paper’s"]]
    completion = run_experiment(Settings(problem="matrix_completion", iterations=2))
    above = 1.001 * (largest_lam(completion.problem) or 0)
    assert text_of(
        sentence(run_experiment(Settings(problem="matrix_completion", lam=above, iterations=2)))
    ).startswith("λ ≥ λ_max")
