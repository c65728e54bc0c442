"""Tests of `site_build.figures`."""
