"""Writes a formula as LaTeX, and makes up formulas: for the tests of the reader."""

from functools import singledispatch

from hypothesis import strategies as st

from formulas.tree import (
    Call,
    Cases,
    Equation,
    Letter,
    Name,
    Node,
    Number,
    Operation,
    Reduction,
    Slice,
)

SIGNS = {"*": r" \, ", "dot": r" \cdot ", "mod": r" \bmod ", "<=": r" \le ", "<": " < "}
LETTERS = ["i", "j", "k"]
NAMES = ["query", "key'", "W_value"]
RELATIONS = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "=": "="}


@singledispatch
def written(node: object) -> str:
    raise TypeError(node)


@written.register
def _(node: Number) -> str:
    return f"{node.value:g}"


@written.register
def _(node: Letter) -> str:
    return node.name


@written.register
def _(node: Name) -> str:
    word, primes = node.name.rstrip("'").replace("_", r"\_"), node.name.count("'")
    index = ",".join(map(place, node.index))
    return rf"\mathrm{{{word}}}" + "'" * primes + (f"_{{{index}}}" if index else "")


@written.register
def _(node: Operation) -> str:
    if node.sign == "/":
        return rf"\frac{{{written(node.left)}}}{{{written(node.right)}}}"
    if node.sign == "^":
        return f"({written(node.left)})^{{{written(node.right)}}}"
    return f"({written(node.left)}){SIGNS.get(node.sign, node.sign)}({written(node.right)})"


def place(node: Node) -> str:
    """Return an index, in which nothing has brackets."""
    match node:
        case Slice(first, last):
            return rf"{place(first)} \ldots {place(last)}"
        case Operation("*", one, other):
            return place(one) + place(other)
        case Operation(sign, one, other):
            return f"{place(one)} {sign} {place(other)}"
    return written(node)


@written.register
def _(node: Cases) -> str:
    rows = [
        rf"{written(value)} & \text{{if }} {related(condition)}"
        if condition is not None
        else rf"{written(value)} & \text{{otherwise}}"
        for value, condition in node.rows
    ]
    lines = r" \\ ".join(rows)
    return rf"\begin{{cases}} {lines} \end{{cases}}"


def related(condition: Node) -> str:
    assert isinstance(condition, Operation)
    if condition.sign == "and":
        return rf"{related(condition.left)} \text{{ and }} {related(condition.right)}"
    return f"{written(condition.left)} {RELATIONS[condition.sign]} {written(condition.right)}"


@written.register
def _(node: Reduction) -> str:
    if node.among is not None:
        (letter,) = node.letters
        among = rf"{letter} \in {written(node.among)}"
        return rf"\{node.name}_{{{among}}} ({written(node.body)})"
    return rf"\{node.name}_{{{''.join(node.letters)}}} ({written(node.body)})"


@written.register
def _(node: Call) -> str:
    if node.name == "sqrt":
        return rf"\sqrt{{{written(node.arguments[0])}}}"
    if node.name == "abs":
        return f"|{written(node.arguments[0])}|"
    if node.name == "transpose":
        return f"({written(node.arguments[0])})^T"
    name = rf"\{node.name}" if node.name in ("exp", "log", "max") else rf"\mathrm{{{node.name}}}"
    return rf"{name}\left({', '.join(map(written, node.arguments))}\right)"


@written.register
def _(node: Equation) -> str:
    return " = ".join(map(written, node.sides))


places = st.sampled_from(LETTERS).map(Letter)
# A letter, 2c, i + 1, j - 1 or 0 … t.
multiples = st.builds(Operation, st.just("*"), st.just(Number(2.0)), places)
steps = st.builds(Operation, st.sampled_from("+-"), places | multiples, st.just(Number(1.0)))
indices = places | multiples | steps | st.builds(Slice, st.just(Number(0.0)), places | steps)
leaves = (
    st.integers(0, 9).map(float).map(Number)
    | places
    | st.builds(Name, st.sampled_from(NAMES), st.lists(indices, max_size=2).map(tuple))
)


def larger(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    conditions = st.builds(Operation, st.sampled_from([*RELATIONS]), parts, parts)
    conditions |= st.builds(Operation, st.just("and"), conditions, conditions)
    cases = st.tuples(st.tuples(parts, conditions), st.tuples(parts, conditions | st.none()))
    sets = st.builds(Name, st.just("chosen"), st.lists(places, max_size=1).map(tuple))
    sums = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=2, unique=True).map(tuple)
    return (
        st.builds(Operation, st.sampled_from("+-*/^"), parts, parts)
        | st.builds(Operation, st.just("dot"), parts, parts)
        | st.builds(Reduction, st.sampled_from(["sum", "max", "min"]), sums, parts)
        | st.builds(Reduction, st.just("sum"), places.map(lambda x: (x.name,)), parts, sets)
        | st.builds(Cases, cases)
        | st.builds(
            Call, st.sampled_from(["exp", "sqrt", "abs", "softmax", "transpose"]), st.tuples(parts)
        )
        | st.builds(Call, st.just("max"), st.tuples(parts, parts))
    )


formulas: st.SearchStrategy[Node] = st.recursive(leaves, larger, max_leaves=8)
