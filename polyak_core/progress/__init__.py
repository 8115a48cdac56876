"""Work that takes time: its progress, how to cancel it, its budget, and its threads."""
