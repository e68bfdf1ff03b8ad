"""Maps names to learners and streams; the only file that knows them all."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from shrubs import learners, streams
from shrubs.adapters.moa_jvm import has_java
from shrubs.experiments._fields import suggest
from shrubs.messages import shown
from shrubs.protocols import BlockLearner, Learner, Schema, Stream
from shrubs.streams.catalogue import remedy

if TYPE_CHECKING:
    from shrubs.streams import PaperStream
    from shrubs.streams.files import Task

__all__ = [
    "LEARNERS",
    "STREAMS",
    "LearnerEntry",
    "StreamEntry",
    "check_learner",
    "find_learner",
    "find_stream",
    "is_file",
    "is_import_path",
    "make_learner",
    "make_stream",
]


@dataclass(frozen=True)
class LearnerEntry:
    """A learner by name: its label in tables, what it is, and how to make one.

    ``needs`` is the module without which it cannot run, ``extra`` the extra that brings it.
    ``in_default_race`` is for the few that race when nobody chooses; the others are slow, large or
    many. With ``asks_classes``, ``make`` is told how many classes the stream has, ``n_classes``.
    """

    name: str
    label: str
    about: str
    make: Callable[..., Any]
    regression: bool = False
    needs: str | None = None
    extra: str | None = None
    in_default_race: bool = False
    needs_java: bool = False
    classification: bool = True
    asks_classes: bool = False

    @property
    def tasks(self) -> str:
        """What it learns, in words."""
        named = {"classes": self.classification, "targets": self.regression}
        return ", ".join(name for name, can in named.items() if can)

    @property
    def is_installed(self) -> bool:
        """Whether everything it needs is there."""
        return self.remedy is None

    @property
    def remedy(self) -> str | None:
        """What to do so that it can run; None if nothing."""
        if self.needs is not None and importlib.util.find_spec(self.needs) is None:
            return f"pip install 'shrubs[{self.extra}]'"
        if self.needs_java and not has_java():
            return "install Java 11 or newer, or set JAVA_HOME"
        return None


@dataclass(frozen=True)
class StreamEntry:
    """A stream by name: what it is, and how to make one of a given length and seed.

    ``remedy`` says what to do to have its data on this machine; None if nothing.
    """

    name: str
    about: str
    make: Callable[..., Stream]
    remedy: Callable[[], str | None] = lambda: None
    n_examples: int | None = None


def _own(classifier: Any, regressor: Any = None) -> Callable[..., Any]:
    """Makes a learner of ours, and has it check its parameters before a stream is opened."""

    def make(*, regression: bool, **options: Any) -> Any:
        learner = (regressor if regression else classifier)(**options)
        learner.plan(n_features=1)
        return learner

    return make


def _by_rho(
    *, regression: bool, n_classes: int, seed: int, rho: float = 0.5, max_shrubs: int = 16,
    **options: Any,
) -> Any:  # fmt: skip
    """The paper's ensemble with the step size that its published scripts compute from ``rho``."""
    if not 0 < rho < 1:
        raise ValueError(f"rho must be above 0 and below 1, got {shown(rho)}")
    step_size = 1 / (max_shrubs + max_shrubs * (2 - rho) / (rho * n_classes))
    make = _own(learners.PaperShrubClassifier)
    return make(regression=False, seed=seed, max_shrubs=max_shrubs, step_size=step_size, **options)


def _no_change(*, regression: bool, seed: int) -> Any:
    return learners.NoChange()


def _majority_class(*, regression: bool, seed: int) -> Any:
    return learners.MajorityClass()


def _peer(library: str, name: str, label: str, about: str, *, regression: bool) -> LearnerEntry:
    """A learner of River or scikit-learn; its library is imported when it is made."""

    def make(**options: Any) -> Any:
        adapter = importlib.import_module(f"shrubs.adapters.{library}_peers")
        return getattr(adapter, name.replace("-", "_"))(**options)

    shown = {"river": "River", "sklearn": "sklearn"}[library]
    return LearnerEntry(
        f"{library}:{name}", f"{label} ({shown})", about, make, regression, library, library
    )


def _soft_trees(*, regression: bool, **options: Any) -> Any:
    from shrubs.learners.soft_tree_ensemble import SoftTreeEnsemble

    return SoftTreeEnsemble(**options)


_PEERS = (
    LearnerEntry("soft-trees", "SDT", "soft decision trees, by gradient steps on the window",
                 _soft_trees, needs="torch", extra="torch"),
    _peer("sklearn", "sgd", "SGD", "scikit-learn's linear model, gradient descent",
          regression=True),
    _peer("sklearn", "gaussian-nb", "NB", "scikit-learn's Gaussian naive Bayes", regression=False),
    _peer("sklearn", "mlp", "MLP", "scikit-learn's neural network, one hidden layer",
          regression=True),
    _peer("river", "gaussian-nb", "NB", "River's Gaussian naive Bayes", regression=False),
    _peer("river", "hoeffding-adaptive-tree", "HAT", "River's Hoeffding adaptive tree",
          regression=True),
    _peer("river", "efdt", "EFDT", "River's extremely fast decision tree", regression=False),
    _peer("river", "streaming-random-patches", "SRP", "River's streaming random patches, 10 trees",
          regression=True),
    _peer("river", "bagging", "Bag", "River's online bagging of 10 Hoeffding trees",
          regression=True),
    _peer("river", "boosting", "AdaBoost", "River's online AdaBoost of 10 Hoeffding trees",
          regression=False),
    _peer("river", "bole", "BOLE", "River's boosting that trains the worst of 10 trees first",
          regression=False),
    _peer("river", "aggregated-mondrian-forest", "AMF",
          "River's aggregated Mondrian forest of 10 trees", regression=True),
)  # fmt: skip


def _river(name: str) -> Callable[..., Any]:
    def make(**options: Any) -> Any:
        from shrubs.adapters import river_peers

        return getattr(river_peers, name)(**options)

    return make


def _river_entry(
    name: str, label: str, about: str, make: str, *, in_default_race: bool = False
) -> LearnerEntry:
    return LearnerEntry(
        name,
        label,
        about,
        _river(make),
        regression=True,
        needs="river",
        extra="river",
        in_default_race=in_default_race,
    )


_MOA = {
    "naive-bayes": ("NB", "MOA's naive Bayes"),
    "hoeffding-tree": ("HT", "MOA's Hoeffding tree"),
    "efdt": ("HTT", "MOA's extremely fast decision tree"),
    "streaming-random-patches": ("SRP", "MOA's streaming random patches, 100 trees"),
    "adaptive-random-forest": ("ARF", "MOA's adaptive random forest of 100 trees"),
    "oza-bag": ("Bag", "MOA's online bagging of 10 Hoeffding trees"),
    "online-smooth-boost": ("SB", "MOA's online smooth boosting of 10 Hoeffding trees"),
    "sgbt": ("SGBT", "MOA's streaming gradient boosted trees, 100 rounds"),
}
_MOA_TARGETS = {
    "soknl": ("SOKNL", "MOA's self-optimising k-nearest leaves, 100 trees"),
    "sgbr": ("SGBR", "MOA's streaming gradient boosted regression, 10 rounds of 10 trees"),
}


def _moa(name: str) -> Callable[..., Any]:
    def make(*, regression: bool, seed: int, **options: Any) -> Any:
        from shrubs.adapters import moa_peers

        for_targets = f"{name}_regressor" if regression else name
        return getattr(moa_peers, for_targets, getattr(moa_peers, name))(seed=seed, **options)

    return make


def _capymoa_shrubs(*, regression: bool, seed: int, **options: Any) -> Any:
    from shrubs.adapters import capymoa_peers

    return capymoa_peers.CapyMoaShrubs(seed=seed, **options)


def _moa_entries() -> list[LearnerEntry]:
    entry = functools.partial(LearnerEntry, needs="capymoa", extra="moa", needs_java=True)
    named = [
        entry(
            f"moa:{name}",
            label,
            about,
            _moa(name.replace("-", "_")),
            regression=name in ("adaptive-random-forest", *_MOA_TARGETS),
            classification=name in _MOA,
        )
        for name, (label, about) in {**_MOA, **_MOA_TARGETS}.items()
    ]
    about = "CapyMOA's shrub ensemble, in Python"
    return [*named, entry("capymoa:shrubs", "CapySE", about, _capymoa_shrubs)]


LEARNERS: Mapping[str, LearnerEntry] = {
    entry.name: entry
    for entry in (
        LearnerEntry("shrubs", "SE auto", "this library: shrub ensemble without tuning",
                     _own(learners.ShrubClassifier, learners.ShrubRegressor),
                     regression=True, in_default_race=True),
        LearnerEntry("shrubs-paper", "SE", "this library: the paper's shrub ensemble",
                     _own(learners.PaperShrubClassifier, learners.PaperShrubRegressor),
                     regression=True, in_default_race=True),
        LearnerEntry("shrubs-paper-rho", "SE rho", "the same, its step size by the paper's scripts",
                     _by_rho, asks_classes=True),
        LearnerEntry("windowed-tree", "WT", "one tree grown on the window",
                     _own(learners.WindowedTree), in_default_race=True),
        LearnerEntry("no-change", "NC", "predicts the last label", _no_change, regression=True,
                     in_default_race=True),
        LearnerEntry("majority-class", "MC", "predicts the most frequent class", _majority_class,
                     in_default_race=True),
        *_PEERS,
        _river_entry("river:hoeffding-tree", "HT (River)", "River's Hoeffding tree",
                     "hoeffding_tree", in_default_race=True),
        _river_entry(
            "river:adaptive-random-forest",
            "ARF (River)",
            "River's adaptive random forest of 10 trees",
            "adaptive_random_forest",
            in_default_race=True,
        ),
        *_moa_entries(),
    )
}  # fmt: skip
"""Every learner by name."""


_LIBRARIES = {name.partition(":")[0] for name in LEARNERS if ":" in name}


def make_learner(
    name: str, schema: Schema, configuration: Mapping[str, Any], seed: int
) -> Learner | BlockLearner:
    """The learner of this name, or at this import path, for a stream of this schema."""
    entry = find_learner(name)
    regression = schema.classes is None
    if not (entry.regression if regression else entry.classification):
        has = "a numeric target" if regression else "classes"
        raise ValueError(f"learner {shown(name)} takes {entry.tasks}, but this stream has {has}")
    if entry.remedy is not None:
        raise ValueError(f"learner {shown(name)} is not installed: {entry.remedy}")
    classes = {"n_classes": schema.n_classes} if entry.asks_classes else {}
    try:
        learner: Learner | BlockLearner = entry.make(
            regression=regression, seed=seed, **classes, **configuration
        )
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise ValueError(
            f"learner {shown(name)}: {_unknown_option(entry, regression, error)}"
        ) from None
    return learner


def check_learner(name: str, schema: Schema, configuration: Mapping[str, Any]) -> None:
    """Raise what would go wrong; a learner at an import path is imported, but not called."""
    if is_import_path(name):
        from shrubs.adapters.imported import check_imported

        check_imported(name, configuration)
    else:
        make_learner(name, schema, configuration, 0)


def is_import_path(name: str) -> bool:
    """Whether this means code outside of the registry, such as ``package.module:Class``.

    >>> is_import_path("sklearn.linear_model:Perceptron"), is_import_path("sklearn:sgd")
    (True, False)
    """
    library, colon, _ = name.partition(":")
    return bool(colon) and library not in _LIBRARIES


def find_learner(name: str) -> LearnerEntry:
    """The entry of this name; an import path such as ``package.module:Class`` gets one of its own.

    >>> find_learner("sklearn.linear_model:Perceptron").label
    'Perceptron'
    """
    if not is_import_path(name):
        entry: LearnerEntry = _find("learner", name, LEARNERS)
        return entry
    library, _, path = name.partition(":")

    def make(**options: Any) -> Any:
        from shrubs.adapters.imported import imported_learner

        return imported_learner(name, **options)

    return LearnerEntry(name, path, f"{path} of {library}", make, regression=True)


def _unknown_option(entry: LearnerEntry, regression: bool, error: TypeError) -> str:
    option = str(error).rsplit("'", 2)[1]
    try:
        made = entry.make(regression=regression, seed=0)
        known = inspect.signature(type(getattr(made, "model", made)).__init__).parameters
        names = [name for name in known if name not in ("self", "seed")]
    except (TypeError, ValueError):
        names = []
    return f"unknown option {shown(option)}{suggest(option, names).rstrip(';')}"


_GENERATORS = {
    "agrawal": (streams.Agrawal, "loan applicants, one of ten rules"),
    "led": (streams.LED, "digits of a seven-segment display"),
    "random-rbf": (streams.RandomRBF, "clouds around moving centroids"),
    "sea": (streams.SEA, "two of three features matter"),
    "hyperplane": (streams.Hyperplane, "a rotating hyperplane"),
    "sine": (streams.Sine, "above or below a sine curve"),
}

_PAPER = {
    "agrawal_a": "the paper's Agrawal stream, abrupt drifts",
    "agrawal_g": "the paper's Agrawal stream, gradual drifts",
    "led_a": "the paper's LED stream, abrupt drifts",
    "led_g": "the paper's LED stream, gradual drifts",
    "rbf_f": "the paper's RBF stream, fast centroids",
    "rbf_m": "the paper's RBF stream, moderate centroids",
}

_REAL = {
    "gas-sensor": "which of six gases, by 16 drifting sensors",
    "gas-sensor-8of10": "the same, the eight batches in true order",
    "weather": "rain or none, 50 years of one station",
    "nomao": "whether two descriptions mean the same place",
    "elec": "whether the price of electricity goes up",
    "airlines": "whether a flight is late",
    "covtype": "the kind of forest, from maps",
}

_DEFAULT_LENGTH = 100_000


def _generator(kind: Any) -> Callable[..., Stream]:
    def make(n_examples: int | None, seed: int, one_hot: bool, scale_drifts: bool) -> Stream:
        made: Stream = kind(n_examples=n_examples or _DEFAULT_LENGTH, seed=seed)
        return made

    return make


def _paper(name: str) -> Callable[..., Stream]:
    def make(n_examples: int | None, seed: int, one_hot: bool, scale_drifts: bool) -> Stream:
        length = n_examples or 1_000_000
        return streams.paper_stream(
            cast("PaperStream", name),
            n_examples=length,
            seed=seed,
            one_hot=one_hot,
            scale_drifts=scale_drifts and length != 1_000_000,
        )

    return make


def _real(name: str) -> Callable[..., Stream]:
    def make(n_examples: int | None, seed: int, one_hot: bool, scale_drifts: bool) -> Stream:
        return streams.real_stream(name, one_hot=one_hot)

    return make


def _real_entry(name: str) -> StreamEntry:
    dataset = streams.CATALOGUE[name]
    return StreamEntry(name, _REAL[name], _real(name), lambda: remedy(name), dataset.n_examples)


STREAMS: Mapping[str, StreamEntry] = {
    entry.name: entry
    for entry in (
        *(StreamEntry(name, about, _paper(name), n_examples=1_000_000)
          for name, about in _PAPER.items()),
        *(_real_entry(name) for name in streams.CATALOGUE),
        *(StreamEntry(name, about, _generator(kind))
          for name, (kind, about) in _GENERATORS.items()),
    )
}  # fmt: skip
"""Every stream by name, files apart."""


def make_stream(
    name: str,
    *,
    file: str | None = None,
    n_examples: int | None = None,
    seed: int = 1,
    one_hot: bool = False,
    scale_drifts: bool = True,
    target: str | None = None,
    nominal: Iterable[str] = (),
    task: Task = "auto",
    file_format: str = "auto",
    weight: str | None = None,
) -> Stream:
    """The stream of this name, or of a file (``-`` is standard input).

    ``scale_drifts`` has a synthetic stream of the paper keep all of its drifts when it is shorter;
    without it, it is the beginning of the whole one. ``weight`` is the column that `evaluate` takes
    for the weights of the examples.
    """
    if file is None:
        return find_stream(name).make(n_examples, seed, one_hot, scale_drifts)
    if one_hot and file == "-":
        raise ValueError("one_hot needs a file that can be read twice, not standard input")
    stream = streams.open_stream(
        file, target=target, nominal=tuple(nominal), task=task, file_format=file_format
    )
    return streams.OneHotStream(stream) if one_hot else stream


def find_stream(name: str) -> StreamEntry:
    """The entry of this name."""
    entry: StreamEntry = _find("stream", name, STREAMS)
    return entry


def is_file(name: str) -> bool:
    """Whether this means a file (``-`` is standard input) rather than a stream of the registry."""
    path = Path(name)
    looks_so = path.exists() or len(path.parts) > 1 or bool(path.suffix)
    return name == "-" or (name not in STREAMS and looks_so)


def _find(kind: str, name: str, entries: Mapping[str, Any]) -> Any:
    if name in entries:
        return entries[name]
    hint = suggest(name, entries)
    raise ValueError(f"unknown {kind} {shown(name)}{hint} `shrubs {kind}s` lists all of them")
