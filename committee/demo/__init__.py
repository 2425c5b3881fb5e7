"""The demonstration: the whole loop in a scratch workspace, with a real server and nothing from outside."""
