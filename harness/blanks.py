"""Private values taken out of whatever is kept, printed or sent; a marked word stands in their place: pure.

It imports nothing of the project: it also runs on a host over ssh, where nothing is installed.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Self, TypeVar
from urllib.parse import quote, quote_plus

T = TypeVar("T")
MIN_CHARACTERS = 6  # a shorter value stands by chance in any log, and its blanks would make the log unreadable
MIN_BASE64 = 8  # of what is left of a value in base64 once the ends are cut, which depend on the text around it
GROUP_BYTES = 3  # base64 takes three bytes at a time, so a value inside a longer text has three spellings


@dataclass(frozen=True)
class Blanks:
    """What must not be shown, in each form that a program may write it in, and the word that stands for it."""

    forms: tuple[tuple[str, str], ...] = ()  # the longest first, so that no part of one is left

    @classmethod
    def of(cls, *values: Mapping[str, str]) -> Self:
        """Variables by name. Values under six characters and the loopback addresses are left alone."""
        named = [pair for variables in values for pair in variables.items()]
        words = {form: f"[private {name}]" for name, value in named for form in _forms(value)}
        return cls(tuple(sorted(words.items(), key=lambda item: (-len(item[0]), item[0]))))

    def text(self, text: str) -> str:
        """The text without them."""
        for form, word in self.forms:
            text = text.replace(form, word)
        return text

    def whole(self, value: T) -> T:
        """A value without them: every text in tuples, lists, mappings, dataclasses and frozen models of the project."""
        if not self.forms:
            return value
        cleaned: T = self._cleaned(value)
        return cleaned

    def _cleaned(self, value: Any) -> Any:
        if type(value) is str:  # a word of a closed set is ours
            return self.text(value)
        if type(value) in (tuple, list):
            return type(value)(self._cleaned(one) for one in value)
        if isinstance(value, Mapping):
            return {self._cleaned(name): self._cleaned(one) for name, one in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **self._changed(value, (field.name for field in fields(value) if field.init)))
        if hasattr(type(value), "model_fields"):
            return value.model_copy(update=self._changed(value, iter(type(value).model_fields)))
        return value

    def _changed(self, value: Any, names: Iterator[str]) -> dict[str, Any]:
        old = {name: getattr(value, name) for name in names}
        new = {name: self._cleaned(one) for name, one in old.items()}
        return {name: one for name, one in new.items() if one != old[name]}


def _forms(value: str) -> Iterator[str]:
    """As it is, line by line, in JSON, in an address, and in base64 wherever it begins."""
    for plain in {value, value.strip(), *(line.strip() for line in value.splitlines())}:
        if len(plain) < MIN_CHARACTERS or plain in ("127.0.0.1", "localhost"):
            continue
        yield from (plain, repr(plain)[1:-1], json.dumps(plain)[1:-1], json.dumps(plain, ensure_ascii=False)[1:-1])
        yield from (quote(plain), quote(plain, safe=""), quote_plus(plain))
        for before in range(GROUP_BYTES):
            yield from (form for form in _base64(plain.encode(), before) if len(form) >= MIN_BASE64)


def _base64(value: bytes, before: int) -> tuple[str, str]:
    """What is sure to stand in the base64 of a text with that many bytes before it, and the same for addresses."""
    first = -(-before * 4 // 3) if before else 0  # the characters that also hold bits of what is before
    last = (before + len(value)) * 8 // 6  # after it come bits of what follows
    padded = b"\0" * before + value
    return base64.b64encode(padded).decode()[first:last], base64.urlsafe_b64encode(padded).decode()[first:last]
