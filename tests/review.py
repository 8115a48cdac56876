"""Ask sp-repo-review what it finds, and compare: `make review`.

Each check that fails must have its reason in the table of CONTRIBUTING.md, and the table no other.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def failing_checks() -> dict[str, str]:
    """The checks that fail, and what each is."""
    command = [sys.executable, "-m", "repo_review", "--format", "json", str(ROOT)]
    report = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    checks = json.loads(report)["checks"]
    assert len(checks) > 20, "the checks of scientific Python are not installed"
    return {name: check["description"] for name, check in checks.items() if check["result"] is False}


def reasons() -> set[str]:
    """The checks that the table gives a reason for."""
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Conventions")[1]
    rows = re.findall(r"^\| ([A-Z]+\d{3}(?:, [A-Z]+\d{3})*) \|", table, re.MULTILINE)
    return {name for row in rows for name in row.split(", ")}


def main() -> int:
    """Print what differs; the number of differences is the answer."""
    failing, explained = failing_checks(), reasons()
    for name in sorted(failing):
        print(
            f"{name} {failing[name]}: {'red, see CONTRIBUTING.md' if name in explained else 'RED, NO REASON'}"
        )
    for name in sorted(explained - set(failing)):
        print(f"{name} is no longer red: take its row out of CONTRIBUTING.md")
    return len(set(failing) ^ explained)


if __name__ == "__main__":
    sys.exit(main())
