"""The page: Explorer as ipywidgets, questions for notebooks, and the page as a folder of files."""
