"""Led to the suite, which has a distribution of its own: `attention_verify`."""

raise ImportError(
    "attention_steps.verify is attention_verify now, in a wheel of its own: import it from there, "
    "or run `python -m attention_verify`"
)
