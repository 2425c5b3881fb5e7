"""Tests of harness/engines."""
