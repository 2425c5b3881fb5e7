"""What looks like a secret in a text, by kind and line. A secret's text is never given out.

The rules are detect-secrets' own, without those that ask a network to confirm a find, without the pragma by which a
file could excuse itself, and without hex entropy: a proposal's evidence is full of hashes.
"""

import io
import re
import tempfile
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

from detect_secrets.core.scan import scan_file
from detect_secrets.plugins.base import BasePlugin
from detect_secrets.settings import get_plugins, transient_settings
from detect_secrets.transformers import get_transformed_file
from detect_secrets.types import NamedIO

from harness.vocabulary.hidden import without_hidden

DETECTORS = (
    "ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "CloudantDetector",
    "DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector", "IbmCloudIamDetector",
    "IbmCosHmacDetector", "JwtTokenDetector", "KeywordDetector", "MailchimpDetector", "NpmDetector",
    "OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector", "SendGridDetector", "SlackDetector",
    "SoftlayerDetector", "SquareOAuthDetector", "StripeDetector", "TelegramBotTokenDetector", "TwilioKeyDetector",
)  # fmt: skip
FILTERS = (
    "is_sequential_string", "is_potential_uuid", "is_likely_id_string", "is_templated_secret",
    "is_prefixed_with_dollar_sign", "is_indirect_reference", "is_not_alphanumeric_string",
)  # fmt: skip
ENTROPY_LIMIT = 4.5  # bits a character; detect-secrets' own default for base64, where prose stays below
SETTINGS = {
    "plugins_used": [
        *({"name": name} for name in DETECTORS),
        {"name": "Base64HighEntropyString", "limit": ENTROPY_LIMIT},
    ],
    "filters_used": [{"path": f"detect_secrets.filters.heuristic.{name}"} for name in FILTERS],
}
# Shapes of this field that detect-secrets 1.5 does not know, and assignments as they stand in shell logs.
OWN_SHAPES = {
    "Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{30,}"),
    "model provider's key": re.compile(r"\b(?:sk-ant-|sk-proj-|sk-or-|nvapi-|gsk_|xai-|AIza)[A-Za-z0-9_-]{20,}"),
    "bearer token": re.compile(r"\bBearer\s+[A-Za-z0-9._~+/-]{16,}=*", re.IGNORECASE),
    "assigned secret": re.compile(
        r"\b[A-Z0-9_]*(?:API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD)\s*[=:]\s*[\"']?(?![$<{(])[^\s\"']{8,}"
    ),
    # A blank in the place of the sign: only what has a digit and a letter, or prose would be full of finds.
    "secret after a flag": re.compile(
        r"--?(?:[a-z]+[-_])*(?:api[-_]?key|token|secret|password|passwd)[ \t=]+[\"']?(?![-$<{(/.])"
        r"(?=[^\s\"']*\d)(?=[^\s\"']*[A-Za-z])[^\s\"']{8,}"
    ),
    "secret after a variable": re.compile(
        r"\b[A-Z0-9_]*(?:API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD)[ \t]+[\"']?(?![A-Z0-9_]+(?:[^A-Za-z0-9_]|$))"
        r"(?=[A-Za-z0-9_.~+/-]*\d)(?=[A-Za-z0-9_.~+/-]*[A-Za-z])[A-Za-z0-9_~+][A-Za-z0-9_.~+/-]{11,}"
    ),
}
KEPT_LINES = 20_000  # looked through before; many proposals are about one target and share most of their settings
PLAIN = ".txt"  # the suffix of a text of which no more is known


def kinds_in(text: str) -> tuple[str, ...]:
    """The kinds of secrets that one text looks like it holds, sorted."""
    return tuple(sorted({kind for _line, kind in found_in(text.encode("utf-8", "replace"))}))


def found_in(content: bytes, suffix: str = PLAIN) -> set[tuple[int, str]]:
    """Line and kind of each find, in UTF-8 and in UTF-16; characters that nobody sees do not part a secret."""
    found: set[tuple[int, str]] = set()
    for text in _readings(content):
        if _is_suspect(text, suffix):
            found.update(_scanned(text, suffix))
        found.update(_own(text))
    return found


def _readings(content: bytes) -> tuple[str, ...]:
    """The text as it is, and where it has zero bytes also without them: Latin letters in UTF-16 are bytes and zeros."""
    parted = content.replace(b"\x00", b" ")
    read = (parted, content.replace(b"\x00", b"")) if parted != content else (content,)
    return tuple(without_hidden(one.decode("utf-8", errors="replace")) for one in read)


def _scanned(text: str, suffix: str) -> list[tuple[int, str]]:
    """What the scanner says, filters and all; it reads files only."""
    with tempfile.TemporaryDirectory() as folder, transient_settings(SETTINGS):
        copy = Path(folder, f"file{suffix}")
        copy.write_text(text, encoding="utf-8")
        return [(secret.line_number, secret.type) for secret in scan_file(str(copy))]


class _Text(io.StringIO):
    """A text under a file's name, as the scanner's readers take it."""

    name = ""


def _is_suspect(text: str, suffix: str) -> bool:
    """Whether any detector sees anything before filters; scanning others finds nothing and takes five times as long.

    The lines are the scanner's own, also those of its second reading, in which it makes settings files alike.
    """
    file = _Text(text, newline=None)  # line ends as in a file that is opened as text
    file.name = f"file{suffix}"
    first = get_transformed_file(cast(NamedIO, file)) or file.readlines()
    if any(_is_seen(line.rstrip(), suffix) for line in dict.fromkeys(first)):
        return True
    file.seek(0)
    second = get_transformed_file(cast(NamedIO, file), use_eager_transformers=True) or ()
    return any(_is_seen(line.rstrip(), suffix) for line in dict.fromkeys(second))


@lru_cache(maxsize=KEPT_LINES)
def _is_seen(line: str, suffix: str) -> bool:
    """Whether any detector sees anything in a line, of which it knows no more than its file's suffix."""
    name = f"file{suffix}"
    return any(detector.analyze_line(filename=name, line=line, line_number=1) for detector in _detectors())


@cache
def _detectors() -> tuple[BasePlugin, ...]:
    """Those of SETTINGS, made once: the scanner makes them anew each time that its settings are changed."""
    with transient_settings(SETTINGS):
        return tuple(get_plugins())


def _own(text: str) -> list[tuple[int, str]]:
    shapes = {kind: shape for kind, shape in OWN_SHAPES.items() if shape.search(text)}  # most texts hold none
    return [
        (number, kind)
        for number, line in enumerate(text.split("\n") if shapes else (), start=1)
        for kind, shape in shapes.items()
        if shape.search(line)
    ]
