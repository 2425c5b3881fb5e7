"""Ways to load a launch and read metrics, one a file."""
