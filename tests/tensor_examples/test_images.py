"""Which images pass for the same."""

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw

from tensor_examples.images import image_difference

SIZE = (100, 80)


def saved(image: Image.Image, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()


def drawn(label: str = "97.31 %", colour: str = "black", left: int = 30) -> Image.Image:
    image = Image.new("RGBA", SIZE, "white")
    ImageDraw.Draw(image).text((left, 30), label, fill=colour)
    return image


OTHERS = {
    "another number": drawn("12.04 %"),
    "one digit": drawn("97.32 %"),
    "another colour of a label": drawn(colour="blue"),
    "another colour of everything": Image.new("RGBA", SIZE, "navy"),
    "a moved label": drawn(left=31),
    "another size": drawn().resize((101, 80)),
    "a wider sheet": drawn().crop((0, 0, 101, 80)),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("exact", [True, False])
def test_another_image(other: Image.Image, exact: bool) -> None:
    for one, two in [(drawn(), other), (other, drawn())]:
        assert image_difference(saved(one), saved(two), exact=exact)


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "text": lambda content: b"an image",
    "other bytes": lambda content: content[:60] + bytes(len(content) - 60),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_image_is_told_in_one_line(broken: Callable[[bytes], bytes]) -> None:
    told = image_difference(broken(saved(drawn())), saved(drawn()))
    assert told is not None
    assert told.startswith("is stored as what is not an image: ")
    assert "\n" not in told
