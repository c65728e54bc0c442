"""Tests of the example checks."""
