"""A file of inputs for every analysis, to copy: the figures of a real campaign."""
