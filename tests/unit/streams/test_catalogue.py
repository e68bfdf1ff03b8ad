from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from shrubs.streams import CATALOGUE, available, fetch, open_stream, real_stream
from shrubs.streams.catalogue import cache_directory

BESIDE_THE_REPOSITORY = Path(__file__).parents[4] / "shared" / "datasets"
DATA = Path(os.environ.get("SHRUBS_DATA") or BESIDE_THE_REPOSITORY)


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHRUBS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def dataset(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A data set that is on this machine."""
    name = str(request.param)
    if not (DATA / CATALOGUE[name].files[0].name).is_file():
        pytest.skip(f"{CATALOGUE[name].files[0].name} is not in SHRUBS_DATA")
    monkeypatch.setenv("SHRUBS_DATA", str(DATA))
    return name


def test_the_six_data_sets_of_the_paper_are_there() -> None:
    assert {"gas-sensor", "weather", "nomao", "elec", "airlines", "covtype"} <= set(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_missing_data_are_one_line_that_says_what_to_do(name: str) -> None:
    with pytest.raises(FileNotFoundError) as error:
        real_stream(name)
    message = str(error.value)
    assert "\n" not in message
    assert f"put {CATALOGUE[name].files[0].name} into the directory in SHRUBS_DATA" in message
    assert str(cache_directory()) in message


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"^unknown stream 'covtyp'; did you mean 'covtype'\? "):
        real_stream("covtyp")


def test_data_directory_must_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHRUBS_DATA", str(tmp_path / "nothing"))
    with pytest.raises(NotADirectoryError, match=r"^SHRUBS_DATA must be a directory, got "):
        available()


def test_only_data_that_are_there_are_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert available() == ()
    (tmp_path / "elec.parquet").touch()
    monkeypatch.setenv("SHRUBS_DATA", str(tmp_path))
    assert available() == ("elec",)


def test_file_in_the_cache_directory_is_found() -> None:
    cache_directory().mkdir(parents=True)
    (cache_directory() / "weather.csv").touch()
    assert available() == ("weather",)


def test_another_file_of_the_same_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elec.parquet").write_bytes(b"something else")
    monkeypatch.setenv("SHRUBS_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"elec.parquet is not the file of the catalogue: its sha"):
        real_stream("elec")


def test_data_without_an_address_cannot_be_fetched() -> None:
    with pytest.raises(ValueError, match=r"^airlines has no public .* put airlines.csv.xz into"):
        fetch("airlines")


def test_data_with_an_address_are_fetched_to_where_they_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fetched(url: str, path: Path, sha256: str) -> Path:
        assert url.startswith("https://raw.githubusercontent.com/")
        assert len(sha256) == 64
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    monkeypatch.setattr("shrubs.streams.catalogue.fetch_file", fetched)
    for name in ("weather", "nomao", "elec", "covtype"):
        assert fetch(name).parent == cache_directory()
    assert available() == ("weather", "nomao", "elec", "covtype")


@pytest.mark.parametrize("dataset", CATALOGUE, indirect=True)
def test_real_data_are_what_the_catalogue_says(dataset: str) -> None:
    facts = CATALOGUE[dataset]
    stream = real_stream(dataset)
    assert stream.name == dataset
    assert stream.n_examples == facts.n_examples
    assert stream.schema.classes == facts.classes
    assert stream.schema.n_features == facts.n_features
    names = [stream.schema.features[i].name for i in stream.schema.nominal_features]
    assert names == list(facts.nominal)


@pytest.mark.parametrize(
    ("dataset", "d"),
    [
        ("gas-sensor", 128),
        ("weather", 8),
        ("nomao", 174),
        ("elec", 14),
        ("airlines", 614),
        ("covtype", 98),
    ],
    indirect=["dataset"],
)
def test_one_hot_encoding_has_the_width_of_the_paper(dataset: str, d: int) -> None:
    stream = real_stream(dataset, one_hot=True)
    assert stream.schema.n_features == CATALOGUE[dataset].n_one_hot == d
    X = next(stream.blocks(100)).X
    assert X.shape == (100, d)
    # Each nominal feature has exactly one indicator.
    indicators = [i for i, f in enumerate(stream.schema.features) if "=" in f.name]
    np.testing.assert_array_equal(X[:, indicators].sum(axis=1), len(CATALOGUE[dataset].nominal))


@pytest.mark.parametrize("dataset", ["elec", "airlines", "weather"], indirect=True)
def test_every_example_is_read(dataset: str) -> None:
    stream = real_stream(dataset)
    counts = np.zeros(stream.schema.n_classes, dtype=np.int64)
    for block in stream.blocks(4096):
        assert np.isfinite(block.X).all()
        counts += np.bincount(block.y, minlength=len(counts))
    # The counts of the manifest of the data.
    expected = {"elec": [26075, 19237], "airlines": [299119, 240264], "weather": [12461, 5698]}
    assert counts.tolist() == expected[dataset]


@pytest.mark.parametrize("dataset", ["elec"], indirect=True)
def test_first_example_of_elec_is_the_published_one(dataset: str) -> None:
    stream = real_stream(dataset)
    block = next(stream.blocks(1))
    # 0, 2 (the second category), 0, 0.056443, 0.439155, 0.003467, 0.422915, 0.414912, UP
    expected = [0, 1, 0, 0.056443, 0.439155, 0.003467, 0.422915, 0.414912]
    np.testing.assert_array_equal(block.X[0], np.array(expected, dtype=np.float32))
    assert stream.schema.classes is not None
    assert stream.schema.classes[block.y[0]] == "UP"


@pytest.mark.parametrize("dataset", ["elec"], indirect=True)
def test_real_data_open_without_the_catalogue_too(dataset: str) -> None:
    stream = open_stream(DATA / CATALOGUE[dataset].files[0].name)
    assert stream.schema == real_stream(dataset).schema
