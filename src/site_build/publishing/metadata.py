"""The addresses of whoever publishes a wheel: its build runs this module."""

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLES = {"Documentation": "SITE_URL", "Repository": "REPO_URL"}


class Addresses(MetadataHookInterface):
    """Puts the addresses that are set into the metadata, as `mkdocs.yml` puts them into pages."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `urls`."""
        found = {name: os.environ.get(variable) for name, variable in VARIABLES.items()}
        metadata["urls"] = {name: address for name, address in found.items() if address}
