"""The language model of the course's last part: its world of stories, its parts, its numbers.

Taught in docs/steps: guess-the-next-word, the-whole-model, look-inside, let-it-write.
Tested in tests/attention_story/test_story.py, and trained again by tests/thorough.py.

It is for the pages, and changes with them: nothing here is part of the package's public interface.
"""

from attention_story.model import (
    Block,
    LanguageModel,
    encode,
    left_out,
    measured,
    trained_model,
)

__all__ = ["Block", "LanguageModel", "encode", "left_out", "measured", "trained_model"]
