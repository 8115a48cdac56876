"""The figures of the paper as states of the page, each with an address of its own.

Reference: Barre and d'Aspremont 2019, figures 1 to 5. A figure of several charts opens at its first problem;
the menu "Start from" leads to the others.
"""

from __future__ import annotations

from typing import NamedTuple

from polyak_widgets.settings.settings import Settings
from polyak_widgets.settings.view import View

PLAIN = ("pgd", "fista", "restart", "adapt_apg", "adapt_apg_v2")
WITH_MU = (*PLAIN, "apg")
OTHERS = "“Start from” leads to the other losses."


class PaperView(NamedTuple):
    """A figure: its title, what it shows, and the state of the page that shows it."""

    title: str
    text: str
    settings: Settings
    view: View = View()


PAPER_VIEWS = {
    "figure_1": PaperView(
        "Figure 1: matrix completion",
        "A matrix of which some entries are known is completed with the nuclear norm. Here μ = 0, yet the "
        "curves of the adaptive methods are nearly straight: they find the local strong convexity by "
        "themselves.",
        Settings(problem="matrix_completion", methods=PLAIN, iterations=1000),
    ),
    "figure_2": PaperView(
        "Figure 2: logistic loss on Musk",
        f"Musk has more rows and columns than Sonar. {OTHERS} The restarted method is as good as its γ; the "
        "adaptive ones have none.",
        Settings(problem="logistic", data="musk", methods=WITH_MU, iterations=5000),
    ),
    "figure_3": PaperView(
        "Figure 3: how much γ matters",
        "LASSO on Sonar. The closer look runs the restarted method with 64 values of γ; the level lines are "
        "the methods without γ.",
        Settings(problem="lasso", data="sonar", methods=PLAIN, iterations=3000),
        View(third="sensitivity"),
    ),
    "figure_4": PaperView(
        "Figure 4: least squares on Sonar",
        f"The paper draws four losses on Sonar; this is the first. {OTHERS}",
        Settings(problem="least_squares", data="sonar", methods=WITH_MU, iterations=5000),
    ),
    "figure_5": PaperView(
        "Figure 5: how μₖ comes down",
        "μₖ − μ on Sonar with least squares, on two logarithmic axes: a straight line of slope −2 is the "
        "rate C/(k + 1)² that the robustness result asks for. With the SVM dual compare with μ_loc instead.",
        Settings(
            problem="least_squares", data="sonar", methods=("adapt_apg", "adapt_apg_v2"), iterations=5000
        ),
        View(differences=True),
    ),
}
