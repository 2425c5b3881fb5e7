"""Servers that misbehave on purpose, shipped so that any caller of reviewers can be tested against them."""
