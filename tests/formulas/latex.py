"""Writes a formula as LaTeX, and makes up formulas: for the tests of the reader."""

from functools import singledispatch

from hypothesis import strategies as st

from formulas.tree import Call, Equation, Letter, Name, Node, Number, Operation, Reduction

SIGNS = {"*": r" \, ", "dot": r" \cdot ", "mod": r" \bmod ", "<=": r" \le ", "<": " < "}
LETTERS = ["i", "j", "k"]
NAMES = ["query", "key", "W_value"]


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
    name = node.name.replace("_", r"\_")
    index = ",".join(map(written, node.index))
    return rf"\mathrm{{{name}}}" + (f"_{{{index}}}" if index else "")


@written.register
def _(node: Operation) -> str:
    if node.sign == "/":
        return rf"\frac{{{written(node.left)}}}{{{written(node.right)}}}"
    if node.sign == "^":
        return f"({written(node.left)})^{{{written(node.right)}}}"
    return f"({written(node.left)}){SIGNS.get(node.sign, node.sign)}({written(node.right)})"


@written.register
def _(node: Reduction) -> str:
    return rf"\{node.name}_{{{''.join(node.letters)}}} ({written(node.body)})"


@written.register
def _(node: Call) -> str:
    if node.name == "sqrt":
        return rf"\sqrt{{{written(node.arguments[0])}}}"
    if node.name == "transpose":
        return f"({written(node.arguments[0])})^T"
    name = rf"\{node.name}" if node.name in ("exp", "log", "max") else rf"\mathrm{{{node.name}}}"
    return rf"{name}\left({', '.join(map(written, node.arguments))}\right)"


@written.register
def _(node: Equation) -> str:
    return " = ".join(map(written, node.sides))


places = st.sampled_from(LETTERS).map(Letter)
leaves = (
    st.integers(0, 9).map(float).map(Number)
    | places
    | st.builds(Name, st.sampled_from(NAMES), st.lists(places, max_size=2).map(tuple))
)


def larger(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    sums = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=2, unique=True).map(tuple)
    return (
        st.builds(Operation, st.sampled_from("+-*/^"), parts, parts)
        | st.builds(Operation, st.just("dot"), parts, parts)
        | st.builds(Reduction, st.just("sum"), sums, parts)
        | st.builds(
            Call, st.sampled_from(["exp", "sqrt", "softmax", "transpose"]), st.tuples(parts)
        )
        | st.builds(Call, st.just("max"), st.tuples(parts, parts))
    )


formulas: st.SearchStrategy[Node] = st.recursive(leaves, larger, max_leaves=8)
