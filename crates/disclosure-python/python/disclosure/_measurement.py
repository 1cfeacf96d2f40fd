"""A measurement of marginals: answers, covariances and rows of people who do not exist, at no cost."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from . import _core
from ._progress import Progress, watching
from ._release import Document
from ._table import Floats, Table

if TYPE_CHECKING:
    import pandas


class Measurement:
    """A measurement, from which any table within the planned ones is answered at no cost.

    Parameters
    ----------
    source : path or bytes
        ``measurement.bin`` of a release.
    """

    def __init__(self, source: Union[str, os.PathLike[str], bytes]) -> None:
        self._bytes = source if isinstance(source, bytes) else Path(source).read_bytes()
        self._core = _core.Measurement(self._bytes)

    @property
    def header(self) -> Document:
        """What all answers have in common: promise, rho, the meaning of intervals."""
        return Document(self._core.contents()[0])

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """The planned tables, each by its attributes."""
        marginals = Document('{"all": ' + self._core.contents()[1] + "}")
        return [tuple(own["attributes"]) for own in marginals["all"]]

    def table(self, *attributes: str) -> Table:
        """The table over some attributes; none for the total.

        Raises
        ------
        SpecError
            E0222 for a name that is no attribute, E0227 for a table that was not measured.
        """
        core, names = self._core, list(attributes)
        own, axes, numbers, statuses = core.answers(names)

        def covariance() -> Floats:
            return self.covariance(own, own)

        return Table(own, axes, numbers, statuses, covariance)

    def covariance(self, one: Sequence[str], other: Sequence[str]) -> Floats:
        """Covariances of all answers of two tables, shape (n, m), in people squared."""
        numbers, rows, columns = self._core.covariances(list(one), list(other))
        return np.frombuffer(numbers, dtype=np.float64).reshape(rows, columns)

    def query(self, text: str) -> Document:
        """One answer: ``NAME=ANSWER`` for each attribute, ``NAME<=LABEL`` for a prefix sum."""
        return Document(self._core.query(text))

    def document(self, *tables: Sequence[str]) -> Document:
        """Tables with all their answers as one document; all planned ones where none is named."""
        return Document(self._core.document([list(names) for names in tables]))

    def write(
        self,
        directory: Union[str, os.PathLike[str]],
        *tables: Sequence[str],
        format: Literal["csv", "parquet"] = "csv",
    ) -> Document:
        """Writes tables into a new directory, a file each, and gives their record.

        Parameters
        ----------
        directory : path
        *tables : sequences of str
            The attributes of each; all planned tables where none is named.
        format : "csv" or "parquet"
            How they are written.
        """
        return Document(self._core.write(os.fspath(directory), [list(names) for names in tables], format))

    def to_mbi(self) -> list[Any]:
        """The independent measurements behind all tables, as ``LinearMeasurement`` of `mbi`.

        They are what ``mbi.estimation`` takes, with ``mbi`` 1.x or 2.x installed.
        """
        from ._mbi import measurements

        return measurements(self._core.mbi())

    def mbi_json(self) -> str:
        """The same measurements as the text that ``resplan answer --export-mbi`` writes."""
        return self._core.mbi()

    def synthesise(
        self,
        rows: int | None = None,
        *,
        max_cells: int = 4_000_000,
        choose: bool = False,
        weight: bool = False,
        zeros: Iterable[str] = (),
        errors: bool = False,
        progress: Progress = None,
    ) -> Synthesis:
        """Rows of people who do not exist, with the guarantee of the measurement.

        Parameters
        ----------
        rows : int, optional
            How many; as many people as were measured by default.
        max_cells : int
            A model with a larger table is refused (E0681), or with ``choose`` made smaller.
        choose : bool
            Keep the most informative of the planned marginals where the model would be too large.
        weight : bool
            Where the model would be too large, simulate people from the most informative marginals,
            and weight them until all planned marginals fit.
        zeros : iterable of str
            Labels that nobody has together, as ``"age=child,works=yes"``.
        errors : bool
            Estimate the error of pairs that were not measured: twenty times the time.
        """
        with watching(progress) as callback:
            made = self._core.synthesise(rows, max_cells, choose, weight, list(zeros), errors, callback)
        return Synthesis(*made)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Measurement, (self._bytes,))


class Synthesis:
    """Rows of people who do not exist.

    Attributes
    ----------
    document : Document
        What the rows promise, and how close they are to what was measured.
    csv : bytes
        The rows.
    """

    def __init__(self, document: str, csv: bytes) -> None:
        self.document = Document(document)
        self.csv = csv

    @property
    def promise(self) -> Any:
        """That of the measurement: rows cost nothing more."""
        return self.document.get("promise")

    def to_json(self) -> str:
        """The document, byte for byte."""
        return self.document.to_json()

    def _repr_html_(self) -> str:
        return self.document._repr_html_()

    def to_pandas(self) -> pandas.DataFrame:
        """The rows, every label a string."""
        import pandas

        return pandas.read_csv(io.BytesIO(self.csv), dtype=str, keep_default_na=False)


