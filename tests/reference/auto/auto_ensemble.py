"""The shrub ensemble that needs no tuning: what happens with every example."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

from tests.reference.class_numbers import ClassNumbers, renumbered
from tests.reference.exponential import softmax
from tests.reference.impurity import Gini, Impurity, Variance
from tests.reference.random_numbers import Random
from tests.reference.shrub import Shrub
from tests.reference.single_precision import to_features, to_single
from tests.reference.split import Split, SplitOptions
from tests.reference.target_scale import TargetScale
from tests.reference.window import Example, Window

from .drifts import LOOK_EVERY, Drifts
from .feature_scale import FeatureScale
from .growing_shrub import GrowingShrub, Limits, Rows
from .layout import Group, Layout
from .leaves import AveragingLeaf, CountingLeaf
from .linear_model import LinearModel
from .mixtures import Mixtures, running_sum, squared_loss
from .naive_bayes import FORGETTING, NaiveBayes
from .neighbours import Neighbours, n_compared
from .quick_math import clamp
from .recalled import changes, kept_finite, recalled
from .running_target import RunningTarget
from .sampled_split import SampledSplitFinder, are_many
from .score_quantiles import ScoreQuantiles, class_score
from .transitions import Transitions
from .trend import Trend

AnyLeaf: TypeAlias = CountingLeaf | AveragingLeaf

_SHRUBS_PER_PLACE = 2
_REACTIVE_PER_WINDOW = 16
_LIGHT_REACTIVE = 0.05
_MOST_FAVOURITES = 16
_LEAST_MERIT = 0.09375
_SLOWER_IF_LIGHT = 8
_GROWING_RATE = 80
_TARGET_GROWING_RATE = 160
_GROWING_BOUND = 3
_GROWING_SHARE = 16
_MOST_GROUPS = 28
_SHRUB_FORGETTING = 0.995
# Of a prediction or an error of a regression, in deviations of the targets.
_MOST_DEVIATIONS = 10.0
_LARGEST_ERROR = 3.0
_LARGEST_SINGLE = (2.0 - 2.0**-23) * 2.0**127


@dataclass
class Sown:
    """A shrub that grows: for which group and place, since when, and the age of its oldest example.

    Of those that recall, two examples before that one are needed.
    """

    group: int
    place: int
    born: int
    age: int
    n_before: int
    growing: GrowingShrub[AnyLeaf]


class AutoEnsembleReference:
    """Shrubs grown on windows of all lengths, weighed by what they said on later examples.

    nominal: per feature. n_classes: None for a regression. Experts are the shrubs, place by place,
    then the companions: the naive Bayes classifiers, the linear model and the nearest neighbours,
    and those that know the last outcomes alone: no change, and what follows, or the trend. `shrubs`
    has None at free places.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        nominal: Sequence[bool],
        n_classes: int | None,
        seed: int = 0,
        label_delay: int = 0,
    ) -> None:
        self._layout = layout
        self._nominal = list(nominal)
        self._n_classes = n_classes
        self._width = 1 if n_classes is None else n_classes
        self._seed = seed
        self._n_learned = 0
        self.surprised = False  # by the last label, or its target was above the prediction
        self._window: Window[float] = Window(layout.window_size)
        n_places = sum(group.n_places for group in layout.groups)
        self.shrubs: list[Shrub[AnyLeaf] | None] = [None] * n_places
        self.born = [0] * n_places
        self._losses = [0.0] * n_places
        self._loss = 0.0  # of the ensemble
        self._since_grown = [0] * len(layout.groups)
        self._n_visited = 0  # values that growing has visited with the example at hand
        self._beds: dict[int, Sown] = {}  # by the length of the window
        self._merits = [0.0] * len(self._nominal)  # what splits told of examples not chosen by
        self._scale = FeatureScale(nominal)
        self._running_target = RunningTarget()
        self._bayes = [
            NaiveBayes(len(self._nominal), self._width, layout.n_buckets, forgetting)
            for forgetting in FORGETTING[: layout.n_bayes]
        ]
        self._linear = LinearModel(len(self._nominal), self._width, layout.n_buckets)
        n_neighbours = layout.n_neighbours
        self._neighbours = Neighbours(len(self._nominal), self._width, n_neighbours)
        self._transitions = [
            Transitions(1 + i, self._width, layout.n_contexts) for i in range(layout.n_transitions)
        ]
        self._trend = Trend()
        self._score_quantiles = ScoreQuantiles()
        self._label_delay = label_delay
        self._lag = 0  # outcomes that were not known when the example at hand was predicted
        n_plain = n_places + layout.n_bayes + layout.has_linear + (layout.n_neighbours > 0)
        n_experts = n_plain
        if layout.recalls:
            n_experts += 1 + (1 if n_classes is None else layout.n_transitions)
        self._mixtures = Mixtures(self._ranges(n_plain, n_experts))
        self.drifts = Drifts(layout.n_drifts, len(self._nominal))
        self._predictions = [[0.0] * self._width for _ in range(n_experts)]

    def _ranges(self, n_plain: int, n_experts: int) -> list[range]:
        """All experts; if some recall, also those that do not, and the companions that do."""
        if not self._layout.recalls or self._layout.is_small:
            return [range(n_experts)]
        n_recalling = sum(group.n_places for group in self._layout.groups if group.recalls)
        return [range(n_experts), range(n_recalling, n_plain), range(n_plain, n_experts)]

    # -- predicting ------------------------------------------------------------------------------

    def predict(self, x: list[float]) -> list[float]:
        """Return the probability of each class, or the target alone; x: (n_features,)."""
        if self._n_learned == 0 or not self._present():
            uniform = 0.0 if self._n_classes is None else 1.0 / float(self._width)
            return [uniform] * self._width
        return self._restored(self._evaluate(to_features(x)))

    def _restored(self, output: list[float]) -> list[float]:
        """What was mixed as a prediction."""
        if self._n_classes is None:
            return [self._running_target.bounded(self._running_target.restore(output[0]))]
        # The experts speak in single precision: what they say sums to one up to that.
        total = running_sum(output)
        return [share / total for share in output]

    def bound(self, coverage: float) -> float:
        """Return what so large a share of the scores does not exceed."""
        return self._score_quantiles.at(coverage)

    def weights(self) -> list[float]:
        """Return the weight of every expert in the prediction; 0 at free places."""
        present = self._present()
        shares = self._mixtures.weights_of(present)
        total = running_sum(shares)
        weights = [0.0] * len(self._predictions)
        for i, share in zip(present, shares, strict=True):
            weights[i] = share / total if total > 0.0 else 0.0
        return weights

    def _present(self) -> list[int]:
        """The experts that take part: all but free places."""
        grown = [place for place, shrub in enumerate(self.shrubs) if shrub is not None]
        return [*grown, *range(len(self.shrubs), len(self._predictions))]

    def _evaluate(self, x: list[float]) -> list[float]:
        """Ask all experts, and mix what they say."""
        self._ask_companions(x)
        extended = self._extended(x)
        for place, shrub in enumerate(self.shrubs):
            if shrub is not None:
                self._predictions[place] = self._said_by(place, shrub.predict(extended))
        return self._mixtures.mix(self._predictions, self._present(), self._width)

    def _ask_companions(self, x: list[float]) -> None:
        companions = [bayes.predict(x, self._scale) for bayes in self._bayes]
        if self._layout.has_linear:
            companions.append(self._said_by_linear(x))
        if self._layout.n_neighbours > 0:
            companions.append(self._neighbours.predict(x, self._scale, self._lag))
        if self._layout.recalls:
            companions += self._recall()
        self._predictions[len(self.shrubs) :] = companions

    def _said_by_linear(self, x: list[float]) -> list[float]:
        scores = self._linear.score(x, self._scale)
        if self._n_classes is None:
            scores = [clamp(scores[0], -_MOST_DEVIATIONS, _MOST_DEVIATIONS)]
        else:
            scores = softmax(scores)
        return [to_single(score) for score in scores]

    def _recall(self) -> list[list[float]]:
        """What the companions say that know the last outcomes alone."""
        if self._n_classes is None:
            last = self._last_targets()
            said = [last[0] if last else 0.0, self._trend.predict(last)]
            return [[to_single(clamp(z, -_MOST_DEVIATIONS, _MOST_DEVIATIONS))] for z in said]
        labels = self._last_labels()
        same = [1.0 if c == labels[0] else 0.0 for c in range(self._width)] if labels else None
        uniform = [to_single(1.0 / float(self._width))] * self._width
        return [same or uniform, *(table.predict(labels) for table in self._transitions)]

    def _known(self) -> list[float]:
        """What was known before the example at hand; less than usual if that is nothing of use."""
        y = self._window.y[: len(self._window.y) - self._lag]
        n_usual = len(self._window.y) - self._label_delay
        return y[-n_usual:] if n_usual > 0 else []

    def _last_labels(self) -> list[int]:
        return [int(y) for y in self._known()[:-4:-1]]

    def _last_targets(self) -> list[float]:
        """In deviations."""
        return [self._running_target.standardise(y) for y in self._known()[:-4:-1]]

    def _last_target(self) -> float:
        return self._known()[-1] if self._known() else 0.0

    def _extended(self, x: list[float]) -> list[float]:
        """The features of the next example and what came before it."""
        y, down = self._known(), self._running_target.down
        return [*x, *recalled(y, len(y), self._n_classes, down)]

    def _said_by(self, place: int, leaf: AnyLeaf) -> list[float]:
        if isinstance(leaf, CountingLeaf):
            return leaf.predict()
        said = self.target_of(place, leaf)
        if self.leans(place):
            said = kept_finite(self._leaned_on() + said)
        z = self._running_target.standardise(said)
        return [to_single(clamp(z, -_MOST_DEVIATIONS, _MOST_DEVIATIONS))]

    def leans(self, place: int) -> bool:
        """Tell whether a shrub says what is to be added to the linear model: every second does."""
        can = self._n_classes is None and self._layout.has_linear and not self._recalls(place)
        return can and place % 2 == 1

    def _leaned_on(self) -> float:
        """The target that the linear model, the first companion of a regression, has said."""
        return self._running_target.restore(self._predictions[len(self.shrubs)][0])

    def target_of(self, place: int, leaf: AveragingLeaf) -> float:
        """Return the target that a leaf predicts now: a shrub that recalls says how it changes."""
        if not self._recalls(place):
            return leaf.mean
        return kept_finite(self._last_target() + leaf.mean)

    def _recalls(self, place: int) -> bool:
        recalling = [group.recalls for group in self._layout.groups for _ in range(group.n_places)]
        return recalling[place]

    # -- learning --------------------------------------------------------------------------------

    def learn(self, x: list[float], y: float, *, is_first: bool = False) -> None:
        """Learn one example; y: a class in [0, n_classes), or a target.

        Of the first example of a class nobody could know: it moves no weights, and no shrub was
        wrong.
        """
        features = to_features(x)
        self._n_visited = 0
        self._lag = self._label_delay
        output = self._evaluate(features)
        target = self._target(y, output)
        self.surprised = False
        if self._n_learned > 0 and self._present():
            self._learn_score(self._restored(output), y)
        if self._present():
            self._watch_drift(output, target)
            self._loss = _SHRUB_FORGETTING * self._loss + squared_loss(output, target)
            if not is_first:
                self._mixtures.learn(self._predictions, self._present(), target)
        self._update_shrubs(features, y, target)
        self._update_companions(features, y, target)
        self._append(Example(features, y))
        self._grow_due(y, target, is_first=is_first)
        self._mixtures.restore(self._present())
        self._look()
        self._n_learned += 1
        self._lag = 0

    def _append(self, example: Example[float]) -> None:
        """Let the oldest example go, after the shrubs that grow on it have been grown."""
        if len(self._window.y) == self._layout.window_size:
            for length, sown in sorted(self._beds.items()):
                if sown.age <= sown.n_before:
                    self._settle(sown)
                    del self._beds[length]
                sown.age -= 1
        self._window.append(example)

    def _learn_score(self, said: list[float], y: float) -> None:
        """Let it count how far a prediction was from what came."""
        if self._n_classes is not None:
            self.surprised = said.index(max(said)) != int(y)
            self._score_quantiles.learn(class_score(said, int(y)), 1.0)
            return
        self.surprised = y - said[0] > 0.0
        least = math.ldexp(1.0, -50) / self._running_target.down
        self._score_quantiles.learn(min(abs(y - said[0]), sys.float_info.max), least)

    def _target(self, y: float, output: list[float]) -> list[float]:
        """What a perfect expert would have said. An outlier counts as a smaller one."""
        if self._n_classes is not None:
            return [1.0 if c == y else 0.0 for c in range(self._n_classes)]
        z = self._running_target.standardise(y)
        return [clamp(z, output[0] - _LARGEST_ERROR, output[0] + _LARGEST_ERROR)]

    def _update_shrubs(self, x: list[float], y: float, target: list[float]) -> None:
        extended = self._extended(x)
        for place, shrub in enumerate(self.shrubs):
            if shrub is not None:
                loss = squared_loss(self._predictions[place], target)
                self._losses[place] = _SHRUB_FORGETTING * self._losses[place] + loss
                leaf = shrub.predict(extended)
                if isinstance(leaf, CountingLeaf):
                    leaf.learn(int(y))
                elif self.leans(place):
                    leaf.learn(kept_finite(y - self._leaned_on()))
                elif self._recalls(place):
                    leaf.learn(kept_finite(y - self._last_target()))
                else:
                    leaf.learn(y)

    def _update_companions(self, x: list[float], y: float, target: list[float]) -> None:
        if self._layout.has_linear:
            said = self._predictions[len(self.shrubs) + len(self._bayes)]
            errors = [p - t for p, t in zip(said, target, strict=True)]
            gradient = [clamp(error, -_LARGEST_ERROR, _LARGEST_ERROR) for error in errors]
            self._linear.learn(x, self._scale, gradient)
        for bayes in self._bayes:
            bayes.learn(x, self._scale, int(y))
        if self._layout.n_neighbours > 0:
            self._neighbours.learn(x, self._scale, int(y))
        for table in self._transitions:
            table.learn(self._last_labels(), int(y))
        self._scale.learn(x)
        if self._n_classes is None:
            self._trend.learn(self._last_targets(), target[0])
            self._running_target.learn(y)

    # -- drifts ----------------------------------------------------------------------------------

    def _watch_drift(self, output: list[float], target: list[float]) -> None:
        """Compare the ensemble with the shrubs of the longest window."""
        regression = self._n_classes is None
        past = self._mean_of_longest(recalls=False)
        if not self.drifts.remembers or past is None:
            return
        if regression:
            leaning = self._mean_of_longest(recalls=False, leaning=True)
            others = [said for said in (leaning, self._mean_of_longest(recalls=True)) if said]
            past = min([past, *others], key=lambda said: squared_loss(said, target))
        length, _ = self._past_group(recalls=False)
        number = self._n_learned + 1
        self.drifts.watch(past, output, target, number, length=length, regression=regression)

    def _past_group(self, *, recalls: bool) -> tuple[int, range]:
        """Return the longest window whose shrubs were grown after the last drift, and their places.

        It is the shortest of all if there is none, and there are none without any shrubs.
        """
        since = self.drifts.examples_since(self._n_learned)
        ends = accumulate(group.n_places for group in self._layout.groups)
        same = [
            (group.length, range(end - group.n_places, end))
            for end, group in zip(ends, self._layout.groups, strict=True)
            if not group.reactive and group.recalls == recalls
        ]
        fitting = [each for each in same[1:] if 2 * each[0] <= since]
        return [(0, range(0)), *same[:1], *fitting][-1]

    def _mean_of_longest(self, *, recalls: bool, leaning: bool = False) -> list[float] | None:
        """Return what the shrubs of the longest window say on average; None without any."""
        _, places = self._past_group(recalls=recalls)
        grown = [i for i in places if self.shrubs[i] is not None and self.leans(i) == leaning]
        if not grown:
            return None
        said = [0.0] * self._width
        for place in grown:
            said = [total + p for total, p in zip(said, self._predictions[place], strict=True)]
        return [total / float(len(grown)) for total in said]

    def _look(self) -> None:
        """Look at one shrub; those that say how a target changes tell nothing of the target."""
        place = self._n_learned % LOOK_EVERY
        if not self.drifts.remembers or place > len(self.shrubs):
            return
        if place == 0:
            self.drifts.begin_look(self._n_learned + 1)
        if place == len(self.shrubs):
            self.drifts.end_look()
            return
        shrub, (weight,) = self.shrubs[place], self._mixtures.weights_of([place])
        tells = self._n_classes is not None or not (self._recalls(place) or self.leans(place))
        if shrub is not None and tells and weight > 0.0:
            self.drifts.look.visit(shrub, weight, self._running_target.down)

    # -- forgetting ------------------------------------------------------------------------------

    def forget_feature(self, feature: int) -> None:
        """Make a feature as new; a split by it asks only whether it is there."""
        if any(x[feature] == x[feature] for x in self._window.x):
            self._finish_growing()
            self._window.forget_feature(feature)

        def forgotten(split: Split) -> Split:
            return replace(split, threshold=math.nan) if split.feature == feature else split

        self.shrubs = [shrub and shrub.map_splits(forgotten) for shrub in self.shrubs]
        self._merits[feature] = 0.0
        self._scale.forget(feature)
        for look in self.drifts.all_looks():
            look.forget_feature(feature)
        for companion in [*self._bayes, self._linear, self._neighbours]:
            companion.forget_feature(feature)

    def renumber_classes(self, now: ClassNumbers) -> None:
        """Give classes other numbers; no leaf, companion or window has an example of one that goes.

        Where a class came before others, splits and leaves that knew it ask for none.
        """
        if any(now[int(y)] != y for y in self._window.y):
            self._finish_growing()  # these shrubs need their examples as they are

        def asks(split: Split) -> Split:
            is_recalled = split.feature >= len(self._nominal)
            threshold = renumbered(split.threshold, now) if is_recalled else split.threshold
            return replace(split, threshold=threshold)

        self.shrubs = [shrub and shrub.map_splits(asks) for shrub in self.shrubs]
        for shrub in self.shrubs:
            for leaf in shrub.leaves() if shrub else ():
                assert isinstance(leaf.value, CountingLeaf)
                leaf.value.renumber_classes(now)
        self._window.renumber(lambda y: now[int(y)])
        self.drifts.renumber_classes(now)
        for companion in [*self._bayes, self._linear, self._neighbours, *self._transitions]:
            companion.renumber_classes(now)

    def _finish_growing(self) -> None:
        for length in sorted(self._beds):
            self._tend(length, math.inf)

    def window_labels(self) -> list[float]:
        """Return the labels or targets in the window, the oldest first."""
        return self._window.y

    def since_present(self) -> list[int]:
        """Return how many examples of the window came after the last value of each feature."""
        newest_first = self._window.x[::-1]
        return [
            next((n for n, x in enumerate(newest_first) if not math.isnan(x[i])), len(newest_first))
            for i in range(len(self._nominal))
        ]

    def since_class(self) -> tuple[list[int], list[int]]:
        """Return the same of each class, and how many examples of it are in the window."""
        newest_first = [int(y) for y in self._window.y[::-1]]
        assert self._n_classes is not None
        classes = range(self._n_classes)
        since = [newest_first.index(c) if c in newest_first else len(newest_first) for c in classes]
        return since, [newest_first.count(c) for c in classes]

    # -- growing ---------------------------------------------------------------------------------

    def _grow_due(self, y: float, target: list[float], *, is_first: bool) -> None:
        """Begin with the shrubs whose turn it is, and let all grow a little.

        While fewer examples are kept than a window is long, it takes all of them.
        """
        capacity = self._layout.window_size
        n = min(len(self._window.y), capacity - capacity // _GROWING_SHARE)
        first_place = 0
        for g, group in enumerate(self._layout.groups):
            # The two oldest examples have lost what came before them.
            n_usable = n - 2 - self._lag if group.recalls else n
            if n_usable > 0:
                self._since_grown[g] += 1
                outcome = None if is_first else (y, target)
                self._grow_group(g, first_place, min(group.length, n_usable), outcome)
            first_place += group.n_places
        lengths = {group.length for group in self._layout.groups if not group.reactive}
        rate = _TARGET_GROWING_RATE if self._n_classes is None else _GROWING_RATE
        n_values = min(rate * len(lengths) * (len(self._nominal) + 3), self._may_still_visit())
        for length in sorted(self._beds):
            if n_values > 0:
                n_values -= min(n_values, self._tend(length, n_values))

    def _may_still_visit(self) -> float:
        """Return how many values of the example at hand growing may visit.

        Of classes, no more than three times what the example visits whatever grows: for each class,
        weights in a mixture and in its step, and what companions know of each feature; and all
        that neighbours keep.
        """
        if self._n_classes is None or self._layout.is_small:
            return math.inf
        n_models = self._layout.n_bayes + self._layout.has_linear
        n_features = len(self._nominal)
        n_others = self._n_classes * (2 * self._mixtures.n_weights + n_models * n_features)
        n_others += self._layout.n_neighbours * n_compared(n_features)
        return max(_GROWING_BOUND * n_others - self._n_visited, 0)

    def _grow_group(
        self, g: int, first_place: int, length: int, outcome: tuple[float, list[float]] | None
    ) -> None:
        group = self._layout.groups[g]
        places = range(first_place, first_place + group.n_places)
        n_grown = _REACTIVE_PER_WINDOW if group.reactive else _SHRUBS_PER_PLACE * group.n_places
        rhythm = max(length // n_grown, 1)
        n_others = _LIGHT_REACTIVE if group.reactive else group.n_places
        if self.drifts.is_calm and self._is_light(places, n_others):
            rhythm *= _SLOWER_IF_LIGHT
        is_due = self._since_grown[g] >= rhythm
        if group.reactive:
            is_free = self.shrubs[first_place] is None
            is_wanted = is_free or (is_due and outcome and self._was_wrong(first_place, *outcome))
            if is_wanted and self._may_still_visit() > 0:
                self._settle(self._sow(g, first_place, length))
        elif is_due and group.length not in self._beds:
            place = self._worst_place(first_place, group)
            sown = self._sow(g, place, length)
            if self._layout.is_small:
                self._settle(sown)
            else:
                self._beds[group.length] = sown
                self.shrubs[place] = None

    def _is_light(self, places: range, n_others: float) -> bool:
        """Tell whether shrubs weigh less in the prediction than so many others do in the mean."""
        return self._mixtures.weight_together(places) * len(self.shrubs) < n_others

    def _tend(self, length: int, n_values: float) -> int:
        """Let the shrub of a window length grow; return how many values were visited.

        In a regression an example that is gathered counts as all of its values.
        """
        sown = self._beds[length]
        n_spent = 0
        if self._n_classes is None and sown.growing.n_to_gather > 0:
            each = len(self._nominal) + 3
            n = int(min(max(n_values // each, 1), sown.growing.n_to_gather))
            sown.growing.advance(n)
            n_spent = n * each
        if n_spent < n_values and (self._n_classes or sown.growing.n_to_gather == 0):
            before = sown.growing.n_visited
            sown.growing.advance(n_values - n_spent)
            n_spent += sown.growing.n_visited - before
        self._n_visited += n_spent
        if sown.growing.shrub is not None:
            self._settle(sown)
            del self._beds[length]
        return n_spent

    def _settle(self, sown: Sown) -> None:
        """Let it grow to its end, or make leaves of what is left, and take its place."""
        before = sown.growing.n_visited
        sown.growing.finish(self._may_still_visit())
        self._n_visited += sown.growing.n_visited - before
        self.shrubs[sown.place] = sown.growing.shrub
        self.born[sown.place] = sown.born
        if not self._layout.groups[sown.group].reactive:
            self._losses[sown.place] = self._loss

    def _was_wrong(self, place: int, y: float, target: list[float]) -> bool:
        """Tell whether a shrub missed the class, or the target by more than the ensemble does."""
        said = self._predictions[place]
        if self._n_classes is not None:
            return said.index(max(said)) != y
        return (said[0] - target[0]) ** 2 > self._loss * (1.0 - _SHRUB_FORGETTING)

    def _worst_place(self, first_place: int, group: Group) -> int:
        """Return a free place, or that of the lightest; of equals, of the largest loss."""
        places = range(first_place, first_place + group.n_places)
        for place in places:
            if self.shrubs[place] is None:
                return place
        weights = self._mixtures.weights_of(places)
        losses = [-self._losses[place] for place in places]
        return min(zip(weights, losses, places, strict=True))[2]

    def _sow(self, g: int, place: int, length: int) -> Sown:
        group = self._layout.groups[g]
        random = Random(self._seed, self._n_learned * _MOST_GROUPS + g)
        n = len(self._nominal)
        favourites = self._favourites() if are_many(n) else []
        if are_many(n) and self._layout.n_neighbours > 0:
            compared = self._by_merit()[: n_compared(n)]
            self._neighbours.compare_by(compared, self._window.x, self._scale)
        tried = [n, max(math.isqrt(n), 1), (n + 1) // 2, *([0] * 3 if favourites else [])]
        kinds = [*self._nominal, *([self._n_classes is not None] * 2 if group.recalls else [])]
        options = SplitOptions(kinds, tried[random.below(len(tried))], "random", 1)
        limits = Limits(group.max_leaves, max(2, 3 * length // (2 * group.max_leaves)))
        self._since_grown[g] = 0
        if not group.reactive or self.shrubs[place] is None:
            self._losses[place] = self._loss
            self._mixtures.forget(place)
        growing = self._growing(place, length, options, limits, random, favourites=favourites)
        n_before = 2 + self._lag if group.recalls else 0
        return Sown(g, place, self._n_learned, len(self._window.y) - length, n_before, growing)

    def _favourites(self) -> list[int]:
        """Return the features of the first four nodes of the four heaviest shrubs.

        Those of the largest merits follow, up to sixteen in all.
        """
        grown = [place for place, shrub in enumerate(self.shrubs) if shrub is not None]
        weights = self._mixtures.weights_of(grown)
        heaviest = sorted(zip(weights, grown, strict=True), key=lambda each: -each[0])[:4]
        features: dict[int, None] = {}
        for weight, place in heaviest:
            shrub = self.shrubs[place]
            nodes = shrub.to_nodes() if shrub is not None and weight > 0.0 else []
            for split in [node for node in nodes if node[0] == "split"][:4]:
                if split[1] < len(self._nominal):
                    features[split[1]] = None
        by_merit = [i for i in self._by_merit() if i not in features]
        return [*features, *by_merit][:_MOST_FAVOURITES]

    def _by_merit(self) -> list[int]:
        """Return the features whose splits told of other examples, those that told most first."""
        telling = [i for i, merit in enumerate(self._merits) if merit >= _LEAST_MERIT]
        return sorted(telling, key=lambda i: (-self._merits[i], i))

    def _growing(
        self,
        place: int,
        length: int,
        options: SplitOptions,
        limits: Limits,
        random: Random,
        *,
        favourites: Sequence[int],
    ) -> GrowingShrub[AnyLeaf]:
        y = self._window.y
        down = self._running_target.down
        x = [
            [*x, *recalled(y, row, self._n_classes, down, self._lag)]
            for row, x in enumerate(self._window.x)
        ]
        n_recalled = len(options.nominal) - len(self._nominal)
        impurity: Impurity[object]
        gather: Callable[[int], None] | None = None
        if self._n_classes is not None:
            impurity = Gini([int(label) for label in y], self._n_classes)
        else:
            told, outcomes = [0.0] * len(y), list(y)
            gather = self._tell(place, list(self._window.x), told, outcomes)
            y = outcomes
            impurity = Variance(told, TargetScale(0, 0.0))
        of_classes = self._n_classes is not None
        finder = SampledSplitFinder(
            x,
            impurity,
            options,
            random,
            n_always=n_recalled,
            of_classes=of_classes,
            favourites=favourites,
            merits=self._merits,
        )
        growing: GrowingShrub[AnyLeaf] = GrowingShrub(
            x, impurity, finder, limits, lambda rows: self._leaf(rows, y)
        )
        growing.begin(list(range(len(x) - length, len(x))), gather)
        return growing

    def _tell(
        self, place: int, x: list[list[float]], told: list[float], y: list[float]
    ) -> Callable[[int], None]:
        """Tell a shrub a target when it is gathered: from the mean, or what is left of it.

        `told` is what splits see, `y` what leaves learn.
        """
        scale, down = self._running_target.scale, self._running_target.down
        changed = changes(y, self._lag)

        def tell(row: int) -> None:
            if self._recalls(place):
                told[row] = to_single(changed[row] * down)
            elif self.leans(place):
                base = self._running_target.restore(self._said_by_linear(x[row])[0])
                left = kept_finite(y[row] - base) * down
                told[row] = to_single(clamp(left, -_LARGEST_SINGLE, _LARGEST_SINGLE))
            else:
                told[row] = to_single(scale.scale(y[row]))
                return
            y[row] = kept_finite(told[row] / down)

        return tell

    def _leaf(self, rows: Rows, y: list[float]) -> AnyLeaf:
        """Return a leaf that has learned these outcomes."""
        if self._n_classes is not None:
            labels = [int(y[row]) for row in rows]
            return CountingLeaf([labels.count(c) for c in range(self._n_classes)])
        leaf = AveragingLeaf()
        for row in rows:
            leaf.learn(y[row])
        return leaf
