"""Tables of a release, read back from the bytes of their files."""

from __future__ import annotations

import csv
import io


def is_table(name: str) -> bool:
    """Whether a file is a table by the end of its name."""
    return name.endswith((".csv", ".parquet"))


def lines_of(name: str, data: bytes) -> list[list[str]]:
    """The names of the columns and the lines below them, every field a string.

    A job with ``tables = "parquet"`` has Parquet, which ``pyarrow`` reads; a number reads back as
    the same float, and what is missing is "".
    """
    if not name.endswith(".parquet"):
        return list(csv.reader(io.StringIO(data.decode(), newline="")))
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(data))
    columns = [[_text(field) for field in column.to_pylist()] for column in table.columns]
    return [list(table.column_names), *(list(line) for line in zip(*columns))]


def _text(field: object) -> str:
    return "" if field is None else field if isinstance(field, str) else repr(field)
