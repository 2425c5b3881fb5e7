"""The command line that shuts a command-line agent in (lesson C8): bubblewrap around the agent's own. Pure.

It sees the system's programs and libraries read-only, the copy of the revision and an empty home; nothing else of this
machine's files, no other process, no socket of an ssh agent. It keeps the network, because its own API is out there:
which addresses it may reach is for a firewall to say.
"""

from collections.abc import Sequence
from pathlib import Path

# What programs need to run and to trust certificates; no account's files, no keys of this machine.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt")
SETTINGS = (
    "/etc/alternatives", "/etc/ca-certificates", "/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/hosts",
    "/etc/host.conf", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/ssl/openssl.cnf",
)  # fmt: skip


def confined(bwrap: str, argv: Sequence[str], writable: Sequence[Path], readable: Sequence[str]) -> tuple[str, ...]:
    """`argv` inside bubblewrap; the first of `writable` is where it starts. Paths that do not exist are left out."""
    words = [bwrap, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    words += ["--cap-drop", "ALL"]  # root would keep its rights inside, and could mount the system writable again
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 - inside; ours is not seen
    for path in (*SYSTEM, *SETTINGS, *readable):
        words += ["--ro-bind-try", path, path]
    for folder in writable:
        words += ["--bind", str(folder), str(folder)]
    return (*words, "--chdir", str(writable[0]), "--", *argv)
