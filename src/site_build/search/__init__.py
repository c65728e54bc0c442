"""The search: its index in two files, and a page as sentences."""
