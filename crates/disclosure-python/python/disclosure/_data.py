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
        encoding: str = "utf-8",
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
        encoding : str
            How the bytes of a file spell text: ``utf-8`` or ``latin1``.

        Examples
        --------
        >>> import disclosure
        >>> text = disclosure.Data({"smoker": ["no", "yes", "no"]}).learn_domain()
        >>> 'labels = ["no", "yes"]' in text and "learnt_from_data = true" in text
        True
        """
        return _core.learn_domain(self._core, _learning(count, bins, quantiles, missing, encoding))

    def start(
        self,
        directory: Union[str, os.PathLike[str]],
        *,
        title: str = "release",
        data: Union[str, os.PathLike[str]] = "data.csv",
        count: str | None = None,
        bins: Mapping[str, Sequence[float]] | None = None,
        quantiles: Mapping[str, int] | None = None,
        missing: Sequence[str] = (),
        encoding: str = "utf-8",
    ) -> None:
        """Writes ``domain.toml`` and ``job.toml`` into a new directory, for a person to fill in.

        Parameters
        ----------
        directory : path
            What `learn_domain` says, and a job with every section, most of them as comments.
        title : str
            The title of the job.
        data : path
            Where the data are, from that directory: a job names them.

        Examples
        --------
        >>> import disclosure, os, tempfile
        >>> directory = os.path.join(tempfile.mkdtemp(), "start")
        >>> disclosure.Data({"smoker": ["no", "yes", "no"]}).start(directory, title="Smokers")
        >>> sorted(os.listdir(directory))
        ['domain.toml', 'job.toml']
        """
        learning = _learning(count, bins, quantiles, missing, encoding)
        domain, job = _core.start(self._core, learning, os.fspath(data), title)
        _core.write_directory(os.fspath(directory), {"domain.toml": domain.encode(), "job.toml": job.encode()}, [])

    def __repr__(self) -> str:
        rows = self.rows
        return "Data(a file)" if rows is None else f"Data({rows} rows, {len(self.columns or [])} columns)"


def _learning(
    count: str | None,
    bins: Mapping[str, Sequence[float]] | None,
    quantiles: Mapping[str, int] | None,
    missing: Sequence[str],
    encoding: str,
) -> dict[str, Any]:
    """The words of ``disclosure init``."""
    return {
        "count": count,
        "bins": [f"{name}={','.join(repr(float(edge)) for edge in own)}" for name, own in (bins or {}).items()],
        "quantiles": [f"{name}={number}" for name, number in (quantiles or {}).items()],
        "missing": ",".join(missing) or None,
        "encoding": encoding,
    }


def core_data(source: DataLike) -> _core.Data:
    """The rows of anything that `Data` takes."""
    return (source if isinstance(source, Data) else Data(source))._core


def _core_data(source: Any) -> _core.Data:
    name = type(source).__name__
    module = type(source).__module__.split(".")[0]
    if module in ("pandas", "polars") and name == "Series":
        raise TypeError("a Series is one column: give series.to_frame()")
    if module == "pandas" and hasattr(source, "columns"):
        return _of_pandas(source, name)
    if module == "polars" and name == "LazyFrame":
        source = source.collect()
    if isinstance(source, np.ndarray) and source.dtype.names is not None:
        return _of_columns({column: source[column] for column in source.dtype.names}, name)
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


def _of_pandas(frame: Any, name: str) -> _core.Data:
    """Through Arrow where pyarrow is there; the index is no column."""
    try:
        import pyarrow as pa
    except ImportError:
        return _of_columns({str(column): frame[column].to_numpy() for column in frame.columns}, name)
    columns = [frame.iloc[:, place] for place in range(frame.shape[1])]
    # A header may have a name twice: it is refused as that of a file is.
    table = pa.Table.from_arrays([_arrow(pa, column) for column in columns], names=list(map(str, frame.columns)))
    return _core.Data.of_stream(table, name)


def _arrow(pa: Any, column: Any) -> Any:
    """A column of pandas; one of several kinds of values by their texts."""
    try:
        made = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # What Arrow says has values of the data in it, so nothing is raised from it.
        made = None
    if made is None:
        texts, codes = _coded(list(column))
        made = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(texts, pa.string()))
    return made


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
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.size:
        low, high = int(values.min()), int(values.max())
        if high < 1 << 63 and high - low < 1 << 20:
            return _coded_by_place(values.astype(np.int64) - low, low)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iubfSU":
        distinct, codes = np.unique(values, return_inverse=True)
        return [_text(value) for value in distinct.tolist()], np.asarray(codes).reshape(-1)
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in map(_text, values)]
    return list(places), np.asarray(rows, dtype=np.int64)


def _coded_by_place(places: Any, low: int) -> tuple[list[str], Any]:
    """Integers close to each other, less the lowest, without sorting the rows."""
    seen = np.flatnonzero(np.bincount(places))
    codes = np.zeros(int(seen[-1]) + 1, dtype=np.int64)
    codes[seen] = np.arange(len(seen))
    return [str(low + place) for place in seen.tolist()], codes[places]


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
