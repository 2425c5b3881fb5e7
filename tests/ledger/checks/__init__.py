"""Tests of what verify checks."""
