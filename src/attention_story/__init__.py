"""The language model of the course's last part: its world of stories, its parts, its numbers.

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
