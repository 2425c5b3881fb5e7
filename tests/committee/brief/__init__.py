"""Tests of committee/brief."""
