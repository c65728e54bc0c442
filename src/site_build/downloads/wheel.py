"""The package as a wheel, which the site offers: pages and notebooks install it from there."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hatchling.builders.wheel import WheelBuilder

from site_build.publishing.addresses import absolute

FOLDER = "downloads"


def wheel(root: Path, site: str, repository: str) -> tuple[str, bytes]:
    """Build the package.

    Args:
        root: The folder of the project.
        site: Its address, for the links of the project.
        repository: The address of the project, where it has one. Links of the README lead there.

    Returns:
        Its path on the site, and its content: the same for the same sources.
    """
    with TemporaryDirectory() as folder:
        builder = WheelBuilder(str(root))
        if repository:
            project = builder.metadata.core_raw_metadata
            readme = absolute((root / project["readme"]).read_text("utf-8"), repository)
            project["readme"] = {"content-type": "text/markdown", "text": readme}
            project["urls"] = {"Course": site, "Source": repository}
        (built,) = builder.build(directory=folder, versions=["standard"])
        path = Path(built)
        return f"{FOLDER}/{path.name}", path.read_bytes()
