"""Tests of the kernel bench."""
