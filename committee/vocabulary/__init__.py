"""The front office's nouns: proposals, reviews, exclusions, settings. Frozen values only; nothing here does input or output."""
