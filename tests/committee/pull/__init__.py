"""Fetching what the server compiles: manifests, inventories, and real hosts."""
