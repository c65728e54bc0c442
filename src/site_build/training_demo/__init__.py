"""The training of the tiny language model: what is recorded, and what a browser fetches."""
