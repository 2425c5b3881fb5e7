"""Checks that must hold before a number may exist, one a file."""
