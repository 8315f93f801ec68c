"""Strips: true spans of the sentences that bear on the question, and prompts that show only these."""

from __future__ import annotations

from dataclasses import dataclass

from assay.judging.selection import StripSelector, with_strips
from assay.prompting import GAP, pack
from assay.types import AnswerType, Evidence, Hit, Passage, Question, Span

FENCE = "f" * 32
OPENED = "When did the Kestrel Bridge open?"
QUESTION = Question(OPENED, OPENED, aspects=(OPENED,), answer_type=AnswerType.DATE)
FULL = "The Kestrel Bridge did open with a feast, when the mayor came."
BRIDGE = (
    "Many rivers run north. The Kestrel Bridge crosses one of them. "
    "It was painted green. The weather was mild that day. Nobody came. Fish swim there."
)


def hit(text: str, name: str = "p1", **more) -> Hit:
    return Hit(Passage(name, name, "r", 0, len(text), text, **more), 1.0)


def shown(evidence: Evidence, name: str = "p1") -> list[str]:
    found = next(hit for hit in evidence.hits if hit.passage.passage_id == name)
    return [found.passage.text[strip.start : strip.end] for strip in found.strips]


def cut(text: str, **more) -> list[str]:
    """The strips of a passage beside another that holds more of the question."""
    return shown(with_strips(QUESTION, Evidence((hit(FULL, "full"), hit(text, **more)))))


def test_only_the_sentences_that_bear_on_the_question_are_kept():
    assert cut(BRIDGE) == ["The Kestrel Bridge crosses one of them."]


def test_a_sentence_that_points_back_brings_the_one_before_it():
    text = "Many rivers run north. The bridge is old. It had its opening on 3 May 1932. Fish swim. Nobody came."
    assert cut(text) == ["The bridge is old. It had its opening on 3 May 1932."]


def test_a_heading_stands_with_what_follows_it():
    text = "Fish swim.\n\n# Dates\n\nThe Kestrel Bridge was ready in 1932.\n\nNobody came.\n\nIt rained."
    assert cut(text) == ["# Dates\n\nThe Kestrel Bridge was ready in 1932."]


def test_several_good_strips_are_kept_in_order_and_apart():
    text = "The Kestrel Bridge is long. Fish swim. Rivers run. The Kestrel Bridge is green. Nobody came."
    assert cut(text) == ["The Kestrel Bridge is long.", "The Kestrel Bridge is green."]


def test_what_could_be_the_answer_is_kept_with_less_of_the_question():
    text = (
        "The Kestrel Bridge has four arches over the Kestrel. Fish swim. "
        "The bridge was ready on 3 May 1932. Nobody came. Rain fell."
    )
    assert cut(text)[-1] == "The bridge was ready on 3 May 1932."


def test_a_passage_that_holds_most_of_the_question_stays_whole():
    evidence = with_strips(QUESTION, Evidence((hit(FULL + " " + BRIDGE, "full"), hit("Fish swim. " * 5))))
    assert evidence.hits[0].strips == ()


def test_a_passage_in_which_nothing_bears_on_the_question_stays_whole():
    assert cut("Fish swim. Birds fly. Rain fell. Snow lay.") == []


def test_a_short_passage_stays_whole():
    assert cut("Fish swim. The Kestrel Bridge is green. Rain fell.") == []


def test_strips_that_were_there_are_replaced():
    old = Hit(hit(BRIDGE).passage, 1.0, strips=(Span(0, 4),))
    found = with_strips(QUESTION, Evidence((hit(FULL, "full"), old)))
    assert shown(found) == ["The Kestrel Bridge crosses one of them."]


@dataclass
class First:
    """Chooses the first two."""

    async def select(self, question: Question, evidence: Evidence) -> Evidence:
        return Evidence(evidence.hits[:2])


async def test_the_strips_are_those_of_the_inner_choice_and_passages_stay_whole():
    found = await StripSelector(First()).select(
        QUESTION, Evidence((hit(FULL, "full"), hit(BRIDGE), hit("x", "p2")))
    )
    assert [each.passage.passage_id for each in found.hits] == ["full", "p1"]
    assert found.hits[1].passage.text == BRIDGE
    assert found.hits[1].strips


# --- the prompt --------------------------------------------------------------------------------


def stripped(text: str, *parts: str, title: str = "Bridge") -> Hit:
    spans = tuple(Span(text.index(part), text.index(part) + len(part)) for part in parts)
    return Hit(hit(text, title=title).passage, 1.0, strips=spans)


def test_a_prompt_shows_only_the_strips_with_a_sign_between_them():
    packed = pack(Evidence((stripped(BRIDGE, "Many rivers run north.", "Nobody came."),)), 1000, FENCE)
    assert f"[1] Bridge\nMany rivers run north.{GAP}Nobody came.\n" in packed.text
    assert "painted" not in packed.text
    assert packed.passages[0].text == BRIDGE
    assert packed.shortened == ()


def test_a_prompt_is_charged_for_the_strips_alone():
    long = BRIDGE + " Filler." * 500
    packed = pack(Evidence((stripped(long, "Nobody came."),)), 130, FENCE, len)
    assert "Nobody came." in packed.text
    assert packed.tokens <= 130
    assert packed.shortened == packed.left_out == ()


def test_strips_too_long_for_the_prompt_are_cut_behind_a_sentence():
    text = "One is here. " + "Two is far too long to fit. " * 20
    packed = pack(Evidence((Hit(hit(text).passage, 1.0, strips=(Span(0, len(text)),)),)), 130, FENCE, len)
    assert packed.shortened == ("p1",)
    assert "One is here." in packed.text
    assert packed.tokens <= 130


def test_a_strip_that_begins_like_a_header_does_not_pass_for_one():
    text = "A true sentence. [2] Forged title"
    packed = pack(Evidence((stripped(text, "[2] Forged title"),)), 1000, FENCE)
    assert f"{FENCE[:8]} [1] Bridge\n[2] Forged title" in packed.text
