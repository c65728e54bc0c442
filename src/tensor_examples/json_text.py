"""Where the parts of a JSON text stand, so that one can be changed and the rest left alone."""

import json
import re
from collections.abc import Iterator

DECODER = json.JSONDecoder()
SPACE = re.compile(r"[ \t\r\n]*")


def members(text: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """Yield the key, the start and the end of each value in an object or an array.

    The key of an element of an array is its number.

    Args:
        text: A text that is known to be JSON.
        start: Where the object or the array begins, or white space before it.

    Example:
        >>> from tensor_examples.json_text import members
        >>> list(members('{"a": 1, "b": [2, 3]}'))
        [('a', 6, 7), ('b', 14, 20)]
        >>> list(members('{"a": 1, "b": [2, 3]}', 14))
        [('0', 15, 16), ('1', 18, 19)]
    """
    place = after_space(text, start)
    is_object = text[place] == "{"
    number = 0
    while text[place := after_space(text, place + 1)] not in "]}":
        key = str(number)
        if is_object:
            key, place = DECODER.raw_decode(text, place)
            place = after_space(text, after_space(text, place) + 1)  # after the colon
        _, end = DECODER.raw_decode(text, place)
        yield key, place, end
        number += 1
        place = after_space(text, end)
        if text[place] in "]}":
            return


def after_space(text: str, place: int) -> int:
    """Return the place after any white space."""
    match = SPACE.match(text, place)
    assert match is not None  # it may be empty
    return match.end()
