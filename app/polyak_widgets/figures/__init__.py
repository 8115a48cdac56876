"""The panels as plain plotly figures, for notebooks."""
