"""What `verify` checks, one matter a file: schema, chain, head file, projections, blobs. Nothing here writes."""
