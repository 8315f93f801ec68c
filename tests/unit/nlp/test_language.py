from __future__ import annotations

import pytest

from assay.nlp.language import language_of


@pytest.mark.parametrize(
    "text",
    [
        "Do unused days expire?",
        "do unused vacation days expire",
        "How do I use de facto standards?",
        "refund policy",
        "pip install fails",
        "Where is the El Niño data?",
        "Who was Joan of Arc?",
        "café opening hours",
    ],
)
def test_one_borrowed_word_makes_no_other_language(text: str) -> None:
    assert language_of(text) == "en"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Was kostet die Lizenz pro Jahr?", "de"),
        ("Passwort zurücksetzen", "de"),
        ("Quels formats de fichier sont acceptés ?", "fr"),
        ("¿Cuántos días de vacaciones tengo?", "es"),
        ("Quantos dias de férias tenho?", "pt"),
        ("Quando scade il mio contratto?", "it"),
        ("Как установить пакет?", "ru"),
        ("パッケージのインストール方法は？", "ja"),
    ],
)
def test_short_questions_in_other_languages(text: str, code: str) -> None:
    assert language_of(text) == code
