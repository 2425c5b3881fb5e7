"""Patches of reviewers: applied, compiled, admitted, approved."""
