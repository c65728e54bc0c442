"""How a reader who takes the code of a page away installs the packages that it imports."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tensor_examples import project_modules


@dataclass(frozen=True)
class Project:
    """Where the code of a page finds what it imports."""

    wheels: Mapping[str, list[str]]  # the addresses of those that bring a module, by its name
    guide: str = ""  # the address of the page on installing, if there is one

    def requirement(self, modules: list[str]) -> str:
        """Say in a line how to get the modules that a script imports."""
        return f"pip install {self.pip(modules)}"

    @property
    def advice(self) -> str:
        """Say in a line where the small torch is explained, if a page does so."""
        told = f"On Linux, pip's torch has gigabytes for NVIDIA cards; a small one: {self.guide}"
        return told if self.guide else ""

    def setup(self, modules: list[str]) -> str:
        """Return the cell that installs the wheels where one is missing, if any is needed."""
        if not self.wheels.keys() & modules:
            return ""
        advice = f"# {self.advice}\n    " if self.advice else ""
        install = f"{advice}%pip install -q {self.pip(modules)}"
        return f"try:\n    import {', '.join(modules)}\nexcept ModuleNotFoundError:\n    {install}"

    def pip(self, modules: list[str]) -> str:
        """Return what pip is asked for."""
        names = (name for module in modules for name in self.wheels.get(module, [module]))
        return " ".join(dict.fromkeys(names))


def nonstandard_imports(code: str) -> list[str]:
    """Return the modules that some code imports, without Python's own."""
    return sorted(project_modules.imported_modules(code) - sys.stdlib_module_names)
