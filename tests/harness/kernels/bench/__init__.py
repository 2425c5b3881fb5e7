"""Tests of what runs where the kernels run."""
