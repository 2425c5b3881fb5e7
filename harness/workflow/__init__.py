"""Where the bench's parts meet: launch, measure, conclude, production, attest. The only callers of host and ledger."""
