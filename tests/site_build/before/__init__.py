"""Tests of `site_build.before`."""
