"""Pages of one memory, and the tables of the texts that use them: a row of a matrix for each text.

A number says which page has this place in the table, counted from 0, and a negative one that the
table has ended. `names` are the words of each page. A text brings the pages that no text before it
uses, and a line leads from each place of its table to the page.
"""

from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    path,
    points,
    rectangle,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, names_of, value

LINE = 20.0  # the height of a word in a page
TOP = 18.0  # room for the numbers of the pages
BETWEEN = 56.0  # from the pages to the tables
CELL = 20.0  # of a table
GAP = 22.0  # between two tables


def pool(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the pages of each matrix above the tables of its texts."""
    pages = [name.split() for name in names_of(options.pop("names", ""))]
    return [one_pool(tensor, pages) for tensor in tensors]


def one_pool(tensor: Tensor, pages: list[list[str]]) -> Drawing:
    """Draw the pages and the tables of one matrix."""
    rows = [[int(value(digits)) for digits in row] for row in tensor.matrix()]
    tables = [[page for page in row if page >= 0] for row in rows]
    if {page for table in tables for page in table} != set(range(len(pages))):
        raise ValueError(f"the tables do not count all of {len(pages)} pages")
    texts = tensor.row_names()
    wide = max(text_width(word, SMALL) for words in pages for word in words) + 14
    low = TOP + LINE * max(map(len, pages)) + 4
    at = low + BETWEEN
    slots = [
        max(CELL * len(table), text_width(name) * 1.08 + 4)
        for name, table in zip(texts, tables, strict=True)
    ]
    width = max(wide * len(pages), sum(slots) + GAP * (len(texts) - 1))
    first = (width - wide * len(pages)) / 2
    end = (width - sum(slots) - GAP * (len(texts) - 1)) / 2
    back, stages, there = [], [], set()
    for number in range(len(pages)):
        x = first + wide * number
        back.append(path("gap", rectangle(x + 2, TOP, wide - 4, low - TOP)))
        back.append(text(x + wide / 2, TOP - 5, str(number), "number faint"))
    for who, (name, table, slot) in enumerate(zip(texts, tables, slots, strict=True)):
        middle, parts = end + slot / 2, []
        left = middle - CELL * len(table) / 2
        for place, page in enumerate(table):
            x, above = left + CELL * place, first + wide * (page + 0.5)
            if page not in there:
                there.add(page)
                box = rectangle(above - wide / 2 + 2, TOP, wide - 4, low - TOP)
                parts.append(path("tile", box))
                parts += [
                    text(above, TOP + LINE * line + 15, word, "number")
                    for line, word in enumerate(pages[page])
                ]
            way = points([(x + CELL / 2, at), (above + 5 * (who - (len(texts) - 1) / 2), low)])
            parts.append(path("line", f"M{way}"))
            parts.append(path("tile", rectangle(x + 1, at, CELL - 2, CELL)))
            parts.append(text(x + CELL / 2, at + 14.5, str(page), "number"))
        parts.append(text(middle, at + CELL + 17, name, "who"))
        stages.append(Stage(name, [f'<g class="who-{who}">{"".join(parts)}</g>']))
        end += slot + GAP
    return Drawing(width, at + CELL + 24, [], stages=stages, back=back)
