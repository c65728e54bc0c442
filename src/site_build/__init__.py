"""What the site's build needs beside MkDocs: formulas, sources, notebooks and the math font.

Knows nothing of attention. `mathml` and `source` are extensions of Markdown; `hooks` holds
what only MkDocs' own events can do.
"""

import os

# The theme announces the end of its support at every build; that is known, and why what can be
# is written as an extension of Markdown, which its successor reads too.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
