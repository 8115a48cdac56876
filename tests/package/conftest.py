"""What is packed of this checkout, once for all tests of it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def packed(tmp_path_factory):
    """A folder with a wheel and an sdist of this checkout."""
    folder = tmp_path_factory.mktemp("packed")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True)
    return folder
