#!/bin/sh
# Make a virtual environment with Python 3.11 or newer:  sh .make/new_venv.sh FOLDER [PYTHON]
# PYTHON is tried first, then the usual names on PATH; uv, where it is there, can fetch one.
venv=$1
wanted=$2

if ! [ "$venv" ]; then
  echo "Name the folder: sh .make/new_venv.sh .venv" >&2
  exit 1
fi

new_enough='import sys; raise SystemExit(sys.version_info < (3, 11))'
python=
for name in $wanted python3 python3.14 python3.13 python3.12 python3.11 python; do
  if "$name" -c "$new_enough" >/dev/null 2>&1; then
    python=$name
    break
  fi
done

rm -rf "$venv"
if command -v uv >/dev/null 2>&1 && uv venv --quiet --python "${python:->=3.11}" "$venv"; then
  exit 0
fi
if ! [ "$python" ]; then
  echo "Polyak Explorer needs Python 3.11 or newer, and none is on PATH. Install one (for instance from your" \
    "system's packages), or name it: make app PYTHON=/path/to/python3." >&2
  exit 1
fi
if "$python" -m venv "$venv"; then
  exit 0
fi
rm -rf "$venv"
echo "$python cannot make a virtual environment: on Debian and Ubuntu install python3-venv, then try again." >&2
exit 1
