"""Run tests/core as on other processors, and without a wide longdouble: `make test-processors`.

NumPy and OpenBLAS choose their loops by what the processor can do, and round differently in each. So a
machine with newer instructions can be told to act as an older one, each library for itself; the other way
round is not possible, and what is left out is said. Tests marked `slow` are left out, and those on Madelon.
"""

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

LEVELS = ("SSE4.2", "AVX2", "AVX-512")
CORES = dict(zip(LEVELS, ("Nehalem", "Haswell", "SkylakeX"), strict=True))
"""What OpenBLAS calls a processor of each level."""
WANTED = (
    ("AVX2", "AVX2"),
    ("SSE4.2", "SSE4.2"),
    ("AVX-512", "AVX2"),
    ("AVX2", "AVX-512"),
    ("AVX2", "SSE4.2"),
    ("SSE4.2", "AVX2"),
)
"""Levels of NumPy and of OpenBLAS."""
ENOUGH = 3
FLAGS = (
    "-q",
    "-m",
    "not slow and not madelon",
    "--dist=worksteal",
    "--numprocesses=logical",
    "--maxprocesses=4",
)


class Pass(NamedTuple):
    """One run of the tests."""

    name: str
    environment: dict[str, str]


def level_of(feature: str) -> str:
    """The level that brings an instruction set, as NumPy calls it."""
    if feature.startswith("AVX512") or feature == "X86_V4":
        return "AVX-512"
    return "AVX2" if feature in ("X86_V3", "AVX", "AVX2", "F16C", "FMA3", "FMA4", "XOP") else "SSE4.2"


def passes() -> tuple[list[Pass], list[str]]:
    """What to run here, and what is left out and why."""
    run: list[Pass] = []
    left_out: list[str] = []
    own = own_level()
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    for numpy_level, blas_level in WANTED:
        name = f"NumPy with {numpy_level}, OpenBLAS with {blas_level}"
        why = ""
        if own is None:
            why = "not a processor of this kind"
        elif "openblas" not in blas.lower():
            why = f"NumPy works with {blas}"
        elif max(map(LEVELS.index, (numpy_level, blas_level))) > LEVELS.index(own):
            why = f"the processor has no more than {own}"
        elif numpy_level == blas_level == own:
            why = "that is the machine's own choice, which `make test` runs"
        elif len(run) == ENOUGH:
            why = f"{ENOUGH} are enough"
        if why:
            left_out.append(f"{name}: {why}")
            continue
        newer = LEVELS[LEVELS.index(numpy_level) + 1 :]
        features = [name for name in __cpu_dispatch__ if __cpu_features__[name] and level_of(name) in newer]
        run.append(
            Pass(
                name, {"NPY_DISABLE_CPU_FEATURES": " ".join(features), "OPENBLAS_CORETYPE": CORES[blas_level]}
            )
        )
    run.append(Pass("longdouble no wider than double", {"POLYAK_EXTENDED": "double"}))
    return run, left_out


def own_level() -> str | None:
    """The newest level that this processor has."""
    for level, feature in (("AVX-512", "AVX512_SKX"), ("AVX2", "AVX2"), ("SSE4.2", "SSE42")):
        if __cpu_features__.get(feature):
            return level
    return None


def main(arguments: list[str]) -> int:
    """Run all; arguments replace tests/core. The number of passes that failed is the answer."""
    run, left_out = passes()
    for line in left_out:
        print(f"Left out: {line}.")
    failed = []
    for each in run:
        print(
            f"Tests with {each.name}: {' '.join('='.join(pair) for pair in each.environment.items())}",
            flush=True,
        )
        command = [sys.executable, "-m", "pytest", *FLAGS, *(arguments or ["tests/core"])]
        if subprocess.run(command, env={**os.environ, **each.environment}, check=False).returncode:
            failed.append(each.name)
    for name in failed:
        print(f"FAILED with {name}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
