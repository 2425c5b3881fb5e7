"""The bench's nouns: target, arm, criteria, outcomes. Frozen values only; nothing here does input or output."""
