"""Two hundred ways in which writers cite, or seem to: what is a mark, and which sources it stands for.

Each line is a text, an arrow, and its marks: numbers with commas, marks apart by a bar; `?` is a mark
of no known source, `-` stands for no mark at all. The sources are called a.md and file.pdf.
"""

from __future__ import annotations

import pytest

from assay.nlp.citations import citations

CASES = r"""
It rained [1]. => 1
It rained.[1] => 1
It rained[1]. => 1
It rained [1] and snowed [2]. => 1 | 2
It rained [1][2]. => 1 | 2
It rained [1] [2] [3]. => 1 | 2 | 3
It rained [1, 2]. => 1,2
It rained [1,2]. => 1,2
It rained [ 1 , 2 ]. => 1,2
It rained [1;2]. => 1,2
It rained [1; 2; 3]. => 1,2,3
It rained [1/2]. => 1,2
It rained [1 & 2]. => 1,2
It rained [1 + 2]. => 1,2
It rained [1 and 2]. => 1,2
It rained [1 und 2]. => 1,2
It rained [1 et 2]. => 1,2
It rained [1, 2 and 3]. => 1,2,3
It rained [1, 2, and 3]. => 1,2,3
It rained [1-3]. => 1,2,3
It rained [1–3]. => 1,2,3
It rained [1—3]. => 1,2,3
It rained [1 - 3]. => 1,2,3
It rained [1~3]. => 1,2,3
It rained [1..3]. => 1,2,3
It rained [1...3]. => 1,2,3
It rained [1…3]. => 1,2,3
It rained [1 to 3]. => 1,2,3
It rained [1 through 3]. => 1,2,3
It rained [1 bis 3]. => 1,2,3
It rained [1-3, 7]. => 1,2,3,7
It rained [7, 1-3]. => 7,1,2,3
It rained [1-2, 4-5]. => 1,2,4,5
It rained [1, 1]. => 1
It rained [1-3, 2]. => 1,2,3
It rained [2, 1]. => 2,1
It rained [3-3]. => 3
It rained [12]. => 12
It rained [99]. => 99
It rained [999]. => 999
It rained [001]. => 1
It rained [0]. => 0
It rained [Source 1]. => 1
It rained [source 1]. => 1
It rained [SOURCE 1]. => 1
It rained [Source: 1]. => 1
It rained [Source 1, 2]. => 1,2
It rained [Sources 1, 2]. => 1,2
It rained [Sources: 1, 2]. => 1,2
It rained [Sources 1-3]. => 1,2,3
It rained [Sources 1 and 3]. => 1,3
It rained [Source 1, Source 2]. => 1,2
It rained [Source 1; Source 3]. => 1,3
It rained [Source 1 and Source 2]. => 1,2
It rained [Source 1 - Source 3]. => 1,2,3
It rained [Source1]. => 1
It rained [ref 1]. => 1
It rained [ref. 1]. => 1
It rained [refs 1, 2]. => 1,2
It rained [Ref. 4, 5]. => 4,5
It rained [reference 2]. => 2
It rained [References 2, 3]. => 2,3
It rained [doc 1]. => 1
It rained [Doc. 1]. => 1
It rained [docs 1, 2]. => 1,2
It rained [Document 3]. => 3
It rained [documents 1, 3]. => 1,3
It rained [passage 4]. => 4
It rained [passages 4-5]. => 4,5
It rained [citation 1]. => 1
It rained [Citations 1, 2]. => 1,2
It rained [cite 1]. => 1
It rained [cite: 1]. => 1
It rained [cite: 1, 2]. => 1,2
It rained [note 2]. => 2
It rained [Quelle 1]. => 1
It rained [来源 1]. => 1
It rained [来源1]. => 1
It rained [出典 2]. => 2
It rained [^1]. => 1
It rained [^12]. => 12
It rained [^1, ^2]. => 1,2
It rained [^1][^2]. => 1 | 2
It rained [#1]. => 1
It rained [#1, #2]. => 1,2
It rained 【1】. => 1
It rained 【1】【2】. => 1 | 2
It rained 【1, 2】. => 1,2
It rained 【1，2】. => 1,2
It rained 【１】. => 1
It rained 【１，２】. => 1,2
It rained 【来源1】. => 1
It rained 【1-3】. => 1,2,3
It rained 【1†】. => -
It rained ［1］. => 1
It rained ［１、２］. => 1,2
It rained 〔1〕. => 1
下雨了[1]。 => 1
下雨了【1】。 => 1
雨が降った［２］。 => 2
It rained [1、2]. => 1,2
It rained [1；2]. => 1,2
It rained [[1]]. => 1
It rained [[1]][[2]]. => 1 | 2
It rained ([1]). => 1
It rained ([1], [2]). => 1 | 2
(see [1] and [2]) => 1 | 2
It rained (see [1]). => 1
**It rained [1].** => 1
*[1]* => 1
_It rained_ [1] => 1
> It rained [1] => 1
- It rained [1] => 1
1. It rained [2] => 2
| It rained | [1] | => 1
| [1] | [2] | => 1 | 2
# It rained [1] => 1
"It rained" [1] => 1
“It rained [1]” => 1
It rained ("wet") [1]. => 1
It rained! [1] => 1
It rained? [1] => 1
It rained... [1] => 1
It rained:[1] => 1
[1] It rained. => 1
[1] => 1
[1]: It rained => 1
It rained [1, p. 3]. => 1
It rained [1, p 3]. => 1
It rained [1, pp. 3-5]. => 1
It rained [1, page 3]. => 1
It rained [1, pages 3-5]. => 1
It rained [1, section 2]. => 1
It rained [1, sec. 2]. => 1
It rained [1, ch. 4]. => 1
It rained [1, chapter 4]. => 1
It rained [1, para 4]. => 1
It rained [1, line 4]. => 1
It rained [1, lines 4-9]. => 1
It rained [1, slide 7]. => 1
It rained [1, row 12]. => 1
It rained [1, p. 3; 2]. => 1,2
It rained [1, p. 3; 2, p. 7]. => 1,2
It rained [1, pp. 3-5; 2, p. 7]. => 1,2
It rained [Source 1, p. 3]. => 1
It rained [Source 1 p. 3]. => 1
It rained [Source: file.pdf]. => 2
It rained [source: FILE.PDF]. => 2
It rained [Source: "file.pdf"]. => 2
It rained [Source: a.md]. => 1
It rained [Document: a.md]. => 1
It rained [Source: other.pdf]. => ?
It rained [Doc: nowhere.txt]. => ?
It rained [Source: Annual report]. => ?
It rained [1] on 3 May [2021]. => 1 | 2021
It rained [x]. => -
It rained [sic]. => -
It rained [...]. => -
It rained […]. => -
It rained [citation needed]. => -
It rained [see below]. => -
It rained [see 1]. => -
It rained [emphasis added]. => -
It rained [a]. => -
It rained [1a]. => -
It rained [A1]. => -
It rained [1.2]. => -
It rained [1.]. => -
It rained [-1]. => -
It rained [5-1]. => -
It rained [1-100000]. => -
It rained [1 2]. => -
It rained [1,,2]. => 1,2
It rained [1,]. => 1
It rained [,1]. => 1
It rained [1234567]. => -
It rained [2021-05-03]. => -
It rained [12:30]. => -
It rained [10%]. => -
It rained [p. 3]. => -
It rained [page 3]. => -
It rained []. => -
It rained [ ]. => -
It rained [. => -
It rained ]. => -
It rained [1. => -
It rained 1]. => -
It rained ]1[. => -
It rained (1). => -
It rained {1}. => -
It rained <1>. => -
[1](https://example.org) => -
See [the site](https://example.org) [1]. => 1
![1](picture.png) => -
`x[1]` => -
``x[1]`` => -
```x[1]``` => -
`x[0]` and [1] => 1
`x` [1] `y` => 1
Use `a[1]`, see [2]. => 2
An open ` tick [1] => 1
x[1] = 2 => 1
$x_{[1]}$ => 1
a[i] + b[j] => -
- [ ] to do => -
- [x] done [1] => 1
[x] and [1] and [y] => 1
[1] [x](y) [2] => 1 | 2
[1\n2] => -
"""
NAMES = ("a.md", "file.pdf")


def expected(marks: str) -> list[tuple[int, ...]]:
    if marks == "-":
        return []
    return [() if each.strip() == "?" else tuple(map(int, each.split(","))) for each in marks.split(" | ")]


ROWS = [tuple(line.split(" => ")) for line in CASES.strip().split("\n")]


def test_there_are_two_hundred() -> None:
    assert len({text for text, _ in ROWS}) >= 200


@pytest.mark.parametrize(("text", "marks"), ROWS)
def test_a_case(text: str, marks: str) -> None:
    found = citations(text.replace(r"\n", "\n"), NAMES)
    assert [mark.numbers for mark in found] == expected(marks)
    assert all(text.replace(r"\n", "\n")[mark.start] in "[【［〔" for mark in found)
