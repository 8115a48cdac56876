"""Work that takes time: its progress, its cancel, its budget, and the threads it may lie in."""
