"""What is measured with a clock, which no test reads."""
