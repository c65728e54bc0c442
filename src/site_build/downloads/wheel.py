"""The package as a wheel, which the site offers: pages and notebooks install it from there."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hatchling.builders.wheel import WheelBuilder

FOLDER = "downloads"


def wheel(root: Path) -> tuple[str, bytes]:
    """Build the package.

    Args:
        root: The folder of the project.

    Returns:
        Its path on the site, and its content: the same for the same sources.
    """
    with TemporaryDirectory() as folder:
        (built,) = WheelBuilder(str(root)).build(directory=folder, versions=["standard"])
        path = Path(built)
        return f"{FOLDER}/{path.name}", path.read_bytes()
