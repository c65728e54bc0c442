"""Minifies the site's own scripts: their comments would be 2 of the 100 KB of a page.

The theme's scripts have none.
"""

from pathlib import Path

from rjsmin import jsmin


def minify_scripts(site: Path) -> None:
    """Drop the comments and indents of the site's own scripts."""
    scripts = [path for path in site.rglob("*.js") if "javascripts" not in path.parts]
    if not scripts:
        raise ValueError("the site has no script of its own")
    for script in scripts:
        script.write_text(jsmin(script.read_text("utf-8")), "utf-8")
