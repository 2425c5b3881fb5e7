"""Asking reviewers: the prompt, the calls, the border behind them. What is made of complete reviews is `fuse/`."""
