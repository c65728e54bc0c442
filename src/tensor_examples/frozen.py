"""Loaded last by the server whose forks run the pages: what is loaded by now, stays.

A collection of garbage that walks through all of torch takes longer than most pages, and a fork
that does so copies the memory of all of torch.
"""

import gc

gc.freeze()
