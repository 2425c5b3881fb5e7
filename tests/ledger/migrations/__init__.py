"""Tests of the schema's changes."""
