"""Converts Markdown with Python-Markdown alone, and the extensions that mkdocs.yml names."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from markdown import Markdown

ROOT = Path(__file__).parents[3]


class Settings(yaml.UnsafeLoader):  # type: ignore[misc]
    """Reads a configuration that names functions."""


Settings.add_constructor("!ENV", lambda loader, node: "")


@cache
def extensions() -> dict[str, Any]:
    """Return the extensions that mkdocs.yml names, with their options."""
    settings = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Settings)
    configs: dict[str, Any] = {}
    for extension in settings["markdown_extensions"]:
        configs |= extension if isinstance(extension, dict) else {extension: {}}
    return configs | {"site_build.markdown.extension": {"root": ROOT}}


def converter() -> Markdown:
    """Return what converts pages."""
    return Markdown(extensions=[*extensions()], extension_configs=extensions())


def convert(text: str) -> str:
    """Return Markdown as HTML."""
    return converter().convert(text)
