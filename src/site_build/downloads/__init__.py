"""The downloads of a page: its code as a script, all of it as a notebook."""
