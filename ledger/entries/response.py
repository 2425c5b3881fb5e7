"""What came back from one attempt, raw, committed before anything is made of it."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import BlobRef, Payload


class Response(Payload):
    """A response is kept whether or not it is usable; an attempt that has one is never sent again."""

    kind: ClassVar[str] = "response"

    attempt: str = Field(description="id of the attempt this answers")
    raw: BlobRef = Field(description="the answer as received")
    finish_reason: str | None = Field(description="the server's own word for why it stopped, if it gave one")
    served_model: str | None = Field(description="model name the server says it used")
    prompt_tokens: int | None = Field(ge=0, description="tokens in the prompt as the server counted them")
    completion_tokens: int | None = Field(ge=0, description="tokens in the answer as the server counted them")
    elapsed_s: float = Field(ge=0, description="wall-clock time of the whole call, seconds")
    sent: int = Field(
        default=1, ge=0, description="how often the request went out; earlier sendings were refused unpaid"
    )
    cost: float = Field(ge=0, description="price of the call after committee.toml's price table")
    unpriced: bool = Field(
        default=False, description="whether committee.toml gave no price, so that the cost is not known and stands as 0"
    )
    failure: str | None = Field(description="reason code when the call failed on the way, else none")
    detail: str = Field(description="one sentence about the failure, empty when there was none")
    held_to: str = Field(
        default="", description="format that the request asked the server to hold the answer to, after any fallback"
    )
