"""How well a colour stands out from another, as WCAG measures it."""

from collections.abc import Iterable


def linear(colour: Iterable[float]) -> tuple[float, float, float]:
    """Return the amounts of light, of which a screen's numbers are no measure."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return r, g, b


def luminance(colour: Iterable[float]) -> float:
    """Return the relative luminance of a colour, whose channels go from 0 to 1."""
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: Iterable[float], other: Iterable[float]) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
