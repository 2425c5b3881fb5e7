"""Why nothing shuts a program in: what was tried, what it answered, and what to do about it. Pure."""

from dataclasses import dataclass

from harness.shortened import ending

BEST = "bwrap"
MOST_SHOWN = 160  # characters of an answer; the last ones name the cause
NAMESPACES = (
    "where a user namespace is refused (a chroot and most containers refuse it, Ubuntu too while "
    "kernel.apparmor_restrict_unprivileged_userns is 1), allow it"
)


@dataclass(frozen=True)
class Tried:
    """One program that was to shut another in."""

    program: str
    answer: str | None  # its words, none where it is not installed
    namespaced: bool = True  # it was to make a user namespace, which a kernel or a container may refuse

    @property
    def sentence(self) -> str:
        """What became of it."""
        if self.answer is None:
            return f"{self.program} is not installed"
        return f"{self.program} is here and answered {ending(' '.join(self.answer.split()), MOST_SHOWN)!r}"


@dataclass(frozen=True)
class CannotConfine:
    """Every program was tried in vain."""

    tried: tuple[Tried, ...]

    @property
    def sentence(self) -> str:
        """What was tried, and what to do: without its end, so that a caller can name one more way out."""
        advice = [NAMESPACES] if any(one.answer is not None and one.namespaced for one in self.tried) else []
        if Tried(BEST, None) in self.tried:
            advice.append("otherwise install bubblewrap" if advice else "install bubblewrap")
        return "; ".join((*dict.fromkeys(one.sentence for one in self.tried), *advice))
