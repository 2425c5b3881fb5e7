"""Whether a kernel's source is complete by itself: every header it includes lies in the proposal (lesson C4). Pure.

Comments are taken out first. Conditional compilation is not followed: a header that only some builds need counts too.
"""

import posixpath
import re
from collections.abc import Mapping

from committee.proposals.complaint import Complaint, error
from harness.kernels.headers import SYSTEM_HEADERS, asked_by

KERNEL = "kernel/"


def missing_includes(files: Mapping[str, bytes]) -> tuple[Complaint, ...]:
    """One error for every include of the files in kernel/ that cannot be resolved inside the folder."""
    found: list[Complaint] = []
    for path in sorted(files):
        if path.startswith(KERNEL):
            for asked in asked_by(files[path].decode("utf-8", errors="replace")):
                complaint = _complaint(path, asked.words, files)
                if complaint:
                    found.append(error(f"{path}:{asked.line}", complaint))
    return tuple(found)


def _complaint(path: str, asked: str, files: Mapping[str, bytes]) -> str | None:
    quoted = re.match(r'"([^"\n]+)"', asked)
    angled = re.match(r"<([^>\n]+)>", asked)
    if quoted:
        return _unresolved(path, quoted.group(1), files)
    if angled:
        known = angled.group(1) in SYSTEM_HEADERS
        return None if known else f"<{angled.group(1)}> is no header that every toolkit has; put it into kernel/"
    return f"what is included by {asked!r} cannot be read off; name the header in quotes"


def _unresolved(path: str, header: str, files: Mapping[str, bytes]) -> str | None:
    """A quoted header is looked up beside the file that includes it, then on top of kernel/."""
    if header.startswith("/") or "\\" in header:
        return f"{header!r} is a path outside the proposal; put the header into kernel/"
    candidates = [posixpath.normpath(posixpath.join(base, header)) for base in (posixpath.dirname(path), KERNEL)]
    inside = [candidate for candidate in candidates if candidate.startswith(KERNEL)]
    if not inside:
        return f"{header!r} is a path outside kernel/; put the header into kernel/"
    if any(candidate in files for candidate in inside):
        return None
    return f"{header!r} is not in the proposal; put the header that the server compiles with into kernel/"
