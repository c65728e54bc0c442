"""What is done to the sources before the generator sees them: text in, text out."""
