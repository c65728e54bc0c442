"""What the site's build needs beside a generator: formulas, sources, notebooks, a font.

Knows nothing of attention. Its folders say when a thing is done, and `mkdocs_hooks` alone knows
the generator.

- `before`: text in, text out. A notebook becomes a page, and a page a notebook and a script.
- `inside`: extensions of Python-Markdown, which other generators read too.
- `after`: a folder of files in, the same folder out.
"""

import os

# The theme announces the end of its support at every build; that is known.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
