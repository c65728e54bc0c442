"""The command that needs no configuration."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tensor_examples.documents import PARSERS
from tests.tensor_examples.elsewhere import block

pytestmark = pytest.mark.slow

FILES = {
    "docs/one.md": "".join(block(f"print({n})", "7") for n in range(9)),
    "docs/two.mdx": "```py\nprint(1)\n```\n\n```python out\n2\n```\n\n```py\n1 / 0\n```\n",
    "docs/three.qmd": "```{python}\n>>> 1\n2\n```\n",
    "module.py": '"""\n>>> 1\n3\n"""\n',
    "test_it.py": "def test_it():\n    raise SystemExit\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--nowhere"]\n'
    'required_plugins = ["nowhere"]\nfilterwarnings = ["error"]\nexamples_rules = ["all"]\n',
}


HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "tensor_examples", *arguments]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_it_names_the_ten_worst_places(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    told = command(tmp_path)
    places = told.stdout.partition("The 10 worst of 12 places:\n")[2].split("\n")
    assert [place.strip() for place in places[:5]] == [
        "docs/one.md:6: expected 7, got 0",
        "docs/three.qmd:3: expected 2, got 1",
        "docs/two.mdx:6: expected 2, got 1",
        "module.py:3: expected 3, got 1",
        "docs/one.md:13: expected 7, got 1",
    ], told.stdout + told.stderr
    assert (told.returncode, "SystemExit" in told.stdout) == (1, False)
    found = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {Path(name).name for name in FILES}, "it leaves nothing behind"


def test_an_error_of_the_checks_themselves_is_named(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(block("print(1)", "1"))
    (tmp_path / "broken.py").write_text(
        "from tensor_examples.script import ScriptExample\n\n\n"
        "def check(self, run):\n    raise KeyError('ours')\n\n\nScriptExample.check = check\n"
    )
    told = command(tmp_path, "-pbroken", "one.md").stdout
    assert "  one.md: cannot be read as it is: KeyError: 'ours'\n" in told


def test_each_place_is_shown_beside_its_line_by_github(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.md").write_text(block("print(1)", "7"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "\n::error file=one.md,line=6::expected 7, got 1\n" in command(tmp_path).stdout


def test_the_hook_of_pre_commit_runs_it(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text())
    (tmp_path / "one.md").write_text(block("print(1)", "7"))
    words = [*hook["entry"].split(), *hook["args"]]
    assert words[:3] == ["python", "-m", "tensor_examples"]
    assert command(tmp_path, *words[3:]).returncode == 1
    assert not hook["pass_filenames"], "code may change what a page prints that is not committed"
    assert all(re.search(hook["files"], f"docs/one{suffix}") for suffix in PARSERS)


def test_it_says_so_where_all_is_right_and_where_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text("# Nothing\n")
    (tmp_path / "right.md").write_text(block("print(1)", "1"))
    for file, code in (("right.md", 0), ("empty.md", 5), ("nowhere.md", 4)):
        assert command(tmp_path, file).returncode == code
