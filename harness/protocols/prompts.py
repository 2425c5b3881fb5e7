"""Prompts of a load: unique for every seed, step and user from their first word on, the same for a seed. Pure."""

import random

PLACES = (
    "harbour",
    "valley",
    "monastery",
    "observatory",
    "railway",
    "vineyard",
    "market",
    "library",
    "island",
    "mill",
)
PEOPLE = ("keeper", "engineer", "teacher", "merchant", "painter", "doctor", "gardener", "captain", "printer", "baker")
THINGS = ("a clock", "a map", "a letter", "a bridge", "a lamp", "a garden", "a ship", "an engine", "a book", "a bell")


def load_prompt(seed: int, step: int, user: int) -> str:
    """The prompt of one user at one step: about 40 tokens, no prefix shared with any other (lesson M7)."""
    chosen = random.Random(f"{seed}/{step}/{user}")  # noqa: S311 - reproducible, not secret
    number = chosen.randrange(10**8, 10**9)
    place, person, thing = chosen.choice(PLACES), chosen.choice(PEOPLE), chosen.choice(THINGS)
    return (
        f"{number} is the number of this story. In the old {place} there lived a {person} who had spent many years "
        f"building {thing}. One morning in {1500 + chosen.randrange(500)} the {person} found that"
    )


WORDS = (
    *PLACES,
    *PEOPLE,
    *("old", "quiet", "small", "early", "green", "heavy", "open", "long", "winter", "morning", "evening", "stone"),
    *("river", "road", "window", "table", "paper", "water", "north", "south", "wrote", "found", "carried", "opened"),
    *("with", "from", "under", "before", "because", "while", "many", "every", "other", "their", "there", "again"),
)
SENTENCE_WORDS = 12


def document(seed: int, key: str, words: int) -> str:
    """Plain text of so many words for this seed and key: its first words stand in no other document (lesson M7)."""
    chosen = random.Random(f"{seed}/{key}")  # noqa: S311 - reproducible, not secret
    number = chosen.randrange(10**8, 10**9)
    sentences = [f"{number} is the number of this document."]
    for begin in range(0, words, SENTENCE_WORDS):
        some = " ".join(chosen.choices(WORDS, k=min(SENTENCE_WORDS, words - begin)))
        sentences.append(f"{some.capitalize()}.")
    return " ".join(sentences)
