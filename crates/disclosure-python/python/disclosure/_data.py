"""Rows from whatever holds them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _core

DataLike = Any
"""A path, a data frame or table with the Arrow PyCapsule interface (pandas, polars, pyarrow,
DuckDB), a mapping of names to columns, or a `Data`."""


class Data:
    """Rows that jobs read; made once, it is coded once for many jobs.

    Parameters
    ----------
    source : path, data frame, Arrow table, relation or mapping
        A path is read anew by every job: CSV, plain or compressed with gzip or Zstandard, or a
        sheet of a workbook. Anything with ``__arrow_c_stream__`` is taken without a copy of its
        columns: strings, dictionaries (categoricals), integers, floats, booleans and days. A
        mapping gives each column as a list or a numpy array; ``None`` and NaN are missing.
    separator, decimal, quote, sheet : str, optional
        The form of a file, where it is not as it looks.

    Examples
    --------
    >>> import disclosure
    >>> people = disclosure.Data({"age": ["young", "old", "old"], "smoker": [0, 1, 1]})
    >>> people.rows, people.columns
    (3, ['age', 'smoker'])
    """

    _core: _core.Data

    def __init__(
        self,
        source: DataLike,
        *,
        separator: str | None = None,
        decimal: str | None = None,
        quote: str | None = None,
        sheet: str | None = None,
    ) -> None:
        form = (separator, decimal, quote, sheet)
        if isinstance(source, (str, os.PathLike)):
            path: Union[str, os.PathLike[str]] = source
            self._core = _core.Data.of_path(os.fspath(path), *form)
            return
        if any(part is not None for part in form):
            raise TypeError("separator, decimal, quote and sheet are the form of a file")
        self._core = _core_data(source)

    @property
    def rows(self) -> int | None:
        """The number of rows; ``None`` for a file, which is read by the job."""
        return self._core.rows

    @property
    def columns(self) -> list[str] | None:
        """The names of the columns; ``None`` for a file."""
        return self._core.columns

    def learn_domain(
        self,
        *,
        count: str | None = None,
        bins: Mapping[str, Sequence[float]] | None = None,
        quantiles: Mapping[str, int] | None = None,
        missing: Sequence[str] = (),
    ) -> str:
        """What the columns look like, as the text of a ``domain.toml`` for a person to check.

        Labels that were seen give away that somebody has them: a private release refuses the
        domain until it says ``domain_is_public = true``.

        Parameters
        ----------
        count : str, optional
            The column that says how many people a row stands for.
        bins : mapping of names to edges, optional
            Bins of columns of numbers.
        quantiles : mapping of names to numbers of bins, optional
            Bins of about as many rows each.
        missing : sequence of str
            Texts that stand for a missing value.

        Examples
        --------
        >>> import disclosure
        >>> text = disclosure.Data({"smoker": ["no", "yes", "no"]}).learn_domain()
        >>> 'labels = ["no", "yes"]' in text and "learnt_from_data = true" in text
        True
        """
        edges = [f"{name}={','.join(repr(float(edge)) for edge in own)}" for name, own in (bins or {}).items()]
        numbers = [f"{name}={number}" for name, number in (quantiles or {}).items()]
        return self._core.learn(count, edges, numbers, ",".join(missing) or None)

    def __repr__(self) -> str:
        rows = self.rows
        return "Data(a file)" if rows is None else f"Data({rows} rows, {len(self.columns or [])} columns)"


def core_data(source: DataLike) -> _core.Data:
    """The rows of anything that `Data` takes."""
    return (source if isinstance(source, Data) else Data(source))._core


def _core_data(source: Any) -> _core.Data:
    name = type(source).__name__
    if _is_pandas(source):
        return _of_pandas(source, name)
    if hasattr(source, "__arrow_c_stream__"):
        return _core.Data.of_stream(source, name)
    for method in ("to_arrow_table", "fetch_arrow_table", "arrow"):
        if callable(getattr(source, method, None)):
            return _core.Data.of_stream(getattr(source, method)(), name)
    if isinstance(source, Mapping):
        return _of_columns(source, "the table")
    raise TypeError(
        f"{name} is no table: give a path, a data frame, an Arrow table or a mapping of names to columns"
    )


def _is_pandas(source: Any) -> bool:
    return type(source).__module__.split(".")[0] == "pandas" and hasattr(source, "columns")


def _of_pandas(frame: Any, name: str) -> _core.Data:
    """Through Arrow where pyarrow is there; the index is no column."""
    try:
        import pyarrow as pa
    except ImportError:
        return _of_columns({str(column): frame[column].to_numpy() for column in frame.columns}, name)
    return _core.Data.of_stream(pa.Table.from_pandas(frame, preserve_index=False), name)


def _of_columns(columns: Mapping[Any, Any], name: str) -> _core.Data:
    coded: list[tuple[str, list[str], bytes]] = []
    rows: int | None = None
    for column, values in columns.items():
        texts, codes = _coded(values)
        if rows is not None and len(codes) != rows:
            raise ValueError(f"column {column!r} has another number of rows than the first")
        rows = len(codes)
        coded.append((str(column), texts, codes.astype(np.uint32).tobytes()))
    return _core.Data.of_columns(coded, name)


def _coded(values: Any) -> tuple[list[str], Any]:
    """The distinct texts of a column, and the position of each row's text."""
    if not isinstance(values, np.ndarray):
        values = list(values)
        kinds = {type(value) for value in values}
        if kinds <= {int} or kinds <= {float, int}:
            values = np.asarray(values)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise ValueError("a column has one value a row")
    if isinstance(values, np.ndarray) and values.dtype.kind in "iubfSU":
        distinct, codes = np.unique(values, return_inverse=True)
        return [_text(value) for value in distinct.tolist()], np.asarray(codes).reshape(-1)
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in map(_text, values)]
    return list(places), np.asarray(rows, dtype=np.int64)


def _text(value: Any) -> str:
    """A value as a file spells it; no value is the empty text."""
    if value is None or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
