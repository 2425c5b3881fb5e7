"""What a model's own files say of it, whatever their format. Pure; `harness/workflow/model_files.py` reads them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelHeader:
    """What a model file says of itself; none where it says nothing."""

    name: str
    architecture: str = ""
    context_length: int | None = None  # tokens that it was trained for
    blocks: int | None = None  # all of them, blocks that only draft included
    attention_interval: int | None = None  # every so many blocks one with full attention; the others keep a state
    kv_heads: int | None = None  # largest of all blocks
    key_length: int | None = None
    value_length: int | None = None
    end_ids: tuple[int, ...] = ()  # tokens that end a generation
    fault: str = ""  # why the file is not whole; then nothing else is known
    heads: int | None = None
    attention_blocks: int | None = None  # blocks that keep keys and values, where the file says them one by one
    recurrent_blocks: int | None = None  # blocks whose tensors are those of a recurrent layer
    draft_blocks: int = 0  # blocks that only draft (multi-token prediction), among `blocks`
    window: int | None = None  # tokens that blocks with a sliding window look back
    compressed: bool = False  # keys and values are kept as one compressed vector, not by heads
    number_format: str = ""  # of the most bytes of weights, or what its settings say
    tensors: int | None = None
    weight_bytes: int | None = None  # of all files
    parts: int = 1  # files of the model

    @property
    def kept_blocks(self) -> int | None:
        """Blocks that keep keys and values: as said one by one, else by tensors, else by the interval, else all."""
        if self.attention_blocks is not None:
            return self.attention_blocks
        if self.blocks is None:
            return None
        if self.recurrent_blocks:
            return self.blocks - self.recurrent_blocks
        if self.attention_interval and self.attention_interval > 1:
            return self.blocks // self.attention_interval
        return self.blocks

    @property
    def doubts(self) -> tuple[str, ...]:
        """Where the file's own words do not settle how large its cache is, one sentence each."""
        found = []
        interval = self.attention_interval
        if self.blocks and interval and interval > 1 and self.blocks % interval:
            by_interval = self.blocks // interval
            seen = f"{self.recurrent_blocks} blocks have a recurrent layer's tensors" if self.recurrent_blocks else ""
            found.append(
                f"{self.blocks} blocks and an attention layer every {interval} leave {self.blocks - by_interval} "
                f"recurrent ones, or {self.blocks - self.blocks % interval - by_interval} if the last "
                f"{self.blocks % interval} only draft; " + (seen or "the directory of tensors does not say which")
            )
        if self.window:
            found.append(
                f"some blocks look back {self.window:,} tokens only and an engine may keep no more for them: the bytes "
                "a token are an upper bound"
            )
        return tuple(found)
