"""Debian's chromium, driven over a pipe of its own: no port, no driver to install, the process ended by its id."""

import json
import os
import shutil
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from time import monotonic
from typing import Any

LONGEST_WAIT_S = 15.0
READ_BYTES = 1 << 16
ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--mute-audio",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
)  # fmt: skip


class BrowserError(RuntimeError):
    """The browser did not do what it was asked."""


@dataclass
class Browser:
    """One page of a running chromium."""

    writing: int
    reading: int
    session: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)  # what the page told meanwhile
    _number: int = 0
    _rest: bytes = b""

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """One command and its answer. Raises BrowserError."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": given}
        asked |= {"sessionId": self.session} if self.session else {}
        os.write(self.writing, json.dumps(asked).encode() + b"\0")
        answer: dict[str, Any] = self._until(lambda told: told.get("id") == asked["id"], method).get("result", {})
        return answer

    def open(self, url: str, width_px: int, *, scripts: bool = True) -> None:
        """Load a page at a width and wait until it is there."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width_px, height=800, deviceScaleFactor=1, mobile=width_px < 500
        )
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=url)
        self.wait_loaded()

    def wait_loaded(self) -> None:
        """Until the page that is being loaded is there."""
        self._until(lambda told: told.get("method") == "Page.loadEventFired", "loading")

    def click(self, selector: str) -> None:
        """Follow what a selector names, and wait for the page behind it."""
        self.events.clear()
        self.value(f"document.querySelector({json.dumps(selector)}).click()")
        self.wait_loaded()

    def value(self, expression: str) -> Any:
        """The value of an expression in the page."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in told:
            raise BrowserError(f"{expression}: {told['exceptionDetails']}")
        return told["result"].get("value")

    def screenshot(self, *, height_px: int | None = None) -> bytes:
        """The whole page, or its top, as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height_px or size["height"], "scale": 1}
        return b64decode(self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"])

    def pdf(self) -> bytes:
        """The page on paper."""
        return b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def told(self, *methods: str) -> list[dict[str, Any]]:
        """What the page told by these methods since it was opened."""
        self.call("Page.getLayoutMetrics")  # everything before this answer has arrived
        return [event["params"] for event in self.events if event.get("method") in methods]

    def _until(self, wanted: Any, what: str) -> dict[str, Any]:
        ends = monotonic() + LONGEST_WAIT_S
        for told in list(self.events):
            if wanted(told):
                return told
        while monotonic() < ends:
            for told in self._messages(ends - monotonic()):
                if "id" not in told:
                    self.events.append(told)
                if wanted(told):
                    if "error" in told:
                        raise BrowserError(f"{what}: {told['error']}")
                    return told
        raise BrowserError(f"{what}: no answer within {LONGEST_WAIT_S} s")

    def _messages(self, within_s: float) -> Iterator[dict[str, Any]]:
        ready, _, _ = select([self.reading], [], [], max(0.0, within_s))
        if not ready:
            return
        found = os.read(self.reading, READ_BYTES)
        if not found:
            raise BrowserError("the browser ended")
        *whole, self._rest = (self._rest + found).split(b"\0")
        yield from [json.loads(message) for message in whole]


@contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    """A browser with one empty page. Raises BrowserError where there is none."""
    program = shutil.which("chromium")
    if program is None:
        raise BrowserError("chromium is not installed: apt-get install chromium")
    into, writing = os.pipe()
    reading, out = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        argv = [program, *ARGUMENTS, *more, f"--user-data-dir={profile}", "about:blank"]
        process = _started(argv, into, out, Path(profile))
        os.close(into)
        os.close(out)
        try:
            yield _page(Browser(writing, reading))
        finally:
            os.close(writing)
            process.terminate()
            try:
                process.wait(LONGEST_WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(reading)


def _started(argv: Sequence[str], into: int, out: int, profile: Path) -> "subprocess.Popen[bytes]":
    """Chromium reads its commands from descriptor 3 and answers on 4."""
    shell = f'exec 3<&{into} 4>&{out}; exec "$@"'
    with (profile / "stderr.txt").open("wb") as said:
        return subprocess.Popen(
            ["/bin/bash", "-c", shell, "bash", *argv], pass_fds=(into, out), stdout=said, stderr=said,
            stdin=subprocess.DEVNULL, env={"HOME": str(profile), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        )  # fmt: skip


def _page(browser: Browser) -> Browser:
    targets = browser.call("Target.getTargets")["targetInfos"]
    page = next(target["targetId"] for target in targets if target["type"] == "page")
    session = browser.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
    browser.session = session
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(f"{domain}.enable")
    return browser
