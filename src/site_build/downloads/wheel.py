"""The wheels that the site offers: pages and notebooks install the package from there."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hatchling.builders.wheel import WheelBuilder

FOLDER = "downloads"


def wheel(root: Path, site: str, repository: str) -> tuple[str, bytes]:
    """Build a package.

    Args:
        root: The folder of its project.
        site: The address of the site, for the links of the project.
        repository: The address of the project, where it has one.

    Returns:
        Its path on the site, and its content: the same for the same sources.
    """
    with TemporaryDirectory() as folder:
        builder = WheelBuilder(str(root))
        if repository:
            builder.metadata.core_raw_metadata["urls"] = {"Course": site, "Source": repository}
        (built,) = builder.build(directory=folder, versions=["standard"])
        path = Path(built)
        return f"{FOLDER}/{path.name}", path.read_bytes()
