"""Stories that a lecturer tells: settings, a question, and answers taken from the runs."""
