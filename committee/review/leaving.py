"""What leaves the machine with an order, looked over before. The proposal's files were scanned by its check already."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from committee.proposals.secrets import kinds_in
from committee.review.lines import SENT_HEADERS
from committee.review.openai_call import request_of
from committee.review.order import Order
from committee.review.ordering import beside_files, shape_of
from committee.review.prompt import Subject
from committee.vocabulary.config import Reviewer

MAX_KNOWN_LINES = 50_000  # of text found clean; beyond it is looked over anew
MAX_SUBJECTS = 64  # held at once; more than the runs that are under way at one time
FIRST_LINE = "What follows was not looked over before.\n"  # prose, so that no few lines are taken for a settings file


@dataclass(frozen=True)
class _Seen:
    subject: Subject
    kinds: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by what tells reviewers' orders apart


class Lookout:
    """Looks over what reviewers are sent beside the files. A line that was found clean is not scanned again."""

    def __init__(self) -> None:
        self._clean: set[str] = set()
        self._seen: dict[int, _Seen] = {}

    def refusal(self, subject: Subject, reviewers: Iterable[Reviewer], language: str) -> str:
        """One sentence, without the find, where it looks like it holds a secret; else empty."""
        seen = self._of(subject)
        for reviewer in reviewers:
            shape = shape_of(reviewer)
            if shape not in seen.kinds:
                seen.kinds[shape] = self._kinds(beside_files(subject, reviewer, language))
            if seen.kinds[shape]:
                return (
                    f"what {reviewer.name!r} would be sent looks like it holds a secret "
                    f"({', '.join(seen.kinds[shape])}); look at target {subject.target.name!r} and the proposal's "
                    "title and question, take it out, change that secret"
                )
        return ""

    def _of(self, subject: Subject) -> "_Seen":
        """What was found in this very subject; it is held, so that no other can come to have its identity."""
        if id(subject) not in self._seen:
            while len(self._seen) >= MAX_SUBJECTS:
                self._seen.pop(next(iter(self._seen)))
            self._seen[id(subject)] = _Seen(subject)
        return self._seen[id(subject)]

    def _kinds(self, text: str) -> tuple[str, ...]:
        new = [line for line in dict.fromkeys(text.split("\n")) if line not in self._clean]
        kinds = kinds_in(FIRST_LINE + "\n".join(new)) if new else ()
        if not kinds:
            if len(self._clean) + len(new) > MAX_KNOWN_LINES:
                self._clean.clear()
            self._clean.update(new)
        return kinds


def said_beside_prompt(order: Order) -> str:
    """What goes with the prompt, for a person to read before anything is sent."""
    if order.reviewer.kind == "command":
        paths = ", ".join(path for path, _content in order.files)
        return f"with it, in a folder of its own: {paths}"
    request = {key: value for key, value in request_of(order).items() if key != "messages"}
    body = json.dumps(request, ensure_ascii=False)
    return f"with it, in the request's body:\n{body}\nand the headers: {', '.join(SENT_HEADERS)}"
