"""What the site's build needs beside MkDocs: formulas, sources, notebooks and the math font.

Knows nothing of attention. `mathml` and `source` are extensions of Markdown; `hooks` holds
what only MkDocs' own events can do.
"""
