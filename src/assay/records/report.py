"""A recorded run as one page: the answer with its claims marked, the ledger, the sources, the checks, the steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, tostring

from assay.core.ablation import describe_falls

# HTML built as a tree, so that no text from a document can become markup.


Part = Element | str | None


def element(tag: str, *parts: Part, **attributes: str) -> Element:
    """An element with these parts, in order; `kind` is its class, `id` and others are attributes.

    >>> tostring(element("p", "a <b>", element("i", "c"), kind="note"), encoding="unicode", method="html")
    '<p class="note">a &lt;b&gt;<i>c</i></p>'
    """
    made = Element(tag, {("class" if name == "kind" else name): value for name, value in attributes.items()})
    last: Element | None = None
    for part in parts:
        if isinstance(part, str):
            shown = printable(part)
            if last is None:
                made.text = (made.text or "") + shown
            else:
                last.tail = (last.tail or "") + shown
        elif part is not None:
            made.append(part)
            last = part
    return made


def printable(text: str) -> str:
    """The text without control characters, which a page may not hold."""
    return "".join(char for char in text if char in "\n\t" or char.isprintable() or char.isspace())


def table(heads: Sequence[str], rows: Iterable[Sequence[Part]]) -> Element:
    """A table with a row of heads."""
    head = element("tr", *(element("th", name) for name in heads))
    body = (element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element("table", element("thead", head), element("tbody", *body))


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch of a text, `start` to `end`, shown in the manner of `kind`; `target` is the id it links to."""

    start: int
    end: int
    kind: str
    target: str = ""


def with_highlights(text: str, marks: Sequence[Highlight]) -> list[Part]:
    """The text with its highlights; of those that overlap the first is shown.

    >>> parts = with_highlights("It rained.", [Highlight(3, 9, "supported")])
    >>> [part if isinstance(part, str) else (part.tag, part.text) for part in parts]
    ['It ', ('mark', 'rained'), '.']
    """
    parts: list[Part] = []
    at = 0
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        if mark.start < at or mark.end <= mark.start or mark.end > len(text):
            continue
        stretch = text[mark.start : mark.end]
        inner: Part = element("a", stretch, href=f"#{mark.target}") if mark.target else stretch
        parts += [text[at : mark.start], element("mark", inner, kind=mark.kind)]
        at = mark.end
    return [*parts, text[at:]]


def page(title: str, style: str, *parts: Part) -> str:
    """A page that loads nothing: its policy allows its own style and nothing else."""
    policy = {"http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"}
    head = element(
        "head",
        Element("meta", {"charset": "utf-8"}),
        Element("meta", policy),
        Element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("title", title),
        element("style", style),
    )
    tree = element("html", head, element("body", *parts), lang="en")
    return "<!doctype html>\n" + tostring(tree, encoding="unicode", method="html") + "\n"


# The style of the page, on a screen and on paper.


STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #777; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.35rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; }
th, td { border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; }
.answer { white-space: pre-wrap; font-size: 1.05rem; padding: .8rem 1rem; border: 1px solid var(--line); }
.quote { white-space: pre-wrap; padding: .6rem .8rem; border-left: 3px solid var(--line); font-size: .95rem; }
.quiet { color: var(--quiet); font-size: .9rem; } .id { font-family: ui-monospace, monospace; font-size: .8rem; }
mark { color: inherit; background: none; border-bottom: .18em solid; }
mark a { color: inherit; text-decoration: none; }
.supported, .passed { border-color: #2a8a3e; } .unknown { border-color: #c08a00; }
.unsupported, .contradicted, .failed { border-color: #c62f2f; }
.verdict { font-weight: 600; } .verdict.passed { color: #2a8a3e; } .verdict.failed { color: #c62f2f; }
.verdict.unknown { color: #a87800; } .verdict.skipped { color: var(--quiet); }
del { background: #c62f2f22; } ins { background: #2a8a3e22; text-decoration: none; }
@media print { body { margin: 0; max-width: none; } }
"""


Json = Mapping[str, Any]

# The meaning of each status, in words that need no legend.
STATUS_TEXTS = {
    "passed": "verified: every blocking check passed",
    "failed": "not verified: a blocking check failed",
    "unknown": "not verified: a blocking check could not be run",
    "skipped": "there is no answer to verify",
}


def report(record: Json, ablation: Json | None = None) -> str:
    """The page of a run record, as `RunRecord.to_dict` gives it; it loads nothing and runs nothing.

    `ablation` is the answer's `Ablation` as JSON, None where it was not made. Text of documents and models is
    always shown as text.
    """
    run = record["run"]
    answer = _answer(record["events"])
    parts: list[Part] = [element("h1", run["question"])]
    if answer is None:
        parts.append(element("p", f"The run ended without an answer: {run['outcome']}.", kind="verdict failed"))
    else:
        parts += _answer_parts(answer, ablation)
    parts += [*_steps(record["events"]), *_decisions(record.get("decisions", ()))]
    parts.append(_foot(run, answer))
    return page(f"assay: {run['question'][:80]}", STYLE, *parts)


def verification_status(answer: Json) -> str:
    """The status of an answer as that of a check: skipped if there is nothing to verify."""
    if answer["outcome"] in ("abstained", "clarify"):
        return "skipped"
    blocking = [check["status"] for check in answer["checks"] if check["severity"] == "block"]
    return next((status for status in ("failed", "unknown") if status in blocking), "passed")


def _answer(events: Sequence[Json]) -> Json | None:
    body = events[-1]["body"] if events and events[-1]["kind"] == "done" else {}
    answer = body.get("answer")
    return answer if isinstance(answer, dict) else None


def _answer_parts(answer: Json, ablation: Json | None) -> Iterator[Part]:
    status = verification_status(answer)
    yield element("p", STATUS_TEXTS[status], kind=f"verdict {status}")
    marks = [Highlight(claim["start"], claim["end"], claim["verdict"], _to(claim)) for claim in answer["claims"]]
    yield element("div", *with_highlights(answer["text"], marks), kind="answer")
    yield element("p", _confidence(answer), kind="quiet")
    for warning in answer["warnings"]:
        yield element("p", f"Warning: {warning}", kind="quiet")
    yield from _ledger("Claims", answer["claims"], answer)
    yield from _ledger("Dropped claims", answer.get("dropped", ()), answer)
    yield from _repairs(answer["repairs"])
    yield from _sources(answer)
    yield from _ablation(ablation)
    yield from _checks(answer["checks"])
    yield from _assessment(answer.get("assessment"))


def _confidence(answer: Json) -> str:
    confidence = answer["confidence"]
    value = "uncalibrated" if confidence["value"] is None else f"{confidence['value']:.0%}"
    level = (confidence["level"] or "").replace("_", " ")
    shown = f"{level} ({value})" if level else value
    return f"Confidence {shown} · outcome {answer['outcome']} · judged {answer['mode_used']}"


def _ledger(title: str, claims: Sequence[Json], answer: Json) -> Iterator[Part]:
    """The claims with their verdicts, quotes and histories."""
    if not claims:
        return
    yield element("h2", title)
    number = {source["passage_id"]: source["number"] for source in answer["sources"]}
    for claim in claims:
        support = "not measured" if claim["support"] is None else f"{claim['support']:.2f}"
        place = {"id": f"claim-{claim['n']}"} if title == "Claims" else {}
        yield element("h3", f"{claim['n']}. {claim['text']}", **place)
        yield element("p", element("mark", claim["verdict"], kind=claim["verdict"]), f" · support {support}")
        for span in claim["spans"]:
            shown = number.get(span["passage_id"])
            name = f"[{shown}] " if shown else ""
            yield element("div", f"{name}“{span['quote']}”", kind="quote")
        yield table(
            ("state", "by", "reason"),
            [(event["state"], event["by"], event["reason"]) for event in claim["history"]],
        )


def _repairs(repairs: Sequence[Json]) -> Iterator[Part]:
    if not repairs:
        return
    yield element("h2", "Repairs")
    yield table(
        ("kind", "before", "after", "reason"),
        [
            (repair["kind"], element("del", repair["before"]), element("ins", repair["after"]), repair["reason"])
            for repair in repairs
        ],
    )


def _sources(answer: Json) -> Iterator[Part]:
    """The sources in full, with the quotes of the claims marked."""
    if not answer["sources"]:
        return
    yield element("h2", "Sources")
    for source in answer["sources"]:
        yield element("h3", f"[{source['number']}] {source['title'] or source['document_id']}{_place(source)}")
        marks = [
            Highlight(span["start"] - source["start"], span["end"] - source["start"], claim["verdict"], _to(claim))
            for claim in answer["claims"]
            for span in claim["spans"]
            if span["passage_id"] == source["passage_id"]
        ]
        yield element("div", *with_highlights(source["quote"], marks), kind="quote")
        path = f" ({source['path']})" if source.get("path") else ""
        spans = f"characters {source['start']} to {source['end']} of document {source['document_id']}{path}"
        yield element("p", f"{spans}, SHA-256 {source['sha256']}{_origin(source)}", kind="quiet id")


def _ablation(ablation: Json | None) -> Iterator[Part]:
    """Parts on the answer without each of its sources, and on each citation; decorative ones first."""
    if ablation is None or not ablation["sources"]:
        return
    yield element("h2", "Each source left out")
    yield element("p", "The claims were tested again without each source, by the tests of today.", kind="quiet")
    yield table(
        ("source", "title", "without it"),
        [
            (f"[{source['number']}]", source["title"], describe_falls(source["falls"]))
            for source in ablation["sources"]
        ],
    )
    ranked = sorted(ablation["citations"], key=lambda one: one["role"] != "decorative")
    yield table(
        ("claim", "cites", "role", "why"),
        [
            (
                ", ".join(map(str, one["claims"])),
                f"[{one['source']}]",
                element("span", one["role"], kind=f"verdict {_ROLE_STATUS[one['role']]}"),
                one["reason"],
            )
            for one in ranked
        ],
    )


# The status in whose colour a citation's role is shown.
_ROLE_STATUS = {
    "carrying": "passed",
    "shared": "passed",
    "unsure": "unknown",
    "untested": "skipped",
    "decorative": "failed",
}


def _to(claim: Json) -> str:
    return f"claim-{claim['n']}"


def _place(source: Json) -> str:
    place = source["location"]
    parts = [f"{name} {place[name]}" for name in ("page", "slide", "sheet", "row") if place.get(name) is not None]
    parts += [f"line {source['line']}"] if source.get("line") is not None else []
    parts += [place["section"]] if place.get("section") else []
    return f" · {', '.join(parts)}" if parts else ""


def _origin(source: Json) -> str:
    """The origin of a source and the date of its writing; the address is text, never a link."""
    known = [str(value) for value in (source.get("origin") or {}).values() if isinstance(value, str) and value]
    return f" · {' · '.join(known)}" if known else ""


def _checks(checks: Sequence[Json]) -> Iterator[Part]:
    if not checks:
        return
    yield element("h2", "Checks")
    yield table(
        ("check", "claim", "result", "if it fails", "why"),
        [
            (
                check["name"],
                "" if check["claim"] is None else str(check["claim"]),
                element("span", check["status"], kind=f"verdict {check['status']}"),
                check["severity"],
                check["cause"] or "",
            )
            for check in checks
        ],
    )


def _assessment(assessment: Json | None) -> Iterator[Part]:
    if not assessment:
        return
    overall = assessment["overall"]
    yield element("h2", "Assessment")
    yield element("p", "Overall unknown" if overall is None else f"Overall {overall:.2f}")
    yield table(
        ("criterion", "score", "reasons"),
        [
            (
                score["criterion"].replace("_", " "),
                "unknown" if score["score"] is None else f"{score['score']:.2f}",
                "; ".join(score["reasons"]),
            )
            for score in assessment["scores"]
        ],
    )


def _steps(events: Sequence[Json]) -> Iterator[Part]:
    """The events with their times, one line each."""
    if not events:
        return
    yield element("h2", "Steps")
    first = events[0]["at"]
    yield table(
        ("ms", "event", "what"),
        [
            (f"{1000 * (event['at'] - first):.0f}", event["kind"], _what(event["kind"], event["body"]))
            for event in events
        ],
    )


def _what(kind: str, body: Json) -> str:
    match kind:
        case "status":
            return str(body["stage"])
        case "evidence":
            return f"{len(body['evidence']['hits'])} passages for {'; '.join(body['queries'])}"
        case "judged":
            judged = body["judgement"]
            return f"{judged['recommendation']}: {judged['reason']}"
        case "acted":
            return f"{body['step']['action']}: {body['reason']}"
        case "finding":
            return f"{body['finding']['check']}: {body['finding']['message']}"
        case "error":
            return str(body["message"])
        case _ if kind.startswith("sentence."):
            reason = f" ({body['reason']})" if body.get("reason") else ""
            return f"{body['sentence']['text']}{reason}"
        case _:
            return ""


def _decisions(decisions: Sequence[Json]) -> Iterator[Part]:
    if not decisions:
        return
    yield element("h2", "Decisions")
    heads = tuple(decisions[0])
    yield table(heads, [tuple(str(decision.get(head) or "") for head in heads) for decision in decisions])


def _foot(run: Json, answer: Json | None) -> Part:
    when = datetime.fromtimestamp(run["started"], UTC).isoformat(sep=" ", timespec="seconds")
    models = "" if answer is None else " · ".join(f"{role}: {name}" for role, name in answer["models"].items())
    about = f"Run {run['run_id']} · {when} · collection {run['collection']}"
    return element("p", f"{about}{' · ' + models if models else ''}", kind="quiet id")
