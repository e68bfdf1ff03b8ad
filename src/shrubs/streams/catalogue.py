"""The real data sets of the paper: where they come from, their checksums, and what they hold.

They are read from the directory in the environment variable ``SHRUBS_DATA`` or from the cache
directory. None of them is part of the package.
"""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from shrubs.messages import shown
from shrubs.protocols import Stream
from shrubs.streams.download import fetch_file
from shrubs.streams.files import open_stream
from shrubs.streams.one_hot import OneHotStream
from shrubs.streams.relabelled import RelabelledStream

__all__ = [
    "CATALOGUE",
    "DataFile",
    "Dataset",
    "available",
    "cache_directory",
    "fetch",
    "real_stream",
    "remedy",
]

MULTIFLOW = "f1eb9f068c3450233721c3beac6fb0e880e9e7d7"
PATCHES = "28d0ffebd622818b9b7b10a78e2ece45c8ffc9f8"


@dataclass(frozen=True)
class DataFile:
    """A file with all examples of a data set; without ``url`` it has to be supplied."""

    name: str
    sha256: str
    url: str | None = None


@dataclass(frozen=True)
class Dataset:
    """One data set; ``n_one_hot`` is the number of features in the paper's encoding.

    If there are several ``files``, each of them alone has all examples.
    """

    name: str
    files: tuple[DataFile, ...]
    n_examples: int
    n_features: int
    n_one_hot: int
    classes: tuple[Hashable, ...]
    source: str
    licence: str
    nominal: tuple[str, ...] = ()
    note: str = ""


GAS_SENSOR_LICENCE = (
    "UCI Gas Sensor Array Drift: CC BY 4.0, the UCI page asks for research use only"
)

_DATASETS = (
    Dataset(
        name="gas-sensor",
        files=(
            DataFile(
                "gas-sensor.csv.xz",
                "72c49b05bf37465434823dff6ff65aa494612219b66eec298a8f538dc5b85d9e",
            ),
        ),
        n_examples=13_910,
        n_features=128,
        n_one_hot=128,
        classes=(1, 2, 3, 4, 5, 6),
        source="UCI 224, batches 1 to 10, collected from public repositories",
        licence=GAS_SENSOR_LICENCE,
        note=(
            "genuine measurements in the order of the batches, but the order within batches 7 and "
            "10 is synthetic: accuracy is not comparable with the paper; the paper says 5 classes"
        ),
    ),
    Dataset(
        name="gas-sensor-8of10",
        files=(
            DataFile(
                "gas-sensor-8of10.csv.xz",
                "801dfc8bb9386ea98a89c0cb3f2d5f30e51fe78c3c52ec0335d802b215e4c5e7",
            ),
        ),
        n_examples=6_697,
        n_features=128,
        n_one_hot=128,
        classes=(1, 2, 3, 4, 5, 6),
        source=(
            "github miltongneto/Gas-Sensor-Array-Drift "
            "@3a524004dbdc2bb0663ad8c1a47a06357bfb3af2 Dataset/batch{1..6,8,9}.dat"
        ),
        licence=GAS_SENSOR_LICENCE,
        note="batches 1 to 6, 8 and 9 only, in their true order",
    ),
    Dataset(
        name="weather",
        files=(
            DataFile(
                "weather.parquet",
                "bb4c15f3fb57d0b563476cb6c9bf910791271b5e64aa5a7f8efef842f6f9e318",
            ),
            DataFile(
                "weather.csv",
                "3c38f05bdc5c4cb115f122414c66976e3662c875d96d7199d9e47fc46aff150e",
                "https://raw.githubusercontent.com/scikit-multiflow/streaming-datasets/"
                f"{MULTIFLOW}/weather.csv",
            ),
        ),
        n_examples=18_159,
        n_features=8,
        n_one_hot=8,
        classes=(0, 1),
        source=f"github scikit-multiflow/streaming-datasets @{MULTIFLOW} weather.csv",
        licence="scikit-multiflow BSD-3-Clause; measurements of NOAA, public domain",
        note="days from 1949 to 1999 at Offutt air force base; rain or not",
    ),
    Dataset(
        name="nomao",
        files=(
            DataFile(
                "nomao.csv.xz",
                "b946f23d6ae85596848fc0207086064b922c72ff00a040a1b3a309ff9409aee1",
            ),
            DataFile(
                "nomao.arff.zip",
                "3e34a976d06552dd6e3d61eea8990cc7eebdcfd0adc988ece9eb6bf85c195b46",
                "https://raw.githubusercontent.com/hmgomes/StreamingRandomPatches/"
                f"{PATCHES}/datasets/nomao.arff.zip",
            ),
        ),
        n_examples=34_465,
        n_features=118,
        n_one_hot=174,
        classes=(1, 2),
        source=f"github hmgomes/StreamingRandomPatches @{PATCHES} datasets/nomao.arff.zip",
        licence="UCI Nomao: CC BY 4.0",
        # Two of every eight columns up to V88, then every fourth.
        nominal=(
            *(f"V{i + j}" for i in range(7, 88, 8) for j in (0, 1)),
            *(f"V{i}" for i in range(92, 117, 4)),
        ),
    ),
    Dataset(
        name="elec",
        files=(
            DataFile(
                "elec.parquet",
                "795d6f43f501bd7879d51976481754397b367651af85b7de644ad89648e99117",
            ),
            DataFile(
                "elec.arff.zip",
                "69ee1d288922390a85a71e6c2d9fd0ffdfcff8f11be80a8e4edbddbc9e505e69",
                "https://raw.githubusercontent.com/hmgomes/StreamingRandomPatches/"
                f"{PATCHES}/datasets/elecNormNew.arff.zip",
            ),
        ),
        n_examples=45_312,
        n_features=8,
        n_one_hot=14,
        classes=("DOWN", "UP"),
        source=f"github hmgomes/StreamingRandomPatches @{PATCHES} datasets/elecNormNew.arff.zip",
        licence="freely distributed with MOA, no explicit licence of the data",
        nominal=("day",),
        note="half-hours from 7 May 1996 to 5 December 1998 in New South Wales; price up or down",
    ),
    Dataset(
        name="airlines",
        files=(
            DataFile(
                "airlines.csv.xz",
                "cab03822fe07791538d15241f616f9260e02951db6531e4f0af39de5ef5d8bea",
            ),
        ),
        n_examples=539_383,
        n_features=7,
        n_one_hot=614,
        classes=(0, 1),
        source=(
            "github TechyNilesh/samlb @81345cbc2e9a9748831eda331b1659310bac4aeb "
            "samlb/datasets/classification/new_airlines.npz, order rebuilt"
        ),
        licence="samlb MIT; statistics of the US Department of Transportation, public domain",
        nominal=("Airline", "AirportFrom", "AirportTo", "DayOfWeek"),
        note="the order is rebuilt from date, time, airline and flight; 34 rows are approximate",
    ),
    Dataset(
        name="covtype",
        files=(
            DataFile(
                "covtype.parquet",
                "d2a4cd71440ffbb89b4495f5cfbe56f3a0bcfd02801127a345cf5efb2a436eb7",
            ),
            DataFile(
                "covtype.csv",
                "ea35ca6820fcbe0bdc6707e9ed31e11a9de84f07d88da73b511c737383c271a6",
                "https://raw.githubusercontent.com/scikit-multiflow/streaming-datasets/"
                f"{MULTIFLOW}/covtype.csv",
            ),
        ),
        n_examples=581_012,
        n_features=54,
        n_one_hot=98,
        classes=(1, 2, 3, 4, 5, 6, 7),
        source=f"github scikit-multiflow/streaming-datasets @{MULTIFLOW} covtype.csv",
        licence="UCI Covertype: CC BY 4.0, Jock A. Blackard and Colorado State University",
        nominal=(
            *(f"Wilderness_Area{i}" for i in range(1, 5)),
            *(f"Soil_Type{i}" for i in range(1, 41)),
        ),
        note="raw integers; the paper scaled the ten numeric features to [0, 1]",
    ),
)

CATALOGUE: dict[str, Dataset] = {dataset.name: dataset for dataset in _DATASETS}
"""Every real data set by its name."""


def real_stream(name: str, *, one_hot: bool = False) -> Stream:
    """Opens a real data set of the paper as a stream.

    ``one_hot=True`` gives the paper's encoding, in which every category is a feature of its own.

    >>> real_stream("elecc")
    Traceback (most recent call last):
    ValueError: unknown stream 'elecc'; did you mean 'elec'? the real ones are gas-sensor,
    gas-sensor-8of10, weather, nomao, elec, airlines, covtype
    """
    dataset = _dataset(name)
    found = _find(dataset)
    if found is None:
        raise FileNotFoundError(_what_to_do(dataset))
    path, file = found
    _verify(path, file)
    stream: Stream = open_stream(path, nominal=dataset.nominal, task="classes")
    if stream.schema.classes != dataset.classes:
        stream = RelabelledStream(stream, dataset.classes)
    return OneHotStream(stream) if one_hot else stream


def available() -> tuple[str, ...]:
    """Gives the names of the data sets that ``real_stream`` finds on this machine."""
    return tuple(name for name, dataset in CATALOGUE.items() if _find(dataset) is not None)


def remedy(name: str) -> str | None:
    """What to do to have a data set on this machine; None if it is here."""
    dataset = _dataset(name)
    if _find(dataset) is not None:
        return None
    if any(file.url for file in dataset.files):
        return f"shrubs fetch {name}"
    return f"put {dataset.files[0].name} into the SHRUBS_DATA directory"


def fetch(name: str) -> Path:
    """Downloads a data set into the cache directory, if it has a public address."""
    dataset = _dataset(name)
    for file in dataset.files:
        if file.url is not None:
            return fetch_file(file.url, cache_directory() / file.name, sha256=file.sha256)
    raise ValueError(f"{name} has no public address with a known checksum; {_supply(dataset)}")


def cache_directory() -> Path:
    """Gives the directory for downloaded files: ``shrubs`` in the user's cache."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root, "shrubs")


def _dataset(name: str) -> Dataset:
    dataset = CATALOGUE.get(name)
    if dataset is None:
        near = difflib.get_close_matches(name, CATALOGUE, n=1)
        question = f" did you mean {shown(near[0])}?" if near else ""
        known = ", ".join(CATALOGUE)
        raise ValueError(f"unknown stream {shown(name)};{question} the real ones are {known}")
    return dataset


def _directories() -> list[Path]:
    data = os.environ.get("SHRUBS_DATA")
    if not data:
        return [cache_directory()]
    if not Path(data).is_dir():
        raise NotADirectoryError(f"SHRUBS_DATA must be a directory, got {shown(data)}")
    return [Path(data), cache_directory()]


def _find(dataset: Dataset) -> tuple[Path, DataFile] | None:
    for directory in _directories():
        for file in dataset.files:
            if (directory / file.name).is_file():
                return directory / file.name, file
    return None


def _verify(path: Path, file: DataFile) -> None:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != file.sha256:
        raise ValueError(
            f"{path} is not the file of the catalogue: its sha256 is {digest}, not {file.sha256}"
        )


def _supply(dataset: Dataset) -> str:
    name = dataset.files[0].name
    return f"put {name} into the directory in SHRUBS_DATA or into {cache_directory()}"


def _what_to_do(dataset: Dataset) -> str:
    state = "" if os.environ.get("SHRUBS_DATA") else " (SHRUBS_DATA is not set)"
    line = f"the data of {dataset.name} are not on this machine; {_supply(dataset)}{state}"
    if any(file.url for file in dataset.files):
        line += f", or download them: shrubs fetch {dataset.name}"
    return line
