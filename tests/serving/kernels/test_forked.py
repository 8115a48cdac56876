"""Forked kernels: each is a visitor's own, ends as any other, and outlives the process that it comes from."""

import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
from server import Served, channel, in_a_loop, is_answered, request, serve

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks such a process safely")

CELL = """
import atexit, os, sys
import comm
import numpy as np
print("pid", os.getpid(), "of", os.getppid(), "drew", np.random.random(), "for", os.environ["QUERY_STRING"])
print("warm", "polyak_widgets" in sys.modules, "debugger", bool(sys.modules.get("debugpy")))
print("runs", len(os.listdir("/proc/self/fd")) < 60, os.getpgid(0) == os.getpid(), os.getcwd())
print("session", os.getsid(0))
print("kernel", type(get_ipython().kernel).__name__, "prints to", type(sys.stdout).__name__)
atexit.register(os.write, 2, b"It ends in its own time.")
print("opens", *sorted(comm.get_comm_manager().targets))
"""


SOLVE_ALL = """
import sys
from polyak_widgets import Settings
from polyak_widgets.laboratory.experiment import run_experiment
from polyak_widgets.serving import zygote
from polyak_widgets.settings.choices import PROBLEMS
zygote.warm()
before = set(sys.modules)
for problem in PROBLEMS:
    run_experiment(Settings(problem=problem, iterations=20))
print(*sorted(set(sys.modules) - before))
"""


def visit(served: Served, query: str = "") -> tuple[str, psutil.Process, str]:
    """The page, its kernel, and the cookie that ends it."""
    answer, page = request(served, query)
    return page, psutil.Process(int(re.search(r"pid (\d+)", page)[1])), answer.getheader("Set-Cookie")


def ended(*processes: psutil.Process) -> bool:
    """Whether all are gone in the end, and nobody has to bury them."""
    _, alive = psutil.wait_procs(processes, timeout=20)
    return not alive


def lives(served: Served, page: str) -> bool:
    return in_a_loop(is_answered(f"localhost:{served.port}{channel(page)}", 1000))


def test_forked_kernels_are_each_a_visitor_s_own_and_outlive_the_process_that_they_come_from(tmp_path):
    with serve(tmp_path, [CELL], POLYAK_START="forked") as served:
        first, kernel, cookie = visit(served, "?kappa=1")
        second, other, _ = visit(served, "?kappa=2")
        zygote = kernel.parent()
        assert "polyak_widgets.serving.zygote" in zygote.cmdline()
        assert (other.parent(), other != kernel) == (zygote, True)
        for number, page in enumerate((first, second), 1):
            assert f"for kappa={number}" in page
            assert "warm True debugger False" in page
            assert f"runs True True {tmp_path}" in page
            assert "kernel PageKernel prints to PageOutput" in page, "with few words for each message"
            assert f"session {zygote.pid}\n" in page, "else nice is between the threads of one kernel alone"
            assert "opens jupyter.widget jupyter.widget.control" in page, "all models come at once"
        drawn = [re.search(r"drew (\S+)", page)[1] for page in (first, second)]
        assert drawn[0] != drawn[1], "no two kernels draw the same random numbers"

        token = re.search("_xsrf=([^;]+)", cookie)[1]
        headers = {"Cookie": f"_xsrf={token}", "Content-Type": "application/x-www-form-urlencoded"}
        goodbye = f"voila/api/shutdown/{channel(first).split('/')[3]}"
        assert request(served, goodbye, "POST", f"_xsrf={token}", **headers)[0].status == 204
        assert ended(kernel), "a kernel ends with its page"
        assert "in its own time" not in served.log, "nor does it fall over threads that it still has"
        assert lives(served, second)

        zygote.kill()
        third, fresh, _ = visit(served)
        assert lives(served, second)
        assert "warm False" in third
        server = fresh.parent()
        assert "A kernel is started anew, since none could be forked: the zygote" in served.log
        assert "Traceback" not in served.log
    assert ended(other, fresh, zygote, server), "nothing is left of a server that has ended"


@pytest.mark.faults
def test_nothing_is_left_of_a_server_that_is_killed_and_another_zygote_takes_over(tmp_path):
    with serve(tmp_path, [CELL], POLYAK_START="forked") as served:
        _, kernel, _ = visit(served)
        zygote = kernel.parent()
        zygote.kill()
        time.sleep(61)
        _, fresh, _ = visit(served)
        _, forked, _ = visit(served)
        assert "zygote" in " ".join(forked.parent().cmdline())
        os.kill(fresh.parent().pid, signal.SIGKILL)
        assert ended(kernel, fresh, forked, zygote, forked.parent() or zygote)


def test_what_the_problems_need_is_loaded_once_for_all_kernels():
    """Each kernel would take a quarter of a second and 17 MB for it."""
    run = subprocess.run([sys.executable, "-c", SOLVE_ALL], capture_output=True, text=True, check=True)
    loaded = [name for name in run.stdout.split() if not name.startswith("encodings.")]
    assert loaded == []
