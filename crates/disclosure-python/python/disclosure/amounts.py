"""Tables of amounts: which cells disclose a respondent, which are withheld, what is published."""

from __future__ import annotations

from typing import Any

from . import _core
from ._data import DataLike, core_data
from ._jobs import Files, JobLike, core_job
from ._progress import Progress, watching
from ._release import Document, Release

__all__ = ["AmountsRelease", "release"]


class AmountsRelease(Release):
    """A table of sums without the cells that disclose a respondent.

    Attributes
    ----------
    plan : Document
        Which cells are withheld and why: for the owner of the data.
    certificates : str or None
        What proves the bounds of withheld cells: for the owner of the data.
    """

    plan: Document
    certificates: str | None

    def __reduce__(self) -> tuple[Any, ...]:
        made = (self.plan.to_json(), self.certificates, dict(self.files), self.owner_files)
        return (_amounts_release, made)


def _amounts_release(plan: str, certificates: str | None, files: dict[str, bytes], owner: list[str]) -> AmountsRelease:
    made = AmountsRelease(files["release.json"].decode(), files, owner)
    made.plan, made.certificates = Document(plan), certificates
    return made


def release(
    job: JobLike, data: DataLike, *, files: Files = None, certificates: bool = False, progress: Progress = None
) -> AmountsRelease:
    """Finds the cells to withhold, lets respondents attack what is left, and gives the table.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure magnitude release`` takes it; its own ``data`` is not looked at.
    data : anything that `Data` takes
    certificates : bool
        Also what proves the bounds of withheld cells.
    """
    with watching(progress) as callback:
        return _amounts_release(*_core.amounts_release(core_job(job, files), core_data(data), certificates, callback))
