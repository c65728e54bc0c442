"""The browser that draws the stills of a page, with the script that draws them for a reader."""

import atexit
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page, Playwright, Route, sync_playwright

from site_build.stage import Staged
from site_build.training_demo.world import generated

# The first of these that is installed: the shell opens a page in a third of the time. The variable
# CHROMIUM of the environment names another.
BROWSERS = ["chromium-headless-shell", "chromium", "google-chrome", "chromium-browser"]
NAMED = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else BROWSERS
MISSING = f"no browser: install Chromium; {', '.join(NAMED)} was looked for"
ASSETS = Path(__file__).parent / "theme" / "assets"
SITE = "http://site.test/"
OPTIONS = [
    "--no-sandbox",
    # Without these, Chromium looks for updates and accounts at its maker's.
    "--disable-background-networking",
    "--disable-sync",
    # Without it, a picture may keep an edge of what was drawn there before.
    "--disable-partial-raster",
]
STAGE = """async ([scene, told]) => {
  const { stills } = await import("/assets/stage/still.js");
  const { default: Scene } = await import(`/assets/stage/scenes/${scene}.js`);
  return stills(Scene, told);
}"""
# In a template, no script wakes what is drawn.
AS_WRITTEN = """(html) => {
  document.body.innerHTML = `<template>${html}</template>`;
  return document.body.firstChild.innerHTML;
}"""
STILL = re.compile(r'<figure data-state="(\w+)">(.*?)</figure>')


class BrowserError(Exception):
    """A browser that does not show a page."""


def browser() -> str | None:
    """Return the path of a browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMED)), None)


@cache
def playwright() -> Playwright:
    """Start Playwright, of which a process can have one."""
    started = sync_playwright().start()
    atexit.register(started.stop)
    return started


def launched(**environment: str) -> Browser:
    """Open Chromium, with variables of the environment beside those that there are.

    Raises:
        BrowserError: If there is none, or it cannot be used.
    """
    path = browser()
    if path is None:
        raise BrowserError(MISSING)
    variables: dict[str, str | float | bool] = {**os.environ, **environment}
    try:
        return playwright().chromium.launch(executable_path=path, env=variables, args=OPTIONS)
    except Error as error:
        [why, *_] = re.findall(r"\[err\] (.*)", error.message) or error.message.splitlines()
    raise BrowserError(f"{path} cannot be used; set CHROMIUM to one that can. {why}")


@cache
def draws() -> Browser:
    """Return the browser in which all figures of a run are drawn."""
    return launched()


@contextmanager
def empty_page() -> Iterator[Page]:
    """Open a page that has the site's scripts and nothing else."""
    made = generated()

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE).removeprefix("assets/")
        if path in made:
            kind = "text/javascript" if path.endswith(".js") else "application/json"
            route.fulfill(body=made[path], content_type=kind)
        elif path:
            route.fulfill(path=ASSETS / path)
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    with draws().new_page() as page:
        page.route("**/*", answer)
        page.goto(SITE)
        yield page


def drawn_by(script: str, *given: Any, whose: str) -> str:
    """Return the HTML that a script draws, as a browser writes it."""
    with empty_page() as page:
        try:
            return str(page.evaluate(AS_WRITTEN, page.evaluate(script, given))).replace("\n", "")
        except Error as error:
            raise ValueError(f"the script {whose} fails: {error.message}") from None


def draw_stills(staged: Staged) -> dict[str, str]:
    """Return the still of each state of a page, by its name.

    Raises:
        ValueError: If the script cannot draw one, draws other numbers than the page has printed,
            or finds that a task cannot be done.
        BrowserError: If there is no browser, or it shows no page.
    """
    if not (ASSETS / "stage" / "scenes" / f"{staged.scene}.js").is_file():
        raise ValueError(f'there is no scene "{staged.scene}" in theme/assets/stage/scenes')
    told = staged.told() | {"states": staged.states}
    drawn = drawn_by(STAGE, staged.scene, told, whose=f'of the scene "{staged.scene}"')
    return {found[1]: f"{found[2]}\n" for found in STILL.finditer(drawn)}
