"""Pages whose drawing is a run, and what their scenes compute."""
