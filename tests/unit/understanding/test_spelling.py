from __future__ import annotations

import numpy as np
import pytest

from assay.core.stages import Entry
from assay.retrieval.index.memory import MemoryIndex
from assay.types import Correction, Document, EmbeddingModel, Message, Passage
from assay.understanding.rules import RulesUnderstander
from assay.understanding.spelling import CollectionSpeller, SpellingUnderstander, suspect_words

TEXTS = (
    "Reimbursement of travel needs receipts. The reimbursement is paid monthly.",
    "Vacation days expire in March. Managers approve vacation.",
    "Our policy covers Australia and Iraq. A rule names a cheaper amount.",
)


@pytest.fixture
async def speller() -> CollectionSpeller:
    index = MemoryIndex(EmbeddingModel("fake", 2, "0" * 64))
    text = "\n".join(TEXTS)
    document = Document("a", text, "", "a.md", "text", "f" * 64)
    passages = tuple(Passage(f"p{n}", "a", "r", 0, len(text), text) for n, text in enumerate(TEXTS))
    await index.add([Entry(document, passages, np.ones((len(TEXTS), 2), np.float32))])
    return CollectionSpeller(index)


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("When is the reimbursemnt paid?", "reimbursement"),
        ("Who gets riembursement?", "reimbursement"),
        ("Do vacaton days expire?", "vacation"),
        ("what does the polcy cover", "policy"),
        ("waht does the policy cover", "what"),
        ("Which acount pays?", "account"),
        ("Who aproves travel?", "approves"),
    ],
)
async def test_a_misspelt_word_is_the_nearest_word_of_the_collection(
    speller: CollectionSpeller, asked: str, searched: str
) -> None:
    (found,) = await speller.corrections(asked)
    assert found.searched == searched


@pytest.mark.parametrize(
    "asked",
    [
        "When is the reimbursement paid?",
        "Is there a reimbursing office?",
        "What is the capital of Austria?",
        "What holds in Iran?",
        "Who is Ada Lovelace?",
        'Where is "reimbursment" written?',
        "What does `polcy` do?",
        "What does load_polcy do?",
        "See docs/polcy.md",
        "RMA 4711 pol",
        "Is a dog allowed?",
        "Which is the cheapest, and is it rude?",
        "What is the deel?",
        "報銷政策是什麼",
        "",
    ],
)
async def test_what_is_known_or_meant_as_it_is_stays(speller: CollectionSpeller, asked: str) -> None:
    assert await speller.corrections(asked) == ()


async def test_the_question_is_understood_as_corrected_and_keeps_the_users_words(
    speller: CollectionSpeller,
) -> None:
    understander = SpellingUnderstander(RulesUnderstander(), speller)
    question = await understander.understand("When is the reimbursemnt paid?", ())
    assert question.text == "When is the reimbursemnt paid?"
    assert question.standalone == "When is the reimbursement paid?"
    assert question.corrections == (Correction("reimbursemnt", "reimbursement"),)
    (note,) = question.notes
    assert "“reimbursemnt” is in no document; searched for “reimbursement”" in note
    plain = await RulesUnderstander().understand("When is the reimbursement paid?", ())
    assert await understander.understand(plain.text, ()) == plain


async def test_a_misspelt_word_that_the_dialogue_carried_over(speller: CollectionSpeller) -> None:
    before = (Message("user", "Who approves the reimbursemnt?"), Message("assistant", "A manager."))
    question = await SpellingUnderstander(RulesUnderstander(), speller).understand("When is it paid?", before)
    assert "reimbursemnt" not in question.standalone
    assert question.history == before


async def test_a_changed_collection_is_read_anew(speller: CollectionSpeller) -> None:
    assert await speller.corrections("kattellur") == ()
    text = "The kattelur boils."
    passage = Passage("k", "b", "r", 0, len(text), text)
    vectors = np.ones((1, 2), np.float32)
    await speller.index.add([Entry(Document("b", text, "", "b.md", "text", "f" * 64), (passage,), vectors)])
    assert await speller.corrections("kattellur") == (Correction("kattellur", "kattelur"),)


def test_a_name_needs_to_be_long() -> None:
    assert suspect_words("Does Kathmandu lie in Peru?") == {"Kathmandu": 1}
