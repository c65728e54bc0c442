"""What stands around a page: its stamp, its place in the course, a notebook as Markdown."""
