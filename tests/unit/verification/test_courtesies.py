"""A plain offer or a doubt of the writer's own claims nothing; whatever states a fact besides it does."""

from __future__ import annotations

import pytest

from assay.nlp.citations import citations
from assay.verification.claims import split_claims


@pytest.mark.parametrize(
    "text",
    [
        "Please contact us if you have questions!",
        "If you have any further questions, please do not hesitate to contact us.",
        "Feel free to ask.",
        "Let me know if you need anything else.",
        "Don't hesitate to reach out with any questions or concerns.",
        "Contact us to schedule your consultation.",
        "Book a consultation with us!",
        "Get in touch to learn more.",
        "I am not sure whether pets are allowed.",
        "We're unsure when the roof is repaired.",
        "I'm not certain about what the tenant owes.",
    ],
)
def test_a_courtesy_claims_nothing(text: str):
    assert split_claims(text, citations(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Please note that the rent is 4,300 euros.",
        "Please pay the rent of 4,300 euros.",
        "Please contact the landlord before you sublet.",
        "Please contact us if the rent is overdue.",
        "Please contact us at 555 1234.",
        "Please do not contact us.",
        "Call us at any time.",
        "Contact us to schedule your free consultation.",
        "Book a consultation by Friday.",
        "Do not sublet the premises.",
        "Let us know that the rent is due.",
        "I am not sure whether the rent of 4,300 euros is due.",
        "I am not sure whether pets are allowed, but dogs are.",
        "I am not sure whether cats are allowed because dogs are forbidden.",
        "I am not sure whether pets are allowed and the rent is due on Monday.",
        "I am sure that pets are allowed.",
        "The landlord is not sure whether pets are allowed.",
        "Contact us if you have questions and pay the rent.",
    ],
)
def test_a_statement_beside_a_courtesy_is_claimed(text: str):
    assert [claim.text for claim in split_claims(text, citations(text))] != []
