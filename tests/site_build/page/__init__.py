"""Tests of `site_build.page`."""
