"""The paper's data sets, and people's own files and tables."""
