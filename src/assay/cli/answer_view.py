"""An answer for people: the text, its numbered sources with quotes, and one line on what passed.

It is shown from the answer object, so that an answer of today and one from the record look the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from assay.cli.terminal import Terminal, first_of_each, from_here, one_line, with_paths_from_here

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


Json = Mapping[str, Any]

# The mark of each status of a check.
MARKS = {"passed": "✓", "failed": "✗", "unknown": "?", "skipped": "–"}
STYLES = {"passed": "green", "failed": "red", "unknown": "yellow", "skipped": "dim"}
# Prefix of the checks of output rules.
OUTPUT_RULE = "rule:"
# Characters of a passage's id that a dialogue shows; `assay show` has the full id.
SHORT_ID = 8
# The parts of a location, in the order in which they are shown.
_PLACES = ("page", "pages", "slide", "slides", "sheet", "row", "rows")
# The outcomes without an answer.
DECLINED = ("abstained", "clarify")
# The check that the answer answers the question; the verdict line shows its result.
ANSWERS = "answers"
CLOSEST, DOUBTFUL = "Closest passages (they may not answer the question):", "This may not answer the question:"
PROBABLE = "This probably answers the question:"
DISPUTED, DISAGREE = "The sources disagree:", "the sources disagree"
NOT_VERIFIED, NO_ANSWER = "not verified", "does not answer the question"
PART = "answers a part of the question"
# Longer quotes are cut on the terminal; `--json` has the full quotes. Chosen.
QUOTE_WIDTH = 300

# A line break is kept before a list item, a heading, a row, a quotation, code or a note.
_BREAK = re.compile(r"\n(?=[ \t]*(?:[-*+•] |\d{1,3}[.)] |#{1,6} |[|>]|```|\[\^?\d+\]:))")
# The number of a footnote, which stands before its block.
_NOTE = re.compile(r"\[\^\d{1,6}\]: \Z")
# A link is shown as its text; `--json` has the address.
_LINK = re.compile(r"!?\[([^\]\[]{1,300})\]\([^()\s]{1,500}\)")
# A row of a table file as it is stored: "City | People", "City: Ulm; People: 126000".
_ROW = re.compile(r".* \| .*|[^:;]{1,80}: .+")
# Markdown's strong text.
_STRONG = re.compile(r"(?<![\w*])\*\*(?=[^\s*])([^*\n]{1,500}?)(?<=\S)\*\*(?![\w*])")


def show_answer(
    answer: Json, verified: bool, terminal: Terminal, *, text: str | None = None, with_ids: bool = False
) -> None:
    """Print the answer, its sources, what did not pass, and the verdict.

    `text` is shown in the place of the answer's own, nothing where it is empty. The sources' ids, unlike their
    numbers, stay the same from answer to answer: `with_ids` shows how they begin.
    """
    console = terminal.console()
    shown = answer["text"] if text is None else text
    if answer["outcome"] in DECLINED:
        shown = with_paths_from_here(shown)
    if shown:
        if may_not_answer(answer):
            console.print(_doubt_of(answer), style="yellow")
            console.print()
        console.print(bold(reflow(shown)))
    for number, source in enumerate(answer["sources"]):
        quoted = [quote for quote in quotes(source, answer["claims"]) if not _is_shown_in(quote, answer["text"])]
        if quoted or not number:
            console.print()
        console.print(
            _heading(source, answer["claims"]) + (f" · {source['passage_id'][:SHORT_ID]}" if with_ids else "")
        )
        for quote in quoted:
            print_indented(console, f"“{quote}”", 4)
    console.print()
    for line in chain(disagreement_lines(answer), _open_check_lines(answer), broken_rule_lines(answer)):
        console.print(line)
    console.print(verdict_line(answer, verified))
    for told in (reuse_line(answer), repairs_line(answer), usage_line(answer)):
        if told:
            print_indented(console, told, 2)
    for warning in answer["warnings"]:
        terminal.note(f"warning: {warning}")


def may_not_answer(answer: Json) -> bool:
    """True if an answer is shown that may not answer the question."""
    return answer["outcome"] in ("answered", "partial") and answer["confidence"].get("answers") in ("unsure", "no")


def _doubt_of(answer: Json) -> str:
    """The line above an answer that may not answer the question."""
    if _is_disputed(answer):
        return DISPUTED
    if probably_answers(answer["confidence"]):
        return PROBABLE
    return CLOSEST if _all_quoted(answer["claims"]) else DOUBTFUL


def _is_disputed(answer: Json) -> bool:
    """True if the sources give different answers, of which nobody can tell which one is right."""
    return may_not_answer(answer) and bool(answer["judgement"].get("contradictions"))


def probably_answers(confidence: Json) -> bool:
    """True if it is unclear whether the answer answers the question, and the measured probability is high.

    >>> probably_answers({"answers": "unsure", "calibrated": True, "level": "high"})
    True
    >>> probably_answers({"answers": "unsure", "calibrated": True, "level": "medium"})
    False
    """
    is_high = confidence["level"] in ("high", "very_high")
    return confidence.get("answers") == "unsure" and confidence["calibrated"] and is_high


def _is_shown_in(quote: str, text: str) -> bool:
    """True if the answer's text contains the quote, so that it need not be printed again."""
    return one_line(quote).rstrip("…") in one_line(text)


def print_indented(console: Console, text: str, columns: int) -> None:
    """Print the text dimmed and indented."""
    from rich.padding import Padding
    from rich.text import Text

    if console.soft_wrap:
        console.print(" " * columns + text, style="dim")
    else:
        console.print(Padding(Text(text, "dim"), (0, 0, 0, columns), expand=False))


def verdict_line(answer: Json, verified: bool) -> Text:
    """The last line: mark, verdict, claims, what is missing, and the confidence."""
    if answer["outcome"] in DECLINED:
        what = "no answer" if answer["outcome"] == "abstained" else "the question is unclear"
        sufficiency = answer["judgement"]["sufficiency"]
        measured = "evidence not measured" if sufficiency is None else f"evidence sufficiency {sufficiency:.2f}"
        if answer["outcome"] == "abstained" and answer["judgement"].get("recommendation") == "ANSWER":
            # Enough was found to look for an answer in it.
            measured = "none of the passages answers it"
        return with_mark("skipped", " · ".join([what, *_missing(answer), measured]))
    if verified and not answer["claims"]:
        return with_mark("unknown", "not verified · it makes no claims")
    status, what = _status_of(answer, verified)
    parts = ["partial answer"] if answer["outcome"] == "partial" and what != PART else []
    # A high probability beside a failed check, or a plain no, reads like a contradiction; `assay show` prints both.
    level = [] if what in (NOT_VERIFIED, NO_ANSWER, DISAGREE) else [describe_confidence(answer["confidence"])]
    return with_mark(status, " · ".join([what, *parts, _quoting(answer["claims"]), *_missing(answer), *level]))


def describe_confidence(confidence: Json) -> str:
    """The confidence: a probability, or a level if it is not calibrated.

    >>> describe_confidence({"value": 0.42, "calibrated": True, "level": "high"})
    'about 42 % likely to be right'
    >>> describe_confidence({"value": 0.996, "calibrated": True, "level": "very_high"})
    'over 99 % likely to be right'
    >>> describe_confidence({"value": None, "calibrated": False, "level": "very_high"})
    'confidence very high (uncalibrated)'
    >>> describe_confidence({"value": None, "calibrated": False, "level": None})
    'confidence not measured'
    >>> describe_confidence({"value": None, "calibrated": False, "level": None, "cause": "another reader"})
    'confidence not measured: another reader'
    """
    if _is_measured(confidence):
        return f"{_format_probability(confidence['value'])} likely to be right"
    if level := confidence["level"]:
        return f"confidence {level.replace('_', ' ')} (uncalibrated)"
    cause = confidence.get("cause")
    return f"confidence not measured: {one_line(cause)}" if cause else "confidence not measured"


def describe_calibration(confidence: Json) -> str:
    """The measured error of the confidence; empty if it is not calibrated.

    >>> describe_calibration({"value": 0.8, "ece": 0.0, "elsewhere": 0.31, "n": 1493, "calibrated": True})
    'measured on 1,493 answers: off by less than 1 % on average, by 31 % on unfamiliar documents'
    """
    if not _is_measured(confidence):
        return ""
    elsewhere = confidence.get("elsewhere")
    others = "" if elsewhere is None else f", by {_format_error(elsewhere)} on unfamiliar documents"
    error = f"off by {_format_error(confidence['ece'])} on average{others}"
    return f"measured on {confidence['n']:,} answers: {error}"


def _is_measured(confidence: Json) -> bool:
    return bool(confidence["calibrated"]) and confidence.get("value") is not None


def _format_probability(value: float) -> str:
    """A probability as a percentage, never as 100 %.

    >>> _format_probability(0.996), _format_probability(0.99), _format_probability(0.874)
    ('over 99 %', 'about 99 %', 'about 87 %')
    """
    return f"about {100 * value:.0f} %" if value <= 0.99 else "over 99 %"


def _format_error(error: float) -> str:
    return f"{100 * error:.0f} %" if error >= 0.01 else "less than 1 %"


def reuse_line(answer: Json) -> str:
    """The run that a kept answer comes from; empty for one of its own.

    >>> reuse_line({"reused_from": "01JA"}), reuse_line({})
    ('reused from run 01JA: its sources still support it', '')
    """
    run_id = answer.get("reused_from")
    return f"reused from run {run_id}: its sources still support it" if run_id else ""


def repairs_line(answer: Json) -> str:
    """The number of repairs of each kind; empty if there are none.

    >>> repairs_line({"repairs": [{"kind": "dropped"}, {"kind": "hedged"}, {"kind": "dropped"}]})
    'repairs: 2 dropped, 1 marked ⚠'
    """
    counts = Counter(describe_repair(repair["kind"]) for repair in answer["repairs"])
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"repairs: {listed}" if listed else ""


def describe_repair(kind: str) -> str:
    """A kind of repair in plain words.

    >>> describe_repair("hedged"), describe_repair("re-cited")
    ('marked ⚠', 're-cited')
    """
    return "marked ⚠" if kind == "hedged" else kind


def usage_line(answer: Json) -> str:
    """Calls, tokens, cost and time; empty for the default profile without a model."""
    usage, first = answer["usage"], answer["first_verified_ms"]
    if not usage["calls"] and answer["profile"] == "fast":
        return ""
    judged = one_line(f"judged {answer['mode_used']}")
    why = f" ({one_line(answer['profile_reason'])})" if answer["profile_reason"] else ""
    parts = [f"{usage['calls']} model call{'' if usage['calls'] == 1 else 's'}"]
    if usage["calls"]:
        parts += [_tokens(usage), _cost(usage["cost"])]
    parts += [f"{answer['ms'] / 1000:.1f} s"]
    parts += [] if first is None else [f"first sentence verified after {first / 1000:.1f} s"]
    return " · ".join([*parts, judged + why])


def _tokens(usage: Json) -> str:
    if usage["total_tokens"] is None:
        return "tokens unknown"
    cached = f" ({usage['cached_tokens']:,} cached)" if usage["cached_tokens"] else ""
    return f"{usage['total_tokens']:,} tokens{cached}"


def _cost(dollars: float | None) -> str:
    """The cost in dollars.

    >>> _cost(0.01234), _cost(None), _cost(0.0)
    ('$0.0123', 'cost unknown', 'no cost')
    """
    if dollars is None:
        return "cost unknown"
    return f"${dollars:.4f}" if dollars else "no cost"


def quotes(source: Json, claims: Sequence[Json]) -> list[str]:
    """The claims' quotes from a source, or its beginning if they quote nothing."""
    spans = [
        (span["start"], _quote_of(claim, span))
        for claim in claims
        for span in claim["spans"]
        if span["passage_id"] == source["passage_id"]
    ]
    found = dict.fromkeys(quote for _, quote in sorted(spans, key=lambda pair: pair[0]))
    return [one_line(quote, QUOTE_WIDTH) for quote in found or [source["quote"]]]


def _quote_of(claim: Json, span: Json) -> str:
    """A quote as the answer shows it, without its source's markup."""
    return str(claim["text"] if "text" in claim and _is_quote(claim) else span["quote"])


def locations(places: Sequence[Json], title: str) -> str:
    """The locations without repeats; numbers of one kind are joined.

    >>> page = {"page": 3, "slide": None, "sheet": None, "row": None, "section": None}
    >>> locations([page, page | {"page": 4}], "Rates"), locations([page | {"section": "Fees"}, page], "Rates")
    ('pages 3 and 4', 'page 3, Fees; page 3')
    """
    found = [place for at, place in enumerate(places) if place not in places[:at]]
    for name in ("page", "slide", "row"):
        others = [{key: value for key, value in place.items() if key != name} for place in found]
        if len(found) > 1 and found[0][name] is not None and all(other == others[0] for other in others):
            *first, last = (str(number) for number in sorted(place[name] for place in found))
            return location({**found[0], name: None, f"{name}s": f"{', '.join(first)} and {last}"}, title)
    return "; ".join(dict.fromkeys(part for place in found if (part := location(place, title))))


def location(place: Json, title: str) -> str:
    """Page, slide, sheet, row and section as text; the section without the document's title.

    >>> location({"page": 3, "slide": None, "sheet": None, "row": None, "section": "Rates > Fees"}, "Rates")
    'page 3, Fees'
    """
    from assay.core.rendering import section_within

    parts = [f"{name} {place[name]}" for name in _PLACES if place.get(name) is not None]
    section = section_within(place["section"] or "", title)
    return one_line(", ".join([*parts, *([section] if section else [])]), 80)


def with_mark(status: str, text: str) -> Text:
    """The text after the mark of a check's status."""
    from rich.text import Text

    return Text.assemble((MARKS[status], STYLES[status]), " ", text)


def check_lines(checks: Sequence[Json]) -> Iterator[Text]:
    """A line for each check with its mark and cause; checks that passed without a cause are counted."""
    silent = Counter(check["name"] for check in checks if _is_plain_pass(check))
    for check in checks:
        if _is_plain_pass(check) and silent[check["name"]] > 1:
            yield with_mark(check["status"], f"{check['name']}, {silent[check['name']]:,} times")
            silent[check["name"]] = 0
        if _is_plain_pass(check) and not silent[check["name"]]:
            continue
        claim = f", claim {check['claim']}" if check["claim"] is not None else ""
        cause = f": {one_line(check['cause'])}" if check["cause"] else ""
        yield with_mark(check["status"], f"{check['name']}{claim}{cause}")


def _is_plain_pass(check: Json) -> bool:
    return check["status"] == "passed" and not check["cause"]


def first_check_lines(checks: Sequence[Json]) -> Iterator[Text | str]:
    """Lines for the first checks of each name and status, then the number of further ones."""
    silent = [check for check in checks if _is_plain_pass(check)]
    others = [check for check in checks if not _is_plain_pass(check)]
    shown = first_of_each(others, lambda check: f"{check['name']}, {check['status']}")
    yield from check_lines([*silent, *shown.first])
    yield from shown.left_out()


def _heading(source: Json, claims: Sequence[Json]) -> str:
    """The source's number, file and line, title, and the locations of the quotes."""
    path, line = one_line(from_here(source.get("path") or ""), 100), source.get("line")
    file = f"{path}:{line}" if path and line else path
    title = one_line(source["title"], 80) or ("" if path else source["document_id"])
    where = locations(_quoted_places(source, claims), source["title"])
    origin = [part for part in origin_parts(source.get("origin") or {}) if part != path]
    parts = [file, title, where, *origin]
    return f"[{source['number']}] {' · '.join(part for part in parts if part)}"


def _quoted_places(source: Json, claims: Sequence[Json]) -> list[Json]:
    """The locations that the claims quote, from the source's own on; a table's header stands before it."""
    quoted = (span for claim in claims for span in claim["spans"] if span["passage_id"] == source["passage_id"])
    places = [span.get("location") for span in sorted(quoted, key=lambda span: span["start"])]
    own = source["location"]
    return [own, *places[places.index(own) :]] if own in places else [own]


def origin_parts(origin: Json) -> list[str]:
    """The date of a source and, for a web source, its address, if they are known.

    >>> origin_parts({"date": "2010", "link": "https://t.example/"}), origin_parts({})
    (['2010', 'https://t.example/'], [])
    """
    return [one_line(origin[name], 200) for name in ("date", "link") if origin.get(name)]


def disagreement_lines(answer: Json) -> Iterator[Text]:
    """A line for each disagreement of the passages: the readings with dates and source numbers."""
    numbers = {source["passage_id"]: source["number"] for source in answer["sources"]}
    for contradiction in answer["judgement"].get("contradictions", ()):
        readings = "; ".join(_reading(reading, numbers) for reading in contradiction["readings"])
        yield with_mark("unknown", f"sources disagree on “{one_line(contradiction['aspect'], 80)}”: {readings}")


def _reading(reading: Json, numbers: Mapping[str, int]) -> str:
    cited = "".join(f"[{numbers[key]}]" for key in reading["passage_ids"] if key in numbers)
    dated = f"({reading['date']})" if reading["date"] else ""
    return " ".join(part for part in (one_line(reading["value"], 80), dated, cited) if part)


def reflow(text: str) -> str:
    """The text without the line breaks of its sources; lists and headings keep theirs.

    >>> reflow("Water\\nis **wet**:\\n- at sea\\n- in the rain")
    'Water is **wet**:\\n- at sea\\n- in the rain'
    """
    from assay.nlp.blocks import BlockKind, blocks  # here, since most views of runs print no answer

    parts: list[str] = []
    at = 0
    for block in blocks(text):
        gap = text[at : block.start]
        parts.append("\n" * min(gap.count("\n"), 2) if parts else "")
        parts += [note[0]] if (note := _NOTE.search(gap)) else []
        part = text[block.start : block.end]
        parts.append(part if block.kind in (BlockKind.CODE, BlockKind.TABLE) else _reflow_block(part))
        at = block.end
    return "".join(parts) if parts else one_line(text)


def _reflow_block(text: str) -> str:
    """A block without the line breaks of its source; rows of a table as they are."""
    if all(map(_ROW.fullmatch, text.split("\n"))):
        return text
    return _LINK.sub(r"\1", "\n".join(map(one_line, _BREAK.split(text))))


def bold(text: str) -> Text:
    """The text with Markdown's strong words in bold.

    >>> bold("**18 weeks** of leave").plain
    '18 weeks of leave'
    """
    from rich.text import Text

    found = Text()
    at = 0
    for match in _STRONG.finditer(text):
        found.append(text[at : match.start()])
        found.append(match.group(1), "bold")
        at = match.end()
    return found.append(text[at:])


def _open_check_lines(answer: Json) -> Iterator[Text | str]:
    open_checks = [
        check for check in answer["checks"] if check["status"] in ("failed", "unknown") and check["name"] != ANSWERS
    ]
    yield from first_check_lines(
        [check for check in open_checks if check["severity"] != "warn" or check["status"] == "unknown"]
    )


def broken_rule_lines(answer: Json) -> Iterator[Text]:
    """A line for each output rule that only warns and was not kept; it changes no verdict."""
    places: dict[str, list[Json]] = {}
    for check in answer["checks"]:
        if (check["status"], check["severity"]) == ("failed", "warn") and check["name"].startswith(OUTPUT_RULE):
            places.setdefault(check["name"], []).append(check)
    for name, found in places.items():
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield with_mark("failed", f"{name}: {one_line(found[0]['cause'])}{more}")


def _status_of(answer: Json, verified: bool) -> tuple[str, str]:
    """The state of the answer as a whole, and the words for it."""
    answers = answer["confidence"].get("answers")
    if verified and answer["outcome"] == "partial":
        return "unknown", PART if answers == "yes" else "verified"
    if verified:
        return "passed", "answers the question" if answers == "yes" else "verified"
    blocking = [check for check in answer["checks"] if check["severity"] == "block"]
    failed = any(check["status"] == "failed" for check in blocking)
    others = any(check["status"] == "unknown" and check["name"] != ANSWERS for check in blocking)
    if may_not_answer(answer) and not failed and not others:
        if _is_disputed(answer):
            return "unknown", DISAGREE
        if probably_answers(answer["confidence"]):
            return "unknown", "probably answers the question, but the reader is not sure"
        return "unknown", "may not answer the question" if answers == "unsure" else NO_ANSWER
    return ("failed" if failed else "unknown"), NOT_VERIFIED


def _is_quote(claim: Json) -> bool:
    borne_out = claim["verdict"] == "supported" and claim["spans"]
    return bool(borne_out) and any(event["by"] == "quote" for event in claim["history"])


def _all_quoted(claims: Sequence[Json]) -> bool:
    return bool(claims) and all(map(_is_quote, claims))


def _quoting(claims: Sequence[Json]) -> str:
    """Number of claims that quote their source, and of those in other words that it supports."""
    if _all_quoted(claims):
        return "quoted exactly"
    borne_out = [claim for claim in claims if claim["verdict"] == "supported" and claim["spans"]]
    quoting = sum(map(_is_quote, borne_out))
    counted = f"{len(borne_out)} of {len(claims)} claim{'' if len(claims) == 1 else 's'}"
    is_one = 1 in (len(borne_out), len(claims))
    if quoting == len(borne_out):
        return f"{counted} {'quotes its source' if is_one else 'quote their sources'}"
    told = f"{counted} {'is supported by its source' if is_one else 'are supported by their sources'}"
    return f"{told}, {quoting} word for word" if quoting else told


def _missing(answer: Json) -> list[str]:
    missing = [f"“{thing}”" for thing in answer["judgement"]["missing"]]
    return [f"not found: {one_line(', '.join(missing), 120)}"] if missing else []
