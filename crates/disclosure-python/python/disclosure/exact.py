"""Exact tables: what exact numbers disclose about every group, and which may be released."""

from __future__ import annotations

import os
from typing import Any, Union

from . import _core
from ._data import DataLike, core_data
from ._jobs import Files, JobLike, core_job, today
from ._progress import Progress, watching
from ._release import Document, Judged
from ._tables import PerturbedRelease, RoundedRelease, TableRelease
from .ledger import LedgerLike, core_ledger

__all__ = [
    "Audit", "PerturbedRelease", "RoundedRelease", "TableRelease", "audit", "audit_pattern", "bounds", "diff",
    "perturb", "plan", "release", "round", "slack", "verify",
]


class Audit(Judged):
    """What is proved about classes or cells, with the certificates of its bounds.

    Attributes
    ----------
    certificates : str or None
        What proves the bounds, for `verify` and for sceptics: it holds tables consistent with the
        release, perhaps the true one, so it stays where the data are.
    """

    def __init__(self, text: str, certificates: str | None = None, missed: tuple[str, str] | None = None) -> None:
        super().__init__(text, missed)
        self.certificates = certificates

    def __reduce__(self) -> tuple[Any, ...]:
        return (Audit, (self.to_json(), self.certificates, self.missed))


def _rows(data: DataLike | None) -> _core.Data | None:
    return None if data is None else core_data(data)


def audit(
    job: JobLike,
    data: DataLike | None = None,
    *,
    files: Files = None,
    draws: int | None = None,
    certificates: bool = False,
    algorithm_aware: bool = False,
    progress: Progress = None,
) -> Audit:
    """Judges every class in scope against everything that is published and known.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure frechet audit`` takes it; its own ``data`` is not looked at.
    data : anything that `Data` takes, optional
        Left out for a job about known numbers alone.
    draws : int, optional
        Tables to draw among those that satisfy what is known.
    certificates : bool
        Also what proves the bounds.
    algorithm_aware : bool
        Also what a reader learns who runs this program on every consistent table.

    Returns
    -------
    Audit
        ``target_met`` says whether the target is met; `require_target` raises for a missed one.
    """
    with watching(progress) as callback:
        made = _core.exact_audit(core_job(job, files), _rows(data), draws, certificates, algorithm_aware, callback)
    return Audit(*made)


def bounds(
    job: JobLike,
    data: DataLike | None = None,
    *,
    files: Files = None,
    count_tables: int | None = None,
    certificates: bool = False,
    progress: Progress = None,
) -> Audit:
    """Finds the sharp bounds of every cell, in people.

    Parameters
    ----------
    count_tables : int, optional
        Also how many tables satisfy what is known, counted up to this many.
    """
    with watching(progress) as callback:
        made = _core.exact_bounds(core_job(job, files), _rows(data), count_tables, certificates, callback)
    return Audit(*made)


def plan(job: JobLike, data: DataLike | None = None, *, files: Files = None, progress: Progress = None) -> Judged:
    """What would be released; where the target is missed, why, and which settings would meet it.

    For the owner of the data: nothing is drawn.
    """
    with watching(progress) as callback:
        document, _, missed = _core.exact_plan(core_job(job, files), _rows(data), callback)
    return Judged(document, missed)


def release(
    job: JobLike,
    data: DataLike | None = None,
    *,
    files: Files = None,
    ledger: LedgerLike = None,
    progress: Progress = None,
) -> TableRelease:
    """Plans, asks the attacker, draws what noise there is, and gives the tables.

    Raises
    ------
    RefusedError
        Where the target is missed.
    """
    with watching(progress) as callback:
        made = _core.exact_release(core_job(job, files), _rows(data), today(), core_ledger(ledger), callback)
    return TableRelease(*made)


def round(
    job: JobLike, data: DataLike | None = None, *, base: int, files: Files = None, progress: Progress = None
) -> RoundedRelease:
    """Rounds one margin with all its totals to multiples of a base, and judges it."""
    with watching(progress) as callback:
        return RoundedRelease(*_core.exact_round(core_job(job, files), _rows(data), base, today(), callback))


def perturb(
    job: JobLike,
    data: DataLike,
    *,
    secret_file: Union[str, os.PathLike[str]],
    new_secret: bool = False,
    register: bool = False,
    files: Files = None,
    progress: Progress = None,
) -> PerturbedRelease:
    """Perturbs one margin with all its totals by the cell-key method, and judges it.

    Every number is moved by at most ``max_deviation``, as a secret and the very people it counts
    decide: the same people have the same number in every table under one secret.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure frechet perturb`` takes it, with ``cell_key`` and declared attributes.
    data : anything that `Data` takes
    secret_file : path
        The 32 bytes under which numbers are moved. Its registry, which is made beside it, admits
        one design and one list of attributes.
    new_secret : bool
        Make that file if it is not there. Keep it as long as the data.
    register : bool
        Make the registry of a secret that has none: otherwise such a secret is refused, since
        another design may have been drawn under it. ``new_secret`` makes it as well.

    Raises
    ------
    SpecError
        E0234 for a design out of range, E0231 for a job that is not about one table.
    RefusedError
        E0445 where a class would be known too closely, E0408 for a secret of another design, or one without a
        registry.

    Examples
    --------
    >>> import disclosure, tempfile, pathlib
    >>> job = {"data": "people.csv", "margins": [["a"]], "min_interval_width": 1, "min_frequency": 1,
    ...        "cell_key": {"max_deviation": 5, "variance": 3.0, "smallest_published": 3},
    ...        "attribute": [{"name": "a", "labels": ["x", "y", "z"]}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     key = pathlib.Path(folder) / "cells.key"
    ...     release = disclosure.exact.perturb(job, {"a": ["x"] * 40 + ["y"] * 60}, secret_file=key, new_secret=True)
    >>> table = release.table("a")
    >>> bool(table.low[0] <= 40 <= table.high[0]), float(table.values[2])
    (True, 0.0)
    """
    with watching(progress) as callback:
        made = _core.exact_perturb(
            core_job(job, files), core_data(data), (os.fspath(secret_file), new_secret, register), today(), callback
        )
    return PerturbedRelease(*made)


def diff(
    before: JobLike,
    before_data: DataLike | None,
    after: JobLike,
    after_data: DataLike | None,
    *,
    changed: int = 0,
    progress: Progress = None,
) -> Judged:
    """Judges two jobs about one population together.

    Parameters
    ----------
    changed : int
        At most so many people who stayed changed their response.
    """
    with watching(progress) as callback:
        document, _, missed = _core.exact_diff(
            core_job(before), _rows(before_data), core_job(after), _rows(after_data), changed, callback
        )
    return Judged(document, missed)


def verify(certificates: Union[str, Audit, None]) -> Document:
    """Checks every claim of certificates from their text alone.

    Parameters
    ----------
    certificates : str or Audit
        Their text, or an audit that was made with ``certificates=True``.

    Raises
    ------
    ValueError
        Without certificates.
    Error
        For a claim that does not follow.
    """
    text = certificates.certificates if isinstance(certificates, Audit) else certificates
    if text is None:
        raise ValueError("there are no certificates: ask for them with certificates=True")
    return Document(_core.exact_verify(text))


def slack(
    job: JobLike,
    data: DataLike | None = None,
    *,
    cells: bool = False,
    files: Files = None,
    progress: Progress = None,
) -> Document:
    """By how many people numbers contradict each other, and what they tell when that is granted.

    For numbers that `bounds` or `audit` refuses with E0371.

    Parameters
    ----------
    cells : bool
        Windows of every cell, as `bounds` has them, in place of the classes that the rule of the
        job is about.
    """
    with watching(progress) as callback:
        return Document(_core.exact_slack(core_job(job, files), _rows(data), cells, callback))


def audit_pattern(
    jj: str,
    *,
    title: str = "pattern",
    steps: int | None = None,
    nodes: int | None = None,
    all_steps: int | None = None,
    seconds: int | None = None,
    certificates: bool = False,
    progress: Progress = None,
) -> Audit:
    """Audits the suppression pattern of a JJ file, as tau-ARGUS and sdcTable write it.

    Parameters
    ----------
    jj : str
        The text of the file.
    steps, nodes, all_steps, seconds : int, optional
        Limits: simplex steps of one linear program, linear programs of one bound, simplex steps
        and seconds of all cells together. What is not decided within them is unknown.
    certificates : bool
        Also what proves the bounds.
    """
    with watching(progress) as callback:
        made = _core.exact_pattern(jj, title, steps, nodes, all_steps, seconds, certificates, callback)
    return Audit(*made)
