"""Hosts: where servers run. One small interface; every server is started by the guardian on that host."""
