"""The only file that hands text to pyarrow and takes columns from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from shrubs.streams._extra import import_extra
from shrubs.streams.formats.table import Column, Numbers, Texts
from shrubs.streams.formats.values import MISSING_NUMBERS, text_of, tidy_texts

__all__ = ["arrow_data", "arrow_numbers", "arrow_texts"]


def arrow_data(
    text: bytes, columns: Sequence[Column], wanted: Collection[int], separator: str
) -> dict[int, Numbers | Texts] | None:
    """Parses rows with pyarrow; None if it is not installed or does not take these rows.

    What it refuses, Python parses again, more slowly: to find the place of an error. Its `read_csv`
    takes signals away while it reads, and loses some of them.
    """
    try:
        pyarrow = import_extra("pyarrow", "fast reading of text")
        csv = import_extra("pyarrow.csv", "fast reading of text")
    except ModuleNotFoundError:
        return None
    names = [str(i) for i in range(len(columns))]
    types = [pyarrow.float64() if c.kind == "number" else pyarrow.string() for c in columns]
    try:
        table = csv.open_csv(
            pyarrow.BufferReader(text),
            read_options=csv.ReadOptions(
                column_names=names, use_threads=False, block_size=len(text) + 1
            ),
            parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=dict(zip(names, types, strict=True)),
                include_columns=[names[i] for i in sorted(wanted)],
                null_values=sorted(MISSING_NUMBERS),
                strings_can_be_null=False,
            ),
        ).read_all()
    except pyarrow.ArrowInvalid:
        return None
    return {i: _values(table[names[i]].combine_chunks()) for i in wanted}


def _values(column: Any) -> Numbers | Texts:
    if column.type == "string":
        return arrow_texts(column)
    return arrow_numbers(column)


def arrow_numbers(column: Any) -> Numbers:
    """Gives a column of Arrow numbers in double precision; null becomes NaN."""
    numbers: Numbers = column.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    return numbers


def arrow_texts(column: Any) -> Texts:
    """Gives an Arrow column of any type as texts: distinct values and codes."""
    encoded = column.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    # A dictionary may be large, and is shared by many batches.
    used, codes = np.unique(codes, return_inverse=True)
    values = [text_of(value) for value in encoded.dictionary.take(used[used >= 0]).to_pylist()]
    codes = codes.reshape(-1) - np.count_nonzero(used < 0)  # the missing ones sort first
    return tidy_texts(values, codes.astype(np.int64))
