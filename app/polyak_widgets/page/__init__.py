"""The page as ipywidgets: Explorer with its two widgets, and the questions of notebooks."""
