"""What every file-backed value of the bench shares, and reading one from TOML with one clear sentence on failure."""

import codecs
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from harness.vocabulary.complaint_words import in_our_words
from harness.vocabulary.nearest import known_keys, nearest, said_unknown
from harness.vocabulary.numbers import no_number
from ledger.regular_file import read_regular

Scalar = bool | int | float | str
Place = tuple[int | str, ...]  # the way to a value in a file: keys, and numbers of items
MAX_TOML_BYTES = 1_000_000  # a target, arm or criteria file is written by hand; more is a mistake
MOST_NAMED = 3  # complaints in one sentence; the rest are counted
SCALARS = frozenset({"bool", "int", "float", "str"})  # with which each try of a value that may be any of them ends


class BadFileError(ValueError):
    """A file a person wrote cannot be used; the message says what, where and what to do."""


class Value(BaseModel):
    """Frozen, closed, no NaN; a number is written as one."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _a_number_is_one(cls, value: Any, info: ValidationInfo) -> Any:
        field = cls.model_fields[info.field_name or ""]
        if said := no_number(field.annotation, value):
            raise PydanticCustomError("no_number", "{said}", {"said": said})
        return value

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
            raise BadFileError(complaints(error, where, cls)) from error


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file. Raises BadFileError with one sentence."""
    try:
        content = read_regular(path, MAX_TOML_BYTES)
    except FileNotFoundError as error:
        raise BadFileError(f"{str(path)!r} does not exist; check the name") from error
    except OSError as error:
        raise BadFileError(f"{str(path)!r} cannot be read ({error.strerror}); check the path and its rights") from error
    if len(content) > MAX_TOML_BYTES:
        raise BadFileError(f"{str(path)!r} is larger than {MAX_TOML_BYTES} bytes; is it really a TOML file?")
    return parse_toml(content, str(path))


def parse_toml(content: bytes, where: str, mend: str = "") -> dict[str, Any]:
    """Parse the bytes of a TOML file, with or without the mark that Windows editors put first.

    Raises BadFileError with one sentence; `mend` is what to do about it where no person wrote the file.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadFileError(f"{where!r} is UTF-16 text; {mend or 'save it as UTF-8'}")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadFileError(f"{where!r} is not UTF-8 text; {mend or 'save it as UTF-8'}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadFileError(f"{where!r} is not valid TOML ({error}); {mend or 'finish or correct it'}") from error
    except (ValueError, RecursionError) as error:  # the only two things beside that a text can do to the parser
        said = "a number has thousands of digits, or lists are nested too deeply"
        raise BadFileError(f"{where!r} is not valid TOML ({said}); {mend or 'correct it'}") from error


def complaints(error: ValidationError, where: str, model: type[BaseModel] | None = None) -> str:
    """One sentence for pydantic's complaints: the first few each with its place, and how many more there are.

    Unknown keys come first, each with the nearest key of `model`: a mistyped key is a missing one too, and says more.
    """
    errors = error.errors()
    unknown = [one["loc"] for one in errors if one["type"] == "extra_forbidden"]
    said, meant = list[str](), set[Place]()
    for loc in unknown[:MOST_NAMED]:
        known = known_keys(model, loc[:-1]) if model is not None else ()
        near = nearest(str(loc[-1]), known)
        said.append(f"{_place(loc)!r}: unknown key{said_unknown(known, near)}")
        meant |= {(*loc[:-1], near)} if near else set()
    others = dict[Place, str]()
    for one in errors:
        loc = one["loc"]
        if loc in unknown or (
            one["type"] == "missing" and loc in meant
        ):  # the key that was meant is not missing besides
            continue
        what = in_our_words(one["type"], one["msg"], one.get("ctx", {}))
        place = f"{_place(loc)!r}: " if loc else ""  # what concerns the whole file names no key
        others.setdefault(loc[:-1] if loc and loc[-1] in SCALARS else loc, f"{place}{what}")
    said += [*others.values()][: MOST_NAMED - len(said)]
    return f"{where!r}: {'; '.join(said)}{_more(len(unknown) + len(others) - len(said))}; correct it there"


def _place(loc: Sequence[int | str]) -> str:
    return ".".join(str(part) for part in loc)


def _more(count: int) -> str:
    return f" (and {count} more)" if count > 0 else ""
