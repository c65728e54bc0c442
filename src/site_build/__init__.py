"""The site's build, beside its generator: formulas, sources, notebooks, a font.

Of attention it knows only what the scripts of `stage` compute. Its folders say
what a thing makes, and `mkdocs_hooks` alone knows the generator.

- `page`: what stands around a page (stamp, step number, map), and a notebook as Markdown.
- `markdown`: how a page is converted. Fences, formulas and an extension of Python-Markdown, which
  other generators read too.
- `dialect`: what of a fence the example checks compare.
- `downloads`: a page as a notebook and as a script.
- `search`: a page as the search shows it, and the index.
- `publishing`, `policy`: what a site needs that is published.
- `theme`: templates, styles and scripts.

A page is built in this order: a notebook becomes Markdown (`page.from_notebook`), and Markdown
HTML (`markdown`), the search reads it as sentences (`search.text`), what stands around it is made
(`page.context`), and the theme adds its templates.
"""

import os

# The theme announces the end of its support at every build; that is known.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
