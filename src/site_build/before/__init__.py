"""What is made of the source of a page without the generator: Markdown, notebook, script, stamp."""
