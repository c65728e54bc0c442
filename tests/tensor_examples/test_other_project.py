"""The checks serve a project that has nothing to do with this one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import tensor_examples
from tests.tensor_examples.elsewhere import Project, block

CONFIGURATION = """\
[tool.pytest.ini_options]
addopts = ["-p", "tensor_examples.plugin", "--examples"]
"""

ROD = "import numpy as np\nimport torch\n\nrod = np.linspace(0.0, 1.0, 4)\nprint(rod)"
FIRST = block(ROD, "[0.         0.33333333 0.66666667 1.        ]")
COS = "print(torch.tensor(rod).float().cos())"
PAGE = f"# Heat\n\n{FIRST}\n{block(COS, 'tensor([1.0000, 0.9450, 0.7859, 0.5403])')}"

pytestmark = pytest.mark.slow

CELLS = [
    ("import numpy as np\n\nprint(np.eye(2))", "[[1. 0.]\n [0. 1.]]\n"),
    ("print(np.eye(2) / 4)", "[[0.25 0.  ]\n [0.   0.25]]\n"),
]


def test_a_project_elsewhere(project: Project) -> None:
    assert len(CONFIGURATION.splitlines()) <= 5
    (project.folder / "pyproject.toml").write_text(CONFIGURATION)
    page = project.write("heat.md", PAGE.replace("0.9450", "0.9540"))
    first, (code, printed) = CELLS
    project.notebook("book.ipynb", first, (code, printed.replace("[0.   ", "[0.25 ")))
    wrong = project.run()
    assert (wrong.passed, wrong.failed) == (2, 2)
    assert "heat.md:20: element [1]: expected 0.9540, got 0.9450 (they" in wrong.text
    assert "book.ipynb:cell In [2]" in wrong.text
    assert "line 2 of its output: element [1, 0]: expected 0.25, got 0." in wrong.text

    refreshed = project.run("--update-outputs")
    assert "heat.md:20: 1 number(s) changed, by up to 0.0090" in refreshed.text
    assert page.read_text() == PAGE
    assert project.run("--exact-outputs").passed == 4


def test_it_knows_no_other_package_of_this_project_and_none_of_its_fences() -> None:
    folder = Path(tensor_examples.__file__).parent
    for module in folder.glob("*.py"):
        others = r"attention|site_build|\b(figure|toy|heat)s?\b"
        assert not re.search(others, module.read_text(encoding="utf-8"), re.IGNORECASE), module


WITHOUT = ["torch", "numpy", "matplotlib", "PIL", "nbformat", "nbclient"]


@pytest.mark.parametrize("installed", [[], ["numpy"]], ids=["nothing", "numpy"])
def test_pages_need_no_library_that_they_do_not_use(tmp_path: Path, installed: list[str]) -> None:
    (tmp_path / "pyproject.toml").write_text(CONFIGURATION)
    (tmp_path / "page.md").write_text(block("print(1)", "1"))
    hidden = sorted(set(WITHOUT) - set(installed))
    hide = f"import sys\nsys.modules.update(dict.fromkeys({hidden}))\n"  # an import of None fails
    code = f"{hide}import pytest\nraise SystemExit(pytest.main(['-q', 'page.md']))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in result.stdout, result.stdout + result.stderr


def test_its_wheel_alone_compares_a_page(tmp_path: Path) -> None:
    folder, installed = Path(tensor_examples.__file__).parent, tmp_path / "installed"
    (wheel,) = WheelBuilder(str(folder)).build(directory=str(tmp_path), versions=["standard"])
    install = ["pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(installed)]
    subprocess.run([sys.executable, "-m", *install, wheel], check=True)
    (tmp_path / "page.md").write_text(block("print(1)", "2"))
    where = "import tensor_examples as t; print(t.__file__)"
    said = []
    for command in (["-c", where], [str(installed / "bin" / "tensor-examples"), "page.md"]):
        result = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        said.append(result.stdout)
    assert Path(said[0].strip()).is_relative_to(installed)
    assert "page.md:6: expected 2, got 1" in said[1]
    (metadata,) = installed.glob("*.dist-info/METADATA")
    assert "# tensor_examples" in metadata.read_text(encoding="utf-8")
