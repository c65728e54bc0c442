"""Draws a figure as it stands in a page, with the script that draws it for a reader."""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from site_build.learn.world import world

BROWSERS = ["chromium-headless-shell", "chromium", "google-chrome"]
ASSETS = Path(__file__).parents[1] / "theme" / "assets"
NUMBERS = Path(__file__).parents[2] / "attention_story" / "numbers.json"
PAGE = """<!doctype html>
<meta charset="utf-8">
<body>
<script type="module">
  import {{ written }} from "{hands}/hand.js";
  import specOf from "{hands}/{name}/{name}.js";
  document.body.innerHTML = `<main>${{await written("{name}", specOf, {numbers})}}</main>`;
</script>
"""
PATIENCE = 5000  # milliseconds of the browser's own time
DRAWN = re.compile(r"<body>\s*<main>(.*)</main>", re.DOTALL)

UNCAUGHT = re.compile(r'"Uncaught (?:\(in promise\) )?(.*)", source: \S*/(.*)')


def browser() -> str | None:
    """Return the path of a browser, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def draw_figure(name: str, numbers: dict[str, Any]) -> str:
    """Return the HTML of a figure, in the state that explains most.

    Args:
        name: Of its folder in theme/assets/hands.
        numbers: What its script takes from the page.

    Raises:
        ValueError: If its script cannot draw it.
    """
    chromium = browser()
    assert chromium is not None, "the caller has looked for it"
    if not (ASSETS / "hands" / name / f"{name}.js").is_file():
        raise ValueError(f'there is no figure "{name}" in theme/assets/hands')
    with tempfile.TemporaryDirectory() as folder:
        copied = shutil.copytree(ASSETS, Path(folder) / "assets")
        shutil.copy(NUMBERS, copied / "model" / "numbers.json")
        (copied / "training" / "world.json").write_text(world(), "utf-8")
        page, hands = Path(folder) / "page.html", (copied / "hands").as_uri()
        page.write_text(PAGE.format(hands=hands, name=name, numbers=json.dumps(numbers)), "utf-8")
        options = ["--no-sandbox", "--allow-file-access-from-files", "--enable-logging=stderr"]
        options.append(f"--virtual-time-budget={PATIENCE}")  # a script may fetch first
        ran = subprocess.run(
            [chromium, *options, "--dump-dom", page.as_uri()],
            capture_output=True,
            text=True,
            check=True,
        )
    found = DRAWN.search(ran.stdout)
    if not found:
        told = UNCAUGHT.search(ran.stderr)
        why = f"{told[1]}, in {told[2]}" if told else ran.stderr
        raise ValueError(f'the script of "{name}" fails: {why}')
    return re.sub("(?<=>)(?=<[^/])", "\n", found[1].strip()) + "\n"
