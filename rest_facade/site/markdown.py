"""Markdown as HTML: headings have anchors, links lead to the pages of the site, and each section can be found."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
PAGE_LINK = re.compile(r"(?:docs/)?(?P<name>[a-z-]+)\.md(?P<anchor>#.+)?")

OTHER_FILES: Mapping[str, str] = {
    "endpoints.md": "reference.html",
    "../examples/dlt/README.md": "warehouses.html",
    "../CHANGELOG.md": "changelog.html",
}
"""Where links to files lead that are no pages of the site."""


class Section(NamedTuple):
    """A part of a page that a search may find; its `anchor` is empty above the first heading of the second level."""

    title: str
    anchor: str
    text: str


@dataclass(frozen=True)
class RenderedPage:
    """The HTML of a page, and its sections."""

    html: str
    sections: Sequence[Section]


def render(text: str, titles: Mapping[str, str]) -> RenderedPage:
    """A page as HTML. `titles` are those of the pages of the site by name: a link that leads to no other is text."""
    tokens = MARKDOWN.parse(text)
    sections: list[Section] = []
    anchors: dict[str, int] = {}
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            title = _plain(tokens[position + 1])
            anchor = _anchor(title, anchors)
            token.attrSet("id", anchor)
            sections.append(Section(title, "" if token.tag == "h1" else anchor, ""))
        elif token.type == "inline" and sections and tokens[position - 1].type != "heading_open":
            last = sections[-1]
            sections[-1] = last._replace(text=f"{last.text} {_plain(token)}".strip())
        _link(token.children or (), titles)
    html: str = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    # A table scrolls by itself on a narrow screen; the page does not.
    html = (
        html.replace(' style="text-align:right"', ' class="number"')
        .replace("<table>", '<div class="table" tabindex="0"><table>')
        .replace("</table>", "</table></div>")
    )
    return RenderedPage(html, sections)


def _link(tokens: Sequence[Token], titles: Mapping[str, str]) -> None:
    """Lead the links of a paragraph to pages of the site. The name of a file becomes the title of its page."""
    for start, text, end in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if start.type != "link_open":
            continue
        if text.content.endswith(".md"):
            text.content = titles.get(text.content.removesuffix(".md"), text.content)
        target = _target(str(start.attrs["href"]), titles)
        if target is not None:
            start.attrSet("href", target)
        else:
            start.type = end.type = "text"
            start.content = end.content = ""


def _target(link: str, names: Collection[str]) -> str | None:
    """The address of a link in the site; None if it is not in it."""
    if "://" in link or link.startswith("#"):
        return link
    match = PAGE_LINK.fullmatch(link)
    page = "" if match is None else f"{match['name']}.html{match['anchor'] or ''}"
    target = OTHER_FILES.get(link, page)
    return target if target.partition(".html")[0] in names else None


def _plain(token: Token) -> str:
    """The text of a token without its marks."""
    return "".join(" " if child.type == "softbreak" else child.content for child in token.children or ())


def _anchor(title: str, taken: dict[str, Any]) -> str:
    """The anchor of a heading, as the repository's own pages are linked."""
    anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
    taken[anchor] = taken.get(anchor, -1) + 1
    return f"{anchor}-{taken[anchor]}" if taken[anchor] else anchor
