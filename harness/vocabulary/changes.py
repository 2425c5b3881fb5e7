"""What an arm may change besides flags and variables: files of the target's host. Frozen values, nothing is read."""

import posixpath
import re
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from harness.vocabulary.base import Value

SHA256 = r"^[0-9a-f]{64}$"
LONGEST_PATH = 1000


def _absolute(value: str) -> str:
    """The path itself. Raises ValueError unless it is absolute and spelled in the one shortest way."""
    if not value.startswith("/") or value != posixpath.normpath(value) or value in ("/", "//") or value[:2] == "//":
        raise ValueError(f"{value!r} must be an absolute path without '..', '.' or doubled slashes")
    if len(value) > LONGEST_PATH or re.search(r"[\x00-\x1f\x7f]", value):
        raise ValueError(f"{value[:80]!r} holds control characters or is longer than {LONGEST_PATH} characters")
    return value


AbsolutePath = Annotated[str, AfterValidator(_absolute)]


class Overlay(Value):
    """One file of the server that is another one for this arm: a shared object or a kernel's source."""

    path: AbsolutePath = Field(description="production's file, as the target lists it")
    source: AbsolutePath = Field(description="the file that stands in for it, on the target's host")
    sha256: str | None = Field(
        default=None, pattern=SHA256, description="hash of that file; left out only where the arm's build makes it"
    )


class ScriptEdit(Value):
    """One replacement in the copy of the deploy script; `find` must stand there exactly once."""

    find: str = Field(min_length=1, max_length=2000, description="text of the script, taken literally")
    replace: str = Field(max_length=2000, description="what stands there in the copy")


class Build(Value):
    """A step on the target's host that makes an overlay's file, beside the reference build and never over it."""

    argv: tuple[str, ...] = Field(min_length=1, max_length=200, description="the command, without a shell")
    cwd: AbsolutePath = Field(description="directory it runs in")
    output: AbsolutePath = Field(description="the file it makes; it must not exist yet")

    @model_validator(mode="after")
    def _words(self) -> Self:
        if any(not word or "\0" in word for word in self.argv):
            raise ValueError("argv has an empty word or a NUL character")
        return self
