"""The low-count filter: which groups are reported, why, and what a threshold reveals.

A threshold is no guarantee: results are calibrations, and each call warns with
`CalibrationWarning`.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._data import core_data
from ._jobs import Files, JobLike, core_job
from ._messages import warn_of_calibration
from ._progress import Progress, watching
from ._release import Document

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["FilteredGroups", "StoredGroups", "advise", "explain", "filter", "group", "new_secret", "odds"]

_NOT_PRIVATE = "a filtered table is not differentially private: its odds are calibrations"


class FilteredGroups:
    """The groups that are reported.

    Attributes
    ----------
    record : Document
        The groups as a document: what may leave.
    csv : bytes
        The same as one line a group.
    audit : Document
        The outcome of every group: for the owner of the data alone.
    """

    def __init__(self, record: str, csv: bytes, audit: str) -> None:
        self.record = Document(record)
        self.csv = csv
        self.audit = Document(audit)

    @property
    def promise(self) -> Any:
        """What is stated, and of which kind the statement is."""
        return self.record.get("promise")

    def to_json(self) -> str:
        """The document, byte for byte."""
        return self.record.to_json()

    def to_pandas(self) -> pandas.DataFrame:
        """The groups as a data frame."""
        import pandas

        return pandas.read_csv(io.BytesIO(self.csv), keep_default_na=False)

    def to_arrow(self) -> pyarrow.Table:
        """The groups as a `pyarrow.Table`."""
        import pyarrow.csv

        return pyarrow.csv.read_csv(io.BytesIO(self.csv))

    def to_polars(self) -> polars.DataFrame:
        """The groups as a polars data frame."""
        import polars

        return polars.read_csv(self.csv)

    def _repr_html_(self) -> str:
        """The groups as a page shows them; there is no page of one without any."""
        return self.record._repr_html_()

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the groups as one CSV file; one that is there stays as it is."""
        with open(path, "xb") as file:
            file.write(self.csv)

    def __reduce__(self) -> tuple[Any, ...]:
        return (FilteredGroups, (self.record.to_json(), self.csv, self.audit.to_json()))


class StoredGroups:
    """Groups of some parts of the data, to decide about later.

    As confidential as the data: it holds keyed hashes of identifiers. `filter` and `explain` take
    it in place of rows, with the secret that it was made under.

    Parameters
    ----------
    source : path or bytes
        What `group` or ``disclosure lcf group`` stored.
    """

    def __init__(self, source: Union[str, os.PathLike[str], bytes]) -> None:
        self._bytes = source if isinstance(source, bytes) else Path(source).read_bytes()

    def to_bytes(self) -> bytes:
        """The bytes of the file of ``disclosure lcf group``."""
        return self._bytes

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the groups into a new file that only its owner may read."""
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(self._bytes)

    def __repr__(self) -> str:
        return f"StoredGroups({len(self._bytes)} bytes)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (StoredGroups, (self._bytes,))


PartLike = Any
"""Rows as `Data` takes them, `StoredGroups`, or the path of groups that were stored."""


def _part(part: PartLike) -> Union[_core.Data, bytes]:
    if isinstance(part, StoredGroups):
        return part.to_bytes()
    if isinstance(part, (str, os.PathLike)) and os.path.isfile(part):
        with open(part, "rb") as file:
            if _core.is_stored_groups(file.read(4)):
                return StoredGroups(part).to_bytes()
    return core_data(part)


def group(
    job: JobLike,
    *parts: PartLike,
    secret_file: Union[str, os.PathLike[str]],
    register: bool = False,
    progress: Progress = None,
) -> StoredGroups:
    """Counts the groups of parts of the data, for `filter` and `explain` to decide about later.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure lcf group`` takes it; every identifier has a declared form.
    *parts : anything that `Data` takes, StoredGroups or their path
        Each part of the data once: sets of people become unions, numbers of rows sums.
    secret_file : path
        The secret under which the groups will be decided about.
    register : bool
        Make the registry of the secret if it has none.

    Raises
    ------
    SpecError
        E0285 for a job whose parts cannot be joined.
    DataError
        E0375 for groups of another job or secret.
    """
    own = [_part(part) for part in parts]
    with watching(progress) as callback:
        return StoredGroups(_core.filter_group(core_job(job), own, os.fspath(secret_file), register, callback))


def new_secret(path: Union[str, os.PathLike[str]]) -> None:
    """Makes the file of a new secret, which only its owner can read; one that is there stays.

    Under another secret small groups draw again: it is kept as long as the data.
    """
    _core.secret_new(os.fspath(path))


def filter(
    job: JobLike,
    data: PartLike,
    *,
    secret_file: Union[str, os.PathLike[str]],
    rest: str | None = None,
    register: bool = False,
    progress: Progress = None,
) -> FilteredGroups:
    """Decides about every group of a table.

    Parameters
    ----------
    job : path, text or mapping
        As ``disclosure lcf filter`` takes it.
    data : anything that `Data` takes, StoredGroups or their path
    secret_file : path
        The secret under which thresholds are drawn: `new_secret` makes one.
    rest : str, optional
        The label of all suppressed groups as one.
    register : bool
        Make the registry of the secret if it has none.
    """
    warn_of_calibration(_NOT_PRIVATE)
    with watching(progress) as callback:
        made = _core.filter_run(
            core_job(job), _part(data), os.fspath(secret_file), rest, register, None, callback
        )
    return FilteredGroups(*made)


def explain(
    job: JobLike,
    data: PartLike,
    labels: Sequence[str],
    *,
    secret_file: Union[str, os.PathLike[str]],
    register: bool = False,
    progress: Progress = None,
) -> Document:
    """Why one group is reported or not: for the owner of the data alone."""
    with watching(progress) as callback:
        made = _core.filter_run(
            core_job(job), _part(data), os.fspath(secret_file), None, register, list(labels), callback
        )
    return Document(made[0])


def odds(
    law: str = "clamped-normal",
    *,
    groups_per_entity: int = 1,
    prior: float = 0.5,
    up_to: int | None = None,
    counts: str | Mapping[str, Any] = "hidden",
    **parameters: float,
) -> Document:
    """The tables of a threshold, exact.

    Parameters
    ----------
    law : str
        ``clamped-normal`` (mean, sd, floor), ``thin-uniform`` (at_least), ``elm`` (at_least, gap,
        sd), ``optimal-selection`` (epsilon, delta, at_least) or ``hard`` (at_least).
    groups_per_entity : int
        The number of groups that one entity may be in.
    prior : float
        The attacker's prior probability of one entity more.
    up_to : int, optional
        The largest size that is listed.
    counts : str or mapping
        The number beside a group, as ``counts`` of a job.

    Examples
    --------
    >>> import disclosure, warnings
    >>> warnings.simplefilter("ignore", disclosure.CalibrationWarning)
    >>> odds = disclosure.filter.odds(mean=8, sd=1.5, floor=2)
    >>> [round(row["p"], 5) for row in odds["report_probability"] if row["n"] in (2, 3, 8)]
    [0.0, 0.00043, 0.5]
    """
    warn_of_calibration(_NOT_PRIVATE)
    whole = {name: _whole(value) for name, value in parameters.items()}
    return Document(_core.filter_odds(law, whole, groups_per_entity, prior, up_to, json.dumps(counts)))


def _whole(value: float) -> float:
    """An integer where a number is one, for the parameters that are integers."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def advise(job: JobLike, *, files: Files = None, progress: Progress = None) -> Document:
    """The law that meets a target and suppresses least, as ``disclosure lcf advise`` finds it."""
    warn_of_calibration(_NOT_PRIVATE)
    with watching(progress) as callback:
        return Document(_core.filter_advise(core_job(job, files), callback))
