"""Build the conda package from the sdist, with py-rattler-build and hatchling: `python conda/build.py`.

What it needs comes from conda-forge. Where that cannot be reached, `--stand-ins` makes a channel in which a
virtual environment of this Python, with pip and hatchling, stands in for three packages of conda-forge; the
recipe is then built the same, and only its tests, which need all other packages, are left out.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from rattler_build import EnvironmentIsolation, Package, Stage0Recipe, ToolConfiguration

ROOT = Path(__file__).resolve().parents[1]
RECIPE = ROOT / "conda" / "recipe.yaml"
TEMPLATE = "share/jupyter/voila/templates/polyak"
STAND_IN = """
schema_version: 1
package: {{name: {name}, version: "{version}"}}
build: {{number: 0, script: [{script}]}}
requirements: {{run: [{run}]}}
about: {{summary: Stands in for a package of conda-forge.}}
"""


def pack() -> None:
    """The sdist that the recipe names."""
    pack = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", "dist"]
    subprocess.run(pack, cwd=ROOT, check=True)


def stand_ins(channel: Path) -> None:
    """A channel with python, pip and hatchling alone, which are this Python's."""
    version = ".".join(map(str, sys.version_info[:3]))
    pip = "env -u PIP_NO_INDEX -u PIP_NO_DEPENDENCIES $PREFIX/bin/python -m pip"  # a build may ask no index
    fill = f'"{sys.executable} -m venv --copies $PREFIX", "{pip} install --quiet hatchling"'
    for name, number, script, run in (
        ("python", version, fill, ""),
        ("pip", "25.1", '"true"', "python"),
        ("hatchling", "1.27", '"true"', "python"),
    ):
        text = STAND_IN.format(name=name, version=number, script=script, run=run)
        Stage0Recipe.from_yaml(text).run_build(
            output_dir=channel,
            channels=[channel.as_uri()],
            tool_config=ToolConfiguration(test_strategy="skip"),
            env_isolation=EnvironmentIsolation.NONE,  # pip asks the index of this machine
        )


def main() -> None:
    """Build, and say where the package is."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "conda")
    parser.add_argument("--stand-ins", action="store_true", help="where conda-forge cannot be reached")
    options = parser.parse_args()
    pack()
    channels, strategy = ["conda-forge"], "native"
    if options.stand_ins:
        channel = options.output.resolve() / "stand-ins"
        shutil.rmtree(channel, ignore_errors=True)
        channel.mkdir(parents=True)
        stand_ins(channel)
        channels, strategy = [channel.as_uri()], "skip"
    results = Stage0Recipe.from_file(RECIPE).run_build(
        output_dir=options.output, channels=channels, tool_config=ToolConfiguration(test_strategy=strategy)
    )
    for path in (path for result in results for path in result.packages):
        files = set(map(str, Package.from_file(path).files))
        expected = {"site-packages/polyak_widgets/shipped/app/explore.ipynb", f"{TEMPLATE}/index.html.j2"}
        assert expected <= files, sorted(expected - files)
        print(f"{path}: {len(files)} files")


if __name__ == "__main__":
    main()
