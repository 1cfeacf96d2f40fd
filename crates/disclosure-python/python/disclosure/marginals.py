"""Noisy marginals under one privacy budget, with the least error.

The plan is made before any data are read: it says every error and the cost. A release reads the
data, charges the ledger, and draws the noise once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._data import DataLike, core_data
from ._jobs import Files, JobLike, core_job, today
from ._measurement import Measurement, Synthesis
from ._plans import PlanOfMarginals
from ._progress import Progress, watching
from ._read import is_table, lines_of
from ._release import Document, LargeFiles, Release
from ._table import Table
from .bridges import Accounted, Cost, opendp_measurement
from .ledger import LedgerLike, core_ledger

if TYPE_CHECKING:
    import pandas

__all__ = ["Measurement", "Plan", "MarginalsRelease", "Synthesis", "plan"]


def plan(
    job: JobLike | None = None,
    *,
    files: Files = None,
    weights: str | None = None,
    max_memory: int | None = None,
    max_answers: int | None = None,
    max_marginals: int | None = None,
    max_planning: int | None = None,
    progress: Progress = None,
    **fields: Any,
) -> Plan:
    """Makes the plan of least error within a budget; nothing is read or drawn.

    Parameters
    ----------
    job : path, text or mapping, optional
        A job as ``disclosure resplan plan`` takes it, or a stored plan.
    files : mapping of names to texts or bytes, optional
        Files that the job names.
    weights : str, optional
        How much each table counts, in place of what the job says.
    max_memory, max_answers, max_marginals, max_planning : int, optional
        Limits: memory in MiB, numbers, tables, seconds of planning.
    progress : bool or callable, optional
        Shows a bar, or is called with the stage and its share.
    **fields
        The fields of the job in place of ``job``: ``marginals``, ``up_to``, ``neighbours``,
        ``objective``, ...; ``rho``, ``mu`` or ``epsilon`` with ``delta`` for the budget;
        ``domain`` as a mapping of names to a size, labels, or edges of bins.

    Returns
    -------
    Plan

    Raises
    ------
    SpecError
        For an invalid specification: codes E02...
    LimitError
        E0611 for a plan that exceeds the limits.

    Examples
    --------
    >>> import disclosure
    >>> plan = disclosure.marginals.plan(
    ...     marginals=[["age", "smoker"]], rho=0.5, neighbours="add-remove",
    ...     domain={"age": ["young", "old"], "smoker": ["no", "yes"]},
    ... )
    >>> round(plan.rmse, 6), round(plan.rho, 6)
    (1.0, 0.5)
    """
    if job is None:
        job = job_of_fields(fields)
    elif fields:
        raise TypeError(f"{sorted(fields)} belong in the job")
    text = core_job(job, files)
    options = (weights, max_memory, max_answers, max_marginals, max_planning)
    with watching(progress) as callback:
        made = _core.MarginalsPlan(text, today(), *options, callback)
    return Plan(made, options)


def job_of_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a job from keywords: budget and domain in their short forms."""
    job = dict(fields)
    budget = {name: job.pop(name) for name in ("rho", "mu", "pcost", "epsilon", "delta") if name in job}
    if budget:
        job["privacy"] = {**job.get("privacy", {}), **budget}
    domain = job.get("domain")
    if isinstance(domain, Mapping):
        del job["domain"]
        job["attribute"] = [_attribute(str(name), own) for name, own in domain.items()]
    return job


def _attribute(name: str, own: Any) -> dict[str, Any]:
    if isinstance(own, Mapping):
        return {"name": name, **own}
    if isinstance(own, (int, np.integer)):
        return {"name": name, "size": int(own)}
    own = list(own)
    kind = "labels" if any(isinstance(value, str) for value in own) else "bins"
    return {"name": name, kind: own}


class Plan(PlanOfMarginals[_core.MarginalsPlan]):
    """A checked job with its predicted errors; `release` may be called for each release."""

    def __init__(self, core: _core.MarginalsPlan, options: tuple[Any, ...]) -> None:
        super().__init__(core)
        self._options = options

    @property
    def rmse(self) -> float:
        """Root of the mean variance over all answers, in people."""
        return self._core.rmse()

    @property
    def gap_to_any_mechanism(self) -> float | None:
        """How far the objective may be above that of any unbiased Gaussian mechanism, relative."""
        return self._core.gap()

    @property
    def domain_is_learnt(self) -> bool:
        """Whether the domain was learnt from the data, so that a release refuses it."""
        return self._core.domain_is_learnt()

    @property
    def variances(self) -> dict[tuple[str, ...], float]:
        """The mean variance of the answers of each planned table, in people squared."""
        return {tuple(own["attributes"]): own["mean_variance"] for own in self.document["marginals"]}

    def target_rmse(self, target: float) -> float:
        """The smallest rho for which the same job has at most this `rmse`, in people.

        Examples
        --------
        >>> import disclosure
        >>> plan = disclosure.marginals.plan(marginals=[["a"]], rho=0.5, neighbours="add-remove", domain={"a": 3})
        >>> round(plan.target_rmse(plan.rmse / 2), 6)
        2.0
        """
        return self._core.rho_for_rmse(target)

    def target_sd(self, target: float) -> float:
        """The smallest rho for which no answer has a larger standard deviation, in people."""
        return self._core.rho_for_largest_sd(target)

    def release(
        self, data: DataLike, *, ledger: LedgerLike = None, keep: int = 64, progress: Progress = None
    ) -> MarginalsRelease:
        """Reads the data, charges the ledger, draws the noise once.

        Parameters
        ----------
        data : anything that `Data` takes
        ledger : Ledger or path, optional
            Charged before the noise is drawn; without one the release is not counted.
        keep : int
            Files of at most so many MiB together stay in memory. A larger release holds its
            measurement alone: ``write`` and ``files`` make the others from it, one at a time.
        progress : bool or callable, optional

        Returns
        -------
        MarginalsRelease

        Raises
        ------
        RefusedError
            E0401 for a domain that was learnt from the data.
        DataError
            For rows that do not fit the domain.
        BudgetError
            E0501 where the ledger does not cover the cost.
        """
        with watching(progress) as callback:
            record, files = self._core.release(core_data(data), keep << 20, core_ledger(ledger), callback)
        return MarginalsRelease(record, files if isinstance(files, dict) else LargeFiles(files), [])

    def simulate(self, data: DataLike, *, trials: int, seed: int, progress: Progress = None) -> Document:
        """Measured errors beside the predicted ones. Nothing of it may be published."""
        with watching(progress) as callback:
            return Document(self._core.simulate(core_data(data), trials, seed, callback))

    def simulated_measurement(self, data: DataLike, *, seed: int, progress: Progress = None) -> Measurement:
        """The measurement of the first trial of `simulate`, to try answers on. Nothing of it may be
        published."""
        with watching(progress) as callback:
            return Measurement(self._core.simulated(core_data(data), seed, callback))

    def _costs(self) -> list[Cost]:
        mu = self.document.get("mu")
        return [Cost(self.rho, None if mu is None else mu * mu)]

    def to_opendp(self, *, ledger: LedgerLike = None) -> Any:
        """The release as a ``Measurement`` of OpenDP, to be composed with its own.

        Returns
        -------
        opendp.Measurement
            From anything that `Data` takes to a `MarginalsRelease`; rows are in symmetric
            distance, or under ``replace`` in change-one distance; privacy is zero-concentrated.
            The features ``contrib`` and ``honest-but-curious`` of OpenDP must be enabled: that
            this package keeps its word is all that OpenDP knows.
        """
        return opendp_measurement(lambda data: self.release(data, ledger=ledger), self.rho, self.promise["neighbours"])

    def store(self) -> str:
        """The plan as a text that `plan` takes: a release can be made from it elsewhere."""
        return self._core.stored()

    def __repr__(self) -> str:
        return f"Plan({len(self.marginals)} tables, rho {self.rho:g}, rmse {self.rmse:.4g})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_plan_again, (self._core.job, self._options))


def _plan_again(job: _core.JobText, options: tuple[Any, ...]) -> Plan:
    return Plan(_core.MarginalsPlan(job, today(), *options), options)


class MarginalsRelease(Release, Accounted):
    """Tables that were measured once, and everything that follows from them."""

    def _costs(self) -> list[Cost]:
        cost = self.record["cost"]
        mu = cost.get("mu")
        return [Cost(cost["rho"], None if mu is None else mu * mu)]

    @property
    def measurement(self) -> Measurement:
        """The measurement behind all tables."""
        own: Measurement | None = self.__dict__.get("_measurement")
        if own is None:
            files = self.files
            stored = files.core.measurement() if isinstance(files, LargeFiles) else files["measurement.bin"]
            own = self.__dict__["_measurement"] = Measurement(stored)
        return own

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """The planned tables, each by its attributes."""
        return self.measurement.tables

    def table(self, *attributes: str) -> Table:
        """The unbiased table over some attributes, planned or within a planned one.

        Examples
        --------
        >>> import disclosure
        >>> plan = disclosure.marginals.plan(marginals=[["a", "b"]], rho=1e6, neighbours="add-remove",
        ...                                  domain={"a": 2, "b": 2})
        >>> release = plan.release({"a": [0, 1, 1], "b": [0, 0, 1]})
        >>> release.table("a", "b").values.round().tolist()
        [[1.0, 0.0], [1.0, 1.0]]
        >>> release.table("a").shape
        (2,)
        """
        return self.measurement.table(*attributes)

    def adjusted(self, kind: str, *attributes: str) -> pandas.DataFrame:
        """An adjusted table, such as ``rounded``, that the job asked for with ``after``.

        Its numbers are biased and have no errors of their own: `table` has the unbiased ones.
        """
        import pandas

        wanted = set(attributes)
        for name, data in self.files.items():
            if is_table(name) and kind in name.split("/")[0]:
                header, *lines = lines_of(name, data)
                frame: pandas.DataFrame = pandas.DataFrame(lines, columns=header)
                if set(frame.columns) - {"value", "estimate"} == wanted:
                    return frame.assign(value=frame["value"].astype(float))
        raise KeyError(f"no file of {kind!r} over {sorted(wanted)}: name it in after = [...] of the job")

    def to_mbi(self) -> list[Any]:
        """As `Measurement.to_mbi`."""
        return self.measurement.to_mbi()

    def synthesise(self, rows: int | None = None, **options: Any) -> Synthesis:
        """As `Measurement.synthesise`."""
        return self.measurement.synthesise(rows, **options)
