"""Tests of committee/fuse."""
