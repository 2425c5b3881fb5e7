"""What every file-backed value of the bench shares, and reading one from TOML with one clear sentence on failure."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

Scalar = bool | int | float | str
MAX_TOML_BYTES = 1_000_000  # a target, arm or criteria file is written by hand; more is a mistake


class BadFileError(ValueError):
    """A file a person wrote cannot be used; the message says what, where and what to do."""


class Value(BaseModel):
    """Frozen, closed, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """Read and validate a TOML file. Raises BadFileError with one sentence."""
        return cls.from_mapping(read_toml(path), str(path))

    @classmethod
    def from_mapping(cls, value: Mapping[str, Any], where: str) -> Self:
        """Validate a mapping that came from `where`. Raises BadFileError with one sentence."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise BadFileError(first_complaint(error, where)) from error


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file. Raises BadFileError with one sentence."""
    try:
        if path.stat().st_size > MAX_TOML_BYTES:
            raise BadFileError(f"{str(path)!r} is larger than {MAX_TOML_BYTES} bytes; is it really a TOML file?")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadFileError(f"{str(path)!r} does not exist; check the name") from error
    except UnicodeDecodeError as error:
        raise BadFileError(f"{str(path)!r} is not UTF-8 text; save it as UTF-8") from error
    except OSError as error:
        raise BadFileError(f"{str(path)!r} cannot be read ({error.strerror}); check the path and its rights") from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFileError(f"{str(path)!r} is not valid TOML ({error}); finish or correct it") from error


def first_complaint(error: ValidationError, where: str) -> str:
    """One sentence for the first of pydantic's complaints, and how many there are in all."""
    first, total = error.errors()[0], error.error_count()
    place = ".".join(str(part) for part in first["loc"]) or "the file"
    what = {"extra_forbidden": "unknown key", "missing": "missing key"}.get(first["type"], first["msg"])
    more = f" (and {total - 1} more)" if total > 1 else ""
    return f"{where!r}: {place!r}: {what}{more}; correct it there"
