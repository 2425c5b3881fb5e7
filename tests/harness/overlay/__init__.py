"""Tests of harness.overlay."""
