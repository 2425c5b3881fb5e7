"""Tests of committee."""
