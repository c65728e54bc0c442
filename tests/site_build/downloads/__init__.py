"""Tests of `site_build.downloads`."""
