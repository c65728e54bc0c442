"""What the site's build needs beside a generator: formulas, sources, notebooks, a font.

Of attention it knows only the lab, the calculator and the figures `flow`, `shapes` and `tiles`. Its
folders say what a thing works on, and `mkdocs_hooks` alone knows the generator.

- `before`: sources. A notebook becomes a page, and a page a notebook and a script.
- `inside`: a page in the generator. Fences and an extension of Python-Markdown, which other
  generators read too.
- `after`: the finished site, a folder of files.

A page is built in this order: a notebook becomes Markdown (`before.from_notebook`), and Markdown
HTML (`inside`), the search reads it as sentences (`inside.search_text`), what stands around it is
made (`before.pages`), the theme adds its templates (`theme`), and all pages together are finished
(`after.finish`).
"""

import os

# The theme announces the end of its support at every build; that is known.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
