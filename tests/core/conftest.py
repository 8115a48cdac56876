"""Hypothesis settings for the core: no deadlines (machines differ), the same examples each time."""

from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize=True, max_examples=40, database=None)
settings.load_profile("core")
