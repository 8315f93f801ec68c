"""The summary of an evaluation, and its reports: all is in them as text, and nothing in them loads or runs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from assay.evals.cases import Answerability, Case
from assay.evals.reports.markdown import markdown
from assay.evals.reports.page import latency_plot, plot, report_page
from assay.evals.reports.summary import MOST_LISTED, MOST_SHOWN, Summary, judge_text, summarise
from assay.evals.results import CaseResult
from assay.evals.run_folder import Evaluation, open_run
from assay.types import Outcome, Verdict

from ..records.test_report import HOSTILE, read

# The evaluation of four questions: one right, one wrong, one that failed, one refused rightly.
CASES = (
    Case("right", "How high?", answers=("8 m",), answerability=Answerability.FULL, slices={"kind": "number"}),
    Case("wrong", f"Who? {HOSTILE}", answers=("Ann",), answerability=Answerability.FULL, slices={"kind": "name"}),
    Case("failed", "When?", answers=("1932",), slices={"kind": "number"}),
    Case("none", "Why?", answerability=Answerability.NONE),
)
GIVEN = CaseResult("right", 0, Outcome.ANSWERED, "It is 8 m high. [1]", sufficiency=0.9, probability=0.8, ms=20.0)
RESULTS = (
    GIVEN,
    replace(GIVEN, case="wrong", text=f"Bob | {HOSTILE}", run_id="run-2", ms=40.0),
    CaseResult("failed", 0, None, error="ProviderFailed", message=f"it broke {HOSTILE}"),
    CaseResult("none", 0, Outcome.ABSTAINED, "It does not say.", sufficiency=0.1, ms=10.0),
)
ABOUT = Evaluation(f"set-{HOSTILE}.jsonl", "assay", "0" * 64, 5, 1, "fast", "0.1.0", 0.0, settings={"k": 3})


@pytest.fixture
def summary(tmp_path: Path) -> Summary:
    folder = tmp_path / "out"
    with open_run(folder, ABOUT, CASES) as run:
        for result in RESULTS:
            run.append(result)
    return summarise(folder)


def test_the_summary_counts_what_was_asked_and_lists_what_failed_and_was_wrong(summary: Summary):
    assert (summary.asked, summary.failed, summary.due, summary.errors) == (4, 1, 5, {"ProviderFailed": 1})
    assert [(one.case, one.error) for one in summary.failures] == [("failed", "ProviderFailed")]
    assert [(one.case, one.expected, one.run_id) for one in summary.wrong] == [("wrong", "Ann", "run-2")]
    assert summary.metric("right").value == 0.5
    assert summary.metric("latency_p50").value == 20.0


def test_slices_have_means_of_their_own(summary: Summary):
    found = {(part.name, part.value): (part.cases, part.metrics.get("right")) for part in summary.slices}
    assert found == {
        ("answerability", "full"): (2, 0.5),
        ("answerability", "none"): (1, 1.0),
        ("kind", "name"): (1, 0.0),
        ("kind", "number"): (2, 0.5),
    }


def test_the_object_has_the_metrics_by_name_and_no_values_by_case(summary: Summary):
    body = summary.to_dict()
    assert body["schema"] == "assay-eval-summary/1"
    assert body["metrics"]["right"]["value"] == 0.5
    assert body["metrics"]["ndcg@10"]["cause"] == "no case says which passages are relevant"
    assert "per_case" not in body["metrics"]["right"]


@pytest.mark.parametrize(
    ("models", "told"),
    [
        ({"checker": "bundled"}, "on 10,759 labelled claims, 72% of those that it called supported are"),
        ({"checker": "bundled", "verifier": "openai:a"}, "a judge that was not measured here"),
        ({"checker": "none"}, "a judge that was not measured here"),
    ],
)
def test_groundedness_carries_the_error_of_its_judge(tmp_path: Path, models: dict[str, str], told: str):
    folder = tmp_path / "out"
    with open_run(folder, replace(ABOUT, models=models), CASES) as run:
        run.append(replace(GIVEN, claims=(Verdict.SUPPORTED,)))
    found = summarise(folder)
    assert told in judge_text(found)
    assert judge_text(found) in read(report_page(found)).text


def test_long_lists_and_texts_are_cut(tmp_path: Path):
    cases = [Case(str(n), "Why?", answers=("so",)) for n in range(MOST_LISTED + 5)]
    folder = tmp_path / "out"
    with open_run(folder, replace(ABOUT, cases=len(cases)), cases) as run:
        for case in cases:
            run.append(CaseResult(case.id, 0, Outcome.ANSWERED, "x" * 10_000))
    found = summarise(folder)
    assert len(found.wrong) == MOST_LISTED
    assert len(found.wrong[0].text) == MOST_SHOWN


def test_the_page_shows_everything_as_text_and_loads_nothing(summary: Summary):
    html = report_page(summary)
    page = read(html)
    assert not {"script", "img", "link", "iframe", "a"} & page.tags
    assert not [value for name, value in page.attributes if name.startswith("on") or "//" in (value or "")]
    for shown in (
        "<script>alert(1)</script>",
        "4 asked, 1 failed (1 ProviderFailed); 1 not asked yet",
        "setting k",
    ):
        assert shown in page.text
    assert "default-src 'none'" in html
    assert {"svg", "polyline"} <= page.tags


def test_markdown_is_tables_in_which_texts_stay_texts(summary: Summary):
    text = markdown(summary)
    assert text.startswith("<!-- assay-eval/1 -->\n# Evaluation of set-")
    assert "| right ↑ | 0.500 | 4 |" in text
    assert re.search(r"(?<!\\)<(?!!-- assay)", text) is None
    rows = [line for line in text.splitlines() if line.startswith("| wrong | ")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5


def test_plots_stay_within_their_picture():
    drawn = [
        latency_plot([5.0, 1.0, 3000.0] * 400),
        latency_plot([0.0]),
        plot([(0.0, 0.0), (1.0, 1.0)], "across", "up", line=False, diagonal=True),
    ]
    for svg in drawn:
        width, height = (float(side) for side in svg.attrib["viewBox"].split()[2:])
        points = [pair for line in svg.iter("polyline") for pair in line.attrib["points"].split()]
        circles = [f"{circle.attrib['cx']},{circle.attrib['cy']}" for circle in svg.iter("circle")]
        for point in (*points, *circles):
            x, y = (float(place) for place in point.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height
