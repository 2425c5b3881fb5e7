"""The bench: plans, launches, gates, trials and verdicts. It never loads the libraries of the front office."""

__version__ = "0.1.0"
