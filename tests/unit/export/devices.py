"""An exported C file on a small machine in an emulator."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.devices.targets import Target, build, run

_MAIN = """\
#include "board.h"

static const union {{
    uint32_t bits[{n}][{n_features}];
    float numbers[{n}][{n_features}];
}} rows = {{{{{rows}}}}};

static void print_double(double value)
{{
    union {{
        double number;
        uint64_t bits;
    }} as;
    as.number = value;
    char text[18] = {{[16] = '\\n'}};
    for (int i = 0; i < 16; ++i) {{
        text[i] = "0123456789abcdef"[as.bits >> (60 - 4 * i) & 15];
    }}
    board_print(text);
}}

{declaration}

static double said[{n}][{width}];

int main(void)
{{
    const uint32_t before = board_stack_bytes();
    for (int i = 0; i < {n}; ++i) {{
        {predict}
    }}
    const uint32_t after = board_stack_bytes();
    for (int i = 0; i < {n} * {width}; ++i) {{
        print_double(said[i / {width}][i % {width}]);
    }}
    board_print_number("stack", after - before);
    return 0;
}}
"""


def predict_on(
    target: Target,
    source: str,
    X: NDArray[np.float64],
    n_classes: int | None,
    folder: Path,
) -> tuple[NDArray[np.float64], int]:
    """What the file predicts of each row, ``(n, n_classes)`` or ``(n,)``, and bytes of stack.

    It is compiled as by a user who did not read the comment: products and sums may be fused.
    """
    (folder / "model.c").write_text(source)
    (folder / "main.c").write_text(_main(X.astype(np.float32).view(np.uint32), n_classes))
    sources = [folder / "main.c", folder / "model.c"]
    careless = ("-std=gnu99", "-ffp-contract=fast", "-Werror")
    *lines, _, stack = run(target, build(target, sources, folder, *careless)).split()
    values = np.array([int(line, 16) for line in lines], dtype=np.uint64).view(np.float64)
    return values if n_classes is None else values.reshape(-1, n_classes), int(stack)


def _main(rows: NDArray[np.uint32], n_classes: int | None) -> str:
    n, n_features = rows.shape
    if n_classes is None:
        declaration = f"double model_predict(const float x[{n_features}]);"
        predict = "said[i][0] = model_predict(rows.numbers[i]);"
    else:
        x, p = f"const float x[{n_features}]", f"double p[{n_classes}]"
        declaration = f"void model_predict_proba({x}, {p});\nint model_predict({x});"
        predict = "model_predict_proba(rows.numbers[i], said[i]); model_predict(rows.numbers[i]);"
    texts = ", ".join("{" + ", ".join(f"{bits}u" for bits in row) + "}" for row in rows.tolist())
    return _MAIN.format(
        n=n,
        n_features=n_features,
        width=n_classes or 1,
        rows=texts,
        declaration=declaration,
        predict=predict,
    )
