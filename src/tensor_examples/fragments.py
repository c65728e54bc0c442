"""Pages of fragments: what fails there ends no page, and takes with it what needs it."""

import ast
import re
import traceback
from collections.abc import Iterator
from symtable import symtable

from tensor_examples.meant import device_lacking, says_it_raises, tells_of_refusal

MAGIC = re.compile(r"^[%!].*", re.MULTILINE)  # a line that only IPython runs


class Unset:
    """The names that blocks would have set, had they not failed."""

    def __init__(self) -> None:
        self.have: set[str] = set()  # that blocks have set
        self.where: dict[str, str] = {}  # for each that is unset, the block that would set it

    def add(self, source: str, line: int, place: str) -> None:
        """Note the place of a block that failed at one of its lines."""
        found = names_set(source, line).items()
        lost = [name for name, is_imported in found if not (is_imported and name in self.have)]
        self.where |= dict.fromkeys(lost, place)

    def why_not(self, source: str) -> str:
        """Say why a block cannot be run, or nothing; what it would set is then unset as well."""
        if needed := sorted(self.where.keys() & names_needed(source)):
            place = self.where[needed[0]]
            self.add(source, 0, place)
            return f"not run: it needs {needed[0]!r} of {place}, which failed or was not run"
        return ""

    def done(self, source: str) -> None:
        """Note that a block ran to its end."""
        for name in names_set(source):
            self.where.pop(name, None)
        for statement in statements(source):
            if not isinstance(statement, ast.If | ast.Try):
                self.have |= names_set(ast.unparse(statement)).keys()

    def why_fragment(
        self, error: BaseException | None, path: str, source: str, line: int, beside: str
    ) -> str:
        """Say why an error is no mistake of a block: it is a part of something, or says so.

        Args:
            error: What the block raised.
            path: Of its file.
            source: Of the block.
            line: Of the block, on which it failed.
            beside: The text above it and directly below, if it shows no output.
        """
        if isinstance(error, SyntaxError) and error.filename == path:
            return "not run: it is not whole, or not Python"
        innermost = traceback.extract_tb(error.__traceback__)[-1:] if error else []
        is_own = all(frame.filename == path for frame in innermost)
        if type(error) is NameError and is_own and error.name not in self.have:
            return f"not run: no block above sets {error.name!r}"
        if device := device_lacking(source):
            return f"not run: it needs {device}"
        if lacking := package_lacking(error):
            return f"not run: {lacking} is not installed"
        if isinstance(error, OSError):
            return f"not run: it needs a file, a network or a device: {type(error).__name__}"
        if "init_process_group" in str(error):
            return "not run: it needs a group of processes"
        if error and says_it_raises(source, line, type(error)):
            return f"not compared: a comment says that it raises {type(error).__name__}"
        if error and tells_of_refusal(beside, type(error)):
            return f"not compared: the text beside it says that it raises: {type(error).__name__}"
        return "not run: it has ... for what it leaves out" if leaves_out(source) else ""


def left_after(seconds: float) -> str:
    """Say that a block was left before its end."""
    return f"left after {seconds:g} seconds (see --example-timeout)"


def package_lacking(error: BaseException | None) -> str:
    """Return the package without which something cannot be imported, or what is said of it."""
    told = str(error).partition("\n")[0]
    is_asked_for = type(error) is ImportError and not told.startswith("cannot import name")
    if error and is_asked_for:  # some code asks for a package, and may have hidden why
        return package_lacking(error.__cause__ or error.__context__) or f"what it asks for ({told})"
    if isinstance(error, ModuleNotFoundError) and "." not in str(error.name):
        return str(error.name)
    return ""


def names_set(source: str, first: int = 0) -> dict[str, bool]:
    """Return the names that the code below a line sets, and of each whether it is an import."""
    late = [each for each in statements(source) if (each.end_lineno or 0) >= first]
    symbols = symtable(ast.unparse(ast.Module(late, [])), "", "exec").get_symbols()
    found = [each for each in symbols if each.is_assigned() or each.is_imported()]
    parts = {name: False for each in late for name in names_set_in_part(each)}
    return parts | {each.get_name(): each.is_imported() for each in found}


def names_set_in_part(statement: ast.stmt) -> Iterator[str]:
    """Yield the names of the objects of which a statement sets an element or an attribute."""
    is_scope = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    for node in () if is_scope else ast.walk(statement):
        match node:
            case ast.Subscript(ast.Name(name), ctx=ast.Store()) | ast.Attribute(
                ast.Name(name), ctx=ast.Store()
            ):
                yield name


def names_needed(source: str) -> set[str]:
    """Return the names that some code reads, and has not set itself in a statement above."""
    read: set[str] = set()
    here: set[str] = set()
    for statement in statements(source):
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        read |= {node.id for node in names if isinstance(node.ctx, ast.Load)} - here
        here |= names_set(ast.unparse(statement)).keys()
    return read


def leaves_out(source: str) -> bool:
    """Say whether some code has `...` elsewhere than in an index."""
    nodes = [node for each in statements(source) for node in ast.walk(each)]
    of_index = {id(n) for node in nodes if isinstance(node, ast.Subscript) for n in ast.walk(node)}
    dots = [node for node in nodes if isinstance(node, ast.Constant) and node.value is ...]
    return any(id(node) not in of_index for node in dots)


def statements(source: str) -> list[ast.stmt]:
    """Return the statements of some code, or none where it is not Python."""
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError):
        return []
