"""Solvers, estimates and bounds of accelerated gradient methods with Polyak steps."""

__version__ = "0.1.0"
