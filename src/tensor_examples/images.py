"""Where two images differ, pixel by pixel."""

from io import BytesIO

# Another machine may smooth the edge of a letter differently. So by default the pixels of a small
# square may differ by this much on average. A digit in place of another differs by several times
# as much somewhere.
SQUARE_REACHES = 3  # pixels from its middle
MAY_DIFFER = 8  # of 255, in any of red, green, blue and opacity


def image_difference(expected: bytes, actual: bytes, *, exact: bool = False) -> str | None:
    """Say where the images in two files differ, or return None where they look alike.

    Args:
        expected: The bytes of the stored file.
        actual: The bytes of the file that was drawn.
        exact: Compare each pixel, for use where the versions are pinned.
    """
    if expected == actual:
        return None
    from PIL import Image, ImageChops, ImageFilter

    try:
        stored = Image.open(BytesIO(expected)).convert("RGBA")
    except Exception as error:  # of many kinds: each decoder has its own
        return f"is stored as what is not an image: {error}".partition("\n")[0]
    drawn = Image.open(BytesIO(actual)).convert("RGBA")
    if stored.size != drawn.size:
        return "is stored with {} x {} pixels, and drawn with {} x {}".format(
            *stored.size, *drawn.size
        )
    apart = ImageChops.difference(stored, drawn)
    if not exact:
        smooth = apart.filter(ImageFilter.BoxBlur(SQUARE_REACHES))
        apart = smooth.point(lambda value: value if value > MAY_DIFFER else 0)
    box = apart.getbbox(alpha_only=False)
    if box is None:
        return None
    left, top, right, bottom = box
    return f"differs from the drawn one, between the pixels ({left}, {top}) and ({right}, {bottom})"
