"""Figures in the reader's hands."""
