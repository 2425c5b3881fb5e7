"""Pure: from hypotheses and the author's arms to one fused whole. No input or output, no order of merit."""
