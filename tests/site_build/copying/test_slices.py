"""A block gets the lines that it needs of its page, and no others."""

import pytest

from site_build.copying.blocks import with_slices
from site_build.copying.slices import slices


def needed(*blocks: str) -> str:
    """Return what the last block needs of those before it."""
    lines = "\n".join(blocks).split("\n")
    *_, last = slices(blocks)
    return "\n".join(lines[n] for n in last)


@pytest.mark.parametrize(
    ("above", "block", "lines"),
    [
        # names: the last binding counts, of what it is made as well
        ("a = 1\nb = 2", "print(b)", "b = 2"),
        ("a = 1\nb = a\na = 3", "print(b)", "a = 1\nb = a"),
        ("a = 1\na = 2", "print(a)", "a = 2"),
        ("a = 1", "a = 2\nprint(a)", ""),
        ("a, b = 1, 2\nb = 3", "print(a, b)", "a, b = 1, 2\nb = 3"),
        # imports come first
        ("a = 1\nimport math", "print(math.e, a)", "import math\na = 1"),
        # what only prints or fails is left out, also where it stands inside
        ("a = 1\nprint(a)\nassert a", "print(a)", "a = 1"),
        (
            "a = []\nfor n in [1, 2]:\n    a.append(n)\n    print(n)",
            "print(a)",
            "a = []\nfor n in [1, 2]:\n    a.append(n)",
        ),
        ("a = 1\nfor a_b in [a]:\n    print(a_b)", "print(a)", "a = 1"),
        ("a = 1\ntry:\n    a.no\nexcept Exception as e:\n    print(e)", "print(a)", "a = 1"),
        ("def show(x):\n    print(x)\n\n\na = 1\nshow(a)", "print(a)", "a = 1"),
        # a function needs what it reads when it is called, not when it is written
        (
            "def f():\n    return a\n\n\na = 1",
            "print(f())",
            "def f():\n    return a\n\n\na = 1",
        ),
        ("a = 1\ndef f(a):\n    return a", "print(f(2))", "def f(a):\n    return a"),
        (
            "import warnings\ndef f():\n    warnings.simplefilter('always')\n    print(1)\nf()",
            "print(warnings)",
            "import warnings",
        ),
        ("def f():\n    return 1", "def f():\n    return 2\n\n\nprint(f())", ""),
        # changes: in place, through another name, by a function, a method, a gradient
        ("a = [1]\na[0] = 2", "print(a)", "a = [1]\na[0] = 2"),
        ("a = {}\na.b = 2\nc = 1", "print(a)", "a = {}\na.b = 2"),
        ("a = [[]]\nb, c = list(a), 1\nb.append(2)", "print(a)", None),
        ("a = [1]\nb = a\nb.append(2)", "print(a)", "a = [1]\nb = a\nb.append(2)"),
        (
            "a = [[1]]\nfor b in a:\n    b += [2]",
            "print(a)",
            "a = [[1]]\nfor b in a:\n    b += [2]",
        ),
        (
            "def f(x):\n    x.append(1)\n\n\na = []\nf(a)",
            "print(a)",
            "def f(x):\n    x.append(1)\n\n\na = []\nf(a)",
        ),
        (
            "b = x.sum()\nb.backward()\nc = 1",
            "print(x.grad, c)",
            "b = x.sum()\nb.backward()\nc = 1",
        ),
        ("b = x.sum()\nb.backward()\nc = 1", "print(c)", "c = 1"),
        ("a = x.clone()\na[0] = 1\nb = x", "print(b)", "b = x"),
        ("a = 1\nb = [a for a in [2]]", "print(a)", "a = 1"),
        ("a = {}\nexec('b = 1', a)", "print(a)", None),
        # what is set for the whole program
        ("import torch\ntorch.set_printoptions(precision=2)", "print(1)", None),
        (
            "import torch\ntorch.manual_seed(0)\na = torch.rand(1)\nb = torch.rand(1)",
            "print(b)",
            None,
        ),
        # a loop binds its own name first
        ("n = 1\na = 2", "for n in [a]:\n    print(n)", "a = 2"),
        ("n = 1", "if n:\n    n = 2\nprint(n)", "n = 1"),
    ],
)
def test_a_block_needs(above: str, block: str, lines: str | None) -> None:
    assert needed(above, block) == (above if lines is None else lines)


def test_lines_are_counted_over_all_blocks() -> None:
    assert list(slices(["a = 1\n\nb = 2", "c = b", "print(c)"])) == [[], [2], [2, 3]]


def block(kind: str, code: str) -> str:
    return f'<div class="language-{kind} highlight"><pre><code>{code}\n</code></pre></div>'


def test_a_page_says_what_its_blocks_need() -> None:
    page = block("python", "import numpy\na = 1") + block("python", "b = a\nb")
    marked = with_slices(page)
    first = 'data-needs-lines="" data-needs-also="numpy">'
    second = 'data-needs-lines="1" data-shows="1-1:1">'
    assert marked.index(first) < marked.index(second)
    assert with_slices(marked) == marked


def test_an_object_of_the_reference_has_names_of_its_own() -> None:
    heading = '<h2 id="a.b" class="doc doc-heading">'
    one = block("pycon", "&gt;&gt;&gt; a = 1\n&gt;&gt;&gt; a  # one\n1")
    two = block("pycon", "&gt;&gt;&gt; print(a)\n1")
    assert 'data-needs-lines="0"' in with_slices(heading + one + two)
    assert 'data-needs-lines="0"' not in with_slices(heading + one + heading + two)
    assert 'data-shows="1-1:1"' in with_slices(one)


@pytest.mark.parametrize(
    ("code", "shows"),
    [
        ("1, 2", "0-0:4,"),
        ("(1), (2)", "0-0:8,"),
        ("1,", "0-0:2,"),
        ("(1, 2)", "0-0:6"),
        ("[1, 2]", "0-0:6"),
        ("(1, 2)[0]", "0-0:9"),
    ],
)
def test_a_tuple_without_brackets_is_told(code: str, shows: str) -> None:
    assert f' data-shows="{shows}">' in with_slices(block("python", code))


def test_what_is_not_python_is_copied_as_it_stands() -> None:
    assert with_slices(block("python", "%pip install a")).count('data-needs-lines=""') == 1
