"""Benchmarks: each prints ratios of two things that were measured in one run."""
