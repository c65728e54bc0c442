"""What the generator runs on each page: extensions of Python-Markdown, and fences."""
