"""The site's own scripts without comments and indents; the theme's have none."""

from pathlib import Path

from rjsmin import jsmin


def minify(site: Path) -> None:
    """Make the scripts of a built site smaller."""
    scripts = [path for path in site.rglob("*.js") if "javascripts" not in path.parts]
    if not scripts:
        raise ValueError("the site has no script of its own")
    for script in scripts:
        script.write_text(jsmin(script.read_text("utf-8")), "utf-8")
