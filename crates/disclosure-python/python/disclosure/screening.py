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
from ._release import Document

__all__ = ["Screening", "attack", "screen", "search"]

_PROXY = "a screening is a prediction: no guarantee follows from it"


class Screening(Document):
    """A prediction or a measured attack.

    Attributes
    ----------
    missed : str or None
        Why the target of the job is missed or cannot be shown to be kept; ``None`` where it is
        kept, or where there is none.
    """

    def __init__(self, text: str, missed: str | None = None) -> None:
        super().__init__(text)
        self.missed = missed

    @property
    def target_met(self) -> bool:
        """Whether the target of the job is kept."""
        return self.missed is None

    def __reduce__(self) -> tuple[Any, ...]:
        return (Screening, (self.to_json(), self.missed))


def _made(judged: tuple[str, tuple[str, str] | None]) -> Screening:
    text, missed = judged
    return Screening(text, None if missed is None else ": ".join(missed))


def screen(
    job: JobLike,
    data: DataLike | None = None,
    *,
    files: Files = None,
    margin: float | None = None,
    progress: Progress = None,
) -> Screening:
    """What a solver is expected to reconstruct: of a described table, or of actual rows.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure screen`` takes it.
    data : anything that `Data` takes, optional
    margin : float, optional
        Figures must stay so far below ``target_accuracy``.
    """
    warn_of_calibration(_PROXY)
    rows = None if data is None else core_data(data)
    with watching(progress) as callback:
        return _made(_core.screen(core_job(job, files), rows, margin, callback))


def attack(
    job: JobLike,
    data: DataLike | None = None,
    *,
    trials: int,
    seed: int,
    files: Files = None,
    margin: float | None = None,
    max_entries: int = 2_000_000,
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
        return _made(
            _core.screen_attack(core_job(job, files), trials, seed, rows, margin, max_entries, callback)
        )


def search(job: JobLike, *, margin: float | None = None, progress: Progress = None) -> Screening:
    """The settings that keep ``target_accuracy``, one setting changed at a time."""
    warn_of_calibration(_PROXY)
    with watching(progress) as callback:
        return _made(_core.screen_search(core_job(job), margin, callback))
