"""Follows a stream: each row is predicted when it comes, and learned if it has a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shrubs.interrupts import Stop
from shrubs.live.keeper import Keeper
from shrubs.live.model import Model
from shrubs.live.output import StoppedError
from shrubs.live.records import Records, csv_line, json_line
from shrubs.messages import shown

__all__ = ["Answers", "Followed", "follow"]

PREDICTION = "prediction"


@dataclass
class Followed:
    """What was done."""

    rows: int = 0
    learned: int = 0
    skipped: int = 0
    last_problem: str = ""


class Answers:
    """Predictions as lines, with columns of their rows beside them."""

    def __init__(self, file_format: str, beside: Sequence[str], *, probabilities: bool) -> None:
        if PREDICTION in beside:
            raise ValueError(f"a column called {PREDICTION!r} cannot be beside the prediction")
        if probabilities and file_format == "csv":
            raise ValueError("probabilities need JSON Lines, not CSV")
        self._is_csv = file_format == "csv"
        self._beside = beside
        self._probabilities = probabilities

    @property
    def header(self) -> str:
        """What comes before the first line."""
        return csv_line([*self._beside, PREDICTION]) if self._is_csv else ""

    def line(self, model: Model, values: Mapping[str, Any], row: Mapping[str, Any]) -> str:
        """The line for a row; ``values`` are those of its line as they came."""
        for name in self._beside:
            if name not in values:
                raise ValueError(
                    f"the row has no column {shown(name)} to put beside the prediction"
                )
        answer: dict[str, Any] = {name: values[name] for name in self._beside}
        answer[PREDICTION] = model.predict(row)
        if self._probabilities:
            found = model.probabilities(row).items()
            answer["probabilities"] = {str(label): share for label, share in found}
        return csv_line(list(answer.values())) if self._is_csv else json_line(answer)


def follow(
    records: Records,
    keeper: Keeper,
    begin: Callable[[Mapping[str, Any]], Model],
    *,
    answers: Answers,
    write: Callable[[str], None],
    stop: Stop,
    skip_bad: bool = False,
) -> Followed:
    """Predict, answer, learn, row by row, up to the end or until it is asked to stop.

    A row is answered before it is learned, and counts as done after that. One that is refused is
    neither answered nor learned. The caller saves at the end, whatever happens.

    Args:
        records: the rows.
        keeper: the model, and when to save it.
        begin: makes the model of the first row, if there is none.
        answers: what to answer.
        write: takes an answer; raises StoppedError if it did not take all of it in time.
        stop: says when to stop.
        skip_bad: whether to pass over what is refused; otherwise it raises ValueError.
    """
    done = Followed()
    write(answers.header)
    for record in records:
        if stop.asked:
            break
        if record is None:
            keeper.look()
            continue
        try:
            with records.placed(record):
                model = keeper.model or begin(records.typed(record, None))
                row = records.typed(record, model)
                model.check(row)
                answer = answers.line(model, record.values, row)
                write(answer)
                done.learned += model.learn(row)
            keeper.model = model
        except StoppedError:
            break
        except ValueError as error:
            if not skip_bad:
                raise
            done.skipped += 1
            done.last_problem = str(error)
        done.rows += 1
        records.accept()
        keeper.count()
    return done
