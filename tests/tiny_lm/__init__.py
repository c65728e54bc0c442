"""Tests of the language model of the steps, and of its stories."""
