"""The systemd unit of a target's host: brings production back after a reboot, and after harness and guardian both died.

Only text is made here. What it runs is `harness.hosts.far restore`, which needs the standard library alone and leaves a
run, a production that is up and one that a person stopped as they are.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from harness.account import account_user
from harness.hosts.spawn import PACKAGE_ROOT
from harness.hosts.ssh import SshWay
from harness.vocabulary.target import Target

START_TRIES = 3  # as many as the guardian makes
SLACK_S = 120  # for memory to come back between them
NUMBERED = """\
# No list of accounts knew this number where the unit was written. systemd starts it only where its own list does.
"""
EVERY_S = 60  # a double kill is noticed after this at the latest; one look takes a tenth of a second


@dataclass(frozen=True)
class Restorer:
    """What the unit runs, and as whom, on the target's host."""

    target: str
    user: str  # a listed name, else the account's number
    python: str
    code: Path  # the folder in which the package `harness` lies
    state: Path  # the guardian's state directory
    timeout_s: float

    @property
    def name(self) -> str:
        """The unit's name without its suffix."""
        return f"committee-{self.target}"

    def service(self) -> str:
        """NAME.service."""
        command = (self.python, "-E", "-s", "-S", "-m", "harness.hosts.far", "restore", str(self.state))
        return f"""\
# {self.name}.service: brings production of {self.target!r} back; written by `harness unit {self.target}`.
[Unit]
Description=Production of {self.target} comes back (committee)
After=network.target local-fs.target

[Service]
Type=oneshot
{NUMBERED if self.user.isdecimal() else ""}User={_escaped(self.user)}
WorkingDirectory={_escaped(str(self.code))}
ExecStart={" ".join(_quoted(word) for word in command)}
TimeoutStartSec={self.timeout_s:.0f}
# Guardian and production outlive the command that started them.
KillMode=process

[Install]
WantedBy=multi-user.target
"""

    def timer(self) -> str:
        """NAME.timer: the service at boot, and again a while after it ended."""
        return f"""\
# {self.name}.timer: runs {self.name}.service; written by `harness unit {self.target} --timer`.
[Unit]
Description=Production of {self.target} is looked after (committee)

[Timer]
OnBootSec=5
OnUnitInactiveSec={EVERY_S}
AccuracySec=1

[Install]
WantedBy=timers.target
"""


async def restorer(target: Target, place: Path) -> Restorer:
    """The unit of a target, whose state directory on this machine is `place`. Raises GuardianError."""
    timeout_s = START_TRIES * target.ready.timeout_s + SLACK_S
    if target.host is None:
        return Restorer(target.name, account_user(), sys.executable, PACKAGE_ROOT, place, timeout_s)
    way = await SshWay.open(target.host, target.name)
    try:
        facts = way.facts
        return Restorer(target.name, facts.user, facts.python, facts.code, facts.state, timeout_s)
    finally:
        await way.close()


def _quoted(word: str) -> str:
    """One word of ExecStart (systemd.service(5), "Command lines")."""
    escaped = _escaped(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{escaped}"'


def _escaped(text: str) -> str:
    """Without specifiers (systemd.unit(5)) and without a line that ends early."""
    return text.replace("%", "%%").replace("\n", "")
