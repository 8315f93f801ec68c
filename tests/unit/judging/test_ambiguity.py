from __future__ import annotations

from dataclasses import dataclass

import pytest

from assay.judging.ambiguity import NAMES, AmbiguityModel, ambiguity, load_ambiguity_model, signals, with_ambiguity
from assay.judging.contradictions import contradictions, with_contradictions
from assay.nlp.anaphora import references, variants
from assay.types import (
    Action,
    Contradiction,
    Evidence,
    Gathered,
    Hit,
    Judgement,
    Message,
    Passage,
    Question,
    Reading,
    Refusal,
    Span,
)
from assay.understanding.rules import understand_by_rules
from assay.writing.abstain import AskingDecliner, clarifying_question


def evidence(*texts: str, titles: tuple[str, ...] = ()) -> Evidence:
    named = (*titles, *("",) * len(texts))
    passages = (Passage(f"p{n}", "d", "", 0, len(text), text, named[n]) for n, text in enumerate(texts))
    return Evidence(tuple(Hit(passage, 1.0) for passage in passages))


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Can we take the pets into this park?", ["the pets", "this park"]),
        ("What is the animal's breed?", ["the animal"]),
        ("Did it win an award?", ["it"]),
        ("How much does its owner pay?", ["its owner"]),
        ("How tall is the Eiffel Tower?", []),
        ("Who is the author of Emma?", []),
        ("What is the capital of the country that borders Peru?", ["the capital"]),
        ("Is it possible to park here?", []),
        ("When does the sun rise?", []),
        ("Where does water go after it enters a drain?", []),
        ("who won the battle of the bull run", []),
        ("", []),
    ],
)
def test_phrases_that_point_at_what_they_do_not_name(text: str, phrases: list[str]) -> None:
    assert [str(phrase) for phrase in references(text)] == phrases


def test_what_texts_call_things_of_a_kind() -> None:
    texts = ["The State Park has a dog park.", "State parks are open. Parked cars. The park: closed.", "a dog park"]
    assert variants("park", texts) == ("State Park", "dog park")


AMBIGUOUS = "What documents does the loan need?"
CLEAR = "What documents does a student loan from Harlow Bank need?"


def test_a_question_that_points_is_more_ambiguous_than_one_that_names() -> None:
    found = evidence("Bring a passport.")
    asked, named = (ambiguity(understand_by_rules(text), found) for text in (AMBIGUOUS, CLEAR))
    assert asked is not None
    assert named is not None
    assert asked > named


def test_what_the_dialogue_named_and_a_passage_covers_is_less_ambiguous() -> None:
    found = evidence("A student loan needs documents: a passport.")
    alone = ambiguity(understand_by_rules(AMBIGUOUS), evidence("Bring a hat."))
    covered = ambiguity(understand_by_rules(AMBIGUOUS), found)
    assert alone is not None
    assert covered is not None
    assert covered < alone


def test_masked_text_covers_nothing() -> None:
    text = "The loan needs documents."
    (hit,) = evidence(text).hits
    planted = Evidence((Hit(hit.passage, 1.0, masked=(Span(0, len(text)),)),))
    assert signals(understand_by_rules(AMBIGUOUS), planted)["open"] == 1.0


def test_signals_lie_in_0_to_1() -> None:
    for text in (AMBIGUOUS, CLEAR, "", "it", "the the the", "x" * 2000):
        found = signals(understand_by_rules(text), evidence("Bring a passport."))
        assert set(found) == set(NAMES)
        assert all(0 <= value <= 1 for value in found.values())


def test_a_script_without_rules_is_not_measured() -> None:
    question = Question("东京的人口是多少？", "东京的人口是多少？", language="zh")
    assert ambiguity(question, Evidence()) is None
    unclear = Question("它有多高？", "它有多高？", language="zh", unclear="it is not clear what it refers to")
    assert ambiguity(unclear, Evidence()) == 1.0


def test_the_shipped_weights_are_for_the_signals_there_are() -> None:
    assert set(load_ambiguity_model().weights) == set(NAMES)
    assert 0 < load_ambiguity_model().threshold < 1


ALWAYS = AmbiguityModel(dict.fromkeys(NAMES, 0.0), 10.0, 0.5)
NEVER = AmbiguityModel(dict.fromkeys(NAMES, 0.0), -10.0, 0.5)


@pytest.mark.parametrize(
    ("recommended", "model", "expected"),
    [
        (Action.EXTERNAL, ALWAYS, Action.CLARIFY),
        (Action.REFINE, ALWAYS, Action.CLARIFY),
        (Action.ANSWER, ALWAYS, Action.ANSWER),
        (Action.EXTERNAL, NEVER, Action.EXTERNAL),
    ],
)
def test_the_judge_recommends_a_question_back_where_the_evidence_does_not_suffice(
    recommended: Action, model: AmbiguityModel, expected: Action
) -> None:
    found = with_ambiguity(
        understand_by_rules(AMBIGUOUS),
        evidence("Bring a passport for a loan. " * 300),
        Judgement(0.4, recommended, "as told"),
        model,
    )
    assert found.recommendation is expected
    assert found.ambiguity is not None
    assert found.sufficiency == 0.4
    assert found.reason == (
        'it is not clear what "the loan" refers to' if expected is Action.CLARIFY else "as told"
    )


@pytest.mark.parametrize(
    ("question", "found", "expected"),
    [
        (
            "Can we take dogs into the park?",
            evidence("The State Park is large.", "Our dog park is small."),
            "Which park do you mean: “State Park” or “the dog park”?",
        ),
        (
            "How long does the course last?",
            evidence("A course lasts a week.", "Courses last a year.", titles=("First\naid", "Pottery")),
            "Which course do you mean: “First aid” or “Pottery”?",
        ),
        (
            "Did it win?",
            evidence("a", "b", titles=("Emma", "Persuasion")),
            "What does “it” refer to: “Emma” or “Persuasion”?",
        ),
        ("Tell me more.", evidence("a"), "It is not clear what your question asks for. Could you rephrase it?"),
    ],
)
def test_the_question_back(question: str, found: Evidence, expected: str) -> None:
    assert clarifying_question(understand_by_rules(question), found).text == expected


def test_only_a_clarification_is_asked_back() -> None:
    @dataclass
    class Plain:
        def decline(self, question: Question, gathered: Gathered) -> Refusal:
            return Refusal("declined")

    judgement = Judgement(0.1, Action.ABSTAIN, "nothing")
    decliner = AskingDecliner(Plain())
    history = (Message("user", "Where is the park?"),)
    asked = Question("Is the zoo open?", "Is the zoo open?", history)
    gathered = Gathered(Action.ABSTAIN, Evidence(), judgement, ())
    assert decliner.decline(asked, gathered).text == "declined"
    assert "Which zoo" in decliner.decline(asked, Gathered(Action.CLARIFY, Evidence(), judgement, ())).text


def test_what_no_passage_speaks_of_is_not_asked_back() -> None:
    said = Judgement(0.1, Action.EXTERNAL, "as told")
    found = with_ambiguity(understand_by_rules(AMBIGUOUS), evidence("Bring a passport."), said, ALWAYS)
    assert found.recommendation is Action.EXTERNAL


@pytest.mark.parametrize(("best", "expected"), [(0.5, Action.CLARIFY), (0.51, Action.REFINE)])
def test_nothing_is_asked_back_where_a_reader_finds_the_answer(best: float, expected: Action):
    said = Judgement(0.4, Action.REFINE, "as told", signals={"reader_best": best})
    found = with_ambiguity(understand_by_rules(AMBIGUOUS), evidence("Bring a passport for a loan."), said, ALWAYS)
    assert found.recommendation is expected
    assert found.ambiguity is not None


MANUALS = evidence(
    "The warranty is two years.",
    "The warranty is three years.",
    titles=("Kestrel X200 manual", "Kestrel K5 manual"),
)


@pytest.mark.parametrize(
    ("question", "recommended", "expected"),
    [
        ("What does the manual say of theft?", Action.REFINE, Action.CLARIFY),
        ("What does the manual say of theft?", Action.ANSWER, Action.ANSWER),
        ("What does the leaflet say of theft?", Action.REFINE, Action.REFINE),
        ("What does the Kestrel K5 manual say of theft?", Action.REFINE, Action.REFINE),
    ],
)
def test_where_titles_name_several_such_things_it_is_asked_which(
    question: str, recommended: Action, expected: Action
) -> None:
    said = Judgement(0.4, recommended, "as told")
    assert with_ambiguity(understand_by_rules(question), MANUALS, said, NEVER).recommendation is expected


@pytest.mark.parametrize(
    ("question", "recommended", "expected"),
    [
        ("How long is the warranty?", Action.REFINE, Action.CLARIFY),
        ("How long is the warranty?", Action.ANSWER, Action.ANSWER),
        ("How long is the warranty of Kestrel?", Action.REFINE, Action.REFINE),
    ],
)
def test_readings_of_a_thing_that_is_not_named_are_asked_about(
    question: str, recommended: Action, expected: Action
) -> None:
    asked = understand_by_rules(question)
    said = with_ambiguity(asked, MANUALS, Judgement(0.4, recommended, "as told"), NEVER)
    found = with_contradictions(asked, MANUALS, said, contradictions(asked, MANUALS))
    assert found.recommendation is expected
    if expected is Action.CLARIFY:
        back = clarifying_question(asked, MANUALS, found.contradictions)
        assert back.choices == ("Kestrel X200 manual", "Kestrel K5 manual")
        assert back.text == (
            "Which warranty do you mean? “Kestrel X200 manual” says two years, "
            "“Kestrel K5 manual” says three years."
        )


def test_readings_that_no_title_tells_apart_are_not_offered_by_title() -> None:
    found = evidence("The fee is €40.", "The fee is €45.", titles=("Fees", "Fees"))
    readings = (Reading("€40", ("p0",)), Reading("€45", ("p1",)))
    told = clarifying_question(
        understand_by_rules("What about the fee?"), found, (Contradiction("the fee", readings),)
    )
    assert told.choices == ()
    assert told.text == "Which fee do you mean?"


def test_a_pronoun_is_offered_the_titles_that_share_a_word_with_the_question() -> None:
    found = evidence(
        "She was born in 1901.",
        "She was born in 1950.",
        "Ships.",
        titles=("Ann Lee (chemist)", "Ann Lee (painter)", "Port"),
    )
    told = clarifying_question(understand_by_rules("When was she born?"), found)
    assert told.choices == ("Ann Lee (chemist)", "Ann Lee (painter)")
    assert told.text.endswith("“she” refer to: “Ann Lee (chemist)” or “Ann Lee (painter)”?")
