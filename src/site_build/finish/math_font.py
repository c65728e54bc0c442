"""The font of the formulas: a subset of STIX Two Math, taken from a pinned package.

MathML needs a font with a table of mathematical measures, or brackets do not stretch. The
whole font is half a megabyte; the characters that the formulas of a site use, with the larger
forms of their brackets and sums, are a few tens of kilobytes.
"""

import html
import io
import re
import unicodedata
from functools import lru_cache
from importlib.metadata import distribution
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

# Found without an import: the package is needed for its font alone.
FONT = Path(str(distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")))
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
# Titles, and the question that a page answers, are set in the letters of the formulas.
TITLE = re.compile(r'<(h1|h2|h3|p class="question")\b.*?</', re.DOTALL)
SIZES = 3  # of a bracket that are drawn as a whole
ONE_LETTER = re.compile(r"<mi>([^<])</mi>")  # the browser draws it in italics
TAG = re.compile(r"<[^>]*>")


def write_math_font(site: Path) -> None:
    """Write the font for the formulas and titles of a built site."""
    pages = [path.read_text("utf-8") for path in site.rglob("*.html")]
    if not any(map(FORMULA.search, pages)):
        raise ValueError("no page has a formula: the font would be empty")
    font = site / "assets" / "fonts" / "math.woff2"
    font.parent.mkdir(parents=True, exist_ok=True)
    font.write_bytes(math_font(frozenset().union(*map(characters_in, pages))))


def characters_in(page: str) -> set[str]:
    """Return the characters of a page's titles and formulas, in the forms that are drawn."""
    titles = " ".join(title.group() for title in TITLE.finditer(page))
    formulas = " ".join(FORMULA.findall(page))
    upright = html.unescape(TAG.sub(" ", ONE_LETTER.sub(" ", formulas)))
    names = html.unescape("".join(ONE_LETTER.findall(formulas)))
    # A root is an element, not a sign.
    return {"√", *html.unescape(TAG.sub(" ", titles)), *upright, *map(italic, names)}


def italic(letter: str) -> str:
    """Return the mathematical italic form, in which MathML draws a name of one letter."""
    size = "CAPITAL" if letter.isupper() else "SMALL"
    name = unicodedata.name(letter, "").rpartition(" ")[2]
    try:
        return unicodedata.lookup(f"MATHEMATICAL ITALIC {size} {name}")
    except KeyError:
        return "\u210e" if letter == "h" else letter  # the italic h is Planck's constant


def keep_first_sizes(font: TTFont) -> None:
    """Leave out the large sizes of brackets, which the browser can put together from pieces."""
    for construction in font["MATH"].table.MathVariants.VertGlyphConstruction:
        if construction.GlyphAssembly:
            del construction.MathGlyphVariantRecord[SIZES:]


@lru_cache(1)  # while the site is served, most edits bring no new character
def math_font(characters: frozenset[str]) -> bytes:
    """Return the part of the font that draws some characters, as a WOFF2 file."""
    # Without other shapes for small letters, which are half of the font.
    options = subset.Options(flavor="woff2", layout_features=[], hinting=False)
    options.name_IDs = [0]  # whose it is
    options.drop_tables += ["GDEF", "GPOS", "GSUB", "gasp"]  # of which nothing would be left
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters))
    woff2 = io.BytesIO()
    with subset.load_font(FONT, options) as font:
        keep_first_sizes(font)
        subsetter.subset(font)
        subset.save_font(font, woff2, options)
    return woff2.getvalue()
