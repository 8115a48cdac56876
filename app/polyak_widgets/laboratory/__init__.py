"""From settings to problems, data and runs."""
