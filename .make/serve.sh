#!/bin/sh
# Serve the page as a preset says:  sh .make/serve.sh FOLDER/bin PRESET [options of Voila]
# A preset is a file deploy/PRESET.env of lines NAME=VALUE. A variable that is already set wins.
bin=$1
preset=deploy/$2.env
shift 2
if [ ! -f "$preset" ]; then
  echo "There is no $preset: choose PRESET=class or PRESET=public." >&2
  exit 1
fi
while IFS='=' read -r name value; do
  case $name in
    '' | '#'*) ;;
    *) eval "[ -n \"\${$name:-}\" ] || { $name=\$value; export $name; }" ;;
  esac
done < "$preset"
exec "$bin/voila" app/explore.ipynb --no-browser --Voila.config_file_paths=app/serving "$@"
