"""``python -m polyak_core`` prints a report that people can read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import polyak_core as pc
from polyak_core.__main__ import main

pytestmark = pytest.mark.slow  # processes are started


def test_the_report(capsys):
    assert main(["sonar", "lasso", "--method", "adapt_apg_v2", "fista", "--iterations", "700"]) == 0
    printed = capsys.readouterr().out
    problem = pc.paper_problem("sonar", "lasso")
    assert problem.describe() in printed
    assert f"f* = {problem.f_star:.17g}" in printed
    lines = printed.splitlines()
    heading = next(i for i, line in enumerate(lines) if line.startswith("method"))
    for line, method in zip(lines[heading + 1 :], ["adapt_apg_v2", "fista"], strict=False):
        trace = pc.solve(problem, method, 700)
        cells = line.split()
        assert cells[:4] == [method, *(str(trace.first_below(p) or "-") for p in (1e-3, 1e-6, 1e-10))]
        assert cells[4:6] == ["700", f"{trace.gap[-1]:.1e}"]
        assert line.endswith(str(trace.outcome))
        assert f"{method}: {trace.message}" in lines


def test_a_target_and_matrix_completion(capsys):
    assert main(["matrix_completion", "--method", "nag_free", "--target", "0.1", "--iterations", "50"]) == 0
    assert "target reached" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sonar"], "least_squares"),
        (["sonar", "ridge"], "ridge"),
        (["sonar", "lasso", "--method", "newton"], "'newton' is unknown"),
        (["sonar", "lasso", "--iterations", "0"], "iterations = 0"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, words, capsys):
    assert main(arguments) == 2
    complaint = capsys.readouterr().err
    assert words in complaint
    assert complaint.startswith("error: ")
    assert complaint.count("\n") == 1


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "polyak_core", "sonar", "lasso", "--iterations", "10"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "adapt_apg_v2: Stopped at iteration 10" in run.stdout
    assert run.stderr == ""


COMMAND = [sys.executable, "-m", "polyak_core", "sonar", "lasso", "--iterations", "10"]


def run_into(stdout):
    run = subprocess.run(COMMAND, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    return run.returncode, run.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is a device of Linux")
def test_a_full_disk_is_said_in_one_line():
    with Path("/dev/full").open("w") as full:
        assert run_into(full) == (1, "error: the report cannot be written: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_reader_who_left_hears_nothing():
    reader, writer = os.pipe()
    os.close(reader)
    assert run_into(writer) == (141, "")
    os.close(writer)


def test_an_interrupt_is_one_word(monkeypatch, capsys):
    def interrupted(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(pc, "solve", interrupted)
    assert main(["sonar", "lasso"]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")
