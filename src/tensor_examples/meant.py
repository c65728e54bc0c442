"""What authors say of their code: that it raises, or that it prints something else at each run."""

import ast
import io
import os
import re
import sys
import tokenize
import traceback
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from tensor_examples.compare import difference, tokens

VARIED = "not compared: it prints something else at each run"
# As the docstrings of NumPy and SciPy say it, and the tools that read them.
VARIES = re.compile(r"#\s*(?:may vary|random|uninitialized)\b", re.IGNORECASE)
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
DEVICE = re.compile(r"\b(cuda|mps)\b")
DRIVERS = "/dev/nvidiactl", "/dev/dxg", "/dev/kfd"  # of NVIDIA, of Windows, of AMD
OF_MACHINE = NameError, ImportError, OSError  # which may come before what is shown
NAME = r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning|Group)"
ERROR = re.compile(rf"^{NAME}(?=:[ \n]|[ \t]*$)", re.MULTILINE)
BEGINS = re.compile(r"^(?:-{5,}\n.*|)Traceback \(most recent call last\)", re.MULTILINE)
RAISES = re.compile(
    r"\b(?:raises?|errors?|exceptions?|fails?|\w+Error|\w+Exception)\b|[❌✗✘]", re.IGNORECASE
)
# In a sentence, also what is not let through.
REFUSED = re.compile(
    r"\b(?:(?:il)?legal|invalid|immutable|read-only|not (?:allowed|work)|doesn.t work)\b", re.I
)
DENIES = re.compile(r"\b(?:no|not|never|without|avoids?)\b|n't\b", re.IGNORECASE)


def error_told(error: BaseException) -> str:
    """Return the last lines of a traceback: the name of an error, and what it says."""
    told = traceback.format_exception_only(error)
    return "".join(told[-1:] if isinstance(error, SyntaxError) else told)


def with_error(shown: str, printed: str, error: BaseException) -> str | None:
    """Return what code printed and raised as an output shows it, or None if it shows no error.

    The traceback above an error is not compared, as with doctest.
    """
    found = list(ERROR.finditer(shown))
    is_other = not found or found[-1].group().rpartition(".")[2] != type(error).__name__
    if not found or (is_other and isinstance(error, OF_MACHINE)):
        return None
    begins = BEGINS.search(shown)
    start = found[-1].start()
    trace = shown[begins.start() : start] if begins and begins.start() < start else ""
    told = error_told(error)
    if "." not in found[-1].group():  # notebooks leave the name of the module out
        told = re.sub(r"\A(?:\w+\.)+", "", told)
    return f"{printed}{trace}{told}"


def comments_near(source: str, line: int) -> Iterator[str]:
    """Yield the comments of a statement that has a line, and those directly above and below it."""
    try:
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
        found = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, ValueError):
        return
    spans = [(node.lineno, node.end_lineno or 0) for node in nodes]
    holding = [(last - first, first, last) for first, last in spans if first <= line <= last]
    _, first, last = min(holding, default=(0, line, line))
    for token in found:
        alone = not token.line[: token.start[1]].strip()
        if token.type == tokenize.COMMENT and first - alone <= token.start[0] <= last + alone:
            yield token.string


def says_it_raises(source: str, line: int, kind: type[BaseException]) -> bool:
    """Say whether a comment says that code raises at a line; one that names an error, this one."""
    told = (text for text in comments_near(source, line) if speaks_of_raising(text))
    return names_no_other(next(told, None), kind)


def tells_of_refusal(beside: str, kind: type[BaseException]) -> bool:
    """Say whether a sentence tells that code raises, or is refused; if it names an error, this."""
    sentences = re.split(r"(?<=[.?!:])\s+", beside)
    told = (each for each in sentences if speaks_of_raising(each) or REFUSED.search(each))
    return names_no_other(next(told, None), kind)


def text_beside(above: Sequence[str], below: Sequence[str]) -> str:
    """Return what stands beside some code: its section's title, and the paragraphs next to it.

    What ends with a colon is about what comes after, as is a heading.
    """
    after = nearest(takewhile(lambda line: not line.startswith("#"), below))
    is_about_next = bool(after) and after[-1].rstrip().endswith(":")
    title = next((line for line in reversed(above) if line.startswith("#")), "")
    before = [*reversed(nearest(reversed(above)))]
    return "\n\n".join([title, "\n".join(before), "\n".join(after) * (not is_about_next)])


def nearest(lines: Iterable[str]) -> list[str]:
    """Return the first lines that no empty one parts."""
    found: list[str] = []
    for line in lines:
        if found and not line.strip():
            break
        found += [line] * bool(line.strip())
    return found


def speaks_of_raising(text: str) -> bool:
    """Say whether a text says that something raises, and does not deny it."""
    return bool(RAISES.search(text) and not DENIES.search(text))


def names_no_other(text: str | None, kind: type[BaseException]) -> bool:
    """Say whether there is a text, and whether it names this error, where it names any."""
    named = re.findall(r"\b[A-Z]\w*(?:Error|Exception)\b", text or "")
    return text is not None and (not named or any(k.__name__ in named for k in kind.__mro__))


def says_it_varies(*texts: str) -> bool:
    """Say whether a comment of some code or of its output says that the output may vary."""
    return any(map(VARIES.search, texts))


def varies(expected: str, first: str, second: str) -> bool:
    """Say whether two runs print different things, and what is expected could be a third.

    What both runs print has to stand there as well, but for numbers where most numbers vary, since
    two dice may fall alike, and for the word behind a number that may vary, such as its unit.
    """
    if difference(first, second) is None:
        return False
    texts = [THOUSANDS.sub("", text) for text in (expected, first, second)]
    runs = [[token.text for token in tokens(text)] for text in texts]
    if len(runs[1]) != len(runs[2]):
        return True
    numbers = [one != other for one, other in zip(*runs[1:], strict=True) if is_number(one)]
    most_vary = 2 * sum(numbers) >= len(numbers)
    is_free = False  # what stands in front, a space aside
    if len(runs[0]) != len(runs[1]):  # of another length, as one of the runs might have been
        words = [[one for one in run if one.isalnum() and not is_number(one)] for run in runs]
        return most_vary and words[0] == words[1] == words[2]
    for want, one, other in zip(*runs, strict=True):
        may_vary = one != other or (is_number(one) and most_vary) or (is_free and one.isalpha())
        if want != one and not may_vary:
            return False
        if not one.isspace():
            is_free = is_number(one) and may_vary
    return True


def is_number(token: str) -> bool:
    """Say whether a token is a number."""
    return token.lstrip("+-.")[:1].isdigit()


def device_lacking(source: str) -> str:
    """Return the name of a device that some code speaks of, and that this machine has not."""
    has = {"cuda": any(map(os.path.exists, DRIVERS)), "mps": sys.platform == "darwin"}
    found = set(DEVICE.findall(source))
    return next((name for name in sorted(found) if not has[name]), "")
