"""deploy/versions repeats what pip and pip-audit say, here made up, and says where they cannot be asked."""

import json
import os
import subprocess
import sys

import pytest
from server import ROOT

NEWER = [
    {"name": "Voila", "version": "0", "latest_version": "99.1"},
    {"name": "of_nobody", "latest_version": "2"},
]
HOLE = {"id": "CVE-2024-30265", "fix_versions": ["0.5.6"]}


def report(folder, newer=None, audit=None):
    """Exit code and words, where the two say this; what says nothing fails."""
    for module, answer in (("pip", newer), ("pip_audit", audit)):
        place = folder / module
        place.mkdir()
        (place / "__init__.py").touch()
        program = f"print({json.dumps(answer)!r})" if answer is not None else "raise SystemExit('no network')"
        (place / "__main__.py").write_text(program)
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "deploy/versions"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def audited(*holes, skipped=()):
    packages = [{"name": "voila", "version": "0.5.5", "vulns": list(holes)}]
    return {"dependencies": [*packages, *({"name": name, "skip_reason": "no data"} for name in skipped)]}


def test_what_is_newer_and_what_is_vulnerable_is_listed(tmp_path):
    code, words = report(tmp_path, NEWER, audited(HOLE))
    assert code == 1
    assert "1 of " in words
    assert ": 99.1\n" in words
    assert "of_nobody" not in words, "it is not pinned"
    assert "  voila 0.5.5: CVE-2024-30265, mended in 0.5.6\n" in words


def test_nothing_wrong_is_nothing_wrong(tmp_path):
    code, words = report(tmp_path, [], audited(skipped=["tqdm"]))
    assert code == 0
    assert "0 known vulnerabilities in 1 pinned packages.\nOf these nothing could be learnt: tqdm." in words


@pytest.mark.parametrize("audit", [None, {"dependencies": [{"name": "tqdm", "skip_reason": "no data"}]}])
def test_what_could_not_be_learnt_is_not_called_good(tmp_path, audit):
    code, words = report(tmp_path, None, audit)
    assert code == 2
    assert "pip could not be asked: no network" in words
    assert "Whether something is vulnerable could not be learnt" in words
    assert audit is None or "none of the 1 pinned packages" in words
    assert audit is None or words.endswith("The first answer was: no data.\n")
