"""What `harness adopt` finds in a script, for tests of scripts that start a server."""

from harness.workflow.adopt import Found, find_server

SERVE = "vllm serve m --port 1 --host 127.0.0.1"


def found(text: str) -> Found:
    """The server, which must be there."""
    server = find_server(text)
    assert isinstance(server, Found), server
    return server
