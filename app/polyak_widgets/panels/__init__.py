"""From an experiment to the curves, marks, words and the one buffer of a picture."""
