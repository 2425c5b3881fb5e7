"""A renderer's drawing made fit for the page."""

from committee.report.svg import tidy

RAW = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="10" height="5"'
    ' viewBox="0 0 10 5"><defs><clipPath id="c0"><rect width="3" height="4"/></clipPath></defs><script>x()</script>'
    '<image xlink:href="http://example.org/x.png"/><foreignObject/><path display="none" d="M0,0"/>'
    '<g clip-path="url(#c0)" class="mark" aria-label="a" onclick="x()"><text>1 &lt; 2 role="x"</text></g></svg>'
)


def test_ids_are_scoped_so_that_two_drawings_do_not_meet() -> None:
    made = tidy(RAW, "a1", "words")
    assert 'id="a1-c0"' in made
    assert 'clip-path="url(#a1-c0)"' in made


def test_everything_active_or_from_elsewhere_is_gone() -> None:
    made = tidy(RAW, "a1", "words")
    for word in ("script", "image", "foreignObject", "onclick", "href", "http", "display"):
        assert word not in made


def test_texts_stay_as_they_are_and_the_size_is_left_to_the_page() -> None:
    made = tidy(RAW, "a1", 'say "x" <b>')
    assert '<text>1 &lt; 2 role="x"</text>' in made
    assert made.startswith('<svg viewBox="0 0 10 5" role="img" aria-label="say &quot;x&quot; &lt;b&gt;">')
    assert '<rect width="3" height="4" />' in made
