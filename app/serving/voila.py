"""Settings for serving the page, read by `voila app/explore.ipynb --Voila.config_file_paths=app/serving`.

HOST (localhost unless set) and PORT (8866) come from the environment, and so do the limits of each run of a
visitor: POLYAK_SECONDS (20) and POLYAK_MEGABYTES (500). Voila's own options win over this file. Meant for one
machine or a trusted room: a public server also needs a proxy with a fixed server name, limits on memory and
processes, and shorter culling.
"""

from polyak_widgets.serving.settings import configure

configure(get_config())
