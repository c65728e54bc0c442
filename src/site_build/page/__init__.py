"""The surroundings of a page: its stamp, its place in the course; and a notebook as Markdown."""
