"""The languages that prompts and briefs are shipped in."""

from enum import StrEnum


class Language(StrEnum):
    """One shipped language, named as in committee.toml."""

    EN = "en"
    ZH_TW = "zh-TW"


def shipped(asked: str) -> Language:
    """The shipped language for what committee.toml asks for; English where there is none of its own."""
    low = asked.lower()
    return (
        Language.ZH_TW if low in ("zh-tw", "zh-hant", "zh-hk", "zh-mo") or low.startswith("zh-hant-") else Language.EN
    )
