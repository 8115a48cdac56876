"""Hunt for inputs that break a property of the core: `make hunt`, or `make hunt HUNT_SECONDS=60`.

`make test` tries the same few examples of each property every time. This tries new ones, round after round,
and stops at the first that fails, which Hypothesis prints with the lines that repeat it.
"""

import argparse
import secrets
import subprocess
import sys
import time

FLAGS = ("-q", "-x", "-p", "no:cacheprovider", "-m", "hypothesis", "--hypothesis-profile=hunt")
TESTS = ("tests/core",)


def main() -> int:
    """Round after round until the time is used up; 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no round after so long")
    parser.add_argument("tests", nargs="*", default=TESTS, help="files or folders instead of tests/core")
    arguments = parser.parse_args()
    start, rounds = time.monotonic(), 0
    while time.monotonic() - start < arguments.seconds:
        seed = f"--hypothesis-seed={secrets.randbelow(2**32)}"
        command = [sys.executable, "-m", "pytest", *FLAGS, seed, *arguments.tests]
        if subprocess.run(command, check=False).returncode:
            return 1
        rounds += 1
    print(f"{rounds} rounds in {time.monotonic() - start:.0f} s without a finding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
