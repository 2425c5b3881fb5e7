"""What was tried in vain is said truly, with what to do about it."""

import pytest

from harness.confinement import NAMESPACES, CannotConfine, Tried

REFUSED = "unshare: unshare failed: Operation not permitted"
UNSHARE = f"unshare is here and answered {REFUSED!r}"


@pytest.mark.parametrize(
    ("tried", "said"),
    [
        (
            (Tried("bwrap", None), Tried("unshare", None)),
            "bwrap is not installed; unshare is not installed; install bubblewrap",
        ),
        (
            (Tried("bwrap", None), Tried("unshare", REFUSED + "\n"), Tried("unshare", REFUSED)),
            f"bwrap is not installed; {UNSHARE}; {NAMESPACES}; otherwise install bubblewrap",
        ),
        (
            (Tried("bwrap", "x" * 500), Tried("setpriv", None)),
            f"bwrap is here and answered '…{'x' * 159}'; setpriv is not installed; {NAMESPACES}",
        ),
        (
            (Tried("bwrap", None), Tried("setpriv", None), Tried("unshare", "no Landlock", namespaced=False)),
            "bwrap is not installed; setpriv is not installed; unshare is here and answered 'no Landlock'; "
            "install bubblewrap",
        ),
    ],
)
def test_what_is_missing_and_what_was_refused_are_told_apart(tried: tuple[Tried, ...], said: str) -> None:
    assert CannotConfine(tried).sentence == said
