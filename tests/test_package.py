"""What is published: the packages and nothing else, with their types, for torch alone."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import attention_steps

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
PACKAGES = ("attention_practice", "attention_steps", "tiny_lm", "attention_verify")
VERSION = re.compile(r'^version = "(.+)"$', re.MULTILINE)
# The folders that wheels are built from.
PACKAGE, PRACTICE, VERIFY = ".", "src/attention_practice", "src/attention_verify"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    built = {}
    for folder in (PACKAGE, PRACTICE, VERIFY):
        builder, target = WheelBuilder(str(ROOT / folder)), tmp_path_factory.mktemp("wheel")
        (path,) = builder.build(directory=str(target), versions=["standard"])
        built[folder] = Path(path)
    return built


@pytest.mark.parametrize(
    ("folder", "packages"),
    [
        (PACKAGE, ("attention_steps", "tiny_lm", "minilm")),
        (PRACTICE, ("attention_practice",)),
        (VERIFY, ("attention_verify",)),
    ],
)
def test_a_wheel_holds_its_packages_only(
    wheels: dict[str, Path], folder: str, packages: tuple[str, ...]
) -> None:
    with zipfile.ZipFile(wheels[folder]) as archive:
        names = set(archive.namelist())

    (licence,) = (name for name in names if name.endswith("/LICENSE"))
    names -= {licence}
    package = {name for name in names if name.split("/")[0] in packages}
    sources = [path for name in packages for path in (SOURCE / name).rglob("*")]
    kinds = (".py", ".typed", ".json", ".txt")
    assert package == {
        path.relative_to(SOURCE).as_posix() for path in sources if path.suffix in kinds
    }
    assert {f"{name}/py.typed" for name in packages} <= package
    information = {name.split("/", 1)[1] for name in names - package}
    assert information == {"METADATA", "WHEEL", "RECORD"}


def test_a_release_is_wheels_their_sources_and_the_site(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, tmp_path / "a"], check=True)
    python = tmp_path / "a/.venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / "a/site").mkdir()

    def release(tag: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", str(tmp_path / "a/.github/release"), tag]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    version = VERSION.search((ROOT / "pyproject.toml").read_text("utf-8"))
    assert version
    refused = release("v0")
    assert refused.returncode
    assert refused.stdout == f"the tag is v0, and the version is {version[1]}\n"
    made = release(f"v{version[1]}")
    assert made.returncode == 0, made.stderr
    assert sorted(path.name for path in (tmp_path / "a/dist").iterdir()) == [
        f"attention-steps-site-{version[1]}.tar.gz",
        *(
            f"{name}-{version[1]}{kind}"
            for name in (
                "attention_practice",
                "attention_steps",
                "attention_verify",
                "tensor_examples",
            )
            for kind in ("-py3-none-any.whl", ".tar.gz")
        ),
    ]


@pytest.mark.parametrize(
    ("folder", "needed", "extras"),
    [
        (PACKAGE, ["torch>=2.6"], ["plot"]),
        (PRACTICE, ["attention-steps", "attention-verify"], None),
        (VERIFY, ["torch>=2.6"], None),
    ],
)
def test_the_package_asks_for_torch_alone_and_the_exercises_for_the_package(
    wheels: dict[str, Path], folder: str, needed: list[str], extras: list[str] | None
) -> None:
    with zipfile.ZipFile(wheels[folder]) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = Parser().parsestr(archive.read(path).decode())

    requirements = metadata.get_all("Requires-Dist") or []
    assert [text for text in requirements if "extra ==" not in text] == needed
    assert metadata.get_all("Provides-Extra") == extras


def test_the_package_says_its_version(wheels: dict[str, Path]) -> None:
    (number,) = re.findall(r"attention_steps-(.+?)-", wheels[PACKAGE].name)
    assert attention_steps.__version__ == number
    assert f'version: "{number}"' in (ROOT / "CITATION.cff").read_text("utf-8")
    page = (ROOT / "docs" / "guides" / "about-this-site.md").read_text("utf-8")
    _, _, changed = page.partition("\n### What has changed\n")
    assert f"\n#### {number}\n" in changed


def test_the_package_imports_torch_and_the_standard_library_alone() -> None:
    """The exercises may import what both wheels bring, which import nothing of ours."""
    for path in (path for name in PACKAGES for path in (SOURCE / name).rglob("*.py")):
        imported = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                imported.add((node.module or "").split(".")[0])

        outside = imported - set(sys.stdlib_module_names)
        own = path.relative_to(SOURCE).parts[0]
        outside -= {own, "attention_steps"} - {"attention_steps" * (own == "attention_verify")}
        if own == "attention_practice":
            outside -= {
                "attention_verify",
                "tiny_lm",
            }  # the story is in the package's wheel
        # plot.py imports it late; tests/attention_steps/test_plot.py holds it to that.
        assert outside <= ({"torch", "matplotlib"} if path.stem == "plot" else {"torch"})


@pytest.mark.slow
def test_the_exercises_are_imported_by_whoever_asks_for_them_alone() -> None:
    code = "import sys, attention_steps; print('attention_practice' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_every_public_name_is_documented_with_its_source_and_an_example() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    reference = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert attention_steps.__all__ == sorted(attention_steps.__all__)
    places = dict.fromkeys(attention_steps.__all__, "attention_steps")
    assert len(places) <= 24
    for module, names in attention_steps._MOVED.items():
        places |= dict.fromkeys(names.split(), f"attention_steps.{module}")
    for name, place in places.items():
        assert reference.count(f"::: {place}.{name}\n") == 1
        text = inspect.getdoc(getattr(importlib.import_module(place), name)) or ""
        if name.endswith("Trace"):
            assert "Attributes:" in text
            continue
        if name == "Cache":
            # A protocol: it says what others bring, and computes nothing.
            continue
        parts = ["$$", "Source: ", "Names: ", "Args:", "Raises:", "Examples:"]
        if name == "trace_attention":
            # It refers to its neighbour instead of repeating it.
            parts = ["are those of\n`scaled_dot_product_attention`", "Examples:"]
        for part in parts:
            assert part in text, f"{name} lacks {part}"
        assert f">>> from {place} import {name}\n" in text or f", {name}\n" in text


def test_a_name_that_has_moved_leads_on() -> None:
    with pytest.raises(
        ImportError, match=r"^run_on_threads stands in attention_steps\.parallel: from"
    ):
        from attention_steps import run_on_threads  # type: ignore[attr-defined] # noqa: F401
    for module, names in attention_steps._MOVED.items():
        for name in names.split():
            with pytest.raises(
                ImportError, match=rf"from attention_steps\.{module} import {name}$"
            ):
                getattr(attention_steps, name)
            assert hasattr(importlib.import_module(f"attention_steps.{module}"), name)
    assert not hasattr(attention_steps, "ring")
