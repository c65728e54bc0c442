"""Pages of one memory, and the tables of the texts that use them: a row of a matrix for each text.

A number says which page has this place in the table, counted from 0, and -1 that the table has
ended. `names` are the words of each page. A text brings the pages that no text before it uses, and
a line leads from each place of its table to the page.
"""

from itertools import chain

from site_build.figures.marks import card, group, label, outline, who, widest
from site_build.figures.svg import Drawing, Stage, straight, text, text_width
from site_build.markdown.tensors import Tensor, names_of

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
    tables = [[page for page in row if page >= 0] for row in tensor.counts(len(pages), least=-1)]
    if set(chain(*tables)) != set(range(len(pages))):
        raise ValueError(f"the tables do not count all of {len(pages)} pages")
    names = tensor.row_names()
    wide, high = widest(chain(*pages)) + 6, LINE * max(map(len, pages)) + 4
    at = TOP + high + BETWEEN + CELL / 2  # the middle of the tables
    slots = [
        max(CELL * len(table), text_width(name) * 1.08 + 4)
        for name, table in zip(names, tables, strict=True)
    ]
    width = max(wide * len(pages), sum(slots) + GAP * (len(names) - 1))
    middles = [width / 2 + wide * (page + 0.5 - len(pages) / 2) for page in range(len(pages))]
    end = (width - sum(slots) - GAP * (len(names) - 1)) / 2
    back = [
        part
        for page, x in enumerate(middles)
        for part in (
            outline("gap", x, TOP + high / 2, wide - 4, high),
            text(x, TOP - 5, str(page), "number faint"),
        )
    ]
    stages, there = [], set[int]()
    for number, (name, table, slot) in enumerate(zip(names, tables, slots, strict=True)):
        middle, parts = end + slot / 2, []
        for place, page in enumerate(table):
            x, above = middle + CELL * (place + 0.5 - len(table) / 2), middles[page]
            if page not in there:
                parts.append(outline("tile", above, TOP + high / 2, wide - 4, high))
                parts += [
                    label(above, TOP + LINE * (line + 0.5) + 1, word)
                    for line, word in enumerate(pages[page])
                ]
            there.add(page)
            apart = 5 * (number - (len(names) - 1) / 2)  # the lines of several texts to one page
            parts.append(straight("line", (x, at - CELL / 2), (above + apart, TOP + high)))
            parts += card(x, at, str(page), CELL - 2, CELL)
        parts.append(text(middle, at + CELL / 2 + 17, name, "who"))
        stages.append(Stage(name, [group(parts, who(number))]))
        end += slot + GAP
    return Drawing(width, at + CELL / 2 + 24, [], stages=stages, back=back)
