"""What a browser would see of a page, for tests: tags, attributes, texts, headings."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

TAGS = frozenset(
    {
        "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "h4", "p", "code", "nav", "a",
        "span", "strong", "main", "section", "article", "table", "thead", "tbody", "tr", "th", "td", "svg", "path",
        "line", "rect", "text", "circle", "figure", "div", "figcaption", "dl", "dt", "dd", "details", "summary", "q",
        "time", "footer", "ol", "ul", "li",
    }
)  # fmt: skip
SILENT = frozenset({"style"})


@dataclass(frozen=True)
class Told:
    """One text and the innermost tag it stands in."""

    tag: str
    text: str


@dataclass
class Reader(HTMLParser):
    """Collects what a browser would see."""

    tags: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)  # tag, name, value
    texts: list[Told] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    open_tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append(int(tag[1]))
        if tag != "meta":
            self.open_tags.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        while self.open_tags and self.open_tags.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        inside = self.open_tags[-1] if self.open_tags else ""
        if inside not in SILENT and data.strip():
            self.texts.append(Told(inside, data))

    def values(self, name: str) -> list[str]:
        """Every value of an attribute."""
        return [value for _, found, value in self.attributes if found == name]


def read(page: str) -> Reader:
    """Parse a page."""
    reader = Reader()
    reader.feed(page)
    return reader


def words(page: str) -> str:
    """The visible text with single spaces."""
    return " ".join(" ".join(told.text for told in read(page).texts).split())
