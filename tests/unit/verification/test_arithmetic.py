"""Values that no source has: which follow from values near them, and what the checks then say."""

from __future__ import annotations

import pytest

from assay.nlp.analysis import analyse
from assay.nlp.arithmetic import Derivation, derive_date, derive_number, near_of
from assay.types import Check, Passage, Severity, Status, Verdict
from assay.verification.verifier import DeterministicVerifier


def followed(claim: str, *sentences: str, around: tuple[str, ...] = ()) -> Derivation | None:
    """How the first number of a claim that is no part of a date follows, else its first date."""
    near, dated = near_of(sentences, around), analyse(claim).dates
    numbers = [q for q in analyse(claim).quantities if not any(q.start < d.end and d.start < q.end for d in dated)]
    return derive_number(claim, numbers[0], near) if numbers else derive_date(claim, dated[0], near)


FOLLOWS = [
    ("sum", "Together they have 7 mills.", ["Ulm has 3 mills, Bonn 4."], "3 + 4 = 7"),
    ("sum", "In all, 299 people died.", ["241 marines died.", "58 soldiers died."], "241 + 58 = 299"),
    ("sum", "Both albums sold 51 million times.", ["They sold 31 million and 20 million."],
     "31 million + 20 million = 51 million times"),
    ("difference", "It costs €3,550 more.", ["One asks €41,750, the other €38,200."],
     "€41,750 − €38,200 = €3,550"),
    ("difference", "The rest, 43,500 euros, is due in May.", ["Of 48,500 euros 5,000 euros are paid."],
     "48,500 euros − 5,000 euros = 43,500 euros"),
    ("difference", "It rose by 4 percentage points.", ["It went from 65% to 69%."],
     "69% − 65% = 4 percentage points"),
    ("difference", "The margin had been 30.4%.", ["It widened by 80 basis points to 31.2%."],
     "31.2% − 80 basis points = 30.4%"),
    ("difference", "July is two degrees warmer.", ["It is 28 °C in January, 30 °C in July."],
     "30 °C − 28 °C = two degrees"),
    ("product", "That makes 24 hours in total.", ["There are three shifts of 8 hours."],
     "three × 8 hours = 24 hours"),
    ("product", "He takes 200 mg a day.", ["He takes 100 mg twice daily."], "twice × 100 mg = 200 mg"),
    ("product", "It comes to $4,000 a year.", ["Each gets $1,000 up to 4 times."], "4 times × $1,000 = $4,000"),
    ("quotient", "Each menu costs 26 euros.", ["The menus of eleven guests cost 286 euros."],
     "286 euros / eleven = 26 euros"),
    ("part", "They take 1,176 euros off.", ["You get 12 percent of the 9,800 euros."],
     "12 percent of 9,800 euros = 1,176 euros"),
    ("part", "The price is 75 euros.", ["You get 25 percent off the 100 euros."],
     "100 euros − 25 percent = 75 euros"),
    ("complement", "The employee pays 15%.", ["The firm pays 85%."], "100 − 85% = 15%"),
    ("ratio", "Pages are thirty-two times as large.", ["Pages of 32768 bytes, not 1024 bytes."],
     "32768 bytes / 1024 bytes = thirty-two times"),
    ("conversion", "It melts at 86 °F.", ["It melts at 30 °C."], "30 °C = 86 °F"),
    ("conversion", "It is kept for two months.", ["It is kept for 60 days."], "60 days = two months"),
    ("conversion", "It lasts 52 weeks.", ["It lasts a year, or one year."], "one year = 52 weeks"),
    ("conversion", "It is 97 km long.", ["It is 60 miles long."], "60 miles = 97 km"),
    ("conversion", "It needs 5120 MB.", ["It needs 5 GB."], "5 GB = 5120 MB"),
    ("range end", "It takes up to fifteen years.", ["It takes 10 to 15 years."],
     "an end of 10 to 15 years = fifteen years"),
    ("years", "He reigned for 19 years.", ["He reigned from 1932 to 1951."], "1932 to 1951 = 19 years"),
    ("years", "Two decades went by.", ["It was built in 1960.", "It fell in 1980."], "1960 to 1980 = Two decades"),
    ("years", "He was king for thirteen years.", ["King from 1063, he took Pamplona in 1076."],
     "1063 to 1076 = thirteen years"),
    ("years", "It was picked up almost six months later.",
     ["Shown from May 10, 2013.", "On November 1, 2013 more."],
     "May 10, 2013 to November 1, 2013 = six months"),
    ("years", "He taught for more than three decades.", ["He taught there (1858-1892)."],
     "1858-1892 to 1858-1892 = three decades"),
    ("days", "It came 15 days later.", ["3.8.1 (2014-03-11) and 3.8.2 (2014-03-26)."],
     "2014-03-11 to 2014-03-26 = 15 days"),
    ("days", "It took 26 days.", ["From 15 December to 10 January."], "15 December to 10 January = 26 days"),
    ("age", "He lived to the age of 90.", ["Hughes (September 13, 1923 – February 3, 2014) was here."],
     "September 13, 1923 to February 3, 2014 = 90"),
    ("rate", "It moves 720 litres per hour.", ["It moves 12 litres per minute."],
     "12 litres a minute × 60 = 720 litres"),
    ("rate", "It prints 30 sheets every minute.", ["It prints 1,800 sheets an hour."],
     "1,800 a hour / 60 = 30"),
    ("rate", "Rent is 9,600 euros a year.", ["The monthly rent of the flat is 800 euros."],
     "800 euros a month × 12 = 9,600 euros"),
    ("rate", "It is open 364 days a year.", ["It is open seven days a week."], "seven days a week × 52 = 364 days"),
    ("frequency", "They meet every three months.", ["They meet four times a year."],
     "four times a year = three months"),
    ("frequency", "They meet 24 times a day.", ["They meet every 60 minutes."], "every 60 minutes = 24 times"),
    ("clock", "It takes 85 minutes.", ["It leaves at 7:15 and arrives at 8:40."], "7:15 to 8:40 = 85 minutes"),
    ("clock", "It is open for 12 hours.", ["It is open from 8:00 to 20:00."], "8:00 to 20:00 = 12 hours"),
    ("share", "About 57 % come from the academy.", ["It has seven members, four of whom it sends."],
     "four of seven = 57 %"),
    ("share", "30% were lost.", ["Of the 40 boats in the harbour 12 were lost."], "12 of 40 = 30%"),
    ("share", "Three quarters are open.", ["Nine of the twelve shops are open."],
     "Nine of twelve = Three quarters"),
    ("date", "A class left in 1889.", ["Built in 1891, it had lost a class two years prior."],
     "1891 − two years = 1889"),
    ("date", "Notice is due by 3 March 2020.", ["The deadline was 28 February 2020; four days more are free."],
     "28 February 2020 + four days = 3 March 2020"),
    ("date", "It ended in 1937.", ["It began on 3 May 1932, and lasted five years."],
     "3 May 1932 + five years = 1937"),
    ("date", "It ends in June 2026.", ["Nine months are kept before 31 March 2027."],
     "31 March 2027 − Nine months = June 2026"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "claim", "sentences", "told"), FOLLOWS)
def test_a_value_follows_from_those_near_it(kind: str, claim: str, sentences: list[str], told: str) -> None:
    found = followed(claim, *sentences)
    assert found is not None
    assert found.kind == kind
    assert found.formula == told
    assert all(each.written in sentences[each.sentence] for each in found.operands)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("They have 7 mills.", "Ulm has 3 mills, Bonn 4."),  # nothing says that it is a sum
        ("Together they have 8 mills.", "Ulm has 3 mills, Bonn 4."),
        ("Together they have 7 km.", "Ulm has 3 mills, Bonn 4."),
        ("He reigned for 18 years.", "He reigned from 1932 to 1951."),
        ("He reigned for more than 15 years.", "He reigned from 1932 to 1971."),
        ("He reigned for no more than 18 years.", "He reigned from 1932 to 1951."),
        ("He died aged 91.", "Hughes (September 13, 1923 – February 3, 2013)."),
        ("It melts at 90 °F.", "It melts at 30 °C."),
        ("It is kept for three months.", "It is kept for 60 days."),
        ("It moves 620 litres per hour.", "It moves 12 litres per minute."),
        ("It moves 720 kilos per hour.", "It moves 12 litres per minute."),
        ("It moves 720 litres.", "It moves 12 litres per minute."),
        ("Rent is 240 euros a month.", "Rent is 12 euros a day, each day of the week."),
        ("They meet every four months.", "They meet four times a year."),
        ("It takes 95 minutes.", "It leaves at 7:15 and arrives at 8:40."),
        ("About 43 % come from the academy.", "It has seven members, four of whom it sends."),
        ("57 % are seats.", "The room has seven chairs and four desks."),
        ("Together they hold at most 300 cars.", "One holds at most 48 cars, the other at most 210 cars."),
        ("It is 90 km long.", "It is 60 miles long."),
        ("In total, the third of 7.", "Ulm has 3 mills, Bonn 4."),
        ("It happened on 31 April 2020.", "On 1 May 2020 they worked for one day."),
        ("It ends in 1937.", "The loan of 1932 is for five months."),
        ("It ends in 1933.", "It began on 30 December 1932, and took 3 days."),
        ("It ends in 1932.", "It began on 3 May 1931, and took 9 months."),
        ("It was in the 1930s.", "It began in 1925, and took five years."),
        ("It lasted 30 days.", "From 31 April to 31 June."),
        ("Together they have 3-4 mills.", "Ulm has 1 mill, Bonn 2."),
    ],
)
def test_no_value_follows(claim: str, sentence: str) -> None:
    assert followed(claim, sentence) is None


def test_a_year_ends_in_whole_years_and_in_those_that_have_passed() -> None:
    sentence = "From 30 June 2001 to 1 March 2005 he led it."
    found = [years for years in range(1, 7) if followed(f"He led it for {years} years.", sentence)]
    assert found == [3, 4]


def test_sentences_around_give_dates_and_no_numbers() -> None:
    claim, sentence, other = "He was 77 when he died.", "He died on 19 April 2004.", "He was born on 18 April 1927."
    found = followed(claim, sentence, around=(other,))
    assert found is not None
    assert [each.sentence for each in found.operands] == [1, 0]
    assert followed("Together they have 7 mills.", "Ulm has 3 mills.", around=("Bonn has 4 mills.",)) is None


def test_of_many_numbers_the_first_are_looked_at() -> None:
    table = " ".join(f"Row {n} has {1000 + 37 * n} mills." for n in range(5_000))
    near = near_of([table, "Ulm has 23 mills, Bonn 44."])
    assert len(near.numbers) == 24
    assert (
        derive_number("Together they have 67 mills.", analyse("Together they have 67 mills.").quantities[0], near)
        is None
    )


def test_endless_numbers_are_survived() -> None:
    endless = "9" + " trillion" * 40
    sentence = f"It holds {endless} euros, {endless} months and {endless} days since 3 May 1932, 40% of it."
    for claim in ("In total it holds 5 euros each.", "It lasts 5 years.", "It ends in 1940.", f"{endless} more"):
        assert followed(claim, sentence) is None


# --- in the checks ------------------------------------------------------------------------------

SOURCE = (
    "Anna Berg (born on 4 May 1901) was a painter from Ulm. She won a prize in Bonn in 1930. "
    "Her museum in Ulm was opened in 1951 and holds 3 halls with 40 pictures. "
    "The garden of the museum has 14 trees and 26 roses. The house in Bonn has 9 trees and 12 roses."
)


async def checks(claim: str, name: str) -> list[Check]:
    passage = Passage("p", "d", "r", 100, 100 + len(SOURCE), SOURCE)
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    return [each for each in review.checks if each.name == name]


async def test_a_number_that_follows_passes_and_says_how() -> None:
    claim = "In all, 21 plants, trees and roses, stand around the house in Bonn."
    [check] = await checks(claim, "numbers")
    assert (check.status, check.cause) == (Status.PASSED, "it follows: 9 + 12 = 21")
    assert check.source_span is not None
    assert check.source_span.quote == "9 trees and 12"
    assert SOURCE[check.source_span.start - 100 : check.source_span.end - 100] == check.source_span.quote
    assert check.answer_span is not None
    assert claim[check.answer_span.start : check.answer_span.end] == "21"


async def test_a_number_that_does_not_follow_fails() -> None:
    [check] = await checks("In all, 22 plants, trees and roses, stand around the house in Bonn.", "numbers")
    assert check.status is Status.FAILED


async def test_an_age_follows_from_a_birth_told_at_the_beginning() -> None:
    [check] = await checks("She was 29 when she got a prize in Bonn.", "numbers")
    assert (check.status, check.cause) == (Status.PASSED, "it follows: 4 May 1901 to 1930 = 29")
    [check] = await checks("She was 27 when she got a prize in Bonn.", "numbers")
    assert check.status is Status.FAILED


async def test_a_changed_number_of_a_copy_is_not_excused() -> None:
    # 26 - 14 = 12, and the claim says "more"; yet it is the source's sentence with one number changed.
    [*_, check] = await checks("The garden of the museum has 14 trees and 12 more roses.", "numbers")
    assert check.status is not Status.PASSED


async def test_what_a_copy_says_to_differ_by_stays_open() -> None:
    source = "The price of the ticket rose from 20 euros to 25 euros in the winter."
    passage = Passage("p", "d", "r", 0, len(source), source)
    claim = "The price of the ticket rose by 5 euros in the winter."
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    [check] = [each for each in review.checks if each.name == "numbers"]
    assert (check.status, check.severity) == (Status.UNKNOWN, Severity.BLOCK)
    assert check.cause == "no source writes it: 25 euros − 20 euros = 5 euros"


CONVERTED = [
    ("The pump moves 720 litres per hour.", "The pump moves 12 litres per minute."),
    ("The press prints 30 sheets per minute.", "The press prints 1,800 sheets per hour."),
    ("The motor stops if the water temperature exceeds 140 °F.",
     "The motor stops if the water temperature exceeds 60 °C."),
    ("The warranty of the pump lasts 24 months.", "The warranty of the pump lasts two years."),
    ("The pump on the deck weighs 2,400 grams.", "The pump on the deck weighs 2.4 kg."),
    ("The gift to the fund was ninety thousand kronor.", "The gift to the fund was 90,000 kronor."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "source"), CONVERTED)
async def test_a_copy_that_converts_a_value_is_supported(claim: str, source: str) -> None:
    passage = Passage("p", "d", "r", 0, len(source), source)
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    assert [each.verdict for each in review.claims] == [Verdict.SUPPORTED]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The pump moves 620 litres per hour.", CONVERTED[0][1]),
        ("The press prints 40 sheets per minute.", CONVERTED[1][1]),
        ("The motor stops if the water temperature exceeds 150 °F.", CONVERTED[2][1]),
        ("The pump on the deck weighs 240 grams.", CONVERTED[4][1]),
        ("It is 16 °C in the south and 10 °C in the north.", "It is 50 °F in the south and 61 °F in the north."),
    ],
)
async def test_a_copy_that_converts_a_value_wrongly_is_contradicted(claim: str, source: str) -> None:
    passage = Passage("p", "d", "r", 0, len(source), source)
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    assert [each.verdict for each in review.claims] == [Verdict.CONTRADICTED]


@pytest.mark.parametrize(
    ("claim", "source", "cause"),
    [
        ("In total, the ferry takes up to 258 cars and passengers.",
         "The ferry Marta takes up to 48 cars and 210 passengers.", "48 + 210 = 258"),
        ("About 57 % of the jury are appointed by the academy.",
         "The jury has seven members, four of whom are appointed by the academy.", "four of seven = 57 %"),
    ],
)  # fmt: skip
async def test_what_a_copy_computes_from_several_values_stays_open(claim: str, source: str, cause: str) -> None:
    passage = Passage("p", "d", "r", 0, len(source), source)
    review = await DeterministicVerifier().check(claim, (passage,), one_claim=True)
    [check] = [each for each in review.checks if each.name == "numbers"]
    assert (check.status, check.cause) == (Status.UNKNOWN, f"no source writes it: {cause}")
    wrong = claim.replace("258", "268").replace("57", "43")
    review = await DeterministicVerifier().check(wrong, (passage,), one_claim=True)
    assert Status.FAILED in [each.status for each in review.checks if each.name == "numbers"]


async def test_a_date_that_follows_passes() -> None:
    source = "The academy was built in 1891. It had graduated its first class two years prior."
    passage = Passage("p", "d", "r", 0, len(source), source)
    review = await DeterministicVerifier().check(
        "A first class of the academy graduated in 1889, before its house was there.", (passage,), one_claim=True
    )
    [check] = [each for each in review.checks if each.name == "dates"]
    assert (check.status, check.cause) == (Status.PASSED, "it follows: 1891 − two years = 1889")


async def test_the_mark_of_a_list_is_no_number() -> None:
    assert await checks("7. The museum of Anna Berg was opened in Ulm.", "numbers") == []
