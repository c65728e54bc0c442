"""A map of shapes, from the query to the context: boxes as large as their matrices, all to scale.

The sizes are those that the page prints, as in `query (6, 4)`. Where it prints none for the query,
the key or the value, it is that of the target or the memory, or of the inputs. `lit` names the
boxes of the present step.
"""

import re

from site_build.figures.marks import leads, outline
from site_build.figures.svg import SMALL, Drawing, path, text, text_width
from site_build.markdown.tensors import names_of

Size = tuple[int, int]

PRINTED = re.compile(r"\b(\w+) *\(((?:\d+, )*\d+, \d+)\)")
INSTEAD = {
    "query": ("target", "inputs"),
    "key": ("memory", "inputs"),
    "value": ("memory", "inputs"),
}
SIGNS = {"key": "@", "scores": "=", "value": "@", "context": "="}
TOP, HIGH = 16.0, 42.0  # of the highest box
MIDDLE = TOP + HIGH / 2
GAP = 18.0  # for a sign


def shapes(printed: str, options: dict[str, str]) -> list[Drawing]:
    """Draw the boxes, and what leads from one to the next."""
    boxes = boxes_of({name: size_of(digits) for name, digits in PRINTED.findall(printed)})
    lit = names_of(options.pop("lit", ""))
    if not lit or not set(lit) <= set(boxes):
        raise ValueError(f'say what is lit, lit="...", out of {" ".join(boxes)}')
    unit = HIGH / max(map(max, boxes.values()))
    x, before, parts = 0.0, 0.0, []
    for name, (rows, columns) in boxes.items():
        label = "keyᵀ" if name == "key" else name
        wide, high = columns * unit, rows * unit
        slot = max(wide, text_width(label, SMALL) * (1.08 if name in lit else 1))
        gap = GAP if x else 0.0
        middle = x + gap + slot / 2
        left = middle - wide / 2
        if name == "weights":
            between = (before + left) / 2
            parts.append(path("leads", leads((between - 8, MIDDLE), (between + 8, MIDDLE))))
            parts.append(text(between, 10, "softmax", "number faint"))
        elif x:
            parts.append(text((before + left) / 2, MIDDLE + 5, SIGNS[name], "faint"))
        parts.append(outline("box lit" if name in lit else "box", middle, MIDDLE, wide, high))
        classes = "number asks" if name in lit else "number"
        parts.append(text(middle, TOP + HIGH + 16, label, classes))
        size = f"{rows}\N{MULTIPLICATION SIGN}{columns}"
        parts.append(text(middle, TOP + HIGH + 32, size, "number faint"))
        x, before = x + gap + slot, left + wide
    return [Drawing(x, TOP + HIGH + 37, parts)]


def size_of(digits: str) -> Size:
    """Return the last two numbers of a shape; what comes before counts heads and sentences."""
    *_, rows, columns = map(int, digits.split(", "))
    return rows, columns


def boxes_of(sizes: dict[str, Size]) -> dict[str, Size]:
    """Return the size of each matrix on the way; those that follow from others are checked."""
    made_from = []
    for name, others in INSTEAD.items():
        found = next((sizes[one] for one in (name, *others) if one in sizes), None)
        if not found:
            raise ValueError(f"no shape of {name} is printed there, such as {name} (6, 4)")
        made_from.append(found)
    (l_, e), (s, key_e), (value_s, ev) = made_from
    boxes = {
        "query": (l_, e),
        "key": (e, s),
        "scores": (l_, s),
        "weights": (l_, s),
        "value": (value_s, ev),
        "context": (l_, ev),
    }
    printed = sizes | ({"key": sizes["key"][::-1]} if "key" in sizes else {})
    wrong = [name for name, size in boxes.items() if printed.get(name, size) != size]
    if key_e != e or value_s != s or wrong:
        raise ValueError(f"the shapes do not fit: {sizes}")
    return boxes
