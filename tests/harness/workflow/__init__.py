"""Tests of harness/workflow."""
