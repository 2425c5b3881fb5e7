"""Tests of harness/client."""
