"""The pipeline: exact tables, filtered groups and noisy marginals of one table as one release."""

from __future__ import annotations

import os
from typing import Any, Union

from . import _core
from ._data import DataLike, core_data
from ._jobs import Files, JobLike, core_job, today
from ._progress import Progress, watching
from ._release import Judged, Release
from .ledger import LedgerLike, core_ledger
from .marginals import Measurement

__all__ = ["Findings", "PipelineRelease", "plan", "run"]


class Findings(Judged):
    """The manifest of a release that was not made: predictions, audits, attacks, targets.

    ``missed`` is the refusal that a release would get; `require_target` raises it.
    """

    @property
    def targets_met(self) -> bool:
        """Whether `run` would release."""
        return self.target_met


class PipelineRelease(Release):
    """A release in three parts: ``release/`` may leave, ``review/`` is for the owner."""

    @property
    def measurement(self) -> Measurement:
        """The measurement of the noisy part.

        Raises
        ------
        KeyError
            For a job without a noisy part.
        """
        names = [name for name in self.files if name.rsplit("/", 1)[-1] == "measurement.bin"]
        if not names:
            raise KeyError("the job has no noisy part")
        return Measurement(self.files[names[0]])

    @property
    def promise(self) -> Any:
        """The promises of all parts."""
        return self.record.get("parts") or super().promise


def _run(
    job: JobLike,
    data: DataLike,
    files: Files,
    dry_run: bool,
    ledger: LedgerLike,
    secret_file: Union[str, os.PathLike[str], None],
    register: bool,
    max_memory: int | None,
    progress: Progress,
) -> tuple[str, tuple[str, str] | None, dict[str, bytes], list[str]]:
    secret = None if secret_file is None else os.fspath(secret_file)
    with watching(progress) as callback:
        return _core.pipeline_run(
            core_job(job, files), core_data(data), today(), dry_run, core_ledger(ledger), secret, register,
            max_memory, callback,
        )


def run(
    job: JobLike,
    data: DataLike,
    *,
    files: Files = None,
    ledger: LedgerLike = None,
    secret_file: Union[str, os.PathLike[str], None] = None,
    register: bool = False,
    max_memory: int | None = None,
    progress: Progress = None,
) -> PipelineRelease:
    """Plans, judges and releases a job of several parts.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure run`` takes it; its own ``data`` and ``ledger`` are not looked at.
    data : anything that `Data` takes
    files : mapping, optional
        Files that the job names.
    ledger : Ledger or path, optional
    secret_file : path, optional
        The secret of ``[filtered]``; `filter.new_secret` makes one.
    register : bool
        Make the registry of the secret if it has none.
    max_memory : int, optional
        In MiB.
    progress : bool or callable, optional

    Returns
    -------
    PipelineRelease

    Raises
    ------
    RefusedError
        E0421 and its kin where a target is missed: nothing is drawn or spent.
    """
    manifest, _, made, owner = _run(job, data, files, False, ledger, secret_file, register, max_memory, progress)
    return PipelineRelease(manifest, made, owner)


def plan(
    job: JobLike,
    data: DataLike,
    *,
    files: Files = None,
    ledger: LedgerLike = None,
    secret_file: Union[str, os.PathLike[str], None] = None,
    max_memory: int | None = None,
    progress: Progress = None,
) -> Findings:
    """What `run` would find before it draws: nothing is released or spent."""
    manifest, missed, _, _ = _run(job, data, files, True, ledger, secret_file, False, max_memory, progress)
    return Findings(manifest, missed)
