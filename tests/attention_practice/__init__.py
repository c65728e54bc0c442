"""Tests of the exercises, with a right function of each that is written by other means."""
