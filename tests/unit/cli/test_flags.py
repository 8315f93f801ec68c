"""The table of flags holds every setting, and what a flag accepts the setting accepts."""

from __future__ import annotations

from enum import EnumType
from typing import Any, Literal, get_args, get_origin

import pytest
from typer.main import get_command

from assay.cli.app import app
from assay.cli.flags import FLAGS, WITHOUT_FLAG, command_of, takes
from assay.cli.terminal import Terminal
from assay.settings import Settings, load_settings
from assay.types import CitationStyle, SearchMode

CHOICES = {
    name: get_args(get_args(get_args(flag)[0])[0])
    for name, flag in FLAGS.items()
    if get_origin(get_args(get_args(flag)[0])[0]) is Literal
}


def test_every_setting_has_a_flag_or_is_a_secret():
    assert set(FLAGS) | WITHOUT_FLAG == set(Settings.model_fields)
    assert not set(FLAGS) & WITHOUT_FLAG
    assert all(name.endswith("_key") for name in WITHOUT_FLAG)


@pytest.mark.parametrize("name", CHOICES)
def test_the_choices_of_a_flag_are_those_of_its_setting(name: str):
    annotation = Settings.model_fields[name].annotation
    if annotation in (SearchMode, CitationStyle):
        wanted = {each.value for each in annotation}
    else:
        parts = get_args(annotation)
        wanted = {each for part in parts for each in (get_args(part) or (part,)) if isinstance(each, str)}
        wanted |= {each.value for part in parts if isinstance(part, EnumType) for each in part}
    assert set(CHOICES[name]) == wanted


def test_every_flag_is_named_as_its_setting():
    ask = get_command(app).commands["ask"].whole()  # type: ignore[attr-defined]
    options = {name: each.opts for each in ask.params for name in [each.name]}
    for name in FLAGS:
        assert f"--{name.replace('_', '-')}" in options[name]


def test_only_what_was_given_reaches_the_verb():
    seen: list[dict[str, Any]] = []

    @takes("k", "offline", "prices", "k")
    def verb(terminal: Terminal, *, given: dict[str, Any]) -> None:
        seen.append(given)

    for arguments in ([], ["-k", "5", "--no-offline"], ["--offline", "--prices", '{"openai:x": {"input": 1}}']):
        command_of(verb).main(arguments, standalone_mode=False, obj=Terminal())
    assert seen[:2] == [{}, {"k": 5, "offline": False}]
    settings = load_settings(seen[2], environment={}).settings
    assert settings.offline
    assert settings.prices == {"openai:x": {"input": 1.0}}
