"""Screening: how many labels a solver is expected to reconstruct, and how many simulated solvers do.

A prediction is a proxy: each call warns with `CalibrationWarning`.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._data import DataLike, core_data
from ._jobs import Files, JobLike, core_job
from ._messages import warn_of_calibration
from ._progress import Progress, watching
from ._release import Judged

__all__ = ["Screening", "attack", "screen", "search"]

_PROXY = "a screening is a prediction: no guarantee follows from it"


class Screening(Judged):
    """A prediction or a measured attack, and whether the target of the job is kept.

    Attributes
    ----------
    csv : str or None
        What was asked for besides, a line each: every row with its exposure, the most exposed
        first (for the owner of the data alone), or the estimate at every place of a grid.
    """

    def __init__(self, text: str, missed: tuple[str, str] | None = None, csv: str | None = None) -> None:
        super().__init__(text, missed)
        self.csv = csv

    def __reduce__(self) -> tuple[Any, ...]:
        return (Screening, (self.to_json(), self.missed, self.csv))


def _made(text: str, csv: str | None, missed: tuple[str, str] | None) -> Screening:
    return Screening(text, missed, csv)



def screen(
    job: JobLike,
    data: DataLike | None = None,
    *,
    files: Files = None,
    rows: bool = False,
    margin: float | None = None,
    max_memory: int | None = None,
    max_visits: int | None = None,
    progress: Progress = None,
) -> Screening:
    """What a solver is expected to reconstruct: of a described table, or of actual rows.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure screen`` takes it.
    data : anything that `Data` takes, optional
    rows : bool
        With data, also the coverage and exposure of every row, as ``csv`` of the result.
    margin : float, optional
        Figures must stay so far below ``target_accuracy``.
    max_memory, max_visits : int, optional
        Limits: memory in MiB, visits of the rows of the table.
    """
    warn_of_calibration(_PROXY)
    table = None if data is None else core_data(data)
    with watching(progress) as callback:
        made = _core.screen(core_job(job, files), table, rows, margin, max_memory, max_visits, callback)
    return _made(*made)


def attack(
    job: JobLike,
    data: DataLike | None = None,
    *,
    trials: int,
    seed: int,
    files: Files = None,
    margin: float | None = None,
    max_entries: int = 20_000_000,
    progress: Progress = None,
) -> Screening:
    """Releases a described table or actual rows under simulated noise, and attacks their labels.

    Parameters
    ----------
    trials : int
        How often.
    seed : int
        Of the simulation: the same attack again.
    max_entries : int
        How large an attack may be.
    """
    rows = None if data is None else core_data(data)
    with watching(progress) as callback:
        text, missed = _core.screen_attack(core_job(job, files), trials, seed, rows, margin, max_entries, callback)
    return _made(text, None, missed)


def search(
    job: JobLike,
    *,
    grid: bool = False,
    margin: float | None = None,
    confirm: int | None = None,
    seed: int | None = None,
    max_entries: int = 20_000_000,
    max_memory: int | None = None,
    progress: Progress = None,
) -> Screening:
    """The settings that keep ``target_accuracy``, one setting changed at a time.

    Parameters
    ----------
    grid : bool
        Also the estimate at every threshold and noise of ``[grid]``, as ``csv`` of the result.
    confirm, seed : int, optional
        Confirm each setting by so many simulated attacks under a seed.
    max_entries : int
        How large an attack may be.
    max_memory : int, optional
        In MiB.
    """
    if (confirm is None) != (seed is None):
        raise TypeError("confirm and seed go together")
    warn_of_calibration(_PROXY)
    effort = None if confirm is None or seed is None else (confirm, seed)
    with watching(progress) as callback:
        return _made(*_core.screen_search(core_job(job), grid, margin, effort, max_entries, max_memory, callback))
