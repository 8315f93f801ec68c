"""The policies of a checker: added, chosen, never lost, and refused where the file is not what was written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.calibration import ClaimPolicy
from assay.errors import DamagedStore, StoreError, UsageError
from assay.records.policies import CheckerPolicies, FittedPolicy

POLICY = ClaimPolicy({"checker": 1.0}, 0.0, 0.8, 0.1, None)


@pytest.fixture
def policies(tmp_path: Path) -> CheckerPolicies:
    return CheckerPolicies(tmp_path / "policies", "ab" * 32)


def keep(policies: CheckerPolicies, policy: ClaimPolicy = POLICY) -> FittedPolicy:
    return policies.keep(policy, data="claims", weights="w", reached={"passed": 1}, at=5.0, by="Ann\udcff")


def test_nothing_is_in_use_before_the_first_fit(policies: CheckerPolicies) -> None:
    assert (policies.all(), policies.in_use()) == ((), None)
    assert not policies.place.exists()


def test_the_last_one_kept_or_chosen_is_in_use(policies: CheckerPolicies) -> None:
    first = keep(policies)
    second = keep(policies, replace(POLICY, contradicted=0.9))
    assert (first.version, second.version) == (1, 2)
    assert policies.in_use() == policies.all()[1] == second
    policies.use(1, at=6.0, by="Bob")
    assert policies.in_use() == first
    policies.use(0, at=7.0, by="Bob")
    assert policies.in_use() is None
    third = keep(policies)
    assert (third.version, policies.in_use()) == (3, third)
    assert len(policies.path.read_text().splitlines()) == 5
    assert [each.stat().st_mode & 0o077 for each in (policies.path, policies.place)] == [0, 0]


def test_another_checker_has_others(policies: CheckerPolicies) -> None:
    keep(policies)
    assert CheckerPolicies(policies.place, "cd" * 32).in_use() is None


def test_a_policy_that_is_not_there_cannot_be_chosen(policies: CheckerPolicies) -> None:
    keep(policies)
    with pytest.raises(UsageError, match="has no policy 2; it has 0, 1"):
        policies.use(2, at=6.0, by="Ann")


@pytest.mark.parametrize(
    "added",
    [
        '{"schema": "assay-pol',
        "[]",
        '{"at": 1, "by": "Ann", "use": 2}',
        '{"at": 1, "by": "Ann", "use": -1}',
        '{"schema": "assay-policies/9"}',
        '{"schema": "assay-policies/1", "at": 1, "by": "", "data": "", "weights": "", "reached": {}, "policy": 1}',
    ],
)
def test_a_damaged_file_is_told(policies: CheckerPolicies, added: str) -> None:
    keep(policies)
    with policies.path.open("a") as file:
        file.write(added)
    for reading in (policies.in_use, policies.all, lambda: keep(policies)):
        with pytest.raises(DamagedStore, match="cannot be used"):
            reading()


def test_a_file_that_cannot_be_opened_is_told(policies: CheckerPolicies) -> None:
    policies.path.mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be read"):
        policies.in_use()


def test_a_folder_that_cannot_be_made_is_told(policies: CheckerPolicies) -> None:
    policies.place.write_text("a file")
    with pytest.raises(StoreError, match="cannot be"):
        keep(policies)
