"""The choice among what several searches found."""

from __future__ import annotations

from dataclasses import replace

from assay.judging.selection import BestSelector
from assay.types import Evidence, Hit, Origin, Passage, Question, Scores

SPOUSE = "Who is the spouse of the director of Jump for Glory?"
QUESTION = Question(SPOUSE, SPOUSE, aspects=(SPOUSE,))


def hit(name: str, text: str, title: str = "", dense: float | None = 0.3) -> Hit:
    return Hit(Passage(name, name, "r", 0, len(text), text, title=title), 1.0, Scores(dense=dense))


def outside(name: str, dense: float | None) -> Hit:
    found = hit(name, "Jump for Glory was directed by Raoul Walsh.", dense=dense)
    return replace(found, passage=replace(found.passage, origin=Origin("web", "https://t.example/")))


GLORY = hit("glory", "Jump for Glory is a film directed by Raoul Walsh.", "Jump for Glory")
WEAK = tuple(hit(f"weak{n}", f"Glory days of a spouse, part {n}.") for n in range(1, 5))
WALSH = hit("walsh", "Raoul Walsh married the actress Miriam Cooper, his spouse until 1926.", "Raoul Walsh")
OTHER = hit("other", "The weather in the north was mild.")


async def chosen(*hits: Hit, k: int = 4) -> list[str]:
    evidence = await BestSelector(k).select(QUESTION, Evidence(hits))
    return [passage.passage_id for passage in evidence.passages]


async def test_a_passage_of_the_second_step_displaces_weak_ones_of_the_first():
    names = await chosen(GLORY, *WEAK, OTHER, WALSH)
    assert names[:3] == ["glory", "weak1", "walsh"]
    assert "other" not in names


async def test_without_the_first_step_the_second_has_no_name_to_be_known_by():
    names = await chosen(hit("glory", "Nothing of use.", "Jump for Glory"), *WEAK, OTHER, WALSH)
    assert names.index("walsh") > 2 if "walsh" in names else True
    with_it = await chosen(GLORY, *WEAK, OTHER, WALSH)
    assert with_it.index("walsh") == 2


async def test_evidence_that_fits_is_returned_as_it_is():
    evidence = Evidence((GLORY, OTHER))
    assert await BestSelector(2).select(QUESTION, evidence) == evidence


async def test_what_comes_from_outside_stands_where_its_cosine_puts_it():
    weak, page = hit("weak", "Glory days.", dense=0.2), outside("page", 0.6)
    assert await chosen(weak, GLORY, page) == ["page", "glory", "weak"]
    assert await chosen(weak, GLORY, outside("page", None)) == ["weak", "glory", "page"]


async def test_passages_of_the_collection_stay_in_the_order_in_which_they_were_found():
    assert await chosen(hit("weak", "Glory days.", dense=0.2), GLORY) == ["weak", "glory"]


async def test_the_best_half_of_the_first_search_stays_in_its_order():
    assert (await chosen(OTHER, WEAK[3], *WEAK[:3], WALSH, GLORY))[:2] == ["other", "weak4"]


async def test_what_one_question_has_a_passage_for_makes_room_for_another():
    text = "Are Ann Lee and Bob Ray from the same town?"
    lee = [hit(f"lee{n}", f"Ann Lee came from the town of Rye {n}.", dense=0.5) for n in range(4)]
    ray = hit("ray", "Bob Ray left the town.", dense=0.5)
    evidence = await BestSelector(4).select(Question(text, text, aspects=(text,)), Evidence((*lee, ray)))
    assert "ray" in evidence.ids


async def test_a_cosine_that_nobody_measured_counts_as_none():
    assert await chosen(*(hit(f"n{n}", "Glory.", dense=None) for n in range(6))) == ["n0", "n1", "n2", "n3"]


async def test_one_place_goes_to_the_likeliest():
    assert len(await chosen(OTHER, WALSH, GLORY, k=1)) == 1


async def test_the_record_of_the_search_is_kept():
    evidence = Evidence((GLORY, *WEAK, WALSH), version=7, notes=("a note",))
    found = await BestSelector(3).select(QUESTION, evidence)
    assert (found.version, found.notes) == (7, ("a note",))
