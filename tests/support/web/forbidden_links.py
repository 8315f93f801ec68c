"""Links that must reach nobody, and names with the addresses that they stand for.

`{port}` is the port that the listeners of a test have; the other links use the web's own ports.
"""

from __future__ import annotations

from collections.abc import Mapping

_LOOPBACK = """
http://127.0.0.1/ http://127.0.0.1:{port}/ http://127.1/ http://127.0.1/ http://127.255.255.254/ http://127.0.0.1./
http://localhost/ http://LOCALHOST/ http://localhost./ http://app.localhost/ http://localhost.localdomain/ http://[::1]/
http://[::1]:{port}/ http://[0:0:0:0:0:0:0:1]/ http://[0000::0001]/ http://0.0.0.0/ http://0/ http://[::]/
http://0.0.0.0:{port}/ https://127.0.0.1/ https://localhost/ http://127.0.0.1:80/ http://127.0.0.1:443/
"""
_PRIVATE = """
http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/ http://172.31.255.254/ http://192.168.0.1/
http://192.168.255.255/ http://[fc00::1]/ http://[fd12:3456:789a::1]/ http://[fec0::1]/ http://100.64.0.1/
http://100.127.255.254/ http://198.18.0.1/ http://198.19.255.255/ http://192.0.0.1/ http://192.0.2.1/
http://198.51.100.7/ http://203.0.113.9/ http://[2001:db8::1]/ http://240.0.0.1/ http://255.255.255.255/
http://224.0.0.1/ http://239.255.255.250/ http://[ff02::1]/ http://[ff05::c]/ http://[3fff::1]/ http://[2001:10::1]/
http://router.lan/ http://printer.local/ http://wiki.corp/ http://intranet/ http://db.internal/ http://nas.home.arpa/
"""
_METADATA = """
http://169.254.169.254/latest/meta-data/ http://169.254.169.254:80/ https://169.254.169.254/ http://169.254.170.2/v2/
http://169.254.0.1/ http://[fd00:ec2::254]/latest/ http://[fd20:ce::254]/ http://[fe80::1]/ http://[fe80::a9fe:a9fe]/
http://metadata.google.internal/computeMetadata/v1/ http://METADATA.google.internal/ http://metadata/
http://metadata.goog/ http://instance-data/latest/ http://100.100.100.200/latest/ http://192.0.0.192/opc/
http://168.63.129.16/ http://metadata.google.internal./
"""
_SPELLINGS = """
http://2130706433/ http://0x7f000001/ http://017700000001/ http://0x7f.0.0.1/ http://0177.0.0.1/ http://0x7f.1/
http://127.0.0.0x1/ http://00000177.0.0.1/ http://0x0a000001/ http://3232235521/ http://2852039166/ http://0xA9FEA9FE/
http://0251.0376.0251.0376/ http://0xa9.0xfe.0xa9.0xfe/ http://169.254.43518/ http://169.16689662/ http://1.1.1.1.1/
http://127.0.0.1.0x/ http://4294967297/ http://127.0.0.256/ http://127.000.000.001/ http://192.168.1/
http://%31%32%37.0.0.1/ http://127.0.0.1%2f/ http://127%2e0.0.1/ http://loc%61lhost/ http://[::ffff:127.0.0.1]/
http://[::ffff:7f00:1]/ http://[::ffff:a00:1]/ http://[::ffff:169.254.169.254]/ http://[::127.0.0.1]/ http://[::7f00:1]/
http://[::ffff:0:127.0.0.1]/ http://[64:ff9b::127.0.0.1]/ http://[64:ff9b::a9fe:a9fe]/ http://[64:ff9b:1::a00:1]/
http://[2002:7f00:1::]/ http://[2002:a9fe:a9fe::1]/ http://[2002:c0a8:101::1]/ http://[2001:0:7f00:1::]/
http://[2001::a9fe:a9fe]/ http://[2a00:1450::5efe:127.0.0.1]/ http://[2a00:1450::200:5efe:a00:1]/
http://[fe80::5efe:10.0.0.1]/ http://[fe80::1%25lo]/ http://[fe80::1%lo]/ http://[::1%25lo]/ http://[::1/
http://[127.0.0.1]/ http://::1/ http://[v1.x]/
"""
_READERS = """
http://user@127.0.0.1/ http://user:word@localhost/ http://example.org@127.0.0.1/ http://127.0.0.1@example.org/
http://example.org:80@127.0.0.1/ http://example.org#@127.0.0.1/ http://example.org&@127.0.0.1/
http://127.0.0.1#.example.org/ http://127.0.0.1?.example.org/ http:///127.0.0.1/ http:/127.0.0.1/ http:127.0.0.1/
//127.0.0.1/ http:////127.0.0.1/ http://127.0.0.1:0/ http://127.0.0.1:99999/ http://127.0.0.1:80:80/ http://127.0.0.1:/
http://example.org:22/ http://example.org:6379/ http://example.org:11211/ http://example.org:{port}/ http://
http://./ http://../ http://.example.org/ http://example..org/ http://-example.org/ file:///etc/passwd
file://127.0.0.1/etc/passwd gopher://127.0.0.1:70/_x ftp://127.0.0.1/ dict://127.0.0.1:11211/ ldap://127.0.0.1/
data:text/html,x javascript:alert(1) jar:http://127.0.0.1!/ ws://127.0.0.1/ unix:/var/run/docker.sock
"""
# Spaces, controls and letters of other scripts: one each, since they cannot stand in a list of words.
_LETTERS = (
    "http://127。0。0。1/",
    "http://127．0．0．1/",
    "http://127｡0｡0｡1/",
    "http://１２７.0.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://ⓛocalhost/",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://loc\u00adalhost/",
    "http://local\u200bhost/",
    "http://localhost\u3002/",
    "http://metadata\u3002google\u3002internal/",
    "http://127.0.0.1\t/",
    "http://127.0.\n0.1/",
    "http://127.0.0.1\r\nHost: example.org/",
    "ht\ttp://127.0.0.1/",
    "\thttp://127.0.0.1/",
    " http://127.0.0.1/",
    "http://127.0.0.1 /",
    "http:\\\\127.0.0.1\\",
    "http://example.org\\@127.0.0.1/",
    "http://example.org\\.127.0.0.1/",
    "http://127.0.0.1\x00.example.org/",
    "http://127.0.0.1%00.example.org/",
    "http://127.0.0.1%0d%0aHost:example.org/",
    "http://example.org" + "a" * 5000 + "/",
)

FORBIDDEN_LINKS: tuple[str, ...] = (
    *f"{_LOOPBACK} {_PRIVATE} {_METADATA} {_SPELLINGS} {_READERS}".split(),
    *_LETTERS,
)

# Names that look public, and where they lead to.
FORBIDDEN_NAMES: Mapping[str, tuple[str, ...]] = {
    "loopback.example.org": ("127.0.0.1",),
    "loopback6.example.org": ("::1",),
    "private.example.org": ("10.0.0.1",),
    "private6.example.org": ("fd12:3456::1",),
    "metadata.example.org": ("169.254.169.254",),
    "mapped.example.org": ("::ffff:127.0.0.1",),
    "nat64.example.org": ("64:ff9b::7f00:1",),
    "sixtofour.example.org": ("2002:7f00:1::1",),
    "zone.example.org": ("fe80::1%lo",),
    "any.example.org": ("0.0.0.0",),  # noqa: S104 - an address to be refused, nothing binds to it
    "multicast.example.org": ("224.0.0.1",),
    "public-and-private.example.org": ("93.184.215.14", "10.0.0.1"),
    "private-and-public.example.org": ("127.0.0.1", "93.184.215.14"),
    "public4-and-loopback6.example.org": ("93.184.215.14", "::1"),
    "azure.example.org": ("168.63.129.16",),
    "alibaba.example.org": ("100.100.100.200",),
}
