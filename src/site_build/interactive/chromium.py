"""Draws a figure as it stands in a page, with the script that draws it for a reader."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from site_build.stage import Staged
from site_build.training_demo.world import generated

# The first of these that is installed: the shell opens a page in a third of the time. The variable
# CHROMIUM of the environment names another.
BROWSERS = ["chromium-headless-shell", "chromium", "google-chrome", "chromium-browser"]
NAMED = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else BROWSERS
MISSING = f"no browser: install Chromium; {', '.join(NAMED)} was looked for"
ASSETS = Path(__file__).parents[1] / "theme" / "assets"
PAGE = """<!doctype html>
<meta charset="utf-8">
<body>
<script type="module">
{script}
</script>
"""
FIGURE = """
  import {{ written }} from "./assets/interactive/hand.js";
  import specOf from "./assets/interactive/{name}/{name}.js";
  document.body.innerHTML = `<main>${{await written("{name}", specOf, {numbers})}}</main>`;
"""
STAGE = """
{imports}
  import "./assets/tiny_lm/read.js"; // which is fetched later otherwise, and not waited for
  import {{ stills }} from "./assets/stage/still.js";
  import Scene from "./assets/stage/scenes/{scene}.js";
  document.body.innerHTML = `<main>${{await stills(Scene, {told})}}</main>`;
"""
MODEL = """
  import {{ still }} from "./assets/model_explorer/still.js";
  const drawn = await still({options});
  // In a template, no script wakes it.
  document.body.innerHTML = `<main><template>${{drawn}}</template></main>`;
"""
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
]
BUDGET = 5000  # milliseconds of the browser's own time: a script may fetch first
PATIENCE = 120  # seconds of a clock, after which a browser is taken to hang
STILL = re.compile(r'<figure data-state="(\w+)">(.*?)</figure>')
DRAWN = re.compile(r"<body>\s*<main>(.*)</main>", re.DOTALL)

UNCAUGHT = re.compile(r'"Uncaught (?:\(in promise\) )?(.*)", source: \S*/(.*)')


class BrowserError(Exception):
    """A browser that does not show a page."""


def browser() -> str | None:
    """Return the path of a browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMED)), None)


def draw_figure(name: str, numbers: dict[str, Any]) -> str:
    """Return the HTML of a figure, in the state that explains most.

    Args:
        name: Of its folder in theme/assets/interactive.
        numbers: What its script takes from the page.

    Raises:
        ValueError: If its script cannot draw it.
        BrowserError: If there is no browser, or it shows no page.
    """
    if not (ASSETS / "interactive" / name / f"{name}.js").is_file():
        raise ValueError(f'there is no figure "{name}" in theme/assets/interactive')
    return drawn_by(FIGURE.format(name=name, numbers=json.dumps(numbers)), f'of "{name}"') + "\n"


def draw_stills(staged: Staged) -> dict[str, str]:
    """Return the still of each state of a page, by its name.

    Raises:
        ValueError: If the script cannot draw one, draws other numbers than the page has printed,
            or finds that a task cannot be done.
        BrowserError: If there is no browser, or it shows no page.
    """
    told = f'{staged.as_json()[:-1]},"states":{json.dumps(staged.states)}}}'
    scenes = sorted(path.stem for path in (ASSETS / "stage" / "scenes").glob("*.js"))
    if staged.scene not in scenes:
        raise ValueError(f'there is no scene "{staged.scene}" in theme/assets/stage/scenes')
    # A scene may fetch another one later, for which the browser's own time does not wait.
    imports = "\n".join(f'  import "./assets/stage/scenes/{scene}.js";' for scene in scenes)
    script = STAGE.format(imports=imports, scene=staged.scene, told=told)
    drawn = drawn_by(script, f'of the scene "{staged.scene}"')
    return {found[1]: f"{found[2]}\n" for found in STILL.finditer(drawn)}


def draw_model(options: dict[str, str]) -> str:
    """Return the HTML of a drawing of the language model, with the options of its fence.

    Raises:
        ValueError: If it has no such option, or the model no such word or part.
        BrowserError: If there is no browser, or it shows no page.
    """
    drawn = drawn_by(MODEL.format(options=json.dumps(options)), "of the language model")
    return drawn.removeprefix("<template>").removesuffix("</template>") + "\n"


def drawn_by(script: str, whose: str) -> str:
    """Return the HTML that a script puts into a page."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copied = shutil.copytree(ASSETS, Path(folder) / "assets")
        for path, text in generated().items():
            (copied / path).parent.mkdir(exist_ok=True)
            (copied / path).write_text(text, "utf-8")
        page = Path(folder) / "page.html"
        page.write_text(PAGE.format(script=script), "utf-8")
        html, log = shown(page)
    found = DRAWN.search(html)
    if not found:
        told = UNCAUGHT.search(log)
        why = f"{told[1]}, in {told[2]}" if told else log
        raise ValueError(f"the script {whose} fails: {why}")
    return found[1].strip().replace("\n", "")


def shown(page: Path) -> tuple[str, str]:
    """Return the HTML that a page becomes in a browser, and what the browser logs meanwhile."""
    chromium = browser()
    if chromium is None:
        raise BrowserError(MISSING)
    profile, log, html = (page.with_name(name) for name in ("profile", "log", "html"))
    # A profile of its own: that of a window which is open would take the page over.
    options = [*OPTIONS, f"--user-data-dir={profile}", f"--virtual-time-budget={BUDGET}"]
    command = [chromium, *options, "--dump-dom", page.as_uri()]
    # Files, since what a browser has started may keep a pipe open when the browser has ended.
    with html.open("wb") as written, log.open("wb") as logged:
        try:
            ran = subprocess.run(command, stdout=written, stderr=logged, timeout=PATIENCE)
            why = f"ended with {ran.returncode}" if ran.returncode else ""
        except subprocess.TimeoutExpired:
            why = f"showed nothing in {PATIENCE} seconds"
        except OSError as error:
            why = f"did not start: {error.strerror}"
    told = log.read_text("utf-8", "replace").strip()
    if why:
        raise BrowserError(unusable(chromium, f"{why}: {told}"))
    return html.read_text("utf-8"), told


def unusable(chromium: str, why: str) -> str:
    """Return a line about a browser that is installed and cannot be used."""
    why = " ".join(why.split())[-300:].removesuffix(":")
    return f"{chromium} cannot be used; set CHROMIUM to one that can. {why}"
