"""The graph from a proposal to a person's decision. Its state holds ids only; what they mean is in the ledger."""
