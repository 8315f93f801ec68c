"""The guard before every page: a link is read strictly, and every address behind it is checked.

Nothing here opens a connection. What the guard lets pass is spelled in one way only, so that no other reader of
the same link can understand another host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address
from urllib.parse import quote, urljoin, urlsplit

from assay.errors import EgressRefused
from assay.types import Value
from assay.web.egress import EgressRules, address_of, forbidden, never

LONGEST_LINK = 4096
_PORTS = {"http": 80, "https": 443}
_LINK = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<rest>.*)", re.DOTALL)
_AUTHORITY = re.compile(r"//(?P<authority>[^/?#]*)(?P<target>[^#]*)")
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# Characters that other readers take for the dot between labels (UTS 46, section 2.3).
_OTHER_DOTS = "\u3002\uff0e\uff61"
# A last label that begins like a number makes the host an IPv4 address to many readers (WHATWG URL, 3.5).
_NUMBER = re.compile(r"(?:\d+|0x[0-9a-f]*)")
# Names of machines that are never public, whatever they resolve to.
_INNER_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "localdomain")
_METADATA_NAMES = (
    "metadata.google.internal",
    "metadata.goog",
    "metadata",
    "instance-data",
    "metadata.azure.internal",
)
_KEPT = "/?%:@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True)
class Link(Value):
    """An address on the web in its one spelling; `named` says that the user allowed its host by name."""

    scheme: str
    host: str
    port: int
    target: str
    named: bool = False

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == _PORTS[self.scheme] else f":{self.port}")

    def __str__(self) -> str:
        """The whole link."""
        return self.origin + self.target


class SsrfGuard:
    """Says of links and addresses whether the rules let them be reached."""

    def __init__(self, rules: EgressRules) -> None:
        self.rules = rules

    def link(self, text: str) -> Link:
        """The link that a text is. Raises EgressRefused, which says why it may not be fetched.

        >>> str(SsrfGuard(EgressRules(enabled=True)).link("HTTPS://Example.ORG:443/a b#top"))
        'https://example.org/a%20b'
        """
        if not self.rules.enabled:
            raise _refused(text, "nothing may leave this machine", "allow sources outside in the settings first")
        scheme, host, port, target = _parts(text)
        link = Link(scheme, host, port, target, self.rules.is_named(host, port))
        if host in _METADATA_NAMES:
            raise _refused(text, "it names a cloud's metadata", "nobody can allow this")
        if self.rules.is_denied(host):
            raise _refused(text, f"the rules deny {host}", "change the lists of domains if you want it")
        if not link.named:
            self._refuse_inner(text, link)
        elif (address := address_of(host)) is not None and (why := never(address)):
            raise _refused(text, f"{host} is {why}", "nobody can allow this")
        return link

    def follow(self, link: Link, location: str) -> Link:
        """The link that a redirect leads to. Raises EgressRefused as `link` does."""
        if _has_controls(location):
            raise _refused(location, "it contains characters that no address has", "nothing to be done")
        # A link with a scheme is a whole address, though some readers take it for a part of the page's own.
        if _LINK.fullmatch(location):
            return self.link(location)
        try:
            return self.link(urljoin(str(link), location))
        except ValueError:
            raise _refused(location, "it cannot be read", "nothing to be done") from None

    def check(self, link: Link, addresses: Sequence[str]) -> None:
        """Raise EgressRefused unless every address found for the link's host may be reached."""
        for text in addresses:
            address = address_of(text)
            why = "no plain address" if address is None else never(address) if link.named else forbidden(address)
            if why is not None:
                hint = "name the host in the settings if it is yours" if not link.named else "nobody can allow this"
                raise _refused(str(link), f"{link.host} is at {text}, {why}", hint)

    def _refuse_inner(self, text: str, link: Link) -> None:
        """Refuse what is no public page: another port, an inner name, a private address."""
        hint = f"allow {link.host}:{link.port} by name if it is yours"
        if link.port not in _PORTS.values():
            raise _refused(text, f"pages on port {link.port} are not fetched", hint)
        address = address_of(link.host)
        if address is not None and (why := forbidden(address)):
            raise _refused(
                text, f"{link.host} is {why}", hint if never(address) is None else "nobody can allow this"
            )
        if address is None and ("." not in link.host or link.host.endswith(tuple(f".{n}" for n in _INNER_NAMES))):
            raise _refused(text, f"{link.host} is a name inside a network", hint)


def own_rules(url: str) -> EgressRules:
    """The rules for an address that the user typed as a service's own: it is allowed by name, nothing else is."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:  # the guard says what is wrong with it
        return EgressRules(enabled=True)
    return EgressRules(enabled=True, named=(f"[{host}]:{port}" if ":" in host else f"{host}:{port}",))


def _parts(text: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and target of a link. Raises EgressRefused."""
    if len(text) > LONGEST_LINK or _has_controls(text):
        raise _unreadable(text, "it is too long, or contains characters that no address has")
    match = _LINK.fullmatch(text)
    if match is None:
        raise _unreadable(text, "it is not an address")
    scheme = match["scheme"].lower()
    if scheme not in _PORTS:
        raise _unreadable(text, f"only http and https are fetched, not {scheme}")
    rest = _AUTHORITY.match(match["rest"])
    if rest is None:
        raise _unreadable(text, "it names no host")
    authority = rest["authority"]
    if "@" in authority or "%" in authority:
        raise _unreadable(text, "it contains a user name, or an encoded host")
    parts = _HOST_AND_PORT.fullmatch(authority)
    if parts is None or not parts["host"]:
        raise _unreadable(text, "its host cannot be read")
    port = int(parts["port"]) if parts["port"] else _PORTS[scheme]
    if not 0 < port < 1 << 16:
        raise _unreadable(text, "it has no such port")
    return scheme, _host(text, parts["host"]), port, _target(rest["target"])


def _host(text: str, host: str) -> str:
    """The host in its one spelling: lower case, IDNA's ASCII, addresses in their shortest form."""
    if host.startswith("["):
        address = address_of(host[1:-1])
        if not isinstance(address, IPv6Address):
            raise _unreadable(text, "its IPv6 address cannot be read")
        return str(address)
    name = _ascii(text, host).removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _unreadable(text, "its host cannot be read")
    if _NUMBER.fullmatch(labels[-1]) and address_of(name) is None:
        raise _unreadable(text, "its host is a number that readers understand differently")
    return name


def _ascii(text: str, host: str) -> str:
    if host.isascii():
        return host.lower()
    import idna

    if any(dot in host for dot in _OTHER_DOTS):
        raise _unreadable(text, "its host has dots that are none")
    try:
        return idna.encode(host.lower(), strict=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise _unreadable(text, "its host has letters that no host has") from None


def _target(target: str) -> str:
    """Path and query, encoded; a path begins with a slash."""
    quoted = quote(target, safe=_KEPT)
    return quoted if quoted.startswith("/") else f"/{quoted}"


def _has_controls(text: str) -> bool:
    """True if a text holds what readers of links drop or turn around: control characters, backslashes."""
    return any(c == "\\" or not (c.isprintable() or c == " ") for c in text) or text != text.strip()


def _unreadable(text: str, why: str) -> EgressRefused:
    return _refused(text, why, "give the address as a browser shows it")


def _refused(text: str, why: str, hint: str) -> EgressRefused:
    shown = text if len(text) <= 200 else f"{text[:200]}…"
    shown = re.sub(r"//[^/@]*@", "//", shown)
    return EgressRefused(f"{shown!r} is not fetched: {why}", hint=hint)
