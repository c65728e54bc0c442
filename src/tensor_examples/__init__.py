"""Checks that every output printed in documentation is what its code prints.

Sybil finds and runs the examples in Markdown pages, docstrings and notebooks; this package
adds the documents and parsers for them, and a comparison that knows how tensors are printed.

One idea a module: `compare` says where two printed outputs differ, `script` runs code the way
a reader would, `markdown`, `docstrings` and `notebooks` find the examples in one kind of file
each, `isolation` keeps files from affecting each other, and `plugin` joins them to pytest.
"""
