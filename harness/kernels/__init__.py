"""The kernel bench: from a task folder to arms that are compiled, proved right and compared. Owns no server."""
