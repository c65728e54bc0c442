"""Tests of `site_build.markdown`."""
