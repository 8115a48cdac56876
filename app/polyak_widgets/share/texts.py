"""What stands in links, code, files and the sheets of a lecture; numbers and names come as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

BRAND = "Polyak Explorer"

# A still picture, and a page that stands alone
NOT_ENDED = "The runs had not ended when this picture was made."
NO_SCRIPTS = "The charts need JavaScript; this table has their numbers."
ABOUT_PAGE = "Settings, versions, certificate"
VERSIONS_LABEL = "Versions"

# Links
SAME_DATA = "the same data"

# Code
PAGE_BELOW = "or the page in this state, in a cell of its own"
PUT_FILE_BESIDE = "put your file beside this notebook"
OTHER_FILE = "another file"
OWN_ARRAYS = "X and y are your own features and labels"
CLIPPED = "what is allowed"

# Files of numbers
COLUMN_UNITS: Mapping[str, str] = {
    "method": "name in polyak_core.METHODS",
    "k": "iteration",
    "gap": "f(y_k) - f*, in units of f, with the certified f*",
    "gap_seen": "the gap under the f* that the method was given, in units of f",
    "mu_hat": "estimate of mu made at y_k (adapt_apg_free: at x_k), in units of L",
    "mu": "estimate in use for x_{k+1}, in units of L",
    "mu_loc": "local strong convexity at x_k, in units of L",
    "beta": "momentum in x_{k+1}, no unit",
    "log_A": "natural logarithm of A_k",
    "t": "momentum counter after the test at y_k, no unit",
    "gradients": "gradients asked for so far",
    "proxes": "prox steps so far",
    "products": "matrix products done so far",
    "seconds": "seconds in the method so far, recording left out",
    "distance": "||x_k - x*||, in units of x",
    "restarted": "whether a restart fired at y_k",
    "frozen": "whether the estimate at y_k was refused",
}
BAND_UNITS: Mapping[str, str] = {
    "band_low": "lower edge of the band of the closer look: gaps at k, each as a part of its own initial gap",
    "band_median": "median of the same gaps",
    "band_high": "upper edge of the same band",
}
HASHED = "features and labels after scaling, row by row, little-endian float64"

# A lecture
LECTURE_TITLE = "A lecture with Polyak Explorer"
TIMETABLE_HEAD = ("minutes", "on the screen", "aim")
ON_THE_SCREEN, ON_THE_BOARD = "On the screen", "On the board"
ASKED_BY_YOU = "ask it before the screen shows it"
QUESTION, EXPECTED, WHY, USUAL_WRONG = "Question", "Expected answer", "Why", "Usual wrong answer"
PREDICT_HEADING, ANSWERS_HEADING, NOTATION_HEADING = "Predict first", "Answers", "Notation"
PREDICTIONS_TITLE, ANSWERS_TITLE = "Polyak Explorer: predictions", "Polyak Explorer: answers"
NAME_LINE, BECAUSE_LINE = "Name:", "Because:"
ALL_MEASURED = "Every number was measured when this sheet was made."

# The command that writes a lecture
LECTURE_COMMAND = "Write what a lecturer needs beside the page."
LECTURE_OPTIONS: Mapping[str, str] = {
    "host": "where the page is served, as for make app",
    "port": "its port, as for make app",
    "folder": "where the files go",
    "page": "the lecture as Markdown",
}
READ_FROM_A_FILE = "Read from a file."
ANIMATION_USE = 'Give a link, or its part after "?", and a file: "gamma=5&iterations=500" run.gif'
GREEK = {"μ": "mu", "γ": "gamma", "κ": "kappa", "ₖ": "_k", "₀": "_0", "‖": "|", "−": "-", "·": "*"}
PLAIN_LETTERS = GREEK | dict(zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True))
"""For a font that has few letters."""


def file_needed(data: str) -> str:
    """A link to a picture of data that it does not hold."""
    return f"It does not contain your file: whoever opens it needs {data}."


def foreign_parts(names: str, many: bool) -> str:
    """Parts of an address that mean nothing to the page."""
    what = "are not settings of this page and were" if many else "is not a setting of this page and was"
    return f"In this address {names} {what} left out."


def not_understood(why: str) -> str:
    """An address that cannot be read."""
    return f"This address was not understood: {why}. The page shows its defaults."


def not_run(method: str, why: str) -> str:
    """A method that is chosen and cannot run."""
    return f"{method} is not run: {why}"


def page_title(picture: str) -> str:
    """The title of a page that stands alone."""
    return f"{picture} – {BRAND}"


ON_THE_CARD = "on the card"


def on_the_card(number: int) -> str:
    """Where a question of the lecture stands."""
    return f"{ON_THE_CARD}, number {number} of the hand-out"


def minutes_text(start: int, end: int, length: int | None = None) -> str:
    """When a scene is on the screen."""
    return f"{start} to {end}" if length is None else f"minutes {start} to {end} of {length}"


def guess_line(unit: str, low: str, high: str) -> str:
    """Room for a number."""
    return f"________________ {unit}, a number from {low} to {high}"


def usual_wrong(answer: str, because: str) -> str:
    """The answer that many give, and what it misses."""
    return f"{USUAL_WRONG}: “{answer}” {because}"


def in_both(spans: Iterable[str]) -> str:
    """The minutes of a scene in each lecture that has it; a scene that is in none is for more time."""
    return " and ".join(spans) or "in neither timetable: for an exercise class, or if there is time left"
