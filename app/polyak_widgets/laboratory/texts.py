"""What is said of data, of budgets and of what cannot run; numbers come as text."""

from __future__ import annotations

# Data of one's own
FILE, SHAPE, LABELS, CONSTANT, ZERO = "File", "Shape", "Labels", "Constant", "Zero"
NOT_FINITE, NONE, READ = "NaN, infinite", "none", "Read"
NO_COLUMN = "no column"
NO_NAME = "file"
NOT_WORKED_OUT = "not worked out, too large"
NO_CONDITION, INFINITE = "none", "∞"
OUT_OF_SCALE = "numbers out of scale"
ALL_ZERO = "all features are 0"
NO_FILE = "You have not uploaded a file yet: choose one, or choose another data set."
LOST_FILE = "This page does not have this file: upload it, or choose another data set."
ANY_SIZE = "In a notebook Explorer(data=pc.load_dataset(path, scaling='none')) takes data of any size."

# The paper's data sets
NOT_HERE = "not on this server"
UNFETCHED = "Madelon is not on this machine, and fetching it has failed."

# Budgets
LARGER_BUDGET = "In a notebook Explorer(budget=Budget(...)) allows more."
FEWER_UNKNOWNS = "fewer unknowns"
FEWER_KERNEL_ROWS = "fewer rows, or the linear kernel"
FEWER_NUMBERS = "fewer rows or fewer features"

# Methods
NEEDS_MU = "for μ > 0 only, and here μ = 0."


def columns_text(count: int, written: str) -> str:
    """How many columns."""
    return f"{written} column{'' if count == 1 else 's'}" if count else NO_COLUMN


def column_number(number: int) -> str:
    """A column without a name."""
    return f"column {number}"


def shape_text(rows: str, features: str, stored: str = "") -> str:
    """The shape of a matrix, and how many of its entries are stored where it is sparse."""
    return f"{rows} rows × {features} features" + (f", {stored} not zero" if stored else "")


def two_labels(minus: str, plus: str) -> str:
    """How many labels are of which class."""
    return f"{minus} are −1, {plus} are +1"


def same_labels(value: str) -> str:
    """All labels are the same."""
    return f"all are {value}"


def many_labels(kinds: str, low: str, high: str) -> str:
    """Labels that are numbers."""
    return f"{kinds} values from {low} to {high}: for least squares and LASSO"


def low_rank(rank: int, columns: int, ratio: str) -> str:
    """Why the condition number of a matrix is infinite."""
    return f"rank {rank} of {columns}; {ratio} within it"


def numbered_rows(column: str) -> str:
    """A column that seems to number the rows."""
    return f"{column} has a different whole number in each row: leave it out if it only numbers the rows"


def classes_text(kinds: int, written: str) -> str:
    """How many classes."""
    return "one class" if kinds == 1 else f"{written} classes"


def too_much_memory(needed: str, allowed: str) -> str:
    """What is needed and what is allowed."""
    return f"about {needed} MB, and {allowed} MB are allowed here"


def search_left(seconds: str) -> str:
    """The search for x* was left."""
    return (
        f"The search for x* and f* has used up its {seconds} seconds; the picture shown is the previous one. "
        f"Take a smaller problem. {LARGER_BUDGET}"
    )


def closer_look_left(seconds: str) -> str:
    """The study beside the methods was left."""
    return (
        f"The closer look was stopped at the limit of {seconds} seconds of processor time for a picture. "
        f"{LARGER_BUDGET}"
    )


def only_for(kinds: str) -> str:
    """What a method can solve."""
    return f"for {kinds} only."
