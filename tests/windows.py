"""A window of each browser engine, with the same few verbs: what a reader does with a page.

All three take the commands of WebDriver (https://www.w3.org/TR/webdriver2/). Chromium and WebKit
come with a program that takes them by HTTP. Firefox takes them itself, by a protocol of its own.
"""

import base64
import glob
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

KEYS = {  # those without a letter have code points of their own
    "Enter": "\ue007",
    "End": "\ue010",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}
# What lies far from the screen has no place of its own until it is near: wait until it keeps it.
MIDDLE = """async (selector, number) => {
  const element = document.querySelectorAll(selector)[number];
  let [before, place] = [];
  do {
    element.scrollIntoView({block: "center", behavior: "instant"});
    await new Promise((done) => setTimeout(done, 50));
    const {left, top, width, height} = element.getBoundingClientRect();
    [before, place] = [place, [left + width / 2, top + height / 2]];
  } while (String(place) !== String(before));
  return place;
}"""
INNER = """() => new Promise((done) =>
  setTimeout(() => done([innerWidth, innerHeight]), 100))"""  # a page follows its window later
Point = tuple[float, float]


class Window:
    """A window of a browser. `send` gives it a command of WebDriver, by its name in an address."""

    version = ""

    def send(self, command: str, given: Mapping[str, Any] | None = None) -> Any:
        raise NotImplementedError

    def open(self, url: str) -> None:
        self.send("url", {"url": url})

    def resize(self, width: int, height: int) -> None:
        """Give the page a size, which is not that of the window with its bars."""
        wide, high = width, height
        for _ in range(50):
            self.send("window/rect", {"width": wide, "height": high})
            inner = self.run(INNER)
            if inner == [width, height]:
                return
            if inner[0] <= wide and inner[1] <= high:  # otherwise it has not followed yet
                wide, high = wide + width - inner[0], high + height - inner[1]
        raise AssertionError(f"the page has the size {inner}, not {[width, height]}")

    def run(self, script: str, *given: Any) -> Any:
        """Call a function in the page, and wait for what it promises."""
        waits = f"Promise.resolve(({script})(...arguments)).then([...arguments].pop())"
        return self.send("execute/async", {"script": waits, "args": given})

    def until(self, script: str, *given: Any) -> Any:
        """Wait until a function in the page returns something true, and return it."""
        for _ in range(600):
            if found := self.run(script, *given):
                return found
            time.sleep(0.05)
        raise AssertionError(f"never true: {script} {given}")

    def middle(self, selector: str, number: int = 0) -> Point:
        """Scroll to an element, and return its middle."""
        self.until("(selector, n) => !!document.querySelectorAll(selector)[n]", selector, number)
        x, y = self.run(MIDDLE, selector, number)
        return x, y

    def click(self, selector: str, number: int = 0, pointer: str = "mouse") -> None:
        self.drag(self.middle(selector, number), pointer=pointer)

    def drag(self, *points: Point, pointer: str = "mouse") -> None:
        """Press a pointer ("touch" is a finger) at the first point, go through the rest, let go."""
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0} for x, y in points
        ]
        down, up = ({"type": f"pointer{way}", "button": 0} for way in ("Down", "Up"))
        source = {"type": "pointer", "id": pointer, "parameters": {"pointerType": pointer}}
        self.act(source, [moves[0], down, *moves[1:], up])

    def press(self, *keys: str) -> None:
        ways = [(KEYS.get(key, key), way) for key in keys for way in ("Down", "Up")]
        self.act(
            {"type": "key", "id": "keys"},
            [{"type": f"key{way}", "value": code} for code, way in ways],
        )

    def act(self, source: dict[str, Any], actions: list[dict[str, Any]]) -> None:
        self.send("actions", {"actions": [{**source, "actions": actions}]})

    def picture(self) -> bytes:
        return base64.b64decode(self.send("screenshot"))

    def paper(self) -> bytes:
        """Return the page as it is printed, as a PDF."""
        return base64.b64decode(self.send("print", {}))


class ByHTTP(Window):
    """A window that takes its commands by a driver's address."""

    def __init__(self, driver: str, options: Mapping[str, Any]) -> None:
        self.url = driver
        session = self.send("session", {"capabilities": {"alwaysMatch": options}})
        self.url = f"{driver}/session/{session['sessionId']}"
        self.version = session["capabilities"]["browserVersion"]

    def send(self, command: str, given: Mapping[str, Any] | None = None) -> Any:
        body = None if given is None else json.dumps(given).encode()
        with urlopen(Request(f"{self.url}/{command}", body), timeout=60) as answer:
            return json.load(answer)["value"]


MARIONETTE = {
    "session": "NewSession",
    "url": "Navigate",
    "window/rect": "SetWindowRect",
    "execute/async": "ExecuteAsyncScript",
    "actions": "PerformActions",
    "screenshot": "TakeScreenshot",
    "print": "Print",
}


class ByMarionette(Window):
    """A window of Firefox, by the protocol that its maker's driver speaks with it.

    A message is its length, a colon, and JSON: 0 or 1 for a command or an answer, the number of the
    command, and its name and arguments, or an error and what it returns.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.stream = connection.makefile("rwb")
        self.read()  # it greets first
        self.version = self.send("session", {})["capabilities"]["browserVersion"]

    def read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))

    def send(self, command: str, given: Mapping[str, Any] | None = None) -> Any:
        message = json.dumps([0, 1, f"WebDriver:{MARIONETTE[command]}", given or {}]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, _, error, answer = self.read()
        assert not error, error
        return answer["value"] if set(answer) == {"value"} else answer


def processor_seconds() -> float:
    """Return the processor time of all programs that this process and its children have started.

    Other than the time of a clock, it hardly depends on what else the machine does.
    """
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            process, text = int(stat.parent.name), stat.read_text("utf-8", "replace")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        fields = text.rpartition(")")[2].split()  # behind the name, which may have any letters
        parents[process] = int(fields[1])
        ticks[process] = sum(map(int, fields[11:15]))  # of itself, and of children that ended
    started = {os.getpid()}
    while more := {one for one, parent in parents.items() if parent in started} - started:
        started |= more
    return sum(ticks[one] for one in started - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


# Runs a command until it ends or the input closes, a pipe from this process. Then all that it has
# started ends too, however this process has ended: "kill 0" is for the group of processes.
GUARD = '("$@"; kill 0) & read _; kill 0'


@contextmanager
def program(port: int, *command: str) -> Iterator[socket.socket]:
    """Run a program until the end, and connect to its port once it listens there."""
    quiet = subprocess.DEVNULL
    with (
        subprocess.Popen(
            ["sh", "-c", GUARD, "guard", *command],
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            process_group=0,
        ) as running,
        connected(port, running) as connection,
    ):
        yield connection


def connected(port: int, running: subprocess.Popen[bytes]) -> socket.socket:
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            assert running.poll() is None, f"{running.args!r} has ended"
            time.sleep(0.05)
    raise AssertionError(f"{running.args!r} does not listen")


@contextmanager
def chromium(_: Path) -> Iterator[Window]:
    shell = shutil.which("chromium-headless-shell") or shutil.which("google-chrome")
    arguments = [
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        "--force-prefers-reduced-motion",
    ]
    options = {"goog:chromeOptions": {"binary": shell, "args": arguments}}
    port = free_port()
    with program(port, "chromedriver", f"--port={port}"):
        yield ByHTTP(f"http://127.0.0.1:{port}", options)


@contextmanager
def firefox(folder: Path) -> Iterator[Window]:
    port = free_port()
    settings = {
        "marionette.port": port,
        "ui.prefersReducedMotion": 1,
        "ui.useOverlayScrollbars": 1,
        # By default a window is at least 500 wide, which no phone is.
        "toolkit.legacyUserProfileCustomizations.stylesheets": True,
    }
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(to)});\n" for name, to in settings.items()]
    (folder / "user.js").write_text("".join(lines), "utf-8")
    (folder / "chrome").mkdir()
    (folder / "chrome" / "userChrome.css").write_text("* { min-width: 0 !important }", "utf-8")
    name = "firefox-esr" if shutil.which("firefox-esr") else "firefox"
    command = [name, "-headless", "-no-remote", "-profile", str(folder), "-marionette"]
    with program(port, *command) as connection:
        yield ByMarionette(connection)


# Prints a page into a file. Debian has what Python needs for that for its own Python.
PRINTS = """
import sys, gi
gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2

def prints(view, event):
    if event == WebKit2.LoadEvent.FINISHED:
        to_file = Gtk.PrintSettings()
        to_file.set_printer("Print to File")
        to_file.set(Gtk.PRINT_SETTINGS_OUTPUT_URI, sys.argv[2])
        paper = WebKit2.PrintOperation.new(view)
        paper.set_print_settings(to_file)
        paper.connect("finished", Gtk.main_quit)
        paper.print_()
        view.paper = paper

window, view = Gtk.OffscreenWindow(), WebKit2.WebView()
window.add(view)
window.show_all()
view.connect("load-changed", prints)
view.load_uri(sys.argv[1])
GLib.timeout_add_seconds(60, Gtk.main_quit)
Gtk.main()
"""


class ByWebKit(ByHTTP):
    """A window of WebKit, whose driver cannot print: the page is opened once more for that."""

    def __init__(self, driver: str, options: Mapping[str, Any], folder: Path) -> None:
        super().__init__(driver, options)
        self.folder = folder

    def paper(self) -> bytes:
        sheets = self.folder / "sheets.pdf"
        python = ["/usr/bin/python3", "-c", PRINTS, self.run("() => location.href")]
        command = ["xvfb-run", "--auto-servernum", *python, sheets.as_uri()]
        subprocess.run(command, check=True)
        return sheets.read_bytes()


@contextmanager
def webkit(folder: Path) -> Iterator[Window]:
    browser = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")[0]
    options = {"webkitgtk:browserOptions": {"binary": browser, "args": ["--automation"]}}
    settings = folder / "gtk-3.0"
    settings.mkdir()
    # A reader who prefers no motion; and a window that can be as narrow as a phone.
    (settings / "settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n", "utf-8")
    narrow = "* { min-width: 0; padding: 0; margin: 0; font-size: 4px; -gtk-icon-source: none }"
    (settings / "gtk.css").write_text(narrow, "utf-8")
    port = free_port()
    screen = ["xvfb-run", "--auto-servernum", "--server-args=-screen 0 1600x1200x24"]
    driver = ["env", f"XDG_CONFIG_HOME={folder}", "WebKitWebDriver", f"--port={port}"]
    # When xvfb-run is ended, it leaves its temporary folder behind.
    with program(port, "env", f"TMPDIR={folder}", *screen, *driver):
        yield ByWebKit(f"http://127.0.0.1:{port}", options, folder)


# What opens a window of each, and the commands that it needs.
ENGINES = {
    "chromium": (chromium, ["chromedriver"]),
    "firefox": (firefox, ["firefox"]),
    "webkit": (webkit, ["WebKitWebDriver", "xvfb-run"]),
}
