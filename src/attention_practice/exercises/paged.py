"""Exercise: read a cache that lies in pages."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_paged(pool, table, length):
    place = torch.arange(length)
    page, row = place // pool.shape[1], place % pool.shape[1]
    return pool[table[page], row]


EXERCISE = Exercise(
    title="A cache in pages",
    task=(
        "The rows of one text, in their order, out of a pool of pages: (pages, size, E) -> "
        "(length, E). `table` holds the numbers of the text's pages, and its last page may have "
        "empty rows."
    ),
    page="steps/pages-and-beginnings/",
    cases=(
        Case("five words on pages 2, 0 and 3", (numbers(4, 2, 3), torch.tensor([2, 0, 3]), 5)),
        Case("pages of three words", (numbers(5, 3, 2, start=1), torch.tensor([4, 1]), 4)),
        Case("a full last page", (numbers(3, 2, 2, start=2), torch.tensor([1, 0]), 4)),
    ),
    mistakes=planted("""
        Read: steps/pages-and-beginnings/#the-formula
        exchanged `page, row =` -> `row, page =`: Page and row have changed places: place // size is
            the page, and place % size the row.
        one row each `place // pool.shape[1], place % pool.shape[1]` -> `place,
            torch.zeros_like(place)`: Each page gives its first row alone. A page holds as many
            words as it has rows.
        from 1 `arange(length)` -> `arange(1, length + 1)`: Places are counted from 0.
        whole pages `pool[table[page], row]` -> `pool[table].flatten(0, 1)`: The empty rows of the
            last page are returned as well. Cut at `length`.
        in pages `pool[table[page], row]` -> `pool[table]`: Your result still is in pages, (pages,
            size, E). Lay the rows under each other.
        rows first `pool[table[page], row]` -> `pool[table].transpose(0, 1).flatten(0, 1)[:length]`:
            The first rows of all pages come before the second rows. All of page one comes first.
    """),
    hints=(
        "The word at place p is on page p // size of the table, in row p % size.",
        "torch.arange(length) has all places at once, and a tensor of numbers picks several pages.",
    ),
    solution=my_paged,
    lines="""
        size = pool.shape[1]

        place = torch.arange(length)
        place = torch.arange(length) + 1

        page, row = place // size, place % size
        page, row = place % size, place // size

        return pool[table[page], row]
        return pool[page, row]
        return pool[table].flatten(0, 1)
        return pool[table.sort().values[page], row]
    """,
)
