"""Which lines of a page a block of its code needs, to run alone: a slice of the program above it.

Weiser, "Program Slicing" (1984): a statement is needed if it binds or changes a name that is read
later, and then so is what it reads itself. Prints are left out. The code is read and not run, so
what changes what is a guess; the tests run every slice, and compare what it prints.
"""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

# Methods that change what they are called on, also where somebody takes their result.
CHANGES = {"append", "add", "extend", "load_state_dict", "pop", "remove", "setdefault", "update"}
HOLDS = {"dict", "iter", "list", "reversed", "set", "sorted", "tuple", "zip"}
# What is called for what it prints or raises: the code below goes on without it.
TELLS = {"assert_close", "check", "hint", "print", "progress", "solution", "task"}
GRADIENTS = ".grad"  # stands among the names for what `backward` writes into tensors
RANDOM = ".random"  # for the random numbers that are still to be drawn
DRAWS = {"bernoulli", "choice", "multinomial", "normal", "rand", "randint", "randn", "randperm"}
SETTING = "set_"  # begins the names of what is set for a whole program, as `set_printoptions` does
DEFINITIONS = ast.FunctionDef | ast.ClassDef
IMPORTS = ast.Import | ast.ImportFrom
COMPOUND = ast.If | ast.For | ast.While | ast.Try | ast.With


@dataclass
class Statement:
    """What a statement at the margin of a page's code reads, binds anew, and changes."""

    lines: set[int]  # of the page's code, without those that only print
    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    may_bind: set[str] = field(default_factory=set)  # on some of its ways
    changes: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)  # read once the function that it defines is called
    is_import: bool = False


def slices(blocks: Sequence[str]) -> Iterator[list[int]]:
    """Yield the lines above that each block of a page needs, counted over all, imports first."""
    reader = Reader()
    code = "\n".join(blocks).split("\n")
    above: list[Statement] = []
    first = 0
    for block in blocks:
        own = [reader.read(statement, first) for statement in ast.parse(block).body]
        found = needed(above, own)
        imports = {line for each in found if each.is_import for line in each.lines}
        others = sorted({line for each in found for line in each.lines} - imports)
        yield sorted(imports) + list(with_gaps(others, code))
        above += own
        first += block.count("\n") + 1


def with_gaps(lines: Sequence[int], code: Sequence[str]) -> Iterator[int]:
    """Yield lines, with the empty ones between neighbours."""
    for line, following in pairwise([*lines, -1]):
        yield line
        gap = range(line + 1, following)
        if not any(code[number].strip() for number in gap):
            yield from gap


def needed(above: Sequence[Statement], block: Sequence[Statement]) -> list[Statement]:
    """Return the statements above that those of a block need."""
    program = [*above, *block]
    later: dict[str, set[str]] = {}
    for each in program:
        for name in each.binds if each.later else ():
            later.setdefault(name, set()).update(each.later)
    wanted = {SETTING}.union(*(each.later for each in block))
    found: list[Statement] = []
    for number, each in reversed(list(enumerate(program))):
        is_above = number < len(above)
        done = each.binds | each.may_bind | each.changes
        if is_above and not (each.lines and wanted & done):
            continue
        wanted = closed((wanted - each.binds) | each.reads | each.changes, later)
        found += [each] * is_above
    return found[::-1]


def closed(names: Iterable[str], leads_to: dict[str, set[str]]) -> set[str]:
    """Return names with all to which they lead."""
    found, new = set[str](), set(names)
    while new:
        found |= new
        new = set[str]().union(*(leads_to.get(name, set()) for name in new)) - found
    return found


class Reader:
    """Reads the statements of a page in their order, and knows what the functions above change."""

    def __init__(self) -> None:
        self.shares: dict[str, set[str]] = {}  # names that may be parts of one object
        self.changed_by: dict[str, set[str]] = {}  # what a call of a function changes beside
        self.changers: set[str] = set()  # functions and methods that change what they are given
        self.fixed = set[str]()  # what is called and not changed: imports, and functions
        self.own: set[str] = set()  # functions of the page

    def read(self, statement: ast.stmt, first: int) -> Statement:
        """Return what a statement does, and remember what it means for those below."""
        names = Statement({first + line - 1 for line in self.quiet_lines(statement)})
        table = symtable.symtable(ast.unparse(statement), "page", "exec")
        names.reads = globals_of(table)
        if {"grad", "step"} & {n.attr for n in ast.walk(statement) if isinstance(n, ast.Attribute)}:
            names.reads.add(GRADIENTS)
        if isinstance(statement, IMPORTS):
            names.is_import = True
            names.binds = {(a.asname or a.name).partition(".")[0] for a in statement.names}
            self.fixed |= names.binds
        elif isinstance(statement, DEFINITIONS):
            names.binds = {statement.name}
            names.later = names.reads
            self.define(statement)
        else:
            bound = {s.get_name() for s in table.get_symbols() if s.is_assigned()}
            names.changes = self.changes([statement])
            if isinstance(statement, COMPOUND | ast.AugAssign):
                names.may_bind = bound
                names.reads -= bound_first(statement)
            else:
                names.binds = bound
        return names

    def define(self, definition: ast.FunctionDef | ast.ClassDef) -> None:
        """Remember what a call of a function, or of the methods of a class, changes."""
        self.own.add(definition.name)
        self.fixed.add(definition.name)
        for function in ast.walk(definition):
            if not isinstance(function, ast.FunctionDef):
                continue
            given = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
            outside, self.shares = self.shares, {}
            changed = self.changes(function.body)
            self.shares = outside
            if changed & given and function.name != "__init__":
                self.changers.add(function.name)
            others = changed - given - names_in(function, ast.Store) - self.fixed
            self.changed_by.setdefault(definition.name, set()).update(others)

    def changes(self, body: Sequence[ast.stmt]) -> set[str]:
        """Return the names of what some statements may change."""
        nodes = [node for statement in body for node in ast.walk(statement)]
        for node in nodes:
            if isinstance(node, ast.For):
                self.share(node.target, objects_in(node.iter))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    self.share(target, held_by(node.value))
        found = set[str]().union(*map(self.changed, nodes))
        return closed(found, self.shares)

    def share(self, target: ast.expr, sources: set[str]) -> None:
        """Remember that names may be parts of one object."""
        for name in names_in(target):
            for source in sources - self.fixed:
                self.shares.setdefault(name, set()).add(source)
                self.shares.setdefault(source, set()).add(name)

    def changed(self, node: ast.AST) -> set[str]:
        """Return the names of what a piece of code changes."""
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return root_of(node)
        if isinstance(node, ast.AugAssign):
            return root_of(node.target)
        if isinstance(node, ast.Name):
            return self.changed_by.get(node.id, set())
        call = node.value if isinstance(node, ast.Expr) and not self.tells(node) else node
        if not isinstance(call, ast.Call):
            return set()
        name = name_of(call)
        if name == "backward":
            return {GRADIENTS}
        if name in DRAWS:
            return {RANDOM}
        whose = root_of(call.func) if isinstance(call.func, ast.Attribute) else set()
        if name in CHANGES or (name.endswith("_") and not name.endswith("__")):
            return whose.union(*map(root_of, call.args[:1])) - self.fixed
        given = whose.union(*map(root_of, call.args)) - self.fixed
        if name in self.changers:
            return given
        if call is node or (not whose and name in self.fixed):
            return set()
        # what changes none of the page changes a module, as `torch.manual_seed(0)` does
        return {SETTING} if name.startswith(SETTING) else given or whose

    def tells(self, statement: ast.stmt) -> bool:
        """Say whether a statement only prints, checks or shows something."""
        if isinstance(statement, ast.Try):
            return all(self.tells(each) for handler in statement.handlers for each in handler.body)
        if not isinstance(statement, ast.Expr):
            return isinstance(statement, ast.Assert)
        name = name_of(statement.value)
        is_shown = name in self.own - self.changers and not self.changed_by.get(name)
        return not isinstance(statement.value, ast.Call) or name in TELLS or is_shown

    def quiet_lines(self, statement: ast.stmt) -> set[int]:
        """Return the lines of a statement without those that tell, or none if it only tells."""
        lines = set(lines_of(statement))
        if self.tells(statement):
            return set()
        if not isinstance(statement, COMPOUND):
            return lines
        for part in ("body", "orelse"):
            inside: list[ast.stmt] = getattr(statement, part, [])
            kept = [self.quiet_lines(each) for each in inside]
            if inside and not any(kept):
                others = getattr(statement, "orelse", [])
                return lines if part == "orelse" or any(map(self.quiet_lines, others)) else set()
            for each, own in zip(inside, kept, strict=True):
                lines -= set(lines_of(each)) - own
        return lines


def names_in(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> set[str]:
    """Return the names in a piece of code."""
    names = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in names if isinstance(each.ctx, context)}


def globals_of(table: symtable.SymbolTable) -> set[str]:
    """Return the names of its page that a scope reads, with those that the scopes inside read."""
    is_page = table.get_type() == "module"
    symbols = (s for s in table.get_symbols() if s.is_referenced() and (is_page or s.is_global()))
    inside = map(globals_of, table.get_children())
    return {s.get_name() for s in symbols}.union(*inside) - set(dir(builtins))


def bound_first(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds before it reads them."""
    first: dict[str, ast.expr_context] = {}
    for name in in_order(statement):
        first.setdefault(name.id, name.ctx)
    return {name for name, context in first.items() if isinstance(context, ast.Store)}


def in_order(node: ast.AST) -> Iterator[ast.Name]:
    """Yield names as Python comes to them: those of a value before those that are bound to it."""
    if isinstance(node, ast.Name):
        yield node
    value = getattr(node, "iter", getattr(node, "value", None))
    for child in sorted(ast.iter_child_nodes(node), key=lambda child: child is not value):
        yield from in_order(child)


def held_by(value: ast.expr) -> set[str]:
    """Return the names of objects of which a value is a part, or that it holds."""
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
        return root_of(value)
    if isinstance(value, ast.Call) and name_of(value) in HOLDS:
        return set[str]().union(*map(held_by, value.args))
    if isinstance(value, ast.Tuple | ast.List):
        return set[str]().union(*map(held_by, value.elts))
    if isinstance(value, ast.ListComp) and isinstance(value.elt, ast.Name):
        return set[str]().union(*(objects_in(each.iter) for each in value.generators))
    return set()


def objects_in(node: ast.AST) -> set[str]:
    """Return the names in an expression without those of what it calls."""
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return names_in(node) - {each.id for each in calls if isinstance(each, ast.Name)}


def root_of(node: ast.AST) -> set[str]:
    """Return the name of the object that an expression is a part of, if it is."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def name_of(call: ast.expr) -> str:
    """Return the last part of the name of what is called."""
    function = getattr(call, "func", None)
    name: str = getattr(function, "id", getattr(function, "attr", ""))
    return name


def lines_of(statement: ast.stmt) -> range:
    """Return the lines of a statement with its decorators, from 1."""
    above: list[int] = [each.lineno for each in getattr(statement, "decorator_list", [])]
    return range(min([statement.lineno, *above]), (statement.end_lineno or statement.lineno) + 1)
