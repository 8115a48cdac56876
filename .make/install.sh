#!/bin/sh
# Install this checkout into a virtual environment, as constraints.txt pins it:  sh .make/install.sh FOLDER EXTRAS
# EXTRAS are names of pyproject.toml joined by "-": app-lab stands for [app,lab]. uv does it where it is there, pip else.
venv=$1
extras=$(echo "$2" | tr - ,)

echo "Installing this checkout with [$extras] into $venv"
if command -v uv >/dev/null 2>&1 &&
  uv pip install --quiet --python "$venv/bin/python" --constraint constraints.txt --editable ".[$extras]"; then
  exit 0
fi
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  "$venv/bin/python" -m ensurepip --default-pip >/dev/null || exit 1
fi
exec "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  --constraint constraints.txt --editable ".[$extras]"
