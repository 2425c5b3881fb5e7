"""The brief's own words in a shipped language, read from the files beside the templates."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from committee.vocabulary.language import Language


@dataclass(frozen=True)
class Words:
    """Phrases by name, and a sentence for each reason of an exclusion where the recorded one is in another language."""

    phrases: Mapping[str, str]
    reasons: Mapping[str, str]
    labels: Mapping[str, str]  # what reviewers are, where committee.toml does not say it in words of its own

    def __getattr__(self, name: str) -> str:
        """A phrase, for templates. Raises AttributeError for one that is not there."""
        try:
            return self.phrases[name]
        except KeyError as error:
            raise AttributeError(name) from error


@cache
def words_of(language: Language) -> Words:
    """The words of a language."""
    file = resources.files("committee.brief").joinpath("templates", f"words.{language.value}.toml")
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    reasons, labels = read.pop("reasons"), read.pop("labels")
    return Words(MappingProxyType(read), MappingProxyType(reasons), MappingProxyType(labels))
