"""Tests of `site_build.inside`."""
