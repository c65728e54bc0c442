"""Print Lighthouse's scores for each kind of page, as a phone and as a desktop sees it.

    python -m tests.benchmarks.lighthouse

It needs Node, whose package manager fetches Lighthouse, and Chromium. The site is built into a
temporary folder and served compressed, as hosts do.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LIGHTHOUSE = "lighthouse@13.5.0"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PAGES = {
    "home": "",
    "step": "steps/06-why-divide-by-the-square-root/",
    "notebook": "notebooks/000_attention_by_dot_product/",
    "reference": "reference/attention/",
}
DEVICES = {"phone": [], "desktop": ["--preset=desktop"]}
CATEGORIES = ["performance", "accessibility", "best-practices", "seo"]
COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".xml"}


def server(site: Path) -> ThreadingHTTPServer:
    """Return a server that compresses text and lets it be kept, as the site's host does."""

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = site / self.path.partition("?")[0].lstrip("/")
            path = path / "index.html" if path.is_dir() else path
            body = path.read_bytes() if path.is_file() else b""
            self.send_response(200 if body else 404)
            if path.suffix in COMPRESSED:
                body = gzip.compress(body, 6)
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Type", self.guess_type(path))
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "max-age=600")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def report(address: str, options: list[str]) -> dict[str, float]:
    """Run Lighthouse on a page; return its scores and the layout shift."""
    command = [
        *("npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json", *options),
        f"--only-categories={','.join(CATEGORIES)}",
        "--chrome-flags=--headless=new --no-sandbox --disable-background-networking",
    ]
    environment = {**os.environ, "CHROME_PATH": str(CHROMIUM)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    result = json.loads(ran.stdout)
    for audit in result["audits"].values():
        if audit["score"] is not None and audit["score"] < 1:
            print(f"  {audit['id']}: {audit['score']} {audit.get('displayValue', '')}")
    scores = {name: 100 * result["categories"][name]["score"] for name in CATEGORIES}
    return {**scores, "layout shift": result["audits"]["cumulative-layout-shift"]["numericValue"]}


def main() -> None:
    """Build, serve and measure."""
    if CHROMIUM is None or shutil.which("npx") is None:
        sys.exit("Lighthouse needs Chromium and Node")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", folder], check=True
        )
        host = server(Path(folder))
        threading.Thread(target=host.serve_forever, daemon=True).start()
        for page, path in PAGES.items():
            for device, options in DEVICES.items():
                scores = report(f"http://127.0.0.1:{host.server_port}/{path}", options)
                print(f"{page:10} {device:8}", *(f"{k} {v:.4g}" for k, v in scores.items()))
        host.shutdown()


if __name__ == "__main__":
    main()
