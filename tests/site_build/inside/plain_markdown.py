"""Converts Markdown with Python-Markdown alone, and the extensions that mkdocs.yml names."""

from pathlib import Path
from typing import Any

import yaml
from markdown import Markdown

ROOT = Path(__file__).parents[3]


class Settings(yaml.UnsafeLoader):  # type: ignore[misc]
    """Reads a configuration that names functions."""


Settings.add_constructor("!ENV", lambda loader, node: "")


def convert(text: str) -> str:
    """Return Markdown as HTML."""
    settings = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Settings)
    configs: dict[str, Any] = {}
    for extension in settings["markdown_extensions"]:
        configs |= extension if isinstance(extension, dict) else {extension: {}}
    configs["site_build.inside.source_fence"] = {"base": ROOT}
    return Markdown(extensions=[*configs], extension_configs=configs).convert(text)
