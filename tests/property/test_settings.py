"""Whatever stands in the environment or in a file, it becomes settings or a UsageError, and no key is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.settings import Settings, load_settings
from assay.settings.files import VARIABLES

NOWHERE = Path("/nowhere")
NAMES = st.sampled_from(sorted(Settings.model_fields))
VALUES = st.text() | st.sampled_from(["1", "0", "-1", "0.5", "nan", "inf", "1e999", "true", "~nobody-here/x", "~"])


def settle(flags: dict[str, object] | None, environment: dict[str, str]) -> None:
    try:
        load_settings(flags, environment=environment, folder=NOWHERE, config_file=NOWHERE)
    except UsageError as error:
        assert error.hint  # noqa: PT017 - either outcome is right


@given(st.dictionaries(NAMES, VALUES))
def test_any_environment_is_settings_or_refused(values: dict[str, str]):
    settle(None, {VARIABLES.get(name, ("ASSAY_" + name.upper(),))[0]: value for name, value in values.items()})


@given(
    st.dictionaries(
        NAMES | st.text(), VALUES | st.integers() | st.floats() | st.lists(st.integers()) | st.booleans()
    )
)
@example({"profile": []})
def test_any_flags_are_settings_or_refused(flags: dict[str, object]):
    settle(flags, {})


@given(st.binary())
def test_any_file_is_settings_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    folder = tmp_path_factory.mktemp("project")
    for name in ("assay.toml", ".env"):
        (folder / name).write_bytes(data)
        try:
            load_settings(environment={}, folder=folder, config_file=NOWHERE)
        except UsageError as error:
            assert error.hint  # noqa: PT017 - either outcome is right
        (folder / name).unlink()


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=12), NAMES, VALUES)
def test_no_error_shows_a_key(key: str, name: str, value: str):
    secret = f"{key}-canary"
    try:
        load_settings({name: value}, environment={"OPENAI_API_KEY": secret}, folder=NOWHERE, config_file=NOWHERE)
    except UsageError as error:
        assert secret not in str(error) + error.hint  # noqa: PT017 - either outcome is right
