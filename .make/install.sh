#!/bin/sh
# Install this checkout into a virtual environment, as constraints.txt pins it:  sh .make/install.sh FOLDER NAMES
# NAMES are extras and dependency groups of pyproject.toml joined by "-": app-lab-test stands for [app,lab] and the group
# test; CONSTRAINTS names another file of pins. uv does it where it is there, pip else.
venv=$1
extras=
groups=
for name in $(echo "$2" | tr - ' '); do
  case $name in
    test | bench | docs | review) groups="$groups --group $name" ;;
    *) extras="$extras,$name" ;;
  esac
done
extras=${extras:+[${extras#,}]}

echo "Installing this checkout with $extras$groups into $venv"
# shellcheck disable=SC2086  # the words of $groups are arguments of their own
if command -v uv >/dev/null 2>&1 &&
  uv pip install --quiet --python "$venv/bin/python" --constraint "${CONSTRAINTS:-constraints.txt}" $groups --editable ".$extras"; then
  exit 0
fi
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  "$venv/bin/python" -m ensurepip --default-pip >/dev/null || exit 1
fi
if [ "$groups" ] && ! "$venv/bin/python" -m pip install --help | grep -q -e --group; then
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "pip>=25.1" || exit 1
fi
# shellcheck disable=SC2086
exec "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  --constraint "${CONSTRAINTS:-constraints.txt}" $groups --editable ".$extras"
