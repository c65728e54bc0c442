"""Formulas that run: their LaTeX is read, computed with the tensors of the page, and compared."""
