"""A recorded run as one page: the answer with its claims marked, the ledger, the sources, the checks, the steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from assay.audit.elements import Highlight, Part, element, highlighted, page, table
from assay.audit.style import STYLE

Json = Mapping[str, Any]

# What a check's state means, in words that need no legend.
STANDING = {
    "passed": "verified: every blocking check passed",
    "failed": "not verified: a blocking check failed",
    "unknown": "not verified: a blocking check could not be made",
    "skipped": "there is no answer to verify",
}


def report(record: Json) -> str:
    """The page of a run record, as `RunRecord.to_dict` gives it; it loads nothing and runs nothing.

    Text of documents and models stands in it as text, whatever it holds.
    """
    run = record["run"]
    answer = _answer(record["events"])
    parts: list[Part] = [element("h1", run["question"])]
    if answer is None:
        parts.append(element("p", f"The run ended without an answer: {run['outcome']}.", kind="verdict failed"))
    else:
        parts += _answered(answer)
    parts += [*_steps(record["events"]), *_decisions(record.get("decisions", ()))]
    parts.append(_foot(run, answer))
    return page(f"assay: {run['question'][:80]}", STYLE, *parts)


def standing(answer: Json) -> str:
    """Whether an answer is verified, as a check's state: skipped where there is none to verify."""
    if answer["outcome"] in ("abstained", "clarify"):
        return "skipped"
    blocking = [each["status"] for each in answer["checks"] if each["severity"] == "block"]
    return next((status for status in ("failed", "unknown") if status in blocking), "passed")


def _answer(events: Sequence[Json]) -> Json | None:
    body = events[-1]["body"] if events and events[-1]["kind"] == "done" else {}
    answer = body.get("answer")
    return answer if isinstance(answer, dict) else None


def _answered(answer: Json) -> Iterator[Part]:
    status = standing(answer)
    yield element("p", STANDING[status], kind=f"verdict {status}")
    marks = [
        Highlight(each["start"], each["end"], each["verdict"], f"claim-{each['n']}") for each in answer["claims"]
    ]
    yield element("div", *highlighted(answer["text"], marks), kind="answer")
    yield element("p", _confidence(answer), kind="quiet")
    for warning in answer["warnings"]:
        yield element("p", f"Warning: {warning}", kind="quiet")
    yield from _ledger("Claims", answer["claims"], answer)
    yield from _ledger("Dropped claims", answer.get("dropped", ()), answer)
    yield from _repairs(answer["repairs"])
    yield from _sources(answer)
    yield from _checks(answer["checks"])
    yield from _assessment(answer.get("assessment"))


def _confidence(answer: Json) -> str:
    confidence = answer["confidence"]
    value = "uncalibrated" if confidence["value"] is None else f"{confidence['value']:.0%}"
    level = confidence["level"].replace("_", " ")
    return f"Confidence {level} ({value}) · outcome {answer['outcome']} · judged {answer['mode_used']}"


def _ledger(title: str, claims: Sequence[Json], answer: Json) -> Iterator[Part]:
    """Each claim with its verdict, what it stands on, and its history."""
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
            ("state", "by", "reason"), [(each["state"], each["by"], each["reason"]) for each in claim["history"]]
        )


def _repairs(repairs: Sequence[Json]) -> Iterator[Part]:
    if not repairs:
        return
    yield element("h2", "Repairs")
    yield table(
        ("kind", "before", "after", "reason"),
        [
            (each["kind"], element("del", each["before"]), element("ins", each["after"]), each["reason"])
            for each in repairs
        ],
    )


def _sources(answer: Json) -> Iterator[Part]:
    """Each source whole, with what claims stand on marked."""
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
        yield element("div", *highlighted(source["quote"], marks), kind="quote")
        path = f" ({source['path']})" if source.get("path") else ""
        spans = f"characters {source['start']} to {source['end']} of document {source['document_id']}{path}"
        yield element("p", f"{spans}, SHA-256 {source['sha256']}{_origin(source)}", kind="quiet id")


def _to(claim: Json) -> str:
    return f"claim-{claim['n']}"


def _place(source: Json) -> str:
    place = source["location"]
    parts = [f"{name} {place[name]}" for name in ("page", "slide", "sheet", "row") if place.get(name) is not None]
    parts += [f"line {source['line']}"] if source.get("line") is not None else []
    parts += [place["section"]] if place.get("section") else []
    return f" · {', '.join(parts)}" if parts else ""


def _origin(source: Json) -> str:
    """Where a source comes from and when it was written; the address is text, never a link."""
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
                each["name"],
                "" if each["claim"] is None else str(each["claim"]),
                element("span", each["status"], kind=f"verdict {each['status']}"),
                each["severity"],
                each["cause"] or "",
            )
            for each in checks
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
                each["criterion"].replace("_", " "),
                "unknown" if each["score"] is None else f"{each['score']:.2f}",
                "; ".join(each["reasons"]),
            )
            for each in assessment["scores"]
        ],
    )


def _steps(events: Sequence[Json]) -> Iterator[Part]:
    """What happened when, in one line an event."""
    if not events:
        return
    yield element("h2", "Steps")
    first = events[0]["at"]
    yield table(
        ("ms", "event", "what"),
        [
            (f"{1000 * (each['at'] - first):.0f}", each["kind"], _what(each["kind"], each["body"]))
            for each in events
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
    yield table(heads, [tuple(str(each.get(head) or "") for head in heads) for each in decisions])


def _foot(run: Json, answer: Json | None) -> Part:
    when = datetime.fromtimestamp(run["started"], UTC).isoformat(sep=" ", timespec="seconds")
    models = "" if answer is None else " · ".join(f"{role}: {name}" for role, name in answer["models"].items())
    told = f"Run {run['run_id']} · {when} · collection {run['collection']}"
    return element("p", f"{told}{' · ' + models if models else ''}", kind="quiet id")
