"""Server programs that ship with the harness, run as processes of their own."""
