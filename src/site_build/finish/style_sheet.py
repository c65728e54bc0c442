"""Purges unused CSS, and joins the style sheets into one.

The theme brings styles for all that it can do. A rule is left out when its selector names a tag, a
class or an id that is in no tag of the built pages and nowhere in the scripts, which add some, or a
direction of writing or a colour of the theme that no page has, and a variable when no rule that is
left asks for it. A browser waits for each file of styles
before it shows a page, so they are joined.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from pathlib import Path

import tinycss2
from tinycss2.ast import AtRule, Declaration, Node, QualifiedRule

NAME = re.compile(r"-{0,2}[A-Za-z_][\w-]*")
VARIABLE = re.compile(r"--[\w-]+")
USED_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)")
LINK = re.compile(r'<link rel="stylesheet" href="([^":]*)">')
TAG = re.compile(r"<[A-Za-z][^<>]*>")
INLINE = re.compile(r"<script>.*?</script>", re.DOTALL)
# Attributes that no script changes: a rule for another value is for no page.
FIXED = re.compile(r'(dir|data-md-color-(?:primary|accent))="?([\w-]+)')
PROSE = re.compile(r' (?:aria-label|content|href|title)="[^"]*"')
# What the theme's script makes for features that the site has not turned on, words that are not
# meant as classes there, and the one or two letters that stand for its variables.
UNUSED_FEATURES = re.compile(
    "(--)?md-(annotation|mermaid|source|status|tag|toggle--|tooltip|version)"
    "|(bug|failure|footnote|grid|info|inline|keys|mermaid|note|result|tabbed|tip|warning)(?![^-])|..?$"
)
# By `CSS.supports`, WebKit 2.50 has the first and the last of these, and Firefox 153 the other
# one, with a prefix alone.
VENDOR_PREFIX = re.compile("^-[a-z]+-(?!(user-select|text-size-adjust|box-decoration-break)$)")
ZERO = re.compile(r"(?<!\d)0(?=\.)")  # before a point
NESTED = {"media", "supports", "layer"}


def join_styles(site: Path) -> None:
    """Write the style sheet, and let every page of a built site ask for it alone."""
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    scripts = [path.read_text("utf-8") for path in site.rglob("*.js")]
    names: set[str] = set().union(*map(names_made_by, scripts), *map(names_in, pages.values()))
    sheets = LINK.findall(pages[site / "index.html"])
    css = "".join((site / sheet).read_text("utf-8") for sheet in sheets)
    css = used(css, names.union(VARIABLE.findall(css)))
    # What only some pages link takes variables from here.
    others = [path for path in site.rglob("*.css") if path not in {site / one for one in sheets}]
    taken = USED_VARIABLE.findall(css + "".join(path.read_text("utf-8") for path in others))
    css = used(css, names.union(taken))
    # Cache busting: new content has a new name, and no page is shown with the styles of yesterday.
    name = f"assets/style.{hashlib.sha256(css.encode()).hexdigest()[:8]}.css"
    for path, page in pages.items():
        links = LINK.findall(page)
        root = links[0].removesuffix(sheets[0]) if sheets and links else ""
        if not links or links != [root + sheet for sheet in sheets]:
            raise ValueError(f"{path} should link style sheets, and those of the home page")
        before, _, after = page.partition(f'{links[0]}">')
        path.write_text(f'{before}{root}{name}">{LINK.sub("", after)}', "utf-8")
    (site / name).write_text(css, "utf-8")


@lru_cache(500)  # while the site is served, most scripts stay as they were
def names_made_by(script: str) -> Set[str]:
    """Return the names in a script, but for those of features that are not turned on."""
    return {name for name in NAME.findall(script) if not UNUSED_FEATURES.match(name)}


@lru_cache(500)  # and most pages
def names_in(page: str) -> Set[str]:
    """Return the names of tags, attributes, classes and ids in a page, and those in its scripts."""
    tags = " ".join(set(TAG.findall(page)))
    return {
        *NAME.findall(PROSE.sub("", tags)),
        *(f"{name}={value}" for name, value in FIXED.findall(tags)),
        *names_made_by("".join(INLINE.findall(page))),
    }


def used(css: str, names: set[str]) -> str:
    """Return a style sheet with the classes, ids and variables that have one of the names."""
    there = {*NAME.findall(css), *(f"{name}={value}" for name, value in FIXED.findall(css))}
    return pruned_sheet(css, frozenset(names & there))


@lru_cache(2)  # while pages are served, an edit seldom brings a class or takes one away
def pruned_sheet(css: str, names: Set[str]) -> str:
    """Do what `used` does, with the names that the style sheet has itself."""
    return "".join(pruned(tinycss2.parse_stylesheet(css, True, True), names))


def pruned(rules: Iterable[Node], names: Set[str]) -> Iterator[str]:
    """Yield what is left of each rule."""
    for rule in rules:
        if isinstance(rule, QualifiedRule):
            selectors = [part for part in split(rule.prelude) if needed(part) <= names]
            declarations = ";".join(kept(rule.content, names))
            if selectors and declarations:
                yield f"{','.join(map(tight, selectors))}{{{declarations}}}"
        elif isinstance(rule, AtRule) and rule.lower_at_keyword in NESTED and rule.content:
            inner = "".join(pruned(tinycss2.parse_rule_list(rule.content, True, True), names))
            if inner:
                yield f"@{rule.at_keyword} {tight(rule.prelude)}{{{inner}}}"
        else:
            yield rule.serialize()


def split(prelude: list[Node]) -> Iterator[list[Node]]:
    """Yield the selectors that a comma divides."""
    selector: list[Node] = []
    for token in prelude:
        if token == ",":
            yield selector
            selector = []
        else:
            selector.append(token)
    yield selector


def needed(selector: list[Node]) -> set[str]:
    """Return the tags, classes and ids that elements must have, but for those in `:not()`."""
    names = {
        token.value
        for before, token in zip([None, *selector], selector, strict=False)
        if token.type == "hash" or (token.type == "ident" and before != ":")
    }
    attributes = [token for token in selector if token.type == "[] block"]
    names |= {part.value for token in attributes for part in token.content if part.type == "ident"}
    fixed = (FIXED.match(tight(token.content)) for token in attributes)
    return names | {f"{match[1]}={match[2]}" for match in fixed if match}


def tight(tokens: list[Node]) -> str:
    """Return tokens with no more space between them, and zeros before a point, than they need."""
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "whitespace":
            token.value = " " * (before != ",")
        elif token.type in ("number", "dimension", "percentage"):
            token.representation = ZERO.sub("", token.representation)
        elif token.type == "function":
            tight(token.arguments)
    text: str = tinycss2.serialize(tokens)
    return text.strip()


def kept(content: list[Node], names: Set[str]) -> Iterator[str]:
    """Yield the declarations of a rule, but not of variables without one of the names.

    A property with a vendor prefix is left out where the rule has the standard one, unless a
    browser of today knows it by the prefix alone.
    """
    items = tinycss2.parse_blocks_contents(content, True, True)
    properties = {item.name for item in items if isinstance(item, Declaration)}
    for item in items:
        if isinstance(item, QualifiedRule):  # CSS nesting
            yield from pruned([item], names)
        elif not isinstance(item, Declaration):
            yield item.serialize()
        elif item.name.startswith("--"):
            if item.name in names:
                yield f"{item.name}:{tight(item.value)}"
        elif VENDOR_PREFIX.sub("", item.name) not in properties - {item.name}:
            yield f"{item.name}:{tight(item.value)}{'!important' * item.important}"
