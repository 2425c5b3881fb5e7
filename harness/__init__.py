"""The bench: plans, launches, gates, trials and verdicts. It knows nothing of reviewers and never loads their libraries."""

__version__ = "0.1.0"
