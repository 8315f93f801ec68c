"""The packages that the questions are about, HTML of several generators and PDFs, fetched as for fresh/."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fresh"))
from get import Package, documents, unpack

_DOC = "usr/share/doc/"


def _debian(collection: str, name: str, version: str, sha256: str, base: str, files: str) -> Package:
    return Package(collection, "debian", name, version, sha256, base, files)


PACKAGES = (
    _debian(
        "acng",
        "apt-cacher-ng",
        "3.7.4-1+b2",
        "102b191588182197204a686465447bc591bc819624c65f152c3e4c9a0c4e851f",
        f"{_DOC}apt-cacher-ng/html/",
        r".*\.html",
    ),
    _debian(
        "privoxy",
        "privoxy",
        "3.0.34-1",
        "767b14a2faefac1dbb3eab9eeacb368f48bb3b0bc1d3d37cb07e6e72a89ded07",
        f"{_DOC}privoxy/",
        r"faq/.*\.html|user-manual/(startup|quickstart|appendix|introduction|config|installation|contact)\.html",
    ),
    _debian(
        "diffutils",
        "diffutils-doc",
        "1:3.8-4",
        "9f1f9db53d9741926e6e4449ceb43383c5e6656a499ce04db07380d19515b18f",
        f"{_DOC}diffutils/",
        r".*\.html",
    ),
    _debian(
        "copyq",
        "copyq-doc",
        "6.4.0-1",
        "5d49ea52853dc68fd8893d83a5f2d0a476417ee7200af58b4de1123d8aa81b03",
        f"{_DOC}copyq/html/",
        r"(?!scripting-api|source-code).*\.html",
    ),
    _debian(
        "cockpit",
        "cockpit-doc",
        "287.1-0+deb12u3",
        "0bf86777696a4a82d0eaf4ceddaec8c695746ddf5eea2091a6ca1949ebb00cee",
        f"{_DOC}cockpit/guide/",
        r"(?!api-|cockpit-).*\.html",
    ),
    _debian(
        "postfix",
        "postfix-doc",
        "3.7.11-0+deb12u1",
        "6b07bcc68991703acf747dc2500355bdd02aef0a048419b939752c39faf47d8d",
        f"{_DOC}postfix/html/",
        r"(ETRN|DEBUG|SOHO|BASIC_.*|STANDARD_.*|VIRTUAL|SASL|IPV6|MAILLOG|NFS|BACKSCATTER)_README\.html",
    ),
    _debian(
        "devref",
        "developers-reference",
        "12.18",
        "0dba82f6fa16e373f2a84ad07e7971aa9264ad2e7d2ae46b37edbc9c5fd57e2e",
        "usr/share/developers-reference/",
        r"(index|beyond-pkging|new-maintainer|developer-duties|tools|scope|resources)\.html",
    ),
    _debian(
        "ntpsec",
        "ntpsec-doc",
        "1.2.2+dfsg1-1+deb12u1",
        "f0622777a42e9029e5cb991df7cd16d360bfb030c175d6807dce3f9ac29fb880",
        f"{_DOC}ntpsec-doc/html/",
        r"(quick|rate|debug|orphan|poll|driver_howto|discipline|authentic|kern|sitemap|accopt|confopt)\.html",
    ),
    _debian(
        "faqpdf",
        "debian-faq",
        "11.1",
        "427426e0cfa6888622fc1d72631071cb4b5a1f86ccde722e7820bcef284de5d0",
        f"{_DOC}debian/FAQ/",
        r"debian-faq\.en\.pdf\.gz",
    ),
    _debian(
        "maintpdf",
        "maint-guide",
        "1.2.53",
        "762c8a400a36668d2eb814a3ba356b06488fd889dfce478eb11d5cfb189a47b5",
        f"{_DOC}maint-guide/",
        r".*maint-guide\.en\.pdf",
    ),
    _debian(
        "gutenpdf",
        "gutenprint-doc",
        "5.3.4.20220624T01008808d602-1",
        "717ccc52b77977775f55ee945614cc24224029b4efa50f6f24c1418d1b7065e6",
        f"{_DOC}",
        r".*gutenprint-users-manual\.pdf",
    ),
    _debian(
        "acngpdf",
        "apt-cacher-ng",
        "3.7.4-1+b2",
        "102b191588182197204a686465447bc591bc819624c65f152c3e4c9a0c4e851f",
        f"{_DOC}apt-cacher-ng/",
        r".*\.pdf",
    ),
    _debian(
        "aptitude",
        "aptitude-doc-en",
        "0.8.13-5",
        "ba4864ca26464bbe06acd94dc4a79402eea5d7b2d3da943d6ecce3c752bc9e84",
        f"{_DOC}aptitude/html/en/",
        r".*\.html",
    ),
    _debian(
        "gammu",
        "gammu-doc",
        "1.42.0-8",
        "4b2dd4c271bd936b4893e4b4d6d4248f256dc2e93eacf56757327e6f266a91c9",
        f"{_DOC}gammu/html/",
        r"(quick|faq|project|smsd)/.*\.html",
    ),
    _debian(
        "rsyslog",
        "rsyslog-doc",
        "8.2302.0+dfsg-1",
        "df15098444db396754ed84dbf603f0b1e19a343da6564c49b34431c2334b4a86",
        f"{_DOC}rsyslog-doc/html/tutorials/",
        r".*\.html",
    ),
    _debian(
        "policypdf",
        "debian-policy",
        "4.6.2.0",
        "ef9d01b625c3b87c3a845c2cd1b66f1a16e9240b2b9e5bee53472a00e8457a39",
        f"{_DOC}debian-policy/",
        r"policy\.pdf\.gz",
    ),
    _debian(
        "debmakepdf",
        "debmake-doc",
        "1.17-7",
        "f562cf744d906b9255c60d659873609ed5f40d657d99c4a6f3f5c194c24507cf",
        f"{_DOC}debmake-doc/",
        r".*debmake-doc\.en\.pdf",
    ),
)


def fetched() -> Path:
    """The folder of documents, one folder in it for each collection, with what lacks in it fetched first."""
    for package in PACKAGES:
        if not package.complete.is_file():
            unpack(package)
    return documents()
