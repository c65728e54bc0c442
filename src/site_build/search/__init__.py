"""What the search needs: its index in two files, and a page as sentences."""
