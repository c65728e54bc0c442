r"""Reads the LaTeX of a formula into a tree.

Two notations are read, and may be mixed. In index notation each axis has a letter, as in
`\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}`. In matrix notation, two
names side by side are a matrix product. The names are those of the code.
"""

import math
import re
from functools import partial, reduce
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import LarkError, VisitError

from formulas.tree import (
    Call,
    Cases,
    Derivative,
    Equation,
    Letter,
    Name,
    Node,
    Number,
    Operation,
    Reduction,
    Slice,
    UnreadError,
)

GRAMMAR = r"""
equation: sum (RELATION sum)*

?condition: relation | relation ("\\text{ and }" relation)+ -> all
?relation: sum | sum (RELATION sum)+ -> chain
?sum: product | sum SIGN product -> operation
?product: first | SIGN product -> negative
    | product power -> times | product BETWEEN power -> operation
?first: power | "|" sum "|" -> abs | "\\|" sum "\\|" -> norm
?power: atom | power "^" atom -> raised
?atom: "(" condition ")"
    | "{" condition "}"
    | NUMBER -> number
    | CONSTANT -> constant
    | FRACTION atom atom -> fraction
    | FRACTION "{" "\\partial" name "}" "{" "\\partial" name "}" -> derivative
    | "\\sqrt" atom -> root
    | FUNCTION first -> call
    | FUNCTION "(" sum ("," sum)+ ")" -> call
    | NAME "(" sum ("," sum)* ")" -> call
    | NAME subscript? "[" condition "]" -> lookup
    | REDUCTION subscript? product -> reduction
    | REDUCTION "_" "{" place "\\in" sum "}" product -> among
    | "\\begin{cases}" case ("\\\\" case)* "\\end{cases}" -> cases
    | name
case: sum "&" "\\text{if }" condition | sum "&" TEXT
name: (NAME | LETTER) subscript?
?subscript: "_" single -> subscript | "_" "{" place (","? place)* "}" -> subscript
?single: LETTER -> letter | NAME -> word | NUMBER -> number
?place: step | step "\\ldots" step -> slice
?step: index | step SIGN index -> operation
?index: single | NUMBER LETTER -> multiple | NAME subscript -> name

NAME.2: /\\mathrm\{[^{}]*\}'*|\\(delta|beta|gamma|lambda|alpha|sigma)/
LETTER: /[a-zA-Z]'*/
NUMBER: /\d+(\.\d+)?/
CONSTANT: "\\infty" | "\\pi"
FRACTION: "\\frac" | "\\dfrac"
FUNCTION: /\\(exp|log|sin|cos|max|min)(?!_)(?![a-z])/
REDUCTION: /\\(max|min)(?=_)|\\sum/
SIGN: "+" | "-"
BETWEEN: "\\cdot" | "/" | "\\bmod"
RELATION: /[=<>]|\\(le|ge|in)(?![a-z])/
TEXT: /\\text\{(?!if )[^{}]*\}/
SPACE: /\s+|\\[,;:! ]|\\(left|right|[Bb]igg?[lr]?)(?![a-z])|\\class\{known\}/
%ignore SPACE
"""
SIGNS = {r"\cdot": "dot", r"\bmod": "mod", r"\le": "<=", r"\ge": ">=", r"\in": "in"}
ALIGNED = re.compile(r"\\begin\{aligned\}(?P<lines>.*?)\\end\{aligned\}", re.DOTALL)
CONSTANTS = {r"\infty": math.inf, r"\pi": math.pi}


def in_one_line(aligned: re.Match[str]) -> str:
    r"""Return aligned lines without their breaks: one that begins with `&` continues the last."""
    joined = re.sub(r"\\\\\s*&", " ", aligned["lines"])
    return joined.replace("&", "").replace(r"\\", r"\qquad")


def variable(place: Node | str) -> Node:
    """Return a word that is no part of a name, but of a sum or a slice, as a variable."""
    return Name(place) if isinstance(place, str) else place


def plain(token: str) -> str:
    r"""Return a name as the code writes it: `W_query` for `\mathrm{W\_query}`."""
    return re.sub(r"\\mathrm|[{}\\]", "", token)


@v_args(inline=True)
class _Tree(Transformer[Token, Any]):
    """Makes a node of each rule of the grammar."""

    def equation(self, *read: Any) -> Equation:
        return Equation(read[::2], tuple(SIGNS.get(sign, str(sign)) for sign in read[1::2]))

    def chain(self, *read: Any) -> Node:
        relations = (
            self.operation(*read[start : start + 3]) for start in range(0, len(read) - 2, 2)
        )
        return self.all(*relations)  # both hold: i - w < j <= i

    def all(self, *relations: Node) -> Node:
        return reduce(partial(Operation, "and"), relations)

    def operation(self, left: Node | str, sign: str, right: Node | str) -> Node:
        return Operation(SIGNS.get(sign, str(sign)), variable(left), variable(right))

    def times(self, left: Node, right: Node) -> Node:
        return Operation("*", left, right)

    def negative(self, sign: str, node: Node) -> Node:
        if sign == "+":
            raise UnreadError("a sign + before a product")
        return Operation("*", Number(-1.0), node)

    def raised(self, base: Node, exponent: Node) -> Node:
        is_transpose = exponent in (Letter("T"), Name("T"))
        return Call("transpose", (base,)) if is_transpose else Operation("^", base, exponent)

    def number(self, token: str) -> Node:
        return Number(float(token))

    def constant(self, token: str) -> Node:
        return Number(CONSTANTS[token])

    def fraction(self, _: str, above: Node, below: Node) -> Node:
        return Operation("/", above, below)

    def derivative(self, _: str, of: Name, by: Name) -> Node:
        return Derivative(of, by)

    def call(self, name: str, *arguments: Node) -> Node:
        return Call(plain(name), arguments)

    def abs(self, node: Node) -> Node:
        return Call("abs", (node,))

    def norm(self, node: Node) -> Node:
        return Call("length", (node,))

    def root(self, node: Node) -> Node:
        return Call("sqrt", (node,))

    def lookup(self, name: str, *index: Any) -> Node:
        *places, row = index
        return Name(plain(name), (*(place for some in places for place in some), row))

    def reduction(self, name: str, *read: Any) -> Node:
        *subscript, body = read
        places = [place for some in subscript for place in some]
        if not all(isinstance(place, Letter) for place in places):
            raise UnreadError("a sum over something that is no axis")
        letters = tuple(place.name for place in places)
        return Reduction(plain(name), letters, body)

    def among(self, name: str, letter: Letter, members: Node, body: Node) -> Node:
        return Reduction(plain(name), (letter.name,), body, members)

    def case(self, value: Node, condition: Node | Token) -> tuple[Node, Node | None]:
        return value, None if isinstance(condition, Token) else condition

    def cases(self, *rows: tuple[Node, Node | None]) -> Node:
        return Cases(rows)

    def subscript(self, *places: Any) -> tuple[Any, ...]:
        return places

    def letter(self, token: str) -> Node:
        return Letter(str(token))

    def word(self, token: str) -> str:
        return plain(token)

    def multiple(self, number: str, letter: str) -> Node:
        if float(number) < 2:
            raise UnreadError(f"the index {number}{letter}: write {number},{letter} for two axes")
        return Operation("*", Number(float(number)), Letter(str(letter)))

    def slice(self, first: Node | str, last: Node | str) -> Node:
        return Slice(variable(first), variable(last))

    def name(self, token: str, places: tuple[Any, ...] = ()) -> Node:
        # Words in a subscript belong to the name: W_{\mathrm{out},h} is `W_out` with an index.
        words = [plain(token), *(place for place in places if isinstance(place, str))]
        index = tuple(place for place in places if not isinstance(place, str))
        if re.fullmatch("[a-zA-Z]'*", token) and not places:
            return Letter(str(token))
        return Name("_".join(words), index)


PARSER = Lark(GRAMMAR, start="equation", parser="lalr")


def read(latex: str) -> list[Equation]:
    r"""Return the equations of a display, which `\qquad`, `\quad` or lines separate.

    Raises:
        UnreadError: If it has something that this reader does not know.
    """
    pieces = re.split(r"\\q?quad(?![a-z])", ALIGNED.sub(in_one_line, latex))
    try:
        found = [PARSER.parse(piece.strip(" \n.,")) for piece in pieces if piece.strip(" \n.,")]
        return [_Tree().transform(tree) for tree in found]
    except VisitError as error:
        raise UnreadError(str(error.orig_exc)) from error
    except LarkError as error:
        raise UnreadError(str(error).partition("\n")[0]) from error
