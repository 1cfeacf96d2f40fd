"""What a job gives back: documents, and releases with their files."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Union

from . import _core
from ._errors import Error


class Document(Mapping[str, Any]):
    """A document of a job: a mapping of the fields that ``docs/formats.md`` of the project lists.

    Examples
    --------
    >>> document = Document('{"schema": "disclosure.example/1", "n": 3}')
    >>> document["n"], document.schema
    (3, 'disclosure.example/1')
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._fields: dict[str, Any] = json.loads(text)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    @property
    def schema(self) -> str:
        """The name and version of the format."""
        return str(self._fields.get("schema", ""))

    def to_json(self) -> str:
        """The document as the command writes it, byte for byte."""
        return self._text

    def _repr_html_(self) -> str:
        """Audits, predictions and attacks with their tables; the fields at the top of others."""
        return framed(_core.document_page(self._text))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.schema or 'document'}, {len(self)} fields)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._text,))


class Judged(Document):
    """A document with a verdict on the target of its job.

    Attributes
    ----------
    missed : tuple of str or None
        The code of the refusal and why, where the target is missed or cannot be shown to be kept;
        ``None`` where it is kept, or where there is none.
    """

    def __init__(self, text: str, missed: tuple[str, str] | None = None) -> None:
        super().__init__(text)
        self.missed = missed

    @property
    def target_met(self) -> bool:
        """Whether nothing was found that the target forbids."""
        return self.missed is None

    def require_target(self) -> None:
        """Goes on where the target is met.

        Raises
        ------
        RefusedError
            The refusal that ends the command with exit code 4.
        """
        if self.missed is not None:
            code, message = self.missed
            raise Error._made(message, code, None, 4, False)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.to_json(), self.missed))


class LargeFiles(Mapping[str, bytes]):
    """The files of a large release, each made from the measurement when it is asked for."""

    def __init__(self, core: _core.LargeRelease) -> None:
        self.core = core

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return dict(self.core.sizes())

    def __getitem__(self, name: str) -> bytes:
        if name not in self._sizes:
            raise KeyError(name)
        return self.core.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} files, {sum(self._sizes.values())} bytes)"


class Release:
    """Files that were released, in memory until `write`; those of a large release of marginals are
    written piece by piece.

    Attributes
    ----------
    files : mapping of str to bytes
        Every file by its name, as the command writes it.
    """

    def __init__(self, record: str | None, files: Mapping[str, bytes], owner: list[str]) -> None:
        self._record = record
        self.files: Mapping[str, bytes] = files if isinstance(files, LargeFiles) else MappingProxyType(dict(files))
        self._owner = list(owner)

    @cached_property
    def record(self) -> Document:
        """``release.json``, or ``manifest.json`` of a pipeline: promise, cost, every file's digest."""
        if self._record is None and isinstance(self.files, LargeFiles):
            self._record = self.files.core.record()
        return Document(self._record or "{}")

    @property
    def promise(self) -> Any:
        """What is promised: kind, guarantee, against whom, unit, neighbours, cost."""
        for name in ("promise", "promises", "statement", "parts"):
            if name in self.record:
                return self.record[name]
        return None

    @property
    def owner_files(self) -> list[str]:
        """Names of files, or of folders with everything in them, for the owner of the data alone."""
        return list(self._owner)

    def write(self, directory: Union[str, os.PathLike[str]]) -> None:
        """Writes every file into a new directory, which appears in one step.

        Raises
        ------
        Error
            E0111 for a directory that is there, E0103 and its kin for one that cannot be made.
        """
        if isinstance(self.files, LargeFiles):
            self.files.core.write(os.fspath(directory))
        else:
            _core.write_directory(os.fspath(directory), dict(self.files), self._owner)

    def to_json(self) -> str:
        """The record, byte for byte."""
        return self.record.to_json()

    def report(self, *, public: bool = True, max_lines: int = 200) -> str:
        """The account of the release as one page of HTML; every digest is checked.

        Parameters
        ----------
        public : bool
            Leave out what is for the owner of the data alone.
        max_lines : int
            Largest number of lines shown of one table.
        """
        return _core.page(dict(self.files), public, max_lines)

    def _repr_html_(self) -> str:
        return framed(self.report())

    def __repr__(self) -> str:
        if self._record is None:
            return f"{type(self).__name__}(a large release)"
        return f"{type(self).__name__}({self.record.schema}, {len(self.files)} files)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.to_json(), dict(self.files), self._owner))


def framed(page: str, height: int = 480) -> str:
    """A page inside a frame, so that a notebook keeps its own style."""
    source = html.escape(page, quote=True)
    return f'<iframe srcdoc="{source}" style="width:100%;height:{height}px;border:0" sandbox></iframe>'
