"""Makes a renderer's SVG fit to stand inside a page: no ids that collide, no leftovers, one description."""

import re
from xml.etree import ElementTree as ET

NAMESPACE = "http://www.w3.org/2000/svg"
KEPT = frozenset({"svg", "g", "path", "line", "rect", "text", "tspan", "circle", "clipPath", "defs", "title"})
DROPPED_ATTRIBUTES = re.compile(r"^(aria-.*|role|class|pointer-events|on.*|.*href|width|height)$", re.IGNORECASE)
SIZED = frozenset({"rect"})  # elements whose width and height are their shape


def tidy(svg: str, prefix: str, description: str) -> str:
    """The drawing with scoped ids, a view box instead of a size, and `description` as its accessible name.

    Elements outside a short list (scripts, foreign objects, pictures, links) are removed.
    """
    root = ET.fromstring(svg)  # noqa: S314 - written by our own renderer, which escapes every text it is given
    _prune(root)
    for element in root.iter():
        name = _local(element.tag)
        for key in [key for key in element.attrib if DROPPED_ATTRIBUTES.match(_local(key))]:
            if not (name in SIZED and key in ("width", "height")):
                del element.attrib[key]
        for key, value in element.attrib.items():
            if key == "id":
                element.attrib[key] = f"{prefix}-{value}"
            elif "url(#" in value:
                element.attrib[key] = value.replace("url(#", f"url(#{prefix}-")
        element.tag = name
        element.tail = None
    root.attrib.update({"role": "img", "aria-label": description})
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _prune(element: ET.Element) -> None:
    for child in list(element):
        hidden = child.get("display") == "none"
        if hidden or _local(child.tag) not in KEPT:
            element.remove(child)
        else:
            _prune(child)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
