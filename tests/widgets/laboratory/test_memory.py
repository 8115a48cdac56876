"""The process does not grow from problem to problem."""

import subprocess
import sys

PROGRAM = """
import numpy as np, psutil
import polyak_core as pc
from polyak_widgets import Settings
from polyak_widgets.laboratory.experiment import Laboratory
from polyak_widgets.laboratory.upload import from_notebook

laboratory, rng = Laboratory(), np.random.default_rng(1)
settings = Settings(problem="least_squares", data="own", scaling="none")
for _ in range(8):
    data = pc.dataset(rng.normal(size=(20_000, 100)), rng.normal(size=20_000))
    laboratory.problem(laboratory.shelf.settings_of(from_notebook(data), settings))
    del data
    print(psutil.Process().memory_info().rss)
"""
NUMBERS = 8 * 20_000 * 100


def test_memory_stays_where_it_is_after_the_newest_few_problems():
    process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    sizes = [int(line) for line in process.stdout.split()]
    assert sizes[3] - sizes[0] > NUMBERS, "some are remembered"
    assert sizes[7] - sizes[4] < NUMBERS / 2, [size // 10**6 for size in sizes]
