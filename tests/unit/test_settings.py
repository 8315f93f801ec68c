"""Settings: which place wins, what is refused, and that no key is ever shown or sent elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.settings import Resolved, Settings, load_settings
from assay.settings.files import mask
from assay.types import Criterion, Limits, SearchMode

KEY = "sk-proj-0123456789canary"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def load(folder: Path, flags: dict[str, object] | None = None, **environment: str) -> Resolved:
    return load_settings(flags, environment=environment, folder=folder, config_file=folder.parent / "config.toml")


def test_without_anything_the_defaults_hold(folder: Path) -> None:
    resolved = load(folder)
    assert resolved.settings.k == 8
    assert resolved.settings.mode is SearchMode.HYBRID
    assert set(resolved.origins.values()) == {"default"}
    assert set(resolved.origins) == set(Settings.model_fields)


def test_each_place_wins_over_the_one_below(folder: Path) -> None:
    (folder.parent / "config.toml").write_text("k = 2\n")
    assert load(folder).settings.k == 2
    (folder / "assay.toml").write_text("k = 3\n")
    assert (load(folder).settings.k, load(folder).origins["k"]) == (3, "assay.toml")
    (folder / ".env").write_text("ASSAY_K=4\n")
    assert (load(folder).settings.k, load(folder).origins["k"]) == (4, ".env")
    assert (load(folder, ASSAY_K="5").settings.k, load(folder, ASSAY_K="5").origins["k"]) == (5, "environment")
    assert load(folder, {"k": 6}, ASSAY_K="5").settings.k == 6
    assert load(folder, {"k": None}, ASSAY_K="5").settings.k == 5


def test_an_empty_variable_counts_as_not_set(folder: Path) -> None:
    assert load(folder, ASSAY_K="").settings.k == 8


def test_the_user_config_is_named_by_its_path(folder: Path) -> None:
    (folder.parent / "config.toml").write_text("k = 2\n")
    assert load(folder).origins["k"] == str(folder.parent / "config.toml")


def test_the_profile_sets_the_limits_that_nothing_else_sets(folder: Path) -> None:
    assert load(folder).settings.limits("fast") == Limits(rounds=1, repairs=2, calls=4, seconds=10.0)
    assert load(folder, {"deadline": 3}).settings.limits("fast").seconds == 3.0


@pytest.mark.parametrize("values", [{"profile": "balanced"}, {"profile": "thorough"}])
def test_a_depth_that_needs_a_model_names_the_setting(folder: Path, values: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="no model is set") as caught:
        load(folder, values)
    assert "--model" in caught.value.hint
    assert load(folder, {**values, "model": "openai:m"}).settings.model_of("judge") == "openai:m"


def test_auto_needs_no_model(folder: Path) -> None:
    assert load(folder, {"profile": "auto"}).settings.limits("fast").rounds == 1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("k", "many", "integer"),
        ("k", "0", "greater than or equal to 1"),
        ("mode", "psychic", "hybrid"),
        ("mmr", "2", "less than or equal to 1"),
        ("collection", "../other", "match"),
        ("collection", "a\nb", "match"),
        ("deadline", "-1", "greater than 0"),
        ("openai_base_url", "file:///etc/passwd", "match"),
        ("profile", "deepest", "fast"),
    ],
)
def test_a_bad_value_is_refused_with_its_place_name_and_meaning(
    folder: Path, name: str, value: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        load(folder, **{f"ASSAY_{name.upper()}": value})
    assert str(caught.value).startswith(f"ASSAY_{name.upper()}: ")
    assert Settings.model_fields[name].description in caught.value.hint


LIMITS = ["max_cost", "deadline", "request_seconds", "idle_seconds", "retry_seconds", "correct", "mmr"]


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("value", ["inf", "nan", "-1"])
def test_no_limit_is_endless_or_below_nothing_wherever_it_is_set(folder: Path, name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"^--{name.replace('_', '-')}: must be ") as caught:
        load(folder, {name: float(value)})
    assert caught.value.hint.startswith(f"{name}: ")
    with pytest.raises(UsageError, match=f"^ASSAY_{name.upper()}: must be "):
        load(folder, **{f"ASSAY_{name.upper()}": value})
    (folder / "assay.toml").write_text(f"{name} = {value}\n")
    with pytest.raises(UsageError, match=rf"^{name} in assay\.toml: must be "):
        load(folder)


@pytest.mark.parametrize("price", ["NaN", "Infinity", "-1"])
def test_a_price_is_a_finite_number_of_dollars(folder: Path, price: str) -> None:
    with pytest.raises(UsageError, match=r"^--prices: "):
        load(folder, {"prices": f'{{"openai:x": {{"input": {price}}}}}'})


def test_a_message_calls_a_setting_what_its_giver_called_it(folder: Path) -> None:
    (folder / "assay.toml").write_text('anthropic_base_url = "http://127.0.0.1:1"\n')
    set_so = {"OPENAI_BASE_URL": "http://127.0.0.1:1", "GOOGLE_API_KEY": "canary"}
    settings = load(folder, {"max_cost": 1.0}, **set_so).settings
    assert settings.display_name("max_cost") == "--max-cost"
    assert settings.display_name("openai_base_url") == "OPENAI_BASE_URL"
    assert settings.display_name("gemini_api_key") == "GOOGLE_API_KEY"
    assert settings.display_name("anthropic_base_url") == "anthropic_base_url in assay.toml"
    assert settings.display_name("gemini_base_url") == "GOOGLE_GEMINI_BASE_URL"


def test_thresholds_in_the_wrong_order_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"^--correct: incorrect must not be above correct"):
        load(folder, {"correct": 0.2})


def test_an_unknown_setting_of_a_call_names_no_place(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"^there is no setting 'kk'") as caught:
        load_settings({"kk": 3}, environment={}, folder=folder)
    assert "'k'" in caught.value.hint


def test_an_unknown_setting_in_a_file_names_the_file_and_the_nearest_setting(folder: Path) -> None:
    (folder / "assay.toml").write_text("colection = 'a'\n")
    with pytest.raises(UsageError, match=r"assay\.toml: there is no setting 'colection'") as caught:
        load(folder)
    assert "'collection'" in caught.value.hint


def test_a_misspelt_variable_is_refused_and_a_foreign_one_is_not_ours(folder: Path) -> None:
    with pytest.raises(UsageError, match="ASSAY_COLECTION") as caught:
        load(folder, ASSAY_COLECTION="a")
    assert "ASSAY_COLLECTION" in caught.value.hint
    assert load(folder, ASSAY_BENCH_DATA="/data").settings.k == 8


def test_bad_toml_names_the_file_and_the_line(folder: Path) -> None:
    (folder / "assay.toml").write_text("k = 3\nmode = \n")
    with pytest.raises(UsageError, match=r"assay\.toml: not valid TOML: .*line 2"):
        load(folder)


def test_a_file_in_another_encoding_is_refused(folder: Path) -> None:
    (folder / "assay.toml").write_bytes(b"collection = '\xff\xfe'\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        load(folder)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".env", "OPENAI_BASE_URL=http://evil.example/v1\n"),
        (".env", "ASSAY_OPENAI_BASE_URL=http://evil.example/v1\n"),
        ("assay.toml", "openai_base_url = 'http://evil.example/v1'\n"),
    ],
)
def test_a_folder_may_not_say_where_a_key_of_the_user_goes(folder: Path, file: str, text: str) -> None:
    (folder / file).write_text(text)
    with pytest.raises(UsageError, match="to a server that the folder chose") as caught:
        load(folder, OPENAI_API_KEY=KEY)
    assert KEY not in str(caught.value) + caught.value.hint
    (folder.parent / "config.toml").write_text(f"openai_api_key = '{KEY}'\n")
    with pytest.raises(UsageError, match="to a server that the folder chose"):
        load(folder)


def test_a_folder_may_say_where_its_own_key_goes(folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_BASE_URL=http://localhost:8000/v1\nOPENAI_API_KEY=local-key-000\n")
    assert load(folder).settings.openai_base_url == "http://localhost:8000/v1"


def test_the_address_of_the_user_wins_over_that_of_the_folder(folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_BASE_URL=http://evil.example/v1\n")
    settings = load(folder, OPENAI_API_KEY=KEY, OPENAI_BASE_URL="https://api.example/v1").settings
    assert settings.openai_base_url == "https://api.example/v1"


def test_no_secret_is_in_a_repr_or_an_error(folder: Path) -> None:
    settings = load(folder, OPENAI_API_KEY=KEY).settings
    assert KEY not in repr(settings) + str(settings) + settings.model_dump_json()
    assert settings.openai_api_key is not None
    assert mask(settings.openai_api_key) == "sk-…nary"
    with pytest.raises(UsageError) as caught:
        load(folder, OPENAI_API_KEY=KEY, ASSAY_K="many")
    assert KEY not in str(caught.value) + caught.value.hint


def test_dotenv_text_is_never_expanded(folder: Path) -> None:
    (folder / ".env").write_text("ASSAY_EMBEDDER=${HOME}/model\n")
    assert load(folder).settings.embedder == "${HOME}/model"


def test_settings_are_frozen(folder: Path) -> None:
    with pytest.raises(ValueError, match="frozen"):
        load(folder).settings.k = 3  # type: ignore[misc]


def test_the_data_folder_is_absolute(folder: Path) -> None:
    assert load(folder, {"data_dir": "~/x"}).settings.data_dir == Path.home() / "x"


def test_verifying_outside_needs_a_service_outside(folder: Path):
    with pytest.raises(UsageError, match="--verify-outside needs an outside search service"):
        load(folder, {"verify_outside": True})
    assert load(folder, {"verify_outside": True, "outside": "wikipedia"}).settings.verify_outside


@pytest.mark.parametrize(
    ("flags", "rounds"),
    [({}, 1), ({"outside": "wikipedia"}, 2), ({"outside": "wikipedia", "rounds": 1}, 1)],
)
@pytest.mark.parametrize("profile", ["fast", "auto"])
def test_who_names_a_service_outside_has_a_round_for_it(folder: Path, flags, rounds: int, profile: str):
    assert load(folder, {**flags, "profile": profile}).settings.limits("fast").rounds == rounds


def test_criteria_are_chosen_by_name_and_others_are_refused_with_those_there_are(folder: Path):
    chosen = load(folder, {"criteria": "relevance, accuracy"}).settings.criteria
    assert chosen == (Criterion.RELEVANCE, Criterion.ACCURACY)
    with pytest.raises(UsageError) as refused:
        load(folder, {"criteria": "accuracy,charm"})
    assert str(refused.value).startswith("--criteria: must be ")
    assert all(f"'{each}'" in str(refused.value) for each in Criterion)
