"""What learns from streams, one learner per file."""

from shrubs.learners._engine.admission import MemoryFullWarning
from shrubs.learners._engine.frozen import FrozenEnsembleWarning
from shrubs.learners._memory import GivenUp, MemoryReport
from shrubs.learners.baselines import MajorityClass, NoChange
from shrubs.learners.contract import Contract
from shrubs.learners.drift import Concept, Drift
from shrubs.learners.loading import SavedLearner, from_bytes, load, read_contract
from shrubs.learners.paper_shrub_classifier import PaperShrubClassifier
from shrubs.learners.paper_shrub_regressor import PaperShrubRegressor
from shrubs.learners.shrub import Leaf, Shrub, Split, Vote
from shrubs.learners.shrub_classifier import ShrubClassifier
from shrubs.learners.shrub_regressor import ShrubRegressor
from shrubs.learners.snapshot import Snapshot
from shrubs.learners.windowed_tree import WindowedTree

__all__ = [
    "Concept",
    "Contract",
    "Drift",
    "FrozenEnsembleWarning",
    "GivenUp",
    "Leaf",
    "MajorityClass",
    "MemoryFullWarning",
    "MemoryReport",
    "NoChange",
    "PaperShrubClassifier",
    "PaperShrubRegressor",
    "SavedLearner",
    "Shrub",
    "ShrubClassifier",
    "ShrubRegressor",
    "Snapshot",
    "Split",
    "Vote",
    "WindowedTree",
    "from_bytes",
    "load",
    "read_contract",
]
