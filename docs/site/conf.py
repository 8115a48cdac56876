"""How Sphinx makes the site of the texts that make_site.py has written; read with `make docs`."""

import polyak_core

project = "Polyak Explorer"
author = "The Polyak Explorer contributors"
copyright = author
version = release = polyak_core.__version__

extensions = ["myst_parser"]
myst_heading_anchors = 4
root_doc = "index"

html_theme = "furo"  # light and dark, readable on a phone, and no file from another server
html_title = f"Polyak Explorer {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_use_index = False
highlight_language = "text"  # of blocks that name none, such as lines for a shell
pygments_style = "tango"
pygments_dark_style = "github-dark"
nitpicky = True
