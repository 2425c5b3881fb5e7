"""What is shipped for testing callers of reviewers."""
