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


def with_pixels(count: int, shade: int) -> Image.Image:
    image = drawn()
    for place in range(count):
        image.putpixel((place, place), (shade, shade, shade, 255))
    return image


def see_through(opacity: int) -> Image.Image:
    image = drawn()
    image.putalpha(opacity)
    return image


OTHERS = {
    "another number": drawn("12.04 %"),
    "one digit": drawn("97.32 %"),
    "another colour of a label": drawn(colour="blue"),
    "another colour of everything": Image.new("RGBA", SIZE, "navy"),
    "half transparent": see_through(128),
    "nearly opaque": see_through(245),
    "a moved label": drawn(left=31),
    "another size": drawn().resize((101, 80)),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("exact", [True, False])
def test_another_image(other: Image.Image, exact: bool) -> None:
    for one, two in [(drawn(), other), (other, drawn())]:
        assert image_difference(saved(one), saved(two), exact=exact)


SIMILAR = {
    "a grey pixel": with_pixels(1, 235),
    "a few grey pixels": with_pixels(20, 240),
    "one shade": drawn(colour="#020202"),
}


@pytest.mark.parametrize("other", SIMILAR.values(), ids=SIMILAR.keys())
def test_a_smoothed_edge_passes_unless_outputs_are_exact(other: Image.Image) -> None:
    assert image_difference(saved(drawn()), saved(other)) is None
    assert image_difference(saved(drawn()), saved(other), exact=True)


def test_how_a_file_is_packed_does_not_count() -> None:
    file = io.BytesIO()
    drawn().save(file, "PNG", compress_level=0)
    assert image_difference(saved(drawn()), file.getvalue(), exact=True) is None


def test_it_says_where() -> None:
    told = image_difference(saved(drawn()), saved(with_pixels(1, 0)), exact=True)
    assert told == "differs from the drawn one, between the pixels (0, 0) and (1, 1)"


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
