"""Adaptive marginals: what is measured is chosen under the budget, and rows are drawn from a model.

Use `marginals` where the tables are known: its answers are unbiased, and their errors are known
beforehand.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._data import DataLike, core_data
from ._jobs import Files, JobLike, core_job, today
from ._plans import PlanOfMarginals
from ._progress import Progress, watching
from ._read import lines_of
from ._release import Release
from ._table import Table
from .bridges import Accounted, Cost, opendp_measurement
from .ledger import LedgerLike, core_ledger
from .marginals import job_of_fields

if TYPE_CHECKING:
    import pandas

__all__ = ["AdaptivePlan", "AdaptiveRelease", "plan"]

_HALF_WIDTH_95 = 1.9599639845400545


def plan(
    job: JobLike | None = None, *, files: Files = None, max_memory: int | None = None, **fields: Any
) -> AdaptivePlan:
    """Divides a budget over rounds of choosing and measuring; nothing is read or drawn.

    Parameters
    ----------
    job : path, text or mapping, optional
        A job as ``disclosure adaptive plan`` takes it.
    files : mapping of names to texts or bytes, optional
        Files that the job names.
    max_memory : int, optional
        In MiB, for the counts of all candidates and the model.
    **fields
        The fields of the job in place of ``job``: ``up_to`` or ``marginals``, ``rounds``,
        ``rows``, ``neighbours``, ...; ``rho``, or ``epsilon`` with ``delta``; ``domain`` as
        `marginals.plan` takes it.

    Raises
    ------
    RefusedError
        E0401 for a domain that was learnt from the data.
    LimitError
        E0611 for marginals that need more memory than the limit.

    Examples
    --------
    >>> import disclosure
    >>> plan = disclosure.adaptive.plan(up_to=2, rho=0.5, neighbours="add-remove",
    ...                                 domain={"age": ["young", "old"], "smoker": ["no", "yes"]})
    >>> plan.rho, plan.document["candidates"]
    (0.5, 3)
    """
    if job is None:
        job = job_of_fields(fields)
    elif fields:
        raise TypeError(f"{sorted(fields)} belong in the job")
    return AdaptivePlan(_core.AdaptivePlan(core_job(job, files), today(), max_memory), max_memory)


class AdaptivePlan(PlanOfMarginals[_core.AdaptivePlan]):
    """A checked job; `release` may be called for each release. `marginals` are those that are to be
    accurate, and `rho` is the whole budget."""

    def __init__(self, core: _core.AdaptivePlan, max_memory: int | None) -> None:
        super().__init__(core)
        self._max_memory = max_memory

    def release(self, data: DataLike, *, ledger: LedgerLike = None, progress: Progress = None) -> AdaptiveRelease:
        """Reads the data, charges the ledger, then chooses, measures, and draws rows of the model.

        Parameters
        ----------
        data : anything that `Data` takes
        ledger : Ledger or path, optional
            The whole budget is charged before anything is drawn.
        progress : bool or callable, optional

        Raises
        ------
        DataError
            For rows that do not fit the domain.
        BudgetError
            E0501 where the ledger does not cover the cost.
        """
        with watching(progress) as callback:
            return AdaptiveRelease(*self._core.release(core_data(data), core_ledger(ledger), callback))

    def _costs(self) -> list[Cost]:
        return [Cost(self.rho)]

    def to_opendp(self, *, ledger: LedgerLike = None) -> Any:
        """The release as a ``Measurement`` of OpenDP, as `marginals.Plan.to_opendp`."""
        return opendp_measurement(lambda data: self.release(data, ledger=ledger), self.rho, self.promise["neighbours"])

    def __repr__(self) -> str:
        return f"AdaptivePlan({len(self.marginals)} marginals, rho {self.rho:g})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_plan_again, (self._core.job, self._max_memory))


def _plan_again(job: _core.JobText, max_memory: int | None) -> AdaptivePlan:
    return AdaptivePlan(_core.AdaptivePlan(job, today(), max_memory), max_memory)


class AdaptiveRelease(Release, Accounted):
    """Marginals that were chosen and measured, and rows of people who do not exist.

    Examples
    --------
    >>> import disclosure
    >>> plan = disclosure.adaptive.plan(up_to=2, rho=1e4, rows=4, neighbours="add-remove", domain={"a": 2, "b": 2})
    >>> release = plan.release({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]})
    >>> release.table("a").values.round().tolist(), len(release.to_pandas())
    ([2.0, 2.0], 4)
    """

    def _costs(self) -> list[Cost]:
        return [Cost(self.record["cost"]["rho"])]

    @property
    def rounds(self) -> list[Any]:
        """The rounds in order: what was measured, its noise, the epsilon of the choice."""
        return list(self.record["rounds"])

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """The marginals that were measured, each by its attributes."""
        return [tuple(own["attributes"]) for own in self.record["marginals"]]

    def table(self, *attributes: str) -> Table:
        """A marginal as it was measured, with its noise.

        The interval of a marginal that was measured more than once is NaN: that it was chosen
        again depends on its own noise.

        Raises
        ------
        KeyError
            For a marginal that was not measured.
        """
        wanted = set(attributes)
        for file in self.record["files"]:
            if "attributes" in file and set(file["attributes"]) == wanted:
                return self._table(file["name"], file["attributes"])
        raise KeyError(f"{sorted(wanted)} was not measured")

    def _table(self, name: str, attributes: list[str]) -> Table:
        lines = lines_of(name, self.files[name])[1:]
        axes = [list(dict.fromkeys(line[place] for line in lines)) for place in range(len(attributes))]
        value, sd = (np.array([float(line[place]) for line in lines]) for place in (-3, -2))
        summary = next(own for own in self.record["marginals"] if own["attributes"] == attributes)
        half = sd * (_HALF_WIDTH_95 if summary["measured"] == 1 else np.nan)
        numbers = [array.tobytes() for array in (value, sd, value - half, value + half)]
        return Table(attributes, axes, numbers, [line[-1] for line in lines])

    def _repr_html_(self) -> str:
        """What was measured, and how far the rows are from it; there is no page of it yet."""
        heads = ("measured", "times", "sd", "distance from measured", "error bound, 95 %")
        lines = [
            (" × ".join(own["attributes"]), own["measured"], f"{own['sd']:.3g}", f"{own['distance']:.2%}", _share(own))
            for own in self.record["marginals"]
        ]
        cells = [heads, *lines]
        rows = ("".join(f"<td>{html.escape(str(cell))}</td>" for cell in line) for line in cells)
        table = "".join(f"<tr>{row}</tr>" for row in rows)
        said = "; ".join(self.record["statements"])
        title = f"{self.record['title']}: {self.record['rows']} rows of a model of {len(lines)} tables"
        return f"<h3>{html.escape(title)}</h3><p>{html.escape(said)}</p><table>{table}</table>"

    @property
    def csv(self) -> bytes:
        """The rows of the model. With ``tables = "parquet"`` they are ``files["rows.parquet"]``."""
        return self.files["rows.csv"]

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of the model, every label a string."""
        import pandas

        name = next(own for own in ("rows.csv", "rows.parquet") if own in self.files)
        header, *lines = lines_of(name, self.files[name])
        return pandas.DataFrame(lines, columns=header)


def _share(own: Any) -> str:
    return f"{own['error_bound95']:.2%}"
