"""brief.md and brief.html: the fused hypotheses as people read them. Same input, same bytes; no order of merit."""
