"""Parts of a page that are not its content: bars, menus, banners, footers, and marks of links."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any

from assay.ingest.page_links import ElementCounts

# What each element of a page holds.
Counted = Mapping[Any, ElementCounts]
HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LETTERS_AND_DIGITS = re.compile(r"[^\W_]+")
# Never content. Forms are kept, since some systems put whole pages into one.
_SKIPPED = frozenset(
    """script style noscript template svg iframe object embed canvas video audio map head nav
    footer button select option input textarea dialog""".split()
)
_SKIPPED_ROLES = frozenset("navigation banner contentinfo search complementary menu menubar dialog alert".split())
# Names of what leads around in a site, and of what stands beside its content.
_WAYS = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navbox|navheader|navfooter|navigation|menu|breadcrumbs?|skip-link|jump-link"
    r"|toc|toctree|pagination|pager|top-?bar|back-to-top|related-?(?:posts?|pages?|articles?|links?))(?:$|[\s_-])"
    # With another word beside it this may name content.
    r"|(?:^|\s)related(?:$|\s)"
)
_BANNERS = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|editsection|catlinks|printfooter|noprint|social|share-?(?:buttons?|bar|links?)"
    r"|site-footer|site-header|masthead|newsletter|subscribe|promo|advert(?:isement)?)(?:$|[\s_-])"
    r"|(?:^|\s)footer(?:$|\s)"
)
# What anchors are made for by their own words, so that these say nothing of the element.
_ANCHORED = frozenset("a code dd dt h1 h2 h3 h4 h5 h6 li span tr".split())
# From so many characters what is named a way, and holds few links, is content: chosen.
_LONG = 1000
# The share of a bar of links above the title, and its most links and elements: chosen.
_ALONE, _MOST_LINKS, _MOST_ELEMENTS = 0.8, 50, 200
# Footnote marks, and the signs of back links and heading links.
_NOTE_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\])]?")
_NOTE_CLASS = re.compile(r"foot-?note|note-?ref", re.IGNORECASE)
_SIGNS = frozenset("↩ ↩︎ ↑ ^ ⏎ ⤴ ⬆ ¶ # § 🔗".split())
# Beside the content: a related box, or navigation.
_SIDEBAR = re.compile(r"(?:^|[\s_-])sidebar(?:$|[\s_-])")
# The share of characters in links from which it is navigation: the first split of the tree of
# Kohlschütter, Fankhauser and Nejdl, "Boilerplate Detection using Shallow Text Features" (2010), algorithm 1.
_LINKS = 0.333
_HIDDEN = re.compile(r"display:\s*none|visibility:\s*hidden")


def is_skipped(element: Any, counted: Counted, *, skip_chrome: bool) -> bool:
    """Tell whether an element is not content: hidden, or (with `skip_chrome`) around the content."""
    tag = element.tag
    if tag in ("script", "style", "noscript", "template", "svg", "head", "iframe", "object"):
        return True
    get = element.get
    if get("hidden") is not None or _HIDDEN.search(get("style") or ""):
        return True
    if not skip_chrome or tag in ("html", "body", "main", "article"):
        return False
    if tag in _SKIPPED or (tag == "header" and element.find(".//h1") is None):
        return True
    if (get("role") or "").lower() in _SKIPPED_ROLES:
        return True
    names = (get("class") or "")[:200].lower()
    if tag not in _ANCHORED and not _is_named_by_heading(element):
        names = f"{names} {(get('id') or '')[:100].lower()}"
    if _BANNERS.search(names):
        return not _is_heading_itself(element, counted)
    if _WAYS.search(names):
        is_way = counted[element].link_share >= _LINKS or counted[element].characters < _LONG
        return is_way and not _is_heading_itself(element, counted)
    return (tag == "aside" or bool(_SIDEBAR.search(names))) and counted[element].link_share >= _LINKS


def _is_named_by_heading(element: Any) -> bool:
    """Tell whether an element's id is made of the words of the heading that begins it, as generators of pages do.

    >>> from lxml.html import fromstring
    >>> page = fromstring('<section id="dns-cookies"><h2>DNS Cookies</h2><p>They are sent.</p></section>')
    >>> _is_named_by_heading(page)
    True
    """
    name = element.get("id")
    heading = next(element.iter(*HEADINGS), None) if name else None
    if heading is None:
        return False
    words = _LETTERS_AND_DIGITS.findall("".join(islice(heading.itertext(), 20)).lower())
    named = _LETTERS_AND_DIGITS.findall(name.lower())
    is_section = element.tag == "section" or "section" in (element.get("class") or "").split()
    return (is_section or len(named) > 1) and sum(word in words for word in named) > len(named) / 2


def _is_heading_itself(element: Any, counted: Counted) -> bool:
    """Tell whether an element holds a whole heading, such as docutils' link from it to the table of contents."""
    heading = element.getparent()
    if heading is None or heading.tag not in HEADINGS:
        return False
    return 2 * counted[element].characters > counted[heading].characters


def is_note_mark(element: Any) -> bool:
    """Tell whether an element is a footnote mark, a back link or a heading link."""
    if element.tag not in ("a", "sup"):
        return False
    link = element if element.tag == "a" else element.find(".//a")
    if link is None or "#" not in (link.get("href") or ""):
        return False
    sign = "".join(islice(element.itertext(), 5)).strip()
    is_note = "doc-noteref" in (link.get("role") or "") or _NOTE_CLASS.search(link.get("class") or "")
    if element.tag == "sup" or is_note:
        return _NOTE_MARK.fullmatch(sign) is not None
    # Fonts of icons draw the sign of a link in a character for private use.
    return sign in _SIGNS or (len(sign) == 1 and unicodedata.category(sign) == "Co")


def is_links_alone(element: Any, counted: Counted) -> bool:
    """Tell whether an element contains several links and hardly anything else."""
    if element.tag not in ("div", "p", "ul", "ol", "table", "span"):
        return False
    inside = list(islice(element.iter("a"), _MOST_LINKS + 1))
    return (
        1 < len(inside) <= _MOST_LINKS
        and next(islice(element.iter(), _MOST_ELEMENTS, None), None) is None
        and counted[element].link_share >= _ALONE
    )
