"""Tests of the package: against other implementations, properties, and bad input."""
