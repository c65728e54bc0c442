"""Tests of `site_build.finish`."""
