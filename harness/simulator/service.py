"""What the simulated server answers: completions in three APIs, and its reports about itself.

One object for one server; the connection code in `process.py` gives it requests and a way to write.
"""

import asyncio
import json
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from harness.simulator import words
from harness.simulator.answering import Answer, Stamps, texts_of, wanted_tokens, with_wish
from harness.simulator.asked import Api, Asked, BadRequest, read_body
from harness.simulator.clocked import ClockedEngine
from harness.simulator.engine_flags import Engine
from harness.simulator.faults import Fault
from harness.simulator.http import Request
from harness.simulator.prefix_cache import PrefixCache
from harness.simulator.scheduler import Emission, Job
from harness.simulator.settings import Settings
from harness.simulator.style import Style
from harness.simulator.tools import wish
from harness.simulator.wording import Wording

APIS = {"/v1/completions": Api.COMPLETIONS, "/v1/chat/completions": Api.CHAT, "/v1/responses": Api.RESPONSES}
WARM_SHARE = 0.75  # of a prompt that the faults of the prefix cache find in it
KEPT_STAMPS = 20_000
CHEAT_S = 0.001  # between two tokens of a cheat that streams
LOAD_DEFAULT = 5  # requests after which a fault under load begins, unless it says another number


@dataclass(frozen=True)
class Reply:
    """A whole answer."""

    status: int
    body: bytes
    kind: str = "application/json"


@dataclass
class Service:
    """The server's behaviour; `ready` is false while it says it is loading."""

    settings: Settings
    engine: Engine
    style: Style
    clocked: ClockedEngine
    ready: bool = True
    served: int = 0  # requests for text so far
    cache: PrefixCache = field(default_factory=PrefixCache)
    stamps: deque[Stamps] = field(default_factory=lambda: deque(maxlen=KEPT_STAMPS))
    descriptors: list[int] = field(default_factory=list)
    _leaked: float = 0.0

    def plain(self, request: Request) -> Reply:
        """Every answer that is not generated text."""
        if not self.ready and request.path != "/health":
            return _json({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, 503)
        if request.path == "/health":
            return Reply(200, b'{"status":"ok"}' if self.engine.style == "llamacpp" else b"")
        if request.path == "/v1/models":
            model = {"id": self.engine.name, "object": "model", "owned_by": "simulator"}
            return _json({"object": "list", "data": [model | {"max_model_len": self.engine.max_len}]})
        if request.path == "/metrics" and Fault.NO_METRICS not in self.settings.faults:
            return Reply(200, self._metrics().encode(), "text/plain; version=0.0.4")
        if request.path == "/props" and self.engine.style == "llamacpp":
            return _json(self._props())
        if request.path == "/tokenize":
            return self._tokenize(request)
        if request.path == "/simulator/truth":
            return _json({"simulator": True, "requests": [asdict(stamps) for stamps in self.stamps]})
        return _json({"error": {"message": "Not Found", "type": "NotFoundError", "code": 404}}, 404)

    def understand(self, request: Request) -> Asked | Reply:
        """A request for text, or why it is refused."""
        faults = self.settings.faults
        self.served += 1
        if not self.ready:
            return self.plain(request)
        if Fault.HTML_200 in faults:
            return Reply(200, b"<html><body>It works!</body></html>", "text/html")
        if Fault.BUSY_503 in faults and self.served > faults.number(Fault.BUSY_503, LOAD_DEFAULT):
            return _json({"error": {"message": "no slot is free", "type": "unavailable_error", "code": 503}}, 503)
        body = request.json()
        if body is None:
            return _bad("the body is not a JSON object")
        try:
            asked = read_body(APIS[request.path], body, self._picture_tokens())
        except BadRequest as error:
            return _bad(str(error))
        if Fault.PROMPT_CUT in faults:
            asked = replace(asked, prompt_tokens=max(1, asked.prompt_tokens // 2))
        if asked.prompt_tokens + (0 if asked.ends else asked.tokens) > self.engine.max_len:
            return _bad(
                f"This model's maximum context length is {self.engine.max_len} tokens. However, you requested "
                f"{asked.prompt_tokens + asked.tokens} tokens ({asked.prompt_tokens} in the messages, {asked.tokens} "
                "in the completion). Please reduce the length of the messages or completion."
            )
        return asked

    def start(self, asked: Asked, write: Callable[[bytes], None], finished: Callable[[], None]) -> tuple[Answer, int]:
        """Let the engine begin. `write` gets the bytes of events; the number cancels it."""
        number = self.clocked.next_number()
        wanting = wish(asked, self.settings.text("tool-calls"))
        asked = with_wish(asked, wanting)
        cached = self._cached(asked)
        answer_id = f"{'chatcmpl' if asked.api is Api.CHAT else 'cmpl'}-{number}"
        stamps = Stamps(answer_id, time.monotonic(), asked.prompt_tokens, cached)
        self.stamps.append(stamps)
        faults, settings = self.settings.faults, self.settings
        answer = Answer(
            asked=asked,
            wording=Wording(asked.api, answer_id, self.engine.name, settings.text("reasoning")),
            faults=faults,
            stamps=stamps,
            wish=wanting,
            texts=words.reworded(
                texts_of(asked, faults, wanting, f"{os.getpid()}", answer_id), settings.text("wording")
            ),
            write=write,
            finished=finished,
        )
        wanted = wanted_tokens(asked, faults)
        job = Job(number, asked.prompt_tokens, wanted, cached, asked.priority, stops=asked.ends)
        answer.begin()
        if faults.any(Fault.CHEAT_EARLY, Fault.CHEAT_STREAMED):
            self._cheat(answer, job, at_once=Fault.CHEAT_EARLY in faults)
        else:
            self.clocked.submit(job, answer.tell)
        self._leak()
        return answer, number

    def _cheat(self, answer: Answer, job: Job, *, at_once: bool) -> None:
        """Answer without the engine, and count as if it had computed."""
        loop, step = asyncio.get_running_loop(), job.wanted if at_once else 1
        for sent in range(step, job.wanted + 1, step):
            said = Emission(job.number, step, self.clocked.now(), sent == job.wanted)
            loop.call_later(0.0 if at_once else sent * CHEAT_S, answer.tell, said)
        self.clocked.counted.prompt_tokens += job.prompt_tokens
        self.clocked.counted.generated_tokens += job.wanted

    def whole(self, answer: Answer) -> Reply:
        """The body of an answer that was not streamed."""
        wish_ = answer.wish
        call = wish_.call if wish_ is not None and wish_.comes_out else None
        return _json(answer.wording.whole(answer.pieces, call, answer.usage(), answer.reason()))

    def stranger(self) -> None:
        """Somebody else's request: counted, and answered to nobody."""
        job = Job(self.clocked.next_number(), 33, 21)
        self.clocked.submit(job, lambda said: None)

    def _cached(self, asked: Asked) -> int:
        """Prompt tokens found in the cache."""
        faults = self.settings.faults
        if Fault.WARM_CACHE in faults:
            return int(asked.prompt_tokens * WARM_SHARE)
        on = self.settings.on("prefix-cache") or self.engine.flags.get("enable-prefix-caching") == "true"
        if not on or not asked.use_cache:
            return 0
        hits = self.cache.hits(asked.ids)
        self.cache.keep(asked.ids)
        return hits

    def _picture_tokens(self) -> int:
        if Fault.IMAGE_IGNORED in self.settings.faults:
            return 0
        large = self.settings.whole("image-min-tokens") >= 1024
        return words.LARGE_IMAGE_TOKENS if large else words.IMAGE_TOKENS

    def _leak(self) -> None:
        self._leaked += self.settings.number("leak-descriptors")
        while len(self.descriptors) + 1 <= self._leaked:
            self.descriptors.append(os.open(os.devnull, os.O_RDONLY))

    def _metrics(self) -> str:
        text = self.style.metrics(self.engine, self.clocked.counted)
        if Fault.NAN_METRICS not in self.settings.faults:
            return text
        lines = [line if line.startswith("#") else f"{line.rpartition(' ')[0]} NaN" for line in text.splitlines()]
        return "\n".join(lines) + "\n"

    def _props(self) -> dict[str, Any]:
        engine, seats = self.engine, self.engine.number("n-parallel")
        return {
            "total_slots": seats,
            "model_path": engine.flags["model"],
            "model_alias": engine.name,
            "default_generation_settings": {"n_ctx": engine.max_len // seats},
            "build_info": "simulator",
        }

    def _tokenize(self, request: Request) -> Reply:
        body = request.json() or {}
        extra = 0
        text = body.get("content", body.get("prompt", ""))
        if isinstance(body.get("messages"), list):
            extra = words.TEMPLATE_TOKENS
            text = "\n".join(str(message.get("content", "")) for message in body["messages"])
        ids = words.token_ids(str(text))
        if self.engine.style == "llamacpp":
            return _json({"tokens": ids})
        return _json({"count": len(ids) + extra, "max_model_len": self.engine.max_len, "tokens": ids})


def _json(value: dict[str, Any], status: int = 200) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False).encode())


def _bad(message: str) -> Reply:
    return _json({"error": {"message": message, "type": "BadRequestError", "code": 400}}, 400)
