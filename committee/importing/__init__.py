"""Brings a person's past in: pages of notes and other engines' results, each marked as imported, not measured here."""
