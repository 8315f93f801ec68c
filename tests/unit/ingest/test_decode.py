"""Encodings and their repair."""

from __future__ import annotations

import pytest

from assay.ingest.detect import decode

FRENCH = "Le café de l'été à Besançon coûte 3,50 € – « voilà »."
RUSSIAN = "Москва является столицей Российской Федерации и крупнейшим по численности населения городом. " * 5
JAPANESE = "日本の首都は東京です。人口は約千四百万人で、世界最大の都市圏を形成しています。" * 5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_western_text_is_read_in_whatever_encoding(encoding: str) -> None:
    assert decode(FRENCH.encode(encoding)).text == FRENCH


@pytest.mark.parametrize(
    ("text", "encoding"), [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "shift_jis"), (JAPANESE, "euc_jp")]
)
def test_other_scripts_are_told_by_their_letters(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.warnings


def test_utf8_that_was_read_as_cp1252_is_repaired_with_a_warning() -> None:
    broken = FRENCH.encode("utf-8").decode("cp1252", errors="replace").replace("\ufffd", "")
    decoded = decode("".join([broken, "\nSÃO PAULO\n"]).encode("utf-8"))
    assert "café de l'été" in decoded.text
    assert "– «" in decoded.text
    assert "SÃO PAULO" in decoded.text
    assert "repaired" in decoded.warnings[0]


def test_mixed_encodings_are_read_line_by_line() -> None:
    data = b"\n".join(
        [
            "naïve café".encode(),
            "été à Besançon".encode("latin-1"),
            "日本語".encode("shift_jis"),
            "half of it in UTF-16 – as it happens".encode("utf-16-le"),
            b"plain",
        ]
    )
    decoded = decode(data)
    assert decoded.text.split("\n") == [
        "naïve café",
        "été à Besançon",
        "日本語",
        "half of it in UTF-16 – as it happens",
        "plain",
    ]
    assert "mixed" in decoded.warnings[0]


def test_old_line_ends_become_new_ones() -> None:
    assert decode(b"one\rtwo\r").text == "one\ntwo\n"


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xff\xfe", b"\xff\xfea", b"\xef\xbb\xbf\xff", bytes(range(256))])
def test_every_byte_sequence_is_some_text(data: bytes) -> None:
    assert isinstance(decode(data).text, str)
