"""What the copy button of a block gives: a program that runs where it is pasted."""
