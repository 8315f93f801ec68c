"""Control of what leaves this machine: what is taken out of a query before it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from assay.types import Value

# The addresses that may be reached: public ones, by name an intranet's, never a cloud's metadata.


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def _networks(*rows: tuple[str, str]) -> tuple[tuple[Network, str], ...]:
    return tuple(
        (IPv6Network(number) if ":" in number else IPv4Network(number), why)
        for why, all_ in rows
        for number in all_.split()
    )


# Networks that no rule can allow: a cloud's metadata and the machine's own link.
NEVER = _networks(
    ("the address of a cloud's metadata", "168.63.129.16/32 100.100.100.200/32 192.0.0.192/32"),
    ("the address of a cloud's metadata", "fd00:ec2::/32 fd20:ce::/32 fd00:42::/32"),
    ("a link-local address, where clouds keep their metadata", "169.254.0.0/16 fe80::/10"),
    ("a multicast address", "224.0.0.0/4 ff00::/8"),
    ("a reserved address", "240.0.0.0/4"),
    ("no address at all", "0.0.0.0/8 ::/128"),
    ("an IPv4 address inside an IPv6 one", "::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48"),
    ("an IPv4 address tunnelled through IPv6", "2002::/16 2001::/32"),
)
# Networks that a user may allow by name.
PRIVATE = _networks(
    ("this machine itself", "127.0.0.0/8 ::1/128"),
    ("a private address", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10"),
    ("an address that a network provider shares out", "100.64.0.0/10"),
)
# Networks that hold no host of the public internet.
SPECIAL = _networks(
    ("an address for protocols", "192.0.0.0/24 192.88.99.0/24 2001::/23"),
    ("an address for documentation", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"),
    ("an address for benchmarks", "198.18.0.0/15"),
    ("an address that is no longer used", "3ffe::/16"),
)
_PUBLIC_IPV6 = IPv6Network("2000::/3")
# The middle of an ISATAP interface's identifier (RFC 5214, 6.1), which holds an IPv4 address after it.
_ISATAP = (0x00005EFE, 0x02005EFE)


def address_of(text: str) -> Address | None:
    """The address that a text is, in its one usual form; None where it is a name, or an address with a zone.

    >>> address_of("10.0.0.1"), address_of("fe80::1%eth0"), address_of("example.org")
    (IPv4Address('10.0.0.1'), None, None)
    """
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def never(address: Address) -> str | None:
    """The reason against this address, whatever the rules; None where they may decide.

    >>> never(ip_address("169.254.169.254")), never(ip_address("10.0.0.1"))
    ('a link-local address, where clouds keep their metadata', None)
    """
    if isinstance(address, IPv6Address) and (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return "an IPv4 address tunnelled through IPv6"
    # Below 2**32 but for ::1, these are IPv4 addresses in their old compatible form (RFC 4291, 2.5.5.1).
    if isinstance(address, IPv6Address) and 1 < int(address) < 1 << 32:
        return "an IPv4 address inside an IPv6 one"
    return _among(NEVER, address)


def forbidden(address: Address) -> str | None:
    """The reason why this address is not public, None where it is.

    >>> forbidden(ip_address("192.168.1.1")), forbidden(ip_address("93.184.215.14"))
    ('a private address', None)
    """
    why = never(address) or _among(PRIVATE, address) or _among(SPECIAL, address)
    if why is None and isinstance(address, IPv6Address) and address not in _PUBLIC_IPV6:
        return "an address that nobody was given yet"
    return why


def _among(networks: tuple[tuple[Network, str], ...], address: Address) -> str | None:
    return next(
        (why for network, why in networks if address.version == network.version and address in network), None
    )


@dataclass(frozen=True, slots=True)
class EgressRules(Value):
    """Rules on what may leave, and to where; as it is made, nothing leaves.

    `domains` are the only ones that pages are fetched from, none meaning any; `denied` are never fetched from.
    Each stands for its subdomains too. `named` are hosts, as `host` or `host:port`, that may have a private
    address and that port: an intranet's. Not even they may have the address of a cloud's metadata.
    """

    enabled: bool = False
    domains: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    def is_named(self, host: str, port: int) -> bool:
        """True if the user allowed this host and port by name; without a port, 80 and 443 are meant.

        >>> EgressRules(named=("wiki.lan", "box:8080")).is_named("wiki.lan", 443)
        True
        """
        shown = f"[{host}]" if ":" in host else host
        wanted = {f"{shown}:{port}"} | ({shown, host} if port in (80, 443) else set())
        return any(name.lower() in wanted for name in self.named)

    def is_denied(self, host: str) -> bool:
        """True if the host is among the denied, or not among the only ones allowed."""
        return _within(host, self.denied) or (bool(self.domains) and not _within(host, self.domains))

    def trusts(self, host: str, port: int) -> bool:
        """True if the user spoke of this host as one to read from."""
        return self.is_named(host, port) or _within(host, self.domains)


def _within(host: str, domains: tuple[str, ...]) -> bool:
    """True if the host is one of the domains or below one.

    >>> _within("en.wikipedia.org", ("wikipedia.org",)), _within("notwikipedia.org", ("wikipedia.org",))
    (True, False)
    """
    wanted = (domain.lower().strip(".").removeprefix("*.") for domain in domains)
    return any(host == domain or host.endswith(f".{domain}") for domain in wanted if domain)


@dataclass(frozen=True, slots=True)
class Redacted(Value):
    """A query that may leave, and how many of each kind were taken out of it."""

    text: str
    removed: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """The kinds taken out, in words; empty where nothing was.

        >>> str(Redacted("who is it?", {"e-mail addresses": 1, "keys": 2}))
        '1 e-mail address, 2 keys'
        """
        return ", ".join(f"{n} {kind if n > 1 else _ONE_OF[kind]}" for kind, n in self.removed.items())


def _luhn(digits: str) -> bool:
    """True if the last digit checks the others (ISO/IEC 7812-1, annex B)."""
    doubled = (int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits)))
    return sum(digit - 9 if digit > 9 else digit for digit in doubled) % 10 == 0


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return 13 <= len(digits) <= 19 and _luhn(digits)


def _is_iban(text: str) -> bool:
    """True if the check digits fit (ISO 13616: the number, rearranged, is 1 modulo 97), a last word left aside."""
    return any(_checks(re.sub(r"\s", "", candidate).upper()) for candidate in (text, text.rpartition(" ")[0]))


def _checks(compact: str) -> bool:
    return 15 <= len(compact) <= 34 and int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


# A date in figures, a range of years, a decimal number, the beginning of a document's identifier.
_NO_PHONE = re.compile(
    r"\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ]\d{4}|\d{4}\s?[-–]\s?\d{4}|\d+\.\d+|10\.\d{4,9}/.*"
)


def _is_phone(text: str) -> bool:
    """True if digits are a telephone number: an international one, or grouped like one."""
    digits = re.sub(r"\D", "", text)
    if _NO_PHONE.fullmatch(text):
        return False
    return 7 <= len(digits) <= 15 and (text.startswith(("+", "00", "(")) or len(digits) >= 9)


def _is_address(text: str) -> bool:
    return address_of(text.strip("[]")) is not None


def _always(_: str) -> bool:
    return True


_SECRETS = r"(?:pass(?:word|wd|phrase)?|pwd|pin|secret|token|api[_-]?key|access[_-]?key|auth|bearer|session)"
# In this order: what holds another kind comes first. Each has what it is called, its form, and its proof.
_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    (
        "private addresses of pages",
        re.compile(
            r"\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s/?#@]{1,200}@\S{0,2000}"
            rf"|[^\s?#]{{1,500}}[?#]\S{{0,500}}?(?:{_SECRETS}|sig|signature|key|code)=\S{{0,2000}})",
            re.IGNORECASE,
        ),
        _always,
    ),
    ("e-mail addresses", re.compile(r"[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"), _always),
    (
        "keys",
        re.compile(
            r"\b(?:sk|pk|rk|gsk|xox[abpors]|ghp|gho|ghu|ghs|github_pat|glpat|hf|npm|pypi|tvly|BSA|AKIA|ASIA|AIza|ya29"
            r"|SG|shpat|dop_v1|whsec|sk_live|sk_test|sk-ant|sk-proj)[-_.]?[A-Za-z0-9_./+=-]{12,200}"
            r"|\beyJ[\w-]{8,2000}\.[\w-]{4,4000}(?:\.[\w-]{0,2000})?"
            r"|-----BEGIN [A-Z ]{1,40}-----[\s\S]{0,8000}"
        ),
        _always,
    ),
    (
        "secrets",
        re.compile(rf"\b(?:{_SECRETS})\s{{0,3}}(?:[:=]|\bis\b)\s{{0,3}}[^\s,;]{{3,200}}", re.IGNORECASE),
        _always,
    ),
    (
        "account numbers",
        re.compile(r"\b[A-Za-z]{2}\d{2}(?:\s?[A-Za-z0-9]{4}){2,7}(?:\s?[A-Za-z0-9]{1,3})?\b"),
        _is_iban,
    ),
    ("card numbers", re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]?\d)"), _is_card),
    (
        "network addresses",
        re.compile(
            r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}\]?)(?![\w:])"
        ),
        _is_address,
    ),
    (
        "telephone numbers",
        re.compile(r"(?<![\w.,$€£+])(?:\+|\()?\d(?:[\s().–/-]{0,2}\d){6,16}(?![\w%])"),
        _is_phone,
    ),
    ("long numbers", re.compile(r"(?<![\w.,])\d(?:[ -]?\d){8,40}(?![\w%])"), _always),
    (
        "keys",
        re.compile(
            r"(?<![\w/.-])(?=[\w+/=-]{0,400}\d)(?=[\w+/=-]{0,400}[A-Za-z])[A-Za-z0-9_+/=-]{28,400}(?![\w/])"
        ),
        _always,
    ),
)


# The singular of each name.
_ONE_OF: Mapping[str, str] = {
    "private addresses of pages": "private address of a page",
    "e-mail addresses": "e-mail address",
    "keys": "key",
    "secrets": "secret",
    "account numbers": "account number",
    "card numbers": "card number",
    "network addresses": "network address",
    "telephone numbers": "telephone number",
    "long numbers": "long number",
}


def redacted(query: str) -> Redacted:
    """The query without what names a person or opens a door: each is left out whole, and counted.

    Removed are e-mail addresses, telephone, card and account numbers, keys, passwords, long numbers, network
    addresses, and links with a password or token.

    >>> redacted("is alice@example.org at +49 30 901820 still in charge?")
    Redacted(text='is at still in charge?', removed={'e-mail addresses': 1, 'telephone numbers': 1})
    """
    removed: dict[str, int] = {}
    # Look-alike digits and invisible letters must not carry a number past the rules.
    text = _plain(query)
    for kind, form, proof in _KINDS:
        text = _without(text, kind, form, proof, removed)
    return Redacted(" ".join(text.split()), removed)


def _without(
    text: str, kind: str, form: re.Pattern[str], proof: Callable[[str], bool], removed: dict[str, int]
) -> str:
    def replaced(match: re.Match[str]) -> str:
        if not proof(match.group()):
            return match.group()
        removed[kind] = removed.get(kind, 0) + 1
        return " "

    return form.sub(replaced, text)


def _plain(text: str) -> str:
    """The text with digits as ASCII and without characters that nobody sees.

    >>> _plain("٣\u200b4５")
    '345'
    """
    kept = (c for c in text if c.isprintable() or c.isspace())
    return "".join(str(int(c)) if c.isdecimal() and not c.isascii() else c for c in kept).replace("＠", "@")
