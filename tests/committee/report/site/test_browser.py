"""The site in Debian's chromium: a phone, a desk and paper; without scripts, without a network, without a complaint."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from committee.report.site.names import file_name
from tests.committee.report.browser import Browser, chromium
from tests.committee.report.followed import OTHER
from tests.committee.report.sample import KNOBS

pytestmark = pytest.mark.system
LOOKED_AT = (
    "index.html", f"proposal-{KNOBS}.html", "rests.html", "setting-ubatch-1024.html", "imported.html",
    f"target-{OTHER}.html", file_name("kernel", "saxpy_c"),
)  # fmt: skip
CONTRAST = 4.5  # WCAG 2.2, level AA, for text
WIDEST = """(() => { const wide = [];
  for (const one of document.querySelectorAll('body *')) {
    if (one.closest('.launches, .scroll, svg') || getComputedStyle(one).position === 'absolute') continue;
    const right = one.getBoundingClientRect().right;
    if (right > innerWidth + 0.5) wide.push(one.tagName + '.' + one.className + ' ' + right);
  }
  return wide.slice(0, 5).join('; '); })()"""
FAINT = """(() => { const faint = new Set();
  const light = text => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255).map(
    v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const under = one => { for (let at = one; at; at = at.parentElement) {
    const found = getComputedStyle(at).backgroundColor; if (!/, 0\\)$/.test(found)) return found; }
    return 'rgb(255, 255, 255)'; };
  for (const one of document.querySelectorAll('body *:not(svg *)')) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.closest('.reopened')) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(under(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < LEAST) faint.add(one.tagName + '.' + one.className + ' ' + ratio.toFixed(2));
  }
  return [...faint].slice(0, 5).join('; '); })()""".replace("LEAST", str(CONTRAST))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all; a machine without chromium fails here."""
    with chromium() as started:
        yield started


def address(site: Path, name: str) -> str:
    """Of a page as a file."""
    return (site / name).as_uri()


@pytest.mark.parametrize("width_px", [360, 1280])
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_fits_its_screen_asks_for_nothing_and_complains_of_nothing(
    browser: Browser, site: Path, name: str, width_px: int
) -> None:
    browser.open(address(site, name), width_px)
    assert browser.value("innerWidth") == width_px
    assert browser.value("document.documentElement.scrollWidth") == width_px, browser.value(WIDEST)
    assert browser.value(WIDEST) == ""
    assert browser.value(FAINT) == ""
    asked = [event["request"]["url"] for event in browser.told("Network.requestWillBeSent")]
    assert asked == [address(site, name)]
    assert browser.told("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown") == []
    assert browser.value("document.scripts.length") == 0


def test_the_dark_page_can_be_read_too(browser: Browser, site: Path) -> None:
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        browser.open(address(site, f"proposal-{KNOBS}.html"), 1280)
        assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
        assert browser.value(FAINT) == ""
    finally:
        browser.call("Emulation.setEmulatedMedia", features=[])


def test_nothing_is_missing_with_scripts_switched_off(browser: Browser, site: Path) -> None:
    pictures = []
    for scripts in (True, False):
        browser.open(address(site, "index.html"), 360, scripts=scripts)
        pictures.append(browser.screenshot())
    assert pictures[0] == pictures[1]


def test_links_lead_on_by_the_keyboard(browser: Browser, site: Path) -> None:
    browser.open(address(site, "index.html"), 1280)
    assert browser.value("document.querySelectorAll('a[href]:not([tabindex=\"-1\"])').length") > 10
    browser.click(".question h3 a")
    assert browser.value("document.querySelector('h1').textContent").startswith("Batch sizes")


def test_on_paper_no_plot_is_cut_and_nothing_is_folded_away(browser: Browser, site: Path) -> None:
    browser.open(address(site, f"proposal-{KNOBS}.html"), 1280)
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        broken = "one => getComputedStyle(one).breakInside !== 'avoid'"
        assert browser.value(f"[...document.querySelectorAll('.chart, .lane')].filter({broken}).length") == 0
        tallest = browser.value("Math.max(...[...document.querySelectorAll('.chart')].map(one => one.offsetHeight))")
        assert 100 < tallest < 900  # pixels: less than a page of paper, so that keeping it whole is possible
        assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")
    paper = browser.pdf()
    assert paper.startswith(b"%PDF-") and 1 <= paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") <= 12
