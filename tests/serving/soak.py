"""A class at its work, for as long as one likes: `make soak STUDENTS=40 MINUTES=60`.

Serves the page as `make serve PRESET=class` does. Students come within two minutes; each drags sliders,
changes the problem, reads a story, brings a file, scrolls down to the closer look and up again, leaves and
returns, with pauses to think, until the time is over. Some go without a goodbye, as a tablet does that is
shut. They are pages without a browser (student.py) in this one process, whose own CPU time stands beside
each figure: what it takes, the server does not get. The report goes to the terminal; the exit code says
whether all of it is ok.
"""

import argparse
import asyncio
import os
import platform
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl

import psutil
from server import Served, started
from student import TABLE, Page
from tornado.httpclient import AsyncHTTPClient

COMING = 120.0
"""Seconds within which all students come, where the whole is at least four times as long."""
THINKING = 4.0
"""Seconds between two actions, on average."""
MOVES, PACE = 30, 1 / 30
"""Of a drag."""
GROWTH = 0.05
"""Of the memory from the third quarter to the fourth."""
JUDGED = 10
"""Minutes from which on that says something: before, kernels have not met all problems."""
GOING = 10.0
"""Seconds after culling by which the kernels of those who have gone are back."""
UNSEEN = 20.0
"""Seconds, as in the preset, after which a kernel whose reader does nothing computes what is out of sight."""
FILE = "a,b,y\n" + "\n".join(f"{i},{i * i % 7},{i % 2}" for i in range(60))
PROBLEMS = ("Sonar", "Musk", "Synthetic", "Quadratic")
FIGURES = {
    "ready": "page ready",
    "redraw": "redraw of a drag",
    "settled": "drag settled",
    "problem": "new problem settled",
    "story": "answer of a story",
    "upload": "file shown",
    "closer": "closer look shown",
    "return": "page ready after a return",
}


@dataclass
class Sample:
    """What is there at one moment.

    Attributes:
        at: seconds since the begin.
        memory: bytes of the server and its kernels, with what they share counted once.
        served, students: CPU seconds until now of the server with all kernels that there were, and of this
            process.
    """

    at: float
    present: int
    kernels: int
    memory: int
    served: float
    students: float


@dataclass
class Log:
    """What is measured: by figure, seconds, with the CPU seconds of this process on the page in them.

    Attributes:
        errors: each of what a student did that did not come to its end.
        tracebacks: in the log of the server and its kernels, and how often each is there.
    """

    times: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    tracebacks: Counter[str] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    present: int = 0
    actions: int = 0
    begun: float = field(default_factory=time.monotonic)

    @contextmanager
    def timed(self, name: str, page: Page):
        begun, cpu = time.monotonic(), page.cpu
        yield
        self.times[name].append((time.monotonic() - begun, page.cpu - cpu))


class Student:
    """One who learns."""

    def __init__(self, number: int, address: str, client: AsyncHTTPClient, log: Log) -> None:
        self.random = random.Random(number)
        self.name, self.address, self.client, self.log = f"student {number}", address, client, log
        self.page = Page(address, client)
        self.tables: dict[str, bytes] = {}  # that her browser keeps, by what links call them

    async def learn(self, first: float, end: float) -> None:
        """From coming to going; an error is noted, and the page opened anew."""
        await asyncio.sleep(first)
        self.log.present += 1
        query, has_files = "", False
        actions = [self.drag] * 5 + [self.change_problem] * 2 + [self.read_story, self.bring_file]
        actions += [self.look_closer]
        while time.monotonic() < end:
            doing = "come"
            try:
                await self.come(query, has_files)
                has_files = True
                for _ in range(self.random.randint(6, 12)):
                    await asyncio.sleep(self.random.expovariate(1 / THINKING))
                    if time.monotonic() > end:
                        break
                    action = self.random.choice(actions)
                    doing = action.__name__
                    await action()
                    self.log.actions += 1
                doing, query = "leave", self.page.query
                await self.page.leave(goodbye=self.random.random() > 0.2)
            except Exception as error:
                at = (time.monotonic() - self.log.begun) / 60
                self.log.errors.append(
                    f"{self.name}, minute {at:.1f}, {doing}: {type(error).__name__}: {error}"
                )
                with suppress(Exception):
                    await self.page.leave()
            await asyncio.sleep(self.random.expovariate(1 / THINKING))
        self.log.present -= 1

    async def come(self, query: str, has_files: bool) -> None:
        """Open the page; one who returns finds the picture that she left."""
        self.page = page = Page(self.address, self.client)
        with self.log.timed("return" if query else "ready", page):
            table = self.tables.get(dict(parse_qsl(query)).get("own", ""), b"")
            await page.open(query, files=not has_files, table=table)
            await page.until(lambda: page.state["frame"].get("panels") and page.state["opened"] == query)
        await page.until(lambda: page.settled() and (not query or page.query == query))

    async def drag(self) -> None:
        """Move a slider for a second; each move is answered by the first picture of it or of a later one."""
        page, moved, redraws = self.page, [], []
        name, low, high = self.random.choice((("condition_number", 1, 6), ("gamma", 0.1, 1.5)))
        if page.state["value"]["problem"] != "quadratic":
            name, low, high = "gamma", 0.1, 1.5
        start, step = self.random.uniform(low, high), (high - low) / 10 / MOVES
        with self.log.timed("settled", page):
            for move in range(MOVES):
                value = page.set(**{name: 10 ** (start + move * step)})
                moved.append((time.monotonic(), page.cpu, value[name]))
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.follow(name, moved, redraws), PACE)
            last = time.monotonic()
            await page.until(lambda: page.answers(value))
            self.follow_now(name, moved, redraws)
            await page.until(lambda: page.answers(value) and page.settled())
        self.log.times["redraw"] += redraws
        _, cpu = self.log.times["settled"].pop()
        self.log.times["settled"].append((time.monotonic() - last, cpu))

    async def follow(self, name: str, moved: list, redraws: list) -> None:
        """Note pictures as they come."""
        while True:
            self.follow_now(name, moved, redraws)
            self.page.changed.clear()
            await self.page.changed.wait()

    def follow_now(self, name: str, moved: list, redraws: list) -> None:
        shown = self.page.state["frame"].get("answers", {}).get(name)
        answered = next((i for i, (_, _, value) in enumerate(moved) if value == shown), None)
        if answered is not None:
            redraws += [(time.monotonic() - at, self.page.cpu - cpu) for at, cpu, _ in moved[: answered + 1]]
            del moved[: answered + 1]

    async def change_problem(self) -> None:
        """Choose from the menu that stands on top."""
        page = self.page
        presets = [one for one in page.state["presets"] if one["label"].startswith(PROBLEMS)]
        preset = self.random.choice(presets)
        with self.log.timed("problem", page):
            value = page.set(**preset["values"])
            await page.until(lambda: page.answers(value) and page.settled())

    async def read_story(self) -> None:
        """Open it, think, predict, see the answer, close it."""
        page = self.page
        name = self.random.choice([name for name, _, kind in page.state["stories"] if kind == "question"])
        page.send("story", name=name)
        await page.until(lambda: page.state["story"].get("name") == name)
        await asyncio.sleep(self.random.expovariate(1 / THINKING))
        card = page.state["story"]
        guess = card["options"][0][0] if "options" in card else card["guess"]["min"]
        with self.log.timed("story", page):
            page.send("predict", value=guess)
            await page.until(lambda: page.state["story"].get("stage") == "revealed")
        page.send("leave")
        await page.until(lambda: not page.state["story"])

    async def bring_file(self) -> None:
        """A small table of her own."""
        page = self.page
        content = FILE.replace("a,b", f"a{self.random.randrange(10**6)},b").encode()
        with self.log.timed("upload", page):
            before = page.state["value"].get("own")
            page.send("upload", [content], name=TABLE)
            await page.until(lambda: page.state["value"].get("own") not in ("", before))
            own = page.state["value"]["own"]
            await page.until(lambda: page.answers({"own": own}) and page.settled())
        self.tables[own] = content

    async def look_closer(self) -> None:
        """Scroll down to the closer look, and up again once it is seen; its study may go on for long."""
        page = self.page
        with self.log.timed("closer", page):
            page.send("sight", page=True, third=True)
            await page.until(lambda: "panel" in page.state["third"])
        page.send("sight", page=True, third=False)


# The server


def tree(server: psutil.Process) -> list[psutil.Process]:
    """The server and all below it that run; some end while one looks."""
    running = [server]
    for one in server.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            running += [one] * (one.status() != psutil.STATUS_ZOMBIE)
    return running


def kernels(server: psutil.Process) -> int:
    """Processes that compute for a page: each started anew, or forked from one that is ready."""
    number = 0
    for one in tree(server)[1:]:
        with suppress(psutil.Error):
            forked = "serving.zygote" in " ".join(psutil.Process(one.ppid()).cmdline())
            number += forked or any("ipykernel" in word for word in one.cmdline())
    return number


class Processors:
    """CPU seconds of the server and all below it, also of kernels that have ended, as each last stood.

    Nobody waits for forked kernels, so that what they have used up stands nowhere once they are gone.
    """

    def __init__(self, server: psutil.Process) -> None:
        self.server = server
        self.seconds: dict[psutil.Process, float] = {}

    def look(self) -> float:
        """Take the time of all that run; the sum of all that ever ran."""
        for one in tree(self.server):
            with suppress(psutil.Error):
                times = one.cpu_times()
                self.seconds[one] = times.user + times.system
        return sum(self.seconds.values())


def sample(processors: Processors, log: Log, begun: float) -> Sample:
    """Look at the server now."""
    server, memory = processors.server, 0
    for one in tree(server):
        with suppress(psutil.Error):
            full = one.memory_full_info()
            memory += getattr(full, "pss", full.uss)
    seconds = time.monotonic() - begun
    return Sample(seconds, log.present, kernels(server), memory, processors.look(), time.process_time())


async def watch(server: psutil.Process, log: Log, begun: float, pause: float) -> None:
    """Look now and then, and each second at what will be forgotten when it ends."""
    processors, due = Processors(server), 0.0
    while True:
        await asyncio.to_thread(processors.look)
        if time.monotonic() >= due:
            due = time.monotonic() + pause
            log.samples.append(await asyncio.to_thread(sample, processors, log, begun))
        await asyncio.sleep(1)


# The report


def percentiles(numbers: list[float]) -> tuple[float, float]:
    """The middle, and what 95 of 100 are below."""
    if len(numbers) < 2:
        return numbers[0], numbers[0]
    cuts = statistics.quantiles(numbers, n=20, method="inclusive")
    return statistics.median(numbers), cuts[18]


def verdict(is_ok: bool) -> str:
    return "ok" if is_ok else "**not ok**"


def growth(samples: list[Sample]) -> float:
    """How the mean of the memory changes from the third quarter of the time to the fourth."""
    half = [one for one in samples if one.present and one.at >= samples[-1].at / 2]
    middle = len(half) // 2
    if not middle:
        return float("nan")
    before, after = (statistics.mean(one.memory for one in part) for part in (half[:middle], half[middle:]))
    return after / before - 1


def over_time(samples: list[Sample], rows: int = 12) -> list[str]:
    """A table of so many rows; CPU is what was used since the row before."""
    lines = ["| minute | students | kernels | memory, MB | cores busy: server and kernels | students |"]
    lines.append("|---:|---:|---:|---:|---:|---:|")
    numbers = sorted({round(i * (len(samples) - 1) / rows) for i in range(rows + 1)})
    for earlier, now in pairwise(numbers):
        before, one = samples[earlier], samples[now]
        busy, own = (
            (getattr(one, name) - getattr(before, name)) / (one.at - before.at)
            for name in ("served", "students")
        )
        lines.append(
            f"| {one.at / 60:.1f} | {one.present} | {one.kernels} | {one.memory / 1e6:.0f} "
            f"| {busy:.2f} | {own:.2f} |"
        )
    return lines


def tracebacks(text: str) -> Counter[str]:
    """Each kind of traceback in a log with its error; kinds differ in the lines of code that they came by."""
    ends = r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*.*"
    return Counter(re.findall(ends, text))


def report(log: Log, options: argparse.Namespace, back: float, allowed: float) -> tuple[str, bool]:
    """All figures, and whether all is ok; `back` seconds after the last had gone no kernel was left over."""
    grown = growth(log.samples)
    checks = {
        f"{len(log.errors)} errors in {log.actions} actions": not log.errors,
        f"{log.tracebacks.total()} tracebacks in the log of the server and its kernels": not log.tracebacks,
        f"kernels back {back:.0f} s after the last student had gone; unseen work, culling and {GOING:.0f} s "
        f"are {allowed:.0f} s": back <= allowed,
    }
    memory = f"memory {grown:+.1%} from the third quarter of the time to the fourth"
    if options.minutes >= JUDGED:
        checks[memory] = grown <= GROWTH
    load = ", ".join(f"{one:.1f}" for one in psutil.getloadavg())
    lines = [
        f"`make soak STUDENTS={options.students} MINUTES={options.minutes:g}`: {os.cpu_count()} cores, "
        f"{platform.system()}, Python {platform.python_version()}; load at the end {load}.",
        "",
        "| figure | times | p50, s | p95, s | CPU of the students' process each, ms |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, words in FIGURES.items():
        if times := log.times.get(name):
            middle, high = percentiles([seconds for seconds, _ in times])
            cpu = 1000 * statistics.mean(each for _, each in times)
            lines.append(f"| {words} | {len(times)} | {middle:.2f} | {high:.2f} | {cpu:.0f} |")
    lines += ["", *over_time(log.samples), ""]
    lines += [f"- {words}: {verdict(is_ok)}" for words, is_ok in checks.items()]
    if memory not in checks:
        lines.append(f"- {memory}: judged from {JUDGED} minutes on")
    lines += [f"  - {error}" for error in log.errors[:20]]
    lines += [f"\n{times} times:\n{text}" for text, times in log.tracebacks.most_common()]
    return "\n".join(lines), all(checks.values())


async def until_back(server: psutil.Process, number: int, patience: float) -> float:
    """Seconds until there are no more kernels than so many; infinite if that does not come."""
    begun = time.monotonic()
    while time.monotonic() - begun < patience:
        if await asyncio.to_thread(kernels, server) <= number:
            return time.monotonic() - begun
        await asyncio.sleep(0.2)
    return float("inf")


async def soak(served: Served, server: psutil.Process, options: argparse.Namespace) -> tuple[Log, float]:
    """The students' time, and how long their kernels stay after it."""
    log = Log()
    client = AsyncHTTPClient(force_instance=True, max_clients=10_000, max_body_size=2**28)
    await asyncio.sleep(2)  # whatever the server keeps ready is there
    ready = kernels(server)
    begun = time.monotonic()
    seconds = 60 * options.minutes
    watching = asyncio.create_task(watch(server, log, begun, max(1.0, seconds / 240)))
    gap = min(COMING, seconds / 4) / options.students
    address = f"http://localhost:{served.port}{options.base}"
    students = [Student(number, address, client, log) for number in range(options.students)]
    await asyncio.gather(*(one.learn(i * gap, begun + seconds) for i, one in enumerate(students)))
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    return log, await until_back(server, ready, options.allowed + 30)


def main() -> int:
    """Serve, soak, report; 1 if something is not ok."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument(
        "--idle", type=int, default=60, help="seconds until a kernel without a page is culled"
    )
    options = parser.parse_args()
    options.allowed = UNSEEN + options.idle * 1.1 + GOING
    options.base = os.environ.get("POLYAK_BASE_URL") or "/polyak/"
    settings = {"POLYAK_IDLE_SECONDS": str(options.idle), "POLYAK_UNSEEN_SECONDS": str(UNSEEN)}
    words = ["sh", ".make/serve.sh", str(Path(sys.executable).parent), "class"]
    with (
        tempfile.TemporaryDirectory() as folder,
        started(words, Path(folder), **settings) as served,
    ):
        log, back = asyncio.run(soak(served, psutil.Process(served.pid), options))
        log.tracebacks = tracebacks(served.log)
    text, is_ok = report(log, options, back, options.allowed)
    print(text)
    return 0 if is_ok else 1


if __name__ == "__main__":
    sys.exit(main())
