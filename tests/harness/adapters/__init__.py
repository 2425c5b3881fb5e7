"""Tests of harness/adapters."""
