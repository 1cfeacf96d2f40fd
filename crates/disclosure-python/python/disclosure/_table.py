"""One table of noisy counts, with the error of every number."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._release import framed

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Floats: TypeAlias = NDArray[np.float64]

_MOST_SHOWN = 40
_STATUSES = ("noised", "exact", "simulated")


class Table:
    """The answers about one marginal; arrays have one axis an attribute.

    Attributes
    ----------
    attributes : list of str
        The attributes, in the order of the domain.
    labels : dict of str to list of str
        What the answers count along each attribute: labels, or sums of them where the basis is
        not the identity.
    values : ndarray of float, shape (len(labels[a]) for a in attributes)
        Unbiased counts, in people, with the digits that the files have; they may be negative.
    sds : ndarray of float, same shape
        Standard deviations of the noise, in people; 0 for a number without noise.
    low, high : ndarray of float, same shape
        Ends of 95 % intervals of the exact count, in people; certain for rounded and perturbed
        tables.

    A number that is withheld is NaN. Tables of amounts are in their unit.
    """

    def __init__(
        self,
        attributes: list[str],
        axes: list[list[str]],
        numbers: list[bytes],
        statuses: list[str] | bytes,
        covariance: Callable[[], Floats] | None = None,
        axis: str = "people, with 95 % intervals",
    ) -> None:
        self.attributes = attributes
        self._axis = axis
        self.labels = dict(zip(attributes, axes))
        shape = tuple(len(axis) for axis in axes)
        arrays = [_frozen(own, shape) for own in numbers]
        self.values: Floats
        self.sds: Floats
        self.low: Floats
        self.high: Floats
        self.values, self.sds, self.low, self.high = arrays
        self._own_statuses = statuses
        self._covariance = covariance

    @property
    def _statuses(self) -> list[str]:
        """Whether each number is noised, exact or simulated."""
        own = self._own_statuses
        return [_STATUSES[code] for code in own] if isinstance(own, bytes) else own

    @property
    def shape(self) -> tuple[int, ...]:
        """How many answers there are along each attribute."""
        return self.values.shape

    @property
    def covariance(self) -> Floats:
        """Covariances of all answers in row-major order, shape (n, n), in people squared."""
        if self._covariance is None:
            raise AttributeError("a table of a model, or one that was unpickled alone, has no covariance")
        return self._covariance()

    def __len__(self) -> int:
        return int(self.values.size)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype)

    def _batch(self) -> _core.Batch:
        names = ("value", "sd", "ci95_low", "ci95_high")
        arrays = (self.values, self.sds, self.low, self.high)
        numbers = [(name, np.ascontiguousarray(array).tobytes()) for name, array in zip(names, arrays)]
        return _core.Batch(list(self.labels.items()), numbers, [("status", self._statuses)])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._batch().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pyarrow.Table:
        """A `pyarrow.Table` with a row an answer."""
        import pyarrow

        return pyarrow.table(self._batch())

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with a row an answer; the labels are categories in their order."""
        import pandas

        columns: dict[str, Any] = {}
        index = list(itertools.product(*self.labels.values()))
        for place, (name, labels) in enumerate(self.labels.items()):
            columns[name] = pandas.Categorical([row[place] for row in index], categories=labels, ordered=True)
        arrays = {"value": self.values, "sd": self.sds, "ci95_low": self.low, "ci95_high": self.high}
        columns.update({name: array.reshape(-1) for name, array in arrays.items()})
        columns["status"] = self._statuses
        return pandas.DataFrame(columns)

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame with a row an answer."""
        import polars

        return polars.DataFrame(self._batch())

    def shown(self) -> _core._Shown:
        """What a page shows of the table: its first lines."""
        # A number without an interval has a bar of no length.
        ends = (np.where(np.isnan(end), self.values, end) for end in (self.low, self.high))
        flat = [array.reshape(-1).tolist() for array in (self.values, *ends)]
        combinations = itertools.islice(itertools.product(*self.labels.values()), _MOST_SHOWN)
        lines = [(list(names), flat[0][i], flat[1][i], flat[2][i]) for i, names in enumerate(combinations)]
        title = " × ".join(self.attributes) or "total"
        return title, self.attributes, self._axis, lines, max(0, len(self) - _MOST_SHOWN)

    def _repr_html_(self) -> str:
        shown = self.shown()
        return framed(_core.tables_page(shown[0], [], [shown]))

    def __repr__(self) -> str:
        return f"Table({' × '.join(self.attributes) or 'total'}, shape {self.shape})"

    def __reduce__(self) -> tuple[Any, ...]:
        numbers = [array.tobytes() for array in (self.values, self.sds, self.low, self.high)]
        return (Table, (self.attributes, list(self.labels.values()), numbers, self._own_statuses, None, self._axis))


def _frozen(numbers: bytes, shape: tuple[int, ...]) -> Floats:
    """The numbers as an array that nobody changes."""
    return np.frombuffer(numbers, dtype=np.float64).reshape(shape)
