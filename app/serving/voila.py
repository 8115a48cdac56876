"""Settings for serving the page, read by `voila app/explore.ipynb --Voila.config_file_paths=app/serving`.

What may differ between servers comes from the environment, so that a preset is a file of variables, such as
deploy/class.env: HOST (localhost unless set), PORT (8866), and those that start with POLYAK_, which
app/polyak_widgets/serving/environment.py lists. Voila's own options win over this file.
"""

from polyak_widgets.serving.settings import configure

configure(get_config())
