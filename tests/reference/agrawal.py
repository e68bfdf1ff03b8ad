"""Loan applicants of ten kinds (Agrawal, Imielinski and Swami, 1993), as MOA generates them."""

import math
from dataclasses import dataclass, replace

from .random_numbers import Random
from .single_precision import to_single

N_EDUCATION, N_CARS, N_ZIP_CODES = 5, 20, 9


@dataclass(frozen=True)
class Applicant:
    salary: float
    commission: float
    age: int
    education: int
    car: int
    zip_code: int
    house_value: float
    years: int
    loan: float


def _is_between(low: float, value: float, high: float) -> bool:
    return low <= value <= high


def _function_1(a: Applicant) -> bool:
    return a.age < 40 or a.age >= 60


def _by_age_and_income(age: int, income: float) -> bool:
    if age < 40:
        return _is_between(50_000, income, 100_000)
    if age < 60:
        return _is_between(75_000, income, 125_000)
    return _is_between(25_000, income, 75_000)


def _function_2(a: Applicant) -> bool:
    return _by_age_and_income(a.age, a.salary)


def _function_3(a: Applicant) -> bool:
    if a.age < 40:
        return a.education in (0, 1)
    if a.age < 60:
        return a.education in (1, 2, 3)
    return a.education in (2, 3, 4)


def _function_4(a: Applicant) -> bool:
    if not _function_3(a):
        return _function_2(a)
    if a.age < 40:
        return _is_between(25_000, a.salary, 75_000)
    return _is_between(50_000, a.salary, 100_000)


def _function_5(a: Applicant) -> bool:
    usual = _function_2(a)
    if a.age < 40:
        low = 100_000 if usual else 200_000
    elif a.age < 60:
        low = 200_000 if usual else 300_000
    else:
        low = 300_000 if usual else 100_000
    return _is_between(low, a.loan, low + 200_000)


def _function_6(a: Applicant) -> bool:
    return _by_age_and_income(a.age, a.salary + a.commission)


def _function_7(a: Applicant) -> bool:
    return 2.0 * (a.salary + a.commission) / 3.0 - a.loan / 5.0 - 20_000.0 > 0.0


def _function_8(a: Applicant) -> bool:
    return 2.0 * (a.salary + a.commission) / 3.0 - 5_000.0 * a.education - 20_000.0 > 0.0


def _function_9(a: Applicant) -> bool:
    disposable = 2.0 * (a.salary + a.commission) / 3.0 - 5_000.0 * a.education - a.loan / 5.0
    return disposable - 10_000.0 > 0.0


def _function_10(a: Applicant) -> bool:
    equity = a.house_value * (a.years - 20.0) / 10.0 if a.years >= 20 else 0.0
    disposable = 2.0 * (a.salary + a.commission) / 3.0 - 5_000.0 * a.education + equity / 5.0
    return disposable - 10_000.0 > 0.0


_FUNCTIONS = (
    _function_1,
    _function_2,
    _function_3,
    _function_4,
    _function_5,
    _function_6,
    _function_7,
    _function_8,
    _function_9,
    _function_10,
)


def label_of(function: int, applicant: Applicant) -> int:
    """Return the class of an undisturbed applicant: 0 (group A) or 1 (group B)."""
    return 0 if _FUNCTIONS[function - 1](applicant) else 1


class ReferenceAgrawal:
    """Draws applicants, labels them, then disturbs their numbers by up to `perturbation`."""

    def __init__(
        self, seed: int, function: int, perturbation: float = 0.05, balance: bool = False
    ) -> None:
        self._random = Random(seed, 0)
        self._function = function
        self._perturbation = perturbation
        self._balance = balance
        self._next_class = 1

    def next(self) -> tuple[list[float], int]:
        applicant = self._draw()
        label = label_of(self._function, applicant)
        while self._balance and label != self._next_class:
            applicant = self._draw()
            label = label_of(self._function, applicant)
        self._next_class = 1 - label
        if self._perturbation > 0.0:
            applicant = self._disturb(applicant)
        a = applicant
        x = [a.salary, a.commission, a.age, a.education, a.car, a.zip_code]
        x += [a.house_value, a.years, a.loan]
        return [to_single(float(value)) for value in x], label

    def _draw(self) -> Applicant:
        random = self._random
        salary = 20_000.0 + 130_000.0 * random.uniform()
        commission = 10_000.0 + 65_000.0 * random.uniform()  # drawn even if there is none
        age = 20 + random.below(61)
        education = random.below(N_EDUCATION)
        car = random.below(N_CARS)
        zip_code = random.below(N_ZIP_CODES)
        house_value = (9.0 - zip_code) * 100_000.0 * (0.5 + random.uniform())
        years = 1 + random.below(30)
        loan = 500_000.0 * random.uniform()
        if salary >= 75_000.0:
            commission = 0.0
        return Applicant(
            salary, commission, age, education, car, zip_code, house_value, years, loan
        )

    def _disturb(self, a: Applicant) -> Applicant:
        salary = self._moved(a.salary, 20_000.0, 150_000.0)
        commission = self._moved(a.commission, 10_000.0, 75_000.0)
        age = self._moved(float(a.age), 20.0, 80.0)
        # As in MOA, the house value is cut to the range of the cheapest house.
        span = (9.0 - a.zip_code) * 100_000.0
        house_value = self._moved(a.house_value, 0.0, 135_000.0, span)
        years = self._moved(float(a.years), 1.0, 30.0)
        loan = self._moved(a.loan, 0.0, 500_000.0)
        return replace(
            a,
            salary=salary,
            commission=commission if a.commission > 0.0 else 0.0,
            age=math.floor(age + 0.5),
            house_value=house_value,
            years=math.floor(years + 0.5),
            loan=loan,
        )

    def _moved(self, value: float, low: float, high: float, span: float | None = None) -> float:
        span = high - low if span is None else span
        value += span * (2.0 * self._random.uniform() - 1.0) * self._perturbation
        return min(max(value, low), high)


def one_hot(x: list[float]) -> list[float]:
    """Return `x` with education, car and zip code as one column per category, in their place."""
    columns = x[:3]
    for value, n in zip(x[3:6], (N_EDUCATION, N_CARS, N_ZIP_CODES), strict=True):
        columns += [1.0 if int(value) == category else 0.0 for category in range(n)]
    return columns + x[6:]
