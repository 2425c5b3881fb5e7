"""Tests of committee/accept."""
