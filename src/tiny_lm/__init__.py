"""The tiny language model of the course: its world of stories, its parts, its training.

It is for the pages, and changes with them: nothing here is part of the package's public interface.
`stories` and `recipe` need no torch. What the model computes and learns, the browser does as well,
in src/site_build/theme/assets/tiny_lm.
"""
