"""What a person knows of one server that no flag says and that rules before a start need."""

from pydantic import Field

from harness.vocabulary.base import Value


class Prefill(Value):
    """One measured cold prefill."""

    tokens: int = Field(ge=1, description="prompt tokens")
    seconds: float = Field(ge=1e-3, le=1e7, description="time to first token, s")


class Known(Value):
    """Facts about a server; what is left out keeps a rule silent."""

    decode_partitions: tuple[int, ...] = Field(
        default=(), description="partition sizes that the attention binary was really built with; ask it, not a list"
    )
    head_dim: int | None = Field(default=None, ge=1, le=4096, description="numbers in one head, for shared memory")
    longest_prefill_s: float | None = Field(default=None, gt=0, description="longest measured prefill, seconds")
    prefills: tuple[Prefill, ...] = Field(
        default=(), description="measured cold prefills by length; a longer context's is predicted from the last two"
    )
    kv_pool_tokens: int | None = Field(default=None, ge=1, description="KV pool of the baseline, as its log says")
    draft_block: int | None = Field(default=None, ge=1, description="block size that the draft model was trained with")
    cards: int | None = Field(
        default=None, ge=0, le=1024, description="cards of the host; 0 where it computes on its CPU"
    )
