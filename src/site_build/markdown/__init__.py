"""How a page is converted: fences, formulas and an extension of Python-Markdown."""
