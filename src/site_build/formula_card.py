r"""The card of a formula: the formula, its line of code, and numbers that say where they come from.

    ````markdown
    $$\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}$$

    ```card says="the score of “{i}” with “{j}”" i="the bank" j="the bank" at="bank the"
    scores = [[1, 0], [0, 2]]
    query = [[0, 1], [1, 1]]
    key = [[0, 1], [1, 1]]
    ```
    ````

The fence stands directly below its formula. Its numbers are those of the page: `pytest
--update-outputs` writes them, and each run compares them (tensor_examples.equations). An option of
one letter names the places on that axis, divided as in an output. `says` is what a number is, with
letters in the place of names, and `at` is the number that the card begins with, here and on paper.

What an element is made of is read from the formula (formulas.elements). The script of the card,
theme/assets/formula/card.js, derives any number from it.
"""

import json
import re
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from formulas.assignments import assignments
from formulas.compute import Scope
from formulas.derive import Derived, derive, names_in
from formulas.elements import Element, Elements, elements
from formulas.read import read
from formulas.tree import UnreadError
from site_build.markdown.tensors import index_of, names_of
from tensor_examples.fences import Fence

CARD = "card"
PLACED = re.compile(
    r'(?P<formula><div class="arithmatex">\\\[(?P<tex>(?:(?!\\\]).)*)\\\]</div>)\s*'
    r'<div class="card-numbers" data-card="(?P<card>[^"]*)"></div>',
    re.DOTALL,
)
PRINTED = re.compile(r'class="?(?:printed-matrix|heat-map)[^>]*? data-name="?(?P<name>\w+)"?')
NAME = re.compile(r"<mi>(\w{2,})</mi>")
LETTER = re.compile(
    r"<msup><mi>(?P<one>[a-z])</mi><mo>\u2032</mo></msup>|<mi>(?P<other>[a-z])</mi>"
)
LONGEST = 80  # letters of a line of code
WORD = re.compile(r"[A-Za-z_]\w*")


def card_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Keep the numbers of a formula, for `with_cards`."""
    if unknown := [each for each in options if len(each) > 1 and each not in ("says", "at")]:
        raise SuperFencesException(f"a card has no use for {', '.join(unknown)}")
    return f'<div class="card-numbers" data-card="{escape(json.dumps([text, options]))}"></div>'


def statements(fences: Sequence[Fence]) -> list[dict[str, str]]:
    """Return for each card of a page the lines of code that give names their values.

    They stand above the card, or else in the block below it.
    """
    found = []
    for number, card in enumerate(fences):
        if card.language == CARD:
            code = [(n, f) for n, f in enumerate(fences) if f.language == "python" and not f.prefix]
            below = next((n for n, _ in code if n > number), number)
            made_by = assignments(["\n".join(f.lines) for n, f in code if n <= below])
            found.append({name: line for name, line in made_by.items() if line})
    return found


def with_cards(html: str, code: Sequence[Mapping[str, str]], mathml: Any) -> str:
    """Return a page with its cards, and printed tensors that know that a card explains them.

    Args:
        html: The page, in which formulas are TeX.
        code: The statements of the page, for each card.
        mathml: Converts formulas.
    """
    explained: set[str] = set()
    lines = iter(code)

    def placed(found: re.Match[str]) -> str:
        text, options = json.loads(unescape(found["card"]))
        tex = unescape(found["tex"])
        try:
            card = Card(tex, tensors_of(text), options)
            explained.update(part.name for part in card.parts)
            return card.html(marked(mathml(found["formula"]), card.tensors), next(lines))
        except (UnreadError, ValueError) as error:
            raise ValueError(f"the card of {tex.strip()}: {error}") from error

    html = PLACED.sub(placed, html)

    def asked(found: re.Match[str]) -> str:
        return f'{found[0]} data-needs="formula/card"' if found["name"] in explained else found[0]

    return PRINTED.sub(asked, html)


def tensors_of(text: str) -> dict[str, Any]:
    """Return the tensors of a card."""
    lines = [line.partition(" = ") for line in text.splitlines() if line.strip()]
    # No literal of Python is infinite, but for one that is too large.
    return {name: literal_eval(numbers.replace("inf", "1e999")) for name, _, numbers in lines}


def marked(mathml: str, tensors: Mapping[str, Any]) -> str:
    """Return a formula in which tensors and letters can be found."""

    def name(found: re.Match[str]) -> str:
        known = found[1] in tensors
        return f'<mi data-name="{found[1]}">{found[1]}</mi>' if known else found[0]

    def letter(found: re.Match[str]) -> str:
        tag = "msup" if found["one"] else "mi"
        which = f"{found['one']}'" if found["one"] else found["other"]
        return found[0].replace(f"<{tag}>", f'<{tag} data-letter="{which}">', 1)

    return LETTER.sub(letter, NAME.sub(name, mathml))


@dataclass(frozen=True)
class Card:
    """A formula with its numbers.

    Args:
        tex: Of one equation or several.
        tensors: The numbers, by their names.
        options: Those of the fence.
    """

    tex: str
    tensors: Mapping[str, Any]
    options: Mapping[str, str]

    @property
    def parts(self) -> list[Elements]:
        """Its equations in single numbers."""
        return [elements(equation, Scope(self.tensors)) for equation in read(self.tex)]

    @property
    def axes(self) -> dict[str, list[str]]:
        """The names of places, by the letter of their axis."""
        return {letter: names_of(text) for letter, text in self.options.items() if len(letter) == 1}

    def html(self, formula: str, code: Mapping[str, str]) -> str:
        """Return the card, with the derivation of one number."""
        parts, axes = self.parts, self.axes
        for part in parts:
            for letter, length in [*part.letters.items(), *summed(part.element)]:
                if (names := axes.get(letter[0])) and len(names) != length:
                    raise ValueError(f"{len(names)} names for {length} places of {letter}")
        first = parts[0]
        at = self.first(first)
        derived = derive(first.element, self.tensors, at)
        data = {
            "parts": [
                {
                    "name": part.name,
                    "index": part.index,
                    "letters": part.letters,
                    "element": part.element,
                }
                for part in parts
            ],
            "tensors": self.tensors,
            "axes": axes,
            "says": self.says,
            "at": at,
        }
        lines = dict.fromkeys(code.get(part.name, "") for part in parts)
        shown = "".join(
            f"<code>{with_names(line, self.tensors)}</code>"
            for line, part in zip(lines, parts, strict=False)
            if len(line) < LONGEST
            and {*WORD.findall(line.split(" = ")[-1])} & {*names_in(part.element)}
        )
        numbers = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        numbers = numbers.replace("-Infinity", "-1e999").replace("Infinity", "1e999")
        return (
            '<formula-card data-needs="formula/card">'
            f'<script type="application/json">{numbers}</script>{formula}{shown}'
            f'<p class="card-told" data-search-exclude>{self.told(first, at, derived)}</p>'
            "</formula-card>"
        )

    @property
    def says(self) -> list[str]:
        """What a number of each equation is, with letters in the place of names."""
        return self.options.get("says", "").split("|")

    def first(self, part: Elements) -> dict[str, int]:
        """Return the place of the number with which the card begins."""
        names = names_of(self.options.get("at", ""))
        places = {}
        for letter, name in zip(part.letters, names or ["0"] * len(part.letters), strict=True):
            length = part.letters[letter]
            places[letter] = index_of(name, self.axes.get(letter, list(map(str, range(length)))))
        return places

    def told(self, part: Elements, at: Mapping[str, int], derived: Derived) -> str:
        """Return how a number comes about, as card.js says it."""
        places = ", ".join(f"{{{letter}}}" for letter in part.letters)
        words = self.says[0] or f"{part.name}[{places}]"
        for letter, place in at.items():
            names = self.axes.get(letter)
            words = words.replace(f"{{{letter}}}", names[place] if names else str(place))
        said = [f"<span>{escape(words)}</span>", f"<span>{escape(derived.text)}</span>"]
        if derived.text != derived.result:
            said.append(f"<strong>= {derived.result}</strong>")
        if derived.because:
            said.append(f"<span>because {escape(' and '.join(derived.because))}</span>")
        return " ".join(said)


def summed(element: Element) -> Iterator[tuple[str, int]]:
    """Yield the axes over which an element adds up, and how long each is, if it always is."""
    if element[:1] in (["sum"], ["max"], ["min"]) and element[2][0] == "number":
        yield element[1], int(element[2][1])
    for part in element:
        if isinstance(part, list):
            yield from summed(part)


def with_names(line: str, tensors: Mapping[str, Any]) -> str:
    """Return a line of code in which tensors can be found."""

    def name(found: re.Match[str]) -> str:
        return (
            f'<span data-name="{found[0]}">{found[0]}</span>' if found[0] in tensors else found[0]
        )

    return WORD.sub(name, escape(line, quote=False))
