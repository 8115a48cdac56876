"""Renew constraints.txt: `make constraints` installs the newest anew and writes it down.

Run the tests afterwards, and `make test-newest` before: what is newest need not work.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PINS = ROOT / "constraints.txt"
OLDER = ["jsonschema<4.25"]
"""Not the newest: since 4.25 Jupyter's jsonschema reads 38 grammars at each start, which takes a second."""


def names() -> str:
    """All extras and dependency groups of pyproject.toml, as .make/install.sh takes them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [name for name in project["dependency-groups"] if name != "dev"]
    return "-".join([*project["project"]["optional-dependencies"], *groups])


def pins(freeze: str) -> list[str]:
    """The lines of `pip freeze` in order, with names as the index compares them, without the project."""
    pairs = [line.split("==") for line in freeze.splitlines() if "==" in line]
    normal = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pairs}
    tools = ("pip", "setuptools", "wheel", "uv", "polyak-explorer")
    return [f"{name}=={normal[name]}" for name in sorted(normal) if name not in tools]


def main() -> None:
    """Install, and write down what pip says; what changes is printed."""
    before = PINS.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        venv, older = Path(folder) / "venv", Path(folder) / "older.txt"
        older.write_text("\n".join(OLDER) + "\n", encoding="utf-8")
        subprocess.run(["sh", ".make/new_venv.sh", venv, *sys.argv[1:]], cwd=ROOT, check=True)
        newest = os.environ | {"CONSTRAINTS": str(older)}
        subprocess.run(["sh", ".make/install.sh", venv, names()], cwd=ROOT, env=newest, check=True)
        listing = ["-m", "pip", "freeze", "--exclude-editable"]
        python = venv / "bin" / "python"
        if subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
            subprocess.run([python, "-m", "ensurepip", "--default-pip"], capture_output=True, check=True)
        freeze = subprocess.run([python, *listing], capture_output=True, text=True, check=True).stdout
    lines = pins(freeze)
    PINS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for line in sorted(set(lines) ^ set(before)):
        print("+" if line in lines else "-", line)
    print(f"constraints.txt has {len(lines)} pins")


if __name__ == "__main__":
    main()
