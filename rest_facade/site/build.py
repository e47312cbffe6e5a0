"""The files of the site: pages, the index of the search, and the assets."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template
from typing import Any

import orjson

from rest_facade.site.data_dictionary import dictionary_pages
from rest_facade.site.markdown import Section, render
from rest_facade.site.reference import reference_pages
from rest_facade.site.sources import SourcePage, source_pages

COPIED = ("site.css", "site.js", "minisearch.js", "icon.svg")
EXAMPLE_ADDRESS = "https://api.example.com"
"""The address of the service in the pages, which the site replaces with its own."""

DESCRIPTION_LENGTH = 160
"""Characters of the text that search engines show of a page."""

CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where the name of an operation may be cut in two lines."""

OPERATION = re.compile(r"(?<!\[)`(\w+)`(?!\])")

CURRENT = ' aria-current="page"'


def site_files(document: Mapping[str, Any], *, customers_only: bool) -> Mapping[str, bytes]:
    """The files by name. `document` is the OpenAPI document. Raises OperatorError."""
    pages = [*source_pages(customers_only=customers_only), *reference_pages(document)]
    if not customers_only:
        pages += dictionary_pages()
    titles = {page.name: page.title for page in pages}
    areas = {each["get"]["operationId"]: each["get"]["tags"][0] for each in document["paths"].values()}
    assets = files(__package__) / "assets"
    template = Template((assets / "page.html").read_text("utf-8"))
    made = {name: (assets / name).read_bytes() for name in COPIED}
    made["openapi.json"] = orjson.dumps(document)
    index: list[Mapping[str, str]] = []
    for number, page in enumerate(pages):
        text = OPERATION.sub(partial(_linked, areas), page.text)
        rendered = render(text.replace(EXAMPLE_ADDRESS, document["servers"][0]["url"]), titles)
        made[f"{page.name}.html"] = template.substitute(
            title=escape(page.title),
            navigation=_navigation(pages, page),
            contents=_contents(rendered.sections),
            page=rendered.html,
            description=escape(rendered.sections[0].text[:DESCRIPTION_LENGTH]),
            neighbours=_neighbours(pages[number - 1 : number], pages[number + 1 : number + 2]),
        ).encode()
        index += ({"page": f"{page.name}.html", "of": page.title, **each._asdict()} for each in rendered.sections)
    made["search.json"] = orjson.dumps(index)
    made["index.html"] = made[f"{pages[0].name}.html"]
    return made


def _linked(areas: Mapping[str, str], name: re.Match[str]) -> str:
    """The name of an operation with a link to the reference; other code as it is."""
    area = areas.get(name[1])
    return name[0] if area is None else f"[{name[0]}](reference-{area}.md#{name[1].lower()})"


def _navigation(pages: Sequence[SourcePage], current: SourcePage) -> str:
    """The pages by reader."""
    parts: list[str] = []
    for reader, group in groupby(pages, lambda page: page.reader):
        links = [
            f'<li><a href="{page.name}.html"{CURRENT if page is current else ""}>{escape(page.title)}</a></li>'
            for page in group
        ]
        parts.append(f"<h2>{escape(reader)}</h2><ul>{''.join(links)}</ul>")
    return "".join(parts)


def _neighbours(before: Sequence[SourcePage], after: Sequence[SourcePage]) -> str:
    """Links to the page before and the page after, as far as there are any."""
    named = [*(("Previous", page) for page in before), *(("Next", page) for page in after)]
    return "".join(f'<a href="{page.name}.html">{which}: {escape(page.title)}</a>' for which, page in named)


def _contents(sections: Sequence[Section]) -> str:
    """Links to the headings of a page, if it has any."""
    titles = [(each.anchor, CAPITAL.sub("<wbr>", escape(each.title))) for each in sections if each.anchor]
    links = [f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title in titles]
    listed = f'<nav aria-label="On this page"><ul>{"".join(links)}</ul></nav>'
    return f'<details class="contents" open><summary>On this page</summary>{listed}</details>' if links else ""
