"""Tables of amounts: which cells disclose a respondent, which are withheld, what is published."""

from __future__ import annotations

import csv
import io
from typing import Any

from . import _core
from ._data import DataLike, core_data
from ._jobs import Files, JobLike, core_job
from ._progress import Progress, watching
from ._release import Document
from ._tables import TableRelease
from .exact import Audit

__all__ = ["AmountsPlan", "AmountsRelease", "audit_pattern", "plan", "release"]


class AmountsPlan(Document):
    """Which cells are withheld and why: for the owner of the data alone.

    Attributes
    ----------
    certificates : str or None
        What proves the intervals of withheld cells, for `exact.verify`.
    jj : str
        The table with its pattern as a JJ file, for tau-ARGUS or sdcTable. It holds the data.
    """

    def __init__(self, text: str, certificates: str | None = None, jj: str = "") -> None:
        super().__init__(text)
        self.certificates = certificates
        self.jj = jj

    def __reduce__(self) -> tuple[Any, ...]:
        return (AmountsPlan, (self.to_json(), self.certificates, self.jj))


class AmountsRelease(TableRelease):
    """A table of sums without the cells that disclose a respondent, which are NaN in `table`.

    Attributes
    ----------
    plan : Document
        Which cells are withheld and why: for the owner of the data.
    certificates : str or None
        What proves the bounds of withheld cells: for the owner of the data.
    """

    plan: Document
    certificates: str | None

    _axis = "amounts"

    def _table_files(self) -> list[dict[str, Any]]:
        header = next(csv.reader(io.StringIO(self.files["table.csv"].decode(), newline="")))
        # The columns after those of the axes are value and status.
        return [{"name": "table.csv", "attributes": header[:-2]}]

    def __reduce__(self) -> tuple[Any, ...]:
        made = (self.plan.to_json(), self.certificates, dict(self.files), self.owner_files)
        return (_amounts_release, made)


def _amounts_release(plan: str, certificates: str | None, files: dict[str, bytes], owner: list[str]) -> AmountsRelease:
    made = AmountsRelease(files["release.json"].decode(), files, owner)
    made.plan, made.certificates = Document(plan), certificates
    return made


def plan(
    job: JobLike, data: DataLike, *, files: Files = None, certificates: bool = False, progress: Progress = None
) -> AmountsPlan:
    """Finds the cells to withhold, and lets respondents attack what is left.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure magnitude plan`` takes it; its own ``data`` is not looked at.
    data : anything that `Data` takes
    certificates : bool
        Also what proves the intervals of withheld cells.
    """
    with watching(progress) as callback:
        return AmountsPlan(*_core.amounts_plan(core_job(job, files), core_data(data), certificates, callback))


def release(
    job: JobLike, data: DataLike, *, files: Files = None, certificates: bool = False, progress: Progress = None
) -> AmountsRelease:
    """Plans as `plan` does with the same arguments, and gives the table without the withheld cells."""
    with watching(progress) as callback:
        return _amounts_release(*_core.amounts_release(core_job(job, files), core_data(data), certificates, callback))


def audit_pattern(
    jj: str, *, title: str = "pattern", decimals: int = 0, steps: int | None = None, progress: Progress = None
) -> Audit:
    """What the published cells of a pattern of amounts give away.

    Parameters
    ----------
    jj : str
        The text of a JJ file of tau-ARGUS or sdcTable.
    decimals : int
        Digits after the point that its amounts have at most, up to 9.
    steps : int, optional
        Simplex steps of one linear program.
    """
    with watching(progress) as callback:
        return Audit(*_core.amounts_pattern(jj, title, decimals, steps, callback))
