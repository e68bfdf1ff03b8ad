"""The companions in C: naive Bayes, the linear model, the nearest neighbours, and constant ones."""

from __future__ import annotations

from itertools import chain
from typing import Any

from shrubs.export.c_tables import Tables, shared

__all__ = ["write_companions"]

_BUCKET = """\
/* The bucket of a category, one of n. */
static uint32_t bucket_of(uint32_t feature, float category, uint32_t n)
{
    union {
        float number;
        uint32_t bits;
    } as;
    as.number = category + 0.0f;
    uint64_t key = as.bits + ((uint64_t)feature << 32);
    key = (key ^ (key >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(key >> 40) & (n - 1u);
}
"""
_SOFTMAX = """\
/* e to the power x <= 0, the same bits everywhere. */
static double exponential(double x)
{
    static const double taylor[14] = {
        1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
        1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
        1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 2.0, 1.0, 1.0,
    };
    if (is_below(x, -700.0)) {
        return 0.0;
    }
    const double exact = x * 1.4426950408889634 + 0.5;
    int32_t k = (int32_t)exact;
    if (is_below(exact, k)) {
        --k;
    }
    const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double sum = taylor[0];
    for (uint32_t i = 1; i < 14; ++i) {
        sum = sum * r + taylor[i];
    }
    union {
        uint64_t bits;
        double number;
    } power;
    power.bits = (uint64_t)(k + 1023) << 52;
    return sum * power.number;
}

/* Scores as probabilities. */
static void softmax(double score[], float said[])
{
    double largest = score[0];
    for (uint32_t c = 1; c < N_CLASSES; ++c) {
        largest = is_below(largest, score[c]) ? score[c] : largest;
    }
    double sum = 0.0;
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        score[c] = exponential(score[c] - largest);
        sum += score[c];
    }
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        said[c] = (float)(score[c] / sum);
    }
}
"""
_BAYES = """\
/* Naive Bayes: numbers are normal in each class, categories and zeros and ones are counted. */
static void bayes(const float x[], uint32_t which, float said[])
{
    double score[N_CLASSES];
POINTERS    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        score[c] = bayes_priors[which * N_CLASSES + c];
    }
    for (uint32_t i = 0; i < N_FEATURES; ++i) {
        const float value = x[i];
        const uint32_t kind = kinds[i];
KINDS    }
    softmax(score, said);
}
"""
_NORMAL = """\
        if (kind == NUMBER) {
            for (uint32_t c = 0; c < N_CLASSES && is_heard(value, kind); ++c) {
                const double d = (double)value - bayes_means[normal + c];
                const double log_density =
                    bayes_constants[normal + c] - 0.5 * d * d / bayes_variances[normal + c];
                score[c] += is_below(-10.0, log_density) ? log_density : -10.0;
            }
            normal += N_CLASSES;
        }
"""
_BINARY = """\
        if (kind & ZERO_ONE) {
            for (uint32_t c = 0; c < N_CLASSES && is_heard(value, kind); ++c) {
                score[c] += bayes_counted[counted + 2 * c + (ordered(value) != 0)];
            }
            counted += 2 * N_CLASSES;
        }
"""
_CATEGORY = """\
        if (kind == CATEGORY && is_heard(value, kind)) {
            const uint32_t row = ROW;
            for (uint32_t c = 0; c < N_CLASSES; ++c) {
                score[c] += bayes_rows[row * N_CLASSES + c];
            }
        }
"""
_HEARD = """\
/* Whether a value tells something: not a missing one, nor a category beyond those listed. */
static int is_heard(float value, uint32_t kind)
{
    const int32_t order = ordered(value);
    return !is_missing(order) && !(kind >= CATEGORY && order >= 0x4B000000); /* 8388608 */
}
"""
_LINEAR = """\
/* The linear model: numbers count in deviations from their mean, at most 3. */
static void linear(const float x[], float said[])
{
    double score[WIDTH] = {0.0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < N_FEATURES; ++i) {
        const float value = x[i];
        const uint32_t kind = kinds[i];
        if (kind != CATEGORY && is_heard(value, kind)) {
            double d = ((double)value - linear_means[at]) * linear_factors[at];
            d = is_below(d, -3.0) ? -3.0 : is_below(3.0, d) ? 3.0 : d;
            for (uint32_t c = 0; c < WIDTH; ++c) {
                score[c] += (double)(float)d * linear_weights[at * WIDTH + c];
            }
        }
CATEGORIES        at += kind != CATEGORY;
    }
    for (uint32_t c = 0; c < WIDTH; ++c) {
        score[c] += linear_constants[c];
    }
END}
"""
_LINEAR_CATEGORY = """\
        if (kind == CATEGORY && is_heard(value, kind)) {
            const uint32_t row = ROW;
            for (uint32_t c = 0; c < WIDTH; ++c) {
                score[c] += linear_rows[row * WIDTH + c];
            }
        }
"""
_LINEAR_TARGET = """\
    const double z = is_below(score[0], -10.0) ? -10.0 : score[0];
    said[0] = (float)(is_below(10.0, z) ? 10.0 : z);
"""


_NEIGHBOURS = """\
/* The nearest neighbours: numbers and categories as bytes, 255 for missing ones. The nearest vote,
   of equally near ones the newest. */
static void neighbours(const float x[], float said[])
{
    uint8_t asked[N_COMPARED];
    uint32_t nearest[5] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint32_t voters[5] = {0};
POINTER    for (uint32_t i = 0; i < N_COMPARED; ++i) {
        const uint32_t feature = FEATURE;
        const float value = x[feature];
        asked[i] = 255;
        if (is_heard(value, kinds[feature])) {
BYTES        }
STEP    }
    for (uint32_t e = 0; e < N_NEIGHBOURS; ++e) {
        uint32_t distance = 0;
        for (uint32_t i = 0; i < N_COMPARED; ++i) {
            const int32_t a = asked[i];
            const int32_t b = neighbour_values[e * N_COMPARED + i];
            const int alike = kinds[FEATURE] < CATEGORY && a != 255 && b != 255;
            distance += alike ? (uint32_t)((a - b) * (a - b)) : a != b ? 1764u : 0u;
        }
        uint32_t place = 5;
        for (; place > 0 && distance < nearest[place - 1]; --place) {
            if (place < 5) {
                nearest[place] = nearest[place - 1];
                voters[place] = voters[place - 1];
            }
        }
        if (place < 5) {
            nearest[place] = distance;
            voters[place] = e;
        }
    }
    double votes[N_CLASSES];
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        votes[c] = 0.25 / N_CLASSES;
    }
    double total = 0.25;
    for (uint32_t i = 0; i < 5 && i < N_NEIGHBOURS; ++i) {
        votes[neighbour_classes[voters[i]]] += 1.0 / (i + 1);
        total += 1.0 / (i + 1);
    }
    for (uint32_t c = 0; c < N_CLASSES; ++c) {
        said[c] = (float)(votes[c] / total);
    }
}
"""
_NUMBER_BYTE = """\
            if (kinds[feature] < CATEGORY) {
                double units = ((double)value - neighbour_means[at]) * neighbour_factors[at];
                units = units * 42.0 + 127.5;
                units = is_below(units, 0.0) ? 0.0 : is_below(254.0, units) ? 254.0 : units;
                asked[i] = (uint8_t)units;
            }
"""
_CATEGORY_BYTE = """\
            if (kinds[feature] >= CATEGORY) {
                asked[i] = (uint8_t)bucket_of(feature, value, 128);
            }
"""


def write_companions(document: dict[str, Any], tables: Tables) -> tuple[list[str], list[str]]:
    """Add the tables of all companions; returns functions, and calls in their order."""
    companions = document["companions"]
    bayes = [each for each in companions if each["kind"] == "naive Bayes"]
    linear = [each for each in companions if each["kind"] == "linear model"]
    neighbours = [each for each in companions if each["kind"] == "nearest neighbours"]
    functions: list[str] = []
    if bayes or linear or neighbours:
        functions += _common_functions(document, tables, (bayes or linear or neighbours)[0])
        functions.append(_HEARD)
    counted = any("buckets" in each for each in companions)
    if counted or any(_numbers(each) != each["features"] for each in neighbours):
        functions.append(_BUCKET)
    if (bayes or linear) and document["task"] == "classes":
        functions.append(_SOFTMAX)
    if bayes:
        functions.append(_bayes_function(bayes, tables))
    if linear:
        functions.append(_linear_function(linear[0], document, tables))
    if neighbours:
        functions.append(_neighbours_function(neighbours[0], tables))
    constants = [each["prediction"] for each in companions if each["kind"] == "constant"]
    if constants:
        flat = list(chain.from_iterable(constants))
        tables.add_reals("constants", flat, "What companions say that know the last outcomes.")
    return functions, _calls(document)


def _calls(document: dict[str, Any]) -> list[str]:
    calls, n_bayes, n_constants = [], 0, 0
    for i, companion in enumerate(document["companions"], start=len(document["shrubs"])):
        said = "said"
        if companion["kind"] == "naive Bayes":
            calls.append(f"    bayes(x, {n_bayes}, said);\n")
            n_bayes += 1
        elif companion["kind"] == "linear model":
            if not any(companion["weights"]):
                continue
            calls.append("    linear(x, said);\n")
        elif companion["kind"] == "nearest neighbours":
            calls.append("    neighbours(x, said);\n")
        else:
            said = f"constants + {n_constants} * WIDTH"
            n_constants += 1
        calls.append(f"    weight = mix({said}, mixtures[{i}], weight, mixed);\n")
    return calls


def _common_functions(
    document: dict[str, Any], tables: Tables, companion: dict[str, Any]
) -> list[str]:
    """What companions that look at features share: the kinds of features, and buckets."""
    kinds = []
    for feature, described in zip(document["features"], companion["features"], strict=True):
        nominal = feature["kind"] == "nominal"
        kinds.append(2 if described is None else 2 * nominal + ("zero" in described or nominal))
    tables.add_whole("kinds", kinds, "Of each feature: a NUMBER, ZERO_ONE or CATEGORY.")
    functions = ["enum { NUMBER = 0, ZERO_ONE = 1, CATEGORY = 2 };\n"]
    if "buckets" in companion:
        functions.append(f"#define N_BUCKETS {companion['buckets']['n']}u\n")
    return functions


def _add_buckets(tables: Tables, name: str, companions: list[dict[str, Any]]) -> str:
    """Add the rows of the buckets of like companions; returns the row of a category in C."""
    rows = []
    for buckets in (companion["buckets"] for companion in companions):
        others = tuple(buckets["others"])
        rows += [tuple(buckets["rows"].get(str(i), others)) for i in range(buckets["n"])]
    different, which = shared(rows, 4 * len(rows[0]))
    if which is not None:
        tables.add_whole(f"{name}_buckets", which, "Of each bucket of categories, its row.")
    flat = list(chain.from_iterable(different))
    tables.add_reals(f"{name}_rows", flat, "What a row adds to each score.")
    first = "which * N_BUCKETS + " if name == "bayes" else ""
    bucket = f"{first}bucket_of(i, value, N_BUCKETS)"
    return bucket if which is None else f"{name}_buckets[{bucket}]"


def _bayes_function(bayes: list[dict[str, Any]], tables: Tables) -> str:
    priors = list(chain.from_iterable(each["prior"] for each in bayes))
    tables.add_reals("bayes_priors", priors, "Naive Bayes: what is said without features.")
    features = [each for companion in bayes for each in companion["features"] if each is not None]
    numbers = [each for each in features if "mean" in each]
    counted = [each for each in features if "zero" in each]
    pointers = kinds = ""
    if numbers:
        _add_normals(tables, numbers)
        pointers += f"    uint32_t normal = which * {len(numbers) // len(bayes)} * N_CLASSES;\n"
        kinds += _NORMAL
    if counted:
        pairs = [pair for each in counted for pair in zip(each["zero"], each["one"], strict=True)]
        tables.add_reals(
            "bayes_counted", list(chain.from_iterable(pairs)), "What a zero and a one say."
        )
        pointers += (
            f"    uint32_t counted = which * {2 * len(counted) // len(bayes)} * N_CLASSES;\n"
        )
        kinds += _BINARY
    if "buckets" in bayes[0]:
        kinds += _CATEGORY.replace("ROW", _add_buckets(tables, "bayes", bayes))
    return _BAYES.replace("POINTERS", pointers).replace("KINDS", kinds)


def _add_normals(tables: Tables, numbers: list[dict[str, Any]]) -> None:
    def flat(key: str) -> list[float]:
        return [value for each in numbers for value in each[key]]

    variances = [float("inf") if value is None else value for value in flat("variance")]
    tables.add_reals("bayes_means", flat("mean"), "Normal densities of a feature in each class.")
    tables.add_reals("bayes_variances", variances, "Their variances.")
    tables.add_reals("bayes_constants", flat("constant"), "Logarithms at the mean.")


def _add_scales(tables: Tables, name: str, title: str, numbers: list[dict[str, Any]]) -> None:
    means, factors = [each["mean"] for each in numbers], [each["factor"] for each in numbers]
    tables.add_reals(f"{name}_means", means, f"{title}: the mean of each number.")
    tables.add_reals(f"{name}_factors", factors, "One over its deviation.")


def _neighbours_function(neighbours: dict[str, Any], tables: Tables) -> str:
    examples, numbers = neighbours["examples"], _numbers(neighbours)
    compared = [each["feature"] for each in neighbours["features"]]
    if numbers:
        _add_scales(tables, "neighbour", "Neighbours", numbers)
    values = list(chain.from_iterable(each["values"] for each in examples))
    tables.add_whole("neighbour_values", values, "The last examples, the newest first.")
    tables.add_whole("neighbour_classes", [each["class"] for each in examples], "Their classes.")
    code = _NEIGHBOURS.replace("N_NEIGHBOURS", f"{len(examples)}u")
    code = code.replace("N_COMPARED", f"{len(compared)}u")
    code = code.replace("POINTER", "    uint32_t at = 0;\n" if numbers else "")
    code = code.replace("STEP", "        at += kinds[feature] < CATEGORY;\n" if numbers else "")
    number = _NUMBER_BYTE if numbers else ""
    category = _CATEGORY_BYTE if len(numbers) < len(compared) else ""
    code = code.replace("BYTES", number + category)
    if compared == list(range(len(compared))):
        return code.replace("FEATURE", "i")
    tables.add_whole("neighbour_features", compared, "The features that they are compared by.")
    return code.replace("FEATURE", "neighbour_features[i]")


def _numbers(neighbours: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in neighbours["features"] if "mean" in each]


def _linear_function(linear: dict[str, Any], document: dict[str, Any], tables: Tables) -> str:
    features = [each for each in linear["features"] if each is not None]
    code = _LINEAR
    if features:
        _add_scales(tables, "linear", "Linear model", features)
        weights = list(chain.from_iterable(f["weights"] for f in features))
        tables.add_reals("linear_weights", weights, "Its weights.")
    else:
        begin = code.index("        if (kind != CATEGORY")
        code = code[:begin] + code[code.index("CATEGORIES") :]
        code = code.replace("    uint32_t at = 0;\n", "")
        code = code.replace("        at += kind != CATEGORY;\n", "")
    tables.add_reals("linear_constants", linear["constant"], "What is added to each score.")
    categories = ""
    if "buckets" in linear:
        categories = _LINEAR_CATEGORY.replace("ROW", _add_buckets(tables, "linear", [linear]))
    end = _LINEAR_TARGET if document["task"] == "targets" else "    softmax(score, said);\n"
    return code.replace("CATEGORIES", categories).replace("END", end)
