"""Tests of what the copy buttons give."""
