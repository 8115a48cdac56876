"""The soak of `make soak`, small; and what its report says of a class that did not go well."""

import subprocess
import sys
from argparse import Namespace

import pytest
from server import ROOT
from soak import Log, Sample, growth, percentiles, report, tracebacks

FIRST = """Traceback (most recent call last):
  File "kernel.py", line 7, in end
    close(5)
    ^^^^^^^^
OSError: Bad file descriptor"""
LOG = "\n".join(["It begins.", FIRST, "It goes on.", FIRST, FIRST.replace("line 7", "line 8"), "It ends."])
TOLD = Namespace(students=2, minutes=60, idle=60)


def samples(*memory: float) -> list[Sample]:
    return [Sample(60.0 * i, 2, 2, round(1e6 * one), i * 30.0, i * 1.0) for i, one in enumerate(memory)]


def test_percentiles_and_growth():
    assert percentiles([float(number) for number in range(101)]) == (50.0, 95.0)
    assert percentiles([3.0]) == (3.0, 3.0)
    assert growth(samples(10, 50, 90, 100, 100, 100, 110, 110)) == pytest.approx(0.1)


def test_a_class_that_goes_well_is_ok_and_each_fault_is_not():
    def judged(
        memory: float = 100, errors: tuple[str, ...] = (), back: float = 70, server: str = ""
    ) -> tuple[str, bool]:
        log = Log(errors=list(errors), samples=samples(*[100] * 10, *[memory] * 3), actions=9)
        log.tracebacks = tracebacks(server)
        log.times["redraw"] += [(0.1, 0.001), (0.3, 0.003)]
        return report(log, TOLD, back, allowed=76)

    text, is_ok = judged()
    assert is_ok
    assert "| redraw of a drag | 2 | 0.20 | 0.29 | 2 |" in text
    faults = ({"memory": 120}, {"errors": ("student 1: the line is cut",)}, {"back": 77}, {"server": LOG})
    for fault in faults:
        text, is_ok = judged(**fault)
        assert not is_ok
        assert text.count("not ok") == 1


def test_each_kind_of_traceback_is_shown_once_with_its_number():
    kinds = tracebacks(LOG)
    assert dict(kinds) == {FIRST: 2, FIRST.replace("line 7", "line 8"): 1}
    log = Log(samples=samples(100, 100), tracebacks=kinds)
    text, _ = report(log, TOLD, 1, 1)
    assert "3 tracebacks in the log" in text
    assert (text.count("line 7"), text.count("line 8")) == (1, 1)


@pytest.mark.faults
def test_six_students_for_a_minute():
    command = [sys.executable, "tests/serving/soak.py", "--students=6", "--minutes=1", "--idle=30"]
    soak = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(soak.stdout)
    assert soak.returncode == 0, soak.stdout + soak.stderr
    assert "0 errors" in soak.stdout
