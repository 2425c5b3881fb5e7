"""One change against a target's baseline that may be measured."""

from typing import Any, ClassVar

from pydantic import Field

from ledger.entries.base import Part, Payload, Sha256


class ArmSetting(Part):
    """One thing that an arm sets; computed from its definition, never recorded by itself."""

    name: str = Field(description="flag by its one spelling, variable, model or overlay")
    value: str = Field(description="as text; the file's path for model and overlay")


class Arm(Payload):
    """The arm as it was admitted: change, witness and where it came from."""

    kind: ClassVar[str] = "arm"

    fingerprint: Sha256 = Field(description="hash of the normalised change alone, without name or witness")
    name: str = Field(description="short name for people")
    target: str = Field(description="the target it changes")
    proposal: str | None = Field(description="the proposal it belongs to, none for an arm measured alone")
    definition: dict[str, Any] = Field(description="the whole arm as admitted")
    origins: tuple[str, ...] = Field(description="author, or ids of the hypotheses that named it")
    approved_by: str | None = Field(
        default=None, description="the person who said yes to an arm that is code, none where none was needed"
    )

    @property
    def settings(self) -> tuple[ArmSetting, ...]:
        """Everything that it sets, sorted by name."""
        return settings_of(self.definition)


def settings_of(definition: dict[str, Any]) -> tuple[ArmSetting, ...]:
    """Flags, variables, model and overlaid files of an arm's definition, whatever else it holds."""
    found: list[tuple[str, str]] = []
    flags, env, overlay = (definition.get(name) for name in ("flags", "env", "overlay"))
    if isinstance(flags, dict):
        found += [(str(name).lower().replace("_", "-"), _text(value)) for name, value in flags.items()]
    if isinstance(env, dict):
        found += [(str(name), _text(value)) for name, value in env.items()]
    if definition.get("model"):
        found.append(("model", str(definition["model"])))
    if isinstance(overlay, list | tuple):
        found += [("overlay", str(one["path"])) for one in overlay if isinstance(one, dict) and "path" in one]
    return tuple(ArmSetting(name=name, value=value) for name, value in sorted(found))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
