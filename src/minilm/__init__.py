"""A real model, all-MiniLM-L6-v2, run by the attention of this project, and measured.

It is for one page, and changes with it: nothing here is part of the package's public interface.
`shown` needs no model. The model itself is millions of numbers that others have
trained and published under the Apache License; `wheel` reads them from the file that pip
downloads. What it computes, the browser does as well, in src/site_build/theme/assets/minilm.
"""
