"""What every payload schema shares: frozen, closed, no NaN. A schema once shipped is never edited."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, 64 lower-case hexadecimal digits")]
GitTree = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$", description="git tree object id of an exact folder")]
RunId = Annotated[str, Field(pattern=r"^[a-z]+-[0-9a-z-]{6,60}$", description="identifier of one run, made once")]


class Part(BaseModel):
    """A piece of a payload: frozen, no unknown keys, no NaN or infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Payload(Part):
    """One kind of entry. `kind` and `version` name the schema; together they never change meaning."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    def as_json(self) -> dict[str, Any]:
        """The JSON value that is made canonical and hashed."""
        return self.model_dump(mode="json")


class BlobRef(Part):
    """A large thing kept beside the entries, named by the hash of its content."""

    sha256: Sha256 = Field(description="hash of the whole uncompressed content")
    size: int = Field(ge=0, description="uncompressed size in bytes")
    media_type: str = Field(description="what the content is, as a MIME type")
