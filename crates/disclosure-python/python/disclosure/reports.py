"""Randomised reports under local differential privacy: a client, an aggregator, estimates."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core
from ._data import DataLike, core_data
from ._jobs import JobLike, core_job
from ._progress import Progress, watching
from ._release import Document, framed
from ._table import Floats

if TYPE_CHECKING:
    import pandas

__all__ = ["Aggregator", "Client", "Estimate", "Schema", "plan", "simulate"]


class Schema:
    """What is asked, how each answer is randomised, and what a collector keeps.

    Parameters
    ----------
    schema : path, text or mapping
        As ``disclosure ldp`` takes it.

    Examples
    --------
    >>> import disclosure
    >>> schema = disclosure.reports.Schema({"order": 2, "feature": [
    ...     {"name": "smoker", "values": ["no", "yes"], "protocol": "rr", "epsilon": 1.0}]})
    >>> schema.features, schema.columns
    (['smoker'], ['smoker'])
    """

    def __init__(self, schema: JobLike) -> None:
        self.text: str = core_job(schema).text
        self.features, self.columns = _core.reports_check(self.text)

    def client(self) -> Client:
        """Who randomises the answers of people."""
        return Client(self)

    def aggregator(self) -> Aggregator:
        """Who counts reports; nothing counted yet."""
        return Aggregator(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Schema({len(self.features)} features)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Schema, (self.text if "\n" in self.text or "=" in self.text else self.text + "\n",))


class Client:
    """Randomises answers: only its reports may leave the people that they are about."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def encode(
        self,
        data: DataLike,
        *,
        once: bool = False,
        memory: Union[str, os.PathLike[str], None] = None,
        person: str | None = None,
        changed: str | None = None,
        progress: Progress = None,
    ) -> bytes:
        """One randomised report for each row. Two reports about a person cost twice the epsilon.

        Parameters
        ----------
        data : anything that `Data` takes
        once : bool
            There is no other round, so permanent stages are not kept.
        memory : path, optional
            The file in which permanent stages are kept, by ``person``.
        person : str, optional
            The column that names the person of a row.
        changed : str, optional
            What becomes of a person whose answer changed.
        """
        path = None if memory is None else os.fspath(memory)
        with watching(progress) as callback:
            _, reports = _core.reports_encode(self.schema.text, core_data(data), once, path, person, changed, callback)
        return reports

    def __reduce__(self) -> tuple[Any, ...]:
        return (Client, (self.schema,))


class Aggregator:
    """Counts of reports under one schema; counts of several are added with ``+``.

    Examples
    --------
    >>> import disclosure
    >>> schema = disclosure.reports.Schema({"order": 2, "feature": [
    ...     {"name": "smoker", "values": ["no", "yes"], "protocol": "rr", "epsilon": 1.0}]})
    >>> reports = schema.client().encode({"smoker": ["no", "yes", "yes"]})
    >>> aggregator = schema.aggregator()
    >>> aggregator.add(reports)
    >>> aggregator.n
    3
    """

    def __init__(self, schema: Schema, state: bytes | None = None) -> None:
        self.schema = schema
        self._state = state
        self._document: Document | None = None

    def add(
        self, *reports: Union[bytes, str, os.PathLike[str]], allow_repeats: bool = False, progress: Progress = None
    ) -> None:
        """Counts streams of reports, as bytes or files. One that was counted before is refused."""
        streams = [own if isinstance(own, bytes) else Path(own).read_bytes() for own in reports]
        with watching(progress) as callback:
            made = _core.reports_count(self.schema.text, streams, self._state, allow_repeats, callback)
        self._state, self._document = made[0], Document(made[1])

    def add_bits(self, data: DataLike, *, vouched: bool, progress: Progress = None) -> None:
        """Counts support bits that were randomised elsewhere: columns of 0 and 1.

        Parameters
        ----------
        vouched : bool
            That the ``p`` and ``q`` of the schema made the bits: nothing here can check it.
        """
        with watching(progress) as callback:
            state, _ = _core.reports_count_bits(self.schema.text, core_data(data), vouched, callback)
        self._merge([state], progress)

    def _merge(self, states: Iterable[bytes], progress: Progress = None) -> None:
        parts = [*([] if self._state is None else [self._state]), *states]
        with watching(progress) as callback:
            made = _core.reports_merge(parts, False, False, callback)
        self._state, self._document = made[0], Document(made[1])

    def __add__(self, other: Aggregator) -> Aggregator:
        if other.schema != self.schema:
            raise ValueError("only counts under one schema can be added")
        merged = Aggregator(self.schema, self._state)
        if other._state is not None:
            merged._merge([other._state])
        return merged

    def without_sources(self) -> Aggregator:
        """The counts alone, without the digests of what was counted: a repeat is not noticed."""
        state, _ = _core.reports_merge([self.to_bytes()], False, True, None)
        return Aggregator(self.schema, state)

    def to_bytes(self) -> bytes:
        """The counts, as ``disclosure ldp aggregate`` writes them."""
        if self._state is None:
            raise ValueError("nothing is counted yet")
        return self._state

    @classmethod
    def from_bytes(cls, schema: Schema, state: bytes) -> Aggregator:
        """The counts that `to_bytes` gave."""
        made = cls(schema)
        made._merge([state])
        return made

    @property
    def document(self) -> Document:
        """What is counted, and what the reports cost."""
        if self._document is None:
            made = _core.reports_merge([self.to_bytes()], False, False, None)
            self._document = Document(made[1])
        return self._document

    @property
    def n(self) -> int:
        """How many reports are counted."""
        return 0 if self._state is None else int(self.document["n"])

    def estimate(
        self,
        sets: Sequence[Sequence[str]] | str | None = None,
        *,
        order: int | None = None,
        population: str | None = None,
        pairs: bool = False,
        feasible: bool = False,
        covariance: bool = False,
        progress: Progress = None,
    ) -> Estimate:
        """Joint counts with their errors.

        Parameters
        ----------
        sets : sequence of sequences of str, optional
            Columns that are estimated together; every column and every pair by default.
        order : int, optional
            All sets of at most so many columns.
        population : str, optional
            Whom intervals are for.
        pairs : bool
            Also correlations, odds and tests of every pair.
        feasible : bool
            Also the nearest and the likeliest table without negative cells.
        covariance : bool
            Also the covariance of all counts.
        """
        listed = sets if sets is None or isinstance(sets, str) else ";".join(",".join(own) for own in sets)
        with watching(progress) as callback:
            text = _core.reports_estimate(
                self.schema.text, self.to_bytes(), listed, order, population, pairs, feasible, covariance, callback
            )
        return Estimate(text)

    def __repr__(self) -> str:
        return f"Aggregator({self.n} reports)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Aggregator, (self.schema, self._state))


class Estimate(Document):
    """Counts of people who have all columns of a set; unbiased, so they may be negative."""

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """The columns of each set."""
        return [tuple(own["columns"]) for own in self["sets"]]

    @property
    def counts(self) -> Floats:
        """Estimated counts, shape (sets,), in people."""
        return np.asarray([own["count"] for own in self["sets"]], dtype=np.float64)

    @property
    def sds(self) -> Floats:
        """Standard errors for a fixed population, shape (sets,), in people."""
        return np.asarray([own["se_fixed_population"] for own in self["sets"]], dtype=np.float64)

    @property
    def low(self) -> Floats:
        """Lower ends of 95 % intervals for the population that was asked for, shape (sets,)."""
        return np.asarray([own["ci95"][0] for own in self["sets"]], dtype=np.float64)

    @property
    def high(self) -> Floats:
        """Upper ends of the same intervals."""
        return np.asarray([own["ci95"][1] for own in self["sets"]], dtype=np.float64)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each set: its columns, the count, its standard error and interval."""
        import pandas

        return pandas.DataFrame({
            "set": [" & ".join(own) for own in self.sets], "value": self.counts, "sd": self.sds,
            "ci95_low": self.low, "ci95_high": self.high,
        })

    def _repr_html_(self) -> str:
        ends = zip(self.sets, self.counts.tolist(), self.low.tolist(), self.high.tolist())
        lines = [([" & ".join(names)], value, low, high) for names, value, low, high in ends]
        most, title = 40, "People who have all columns of a set"
        shown = (title, ["set"], "people, with 95 % intervals", lines[:most], max(0, len(lines) - most))
        return framed(_core.tables_page(title, [], [shown]))

    @property
    def covariance(self) -> Floats:
        """Covariances, shape (sets, sets), in people squared; asked for with ``covariance=True``."""
        return np.asarray(self["covariance"], dtype=np.float64)


def plan(job: JobLike) -> Document:
    """Compares protocols for a budget, with their predicted variance, before anybody is asked."""
    return Document(_core.reports_plan(core_job(job).text))


def simulate(
    schema: Schema,
    data: DataLike,
    *,
    trials: int,
    seed: int,
    sets: str | None = None,
    order: int | None = None,
    progress: Progress = None,
) -> Document:
    """Claimed errors beside those of simulated reports. Nothing of it may be published."""
    with watching(progress) as callback:
        text = _core.reports_simulate(schema.text, core_data(data), trials, seed, sets, order, callback)
    return Document(text)
