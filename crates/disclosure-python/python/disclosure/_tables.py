"""Releases of exact tables, whose files are read back as tables with the error of every number."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from . import _core
from ._read import lines_of
from ._release import Release, framed
from ._table import Floats, Table


_MOST_TABLES = 8


class TableRelease(Release):
    """Tables with a file each; the record names their attributes.

    Examples
    --------
    >>> import disclosure
    >>> job = {"data": "people.csv", "margins": [["a", "b"]], "min_interval_width": 0, "min_frequency": 1,
    ...        "attribute": [{"name": "a", "labels": ["x", "y"]}, {"name": "b", "labels": ["p", "q"]}]}
    >>> rows = {"a": ["x", "x", "y", "y"] * 9, "b": ["p", "q", "p", "q"] * 9}
    >>> release = disclosure.exact.round(job, rows, base=3)
    >>> release.tables, release.table("a").values.tolist()
    ([(), ('a',), ('b',), ('a', 'b')], [18.0, 18.0])
    """

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """The tables that were written, each by its attributes."""
        return [tuple(own["attributes"]) for own in self._table_files()]

    def table(self, *attributes: str) -> Table:
        """The table over some attributes, in any order; none for the grand total.

        Raises
        ------
        KeyError
            For a table that was not released.
        """
        wanted = set(attributes)
        for file in self._table_files():
            if set(file["attributes"]) == wanted:
                return self._read(file["name"], list(file["attributes"]))
        raise KeyError(f"no table over {sorted(wanted)} was released")

    def _repr_html_(self) -> str:
        """What is promised, and the tables; the largest first."""
        promise = self.promise or {}
        said = [f"{promise.get('kind', 'statement')}: {promise.get('statement') or promise.get('guarantee')}"]
        said += [f"against {promise['against']}"] if promise.get("against") else []
        names = sorted(self.tables, key=len, reverse=True)[:_MOST_TABLES]
        return framed(_core.tables_page(self.record.get("title") or "release", said, [self.table(*own).shown() for own in names]))

    def _table_files(self) -> list[dict[str, Any]]:
        return [own for own in self.record["files"] if own.get("name") and "attributes" in own]

    def _read(self, name: str, attributes: list[str]) -> Table:
        header, *lines = lines_of(name, self.files[name])
        column = {title: [line[place] for line in lines] for place, title in enumerate(header)}
        axes = [list(dict.fromkeys(column[attribute])) for attribute in attributes]
        if len(lines) != np.prod([len(axis) for axis in axes], dtype=int):
            raise KeyError(f"the labels of {name} are of several levels: to_pandas of its file reads it")
        value = np.array([float(own or "nan") for own in column["value"]])
        sd = np.array([float(own or "nan") for own in column["sd"]]) if "sd" in column else None
        sd, low, high = self._errors(value, sd)
        statuses = column.get("status") or [self._status] * len(lines)
        return Table(attributes, axes, [own.tobytes() for own in (value, sd, low, high)], statuses, None, self._axis)

    _status = "exact"
    _axis = "people, with 95 % intervals"

    def _errors(self, value: Floats, sd: Floats | None) -> tuple[Floats, Floats, Floats]:
        """The standard deviation of each number and the ends of its interval."""
        sd = np.zeros_like(value) if sd is None else sd
        half = _laplace_half_width_95(sd)
        return sd, value - half, value + half


class RoundedRelease(TableRelease):
    """Tables of multiples of a base. ``low`` and ``high`` of a table are certain: less than the base
    from the number; ``sds`` are NaN, since they differ with the count."""

    _status = "rounded"
    _axis = "people, with certain intervals"

    @property
    def base(self) -> int:
        """Every number is a multiple of it, and less than it away from its count."""
        return int(self.record["base"])

    def _errors(self, value: Floats, sd: Floats | None) -> tuple[Floats, Floats, Floats]:
        reach = self.base - 1
        return np.full_like(value, np.nan), np.maximum(value - reach, 0.0), value + reach


class PerturbedRelease(TableRelease):
    """Tables under the cell-key method.

    ``low`` and ``high`` of a table are certain: a number of 0 stands for a count of at most
    `max_deviation`, and any other for one at most so far from it, and above 0. ``sds`` are those of
    the deviation of a count above 0, over the keys: a calibration.
    """

    _status = "perturbed"
    _axis = "people, with certain intervals"

    @property
    def max_deviation(self) -> int:
        """No number is further from its count than this."""
        return int(self.record["max_deviation"])

    @property
    def variance(self) -> float:
        """The variance of the deviation of every count above 0, in people squared."""
        return float(self.record["variance"])

    @property
    def smallest_published(self) -> int:
        """The smallest number besides 0."""
        return int(self.record["smallest_published"])

    @property
    def perturbation(self) -> dict[int, dict[int, float]]:
        """The probability of every deviation of a count; the last count stands for all larger ones."""
        laws: dict[int, dict[int, float]] = {}
        for line in csv.DictReader(io.StringIO(self.files["perturbation.csv"].decode())):
            laws.setdefault(int(line["count"]), {})[int(line["deviation"])] = float(line["probability"])
        return laws

    def _errors(self, value: Floats, sd: Floats | None) -> tuple[Floats, Floats, Floats]:
        reach = self.max_deviation
        low = np.where(value == 0.0, 0.0, np.maximum(value - reach, 1.0))
        return np.full_like(value, np.sqrt(self.variance)), low, value + reach


def _laplace_half_width_95(sd: Floats) -> Floats:
    """The least t with P(|Z| <= t) >= 0.95 for discrete Laplace noise of this standard deviation.

    P(Z = z) is proportional to a^|z|, so Var Z = 2 a / (1 - a)^2 and P(|Z| > t) = 2 a^(t+1) / (1 + a).
    """
    v = np.where(sd > 0, sd, 1.0) ** 2
    # The root below 1 of v a^2 - 2 (v + 1) a + v = 0, without a difference of like numbers.
    a = v / (v + 1.0 + np.sqrt(2.0 * v + 1.0))
    t = np.ceil(np.log(0.025 * (1.0 + a)) / np.log(a) - 1.0)
    half: Floats = np.where(sd > 0, np.maximum(t, 0.0), sd)
    return half
