"""Figures that are drawn once: each module is named after the page that has them."""

from site_build.figures.once.why_divide_by_the_square_root import spread

KINDS = {kind.__name__: kind for kind in (spread,)}
