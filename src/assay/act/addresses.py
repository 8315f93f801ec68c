"""Which addresses on the network may be reached: public ones, by name an intranet's, never a cloud's metadata.

The networks are those of IANA's special-purpose registries (RFC 6890 and its successors, read in 2026).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def _networks(*rows: tuple[str, str]) -> tuple[tuple[Network, str], ...]:
    return tuple(
        (IPv6Network(each) if ":" in each else IPv4Network(each), why)
        for why, all_ in rows
        for each in all_.split()
    )


# What no rule can allow: a cloud's metadata and what speaks only to the machine's own link.
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
# What a user may allow by name.
PRIVATE = _networks(
    ("this machine itself", "127.0.0.0/8 ::1/128"),
    ("a private address", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10"),
    ("an address that a network provider shares out", "100.64.0.0/10"),
)
# What is no host's address on the public internet.
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
    """Why nobody may reach this address, whatever the rules; None where they may decide.

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
    """Why this address is not public, None where it is.

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
