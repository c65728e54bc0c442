"""Tests of `site_build.after`."""
