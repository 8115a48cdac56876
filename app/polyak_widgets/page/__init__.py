"""The page as ipywidgets: Explorer and its two widgets."""
