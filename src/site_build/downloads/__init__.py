"""What a reader takes away from a page: its code as a script, all of it as a notebook."""
