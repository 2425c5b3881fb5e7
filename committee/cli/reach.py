"""Whether anybody listens at a reviewer's address: a connection is opened and closed again, and nothing is sent."""

import socket
import threading
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

TRIED_S = 2.0  # with the look-up of the name; a hosted service answers within a tenth of it
PORTS = {"http": 80, "https": 443}
Reach = Callable[[str], str | None]


def through_proxy(environ: Mapping[str, str], scheme: str) -> bool:
    """Whether a proxy stands in between, so that a connection of our own would say nothing."""
    return any(environ.get(name) for one in (scheme, "all") for name in (f"{one}_proxy", f"{one}_proxy".upper()))


def no_connection(base_url: str) -> str | None:
    """Why no connection could be opened within two seconds; none where one was."""
    parts = urlsplit(base_url)
    host, port = parts.hostname or "", parts.port or PORTS.get(parts.scheme, 443)
    trouble = [f"no connection to {host}:{port} within {TRIED_S:g} s"]

    def trying() -> None:
        try:
            with socket.create_connection((host, port), timeout=TRIED_S):
                trouble[:] = []
        except socket.gaierror:
            trouble[:] = [f"no server named {host} is known here"]
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            trouble[:] = [f"no connection to {host}:{port} ({reason.lower()})"]

    # Looking a name up knows no time limit, so it is waited for from outside.
    one = threading.Thread(target=trying, daemon=True)
    one.start()
    one.join(TRIED_S)
    return trouble[0] if trouble else None
