"""The drawing of the whole model, as the build makes it."""
