"""Tests of harness/gates."""
