"""The front office's nouns: proposals, reviews, exclusions, settings. Frozen values only; no input or output here."""
