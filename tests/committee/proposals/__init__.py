"""Tests of committee/proposals."""
