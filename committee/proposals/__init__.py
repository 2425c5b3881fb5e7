"""The proposal's folder, its frozen revision, and the checks before a paid call. Nothing in a folder is ever run."""
