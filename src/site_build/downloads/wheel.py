"""The wheels that the site offers: pages and notebooks install the package from there."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hatchling.builders.wheel import WheelBuilder

FOLDER = "downloads"


def wheel(root: Path, site: str, repository: str) -> tuple[str, bytes]:
    """Build a package.

    Args:
        root: The folder of its project.
        site: The address of the site, to which the exercises send their readers.
        repository: The address of the project, where it has one.

    Returns:
        Its path on the site, and its content: the same for the same sources.
    """
    with TemporaryDirectory() as folder:
        builder = WheelBuilder(str(root))
        urls = {"Course": site, "Source": repository}
        builder.metadata.core_raw_metadata["urls"] = {
            name: address for name, address in urls.items() if address
        }
        (built,) = builder.build(directory=folder, versions=["standard"])
        path = Path(built)
        return f"{FOLDER}/{path.name}", path.read_bytes()
