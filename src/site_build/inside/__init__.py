"""What happens to a page in the generator: fences, an extension of Markdown, the search's text."""
