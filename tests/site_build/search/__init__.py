"""Tests of `site_build.search`."""
