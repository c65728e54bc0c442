"""How whoever takes the code of a page away gets the packages that it imports."""

import sys
from dataclasses import dataclass
from pathlib import Path

from tensor_examples import project_modules

SOURCES = "src"
# Where its address is not known.
PROJECT = "the project that this page is built from (whoever publishes the site has it)"


@dataclass(frozen=True)
class Project:
    """Where the code of a page finds what it imports."""

    root: Path  # its folder
    repository: str  # its address, or an empty string where it is not known
    package: str  # what pip installs
    wheel: str  # the address of the package

    def requirement(self, modules: list[str]) -> str:
        """Say in a line how to get what a script imports."""
        if self.in_wheel(modules):
            return f"pip install {self.pip(modules)}"
        copy = f"git clone {self.repository}" if self.repository else f"copy {PROJECT}"
        return f"{copy}, and put this file into its folder {SOURCES}"

    def setup(self, modules: list[str]) -> str:
        """Return the cell that installs, where it is missing, what the project has itself."""
        if not any(map(self.has, modules)):
            return ""
        if self.in_wheel(modules):
            install = f"%pip install -q {self.pip(modules)}"
        elif self.repository:
            folder = self.repository.rpartition("/")[2]
            install = f"!git clone -q {self.repository}\n    %cd -q {folder}/{SOURCES}"
        else:
            return ""
        return f"try:\n    import {', '.join(modules)}\nexcept ModuleNotFoundError:\n    {install}"

    def has(self, module: str) -> bool:
        """Say whether a module is one of the project's own."""
        return (self.root / SOURCES / module).is_dir()

    def in_wheel(self, modules: list[str]) -> bool:
        """Say whether pip brings all of some modules."""
        return not any(self.has(module) and module != self.package for module in modules)

    def pip(self, modules: list[str]) -> str:
        """Return what pip is asked for."""
        return " ".join(self.wheel if module == self.package else module for module in modules)


def imported(code: str) -> list[str]:
    """Return the modules that some code imports, without Python's own."""
    return sorted(project_modules.imported(code) - sys.stdlib_module_names)
