"""The two large charts: their curves, lines of theory, marks, formulas and captions."""
