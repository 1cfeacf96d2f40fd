"""What a job gives back: documents, and releases with their files."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Union

from . import _core


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

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.schema or 'document'}, {len(self)} fields)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._text,))


class Release:
    """Files that were released, in memory until `write`.

    Attributes
    ----------
    record : Document
        ``release.json``, or ``manifest.json`` of a pipeline: promise, cost, and the digest of
        every file.
    files : mapping of str to bytes
        Every file by its name, as the command writes it.
    """

    def __init__(self, record: str, files: Mapping[str, bytes], owner: list[str]) -> None:
        self.record = Document(record)
        self.files: Mapping[str, bytes] = MappingProxyType(dict(files))
        self._owner = list(owner)

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
        return f"{type(self).__name__}({self.record.schema}, {len(self.files)} files)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.to_json(), dict(self.files), self._owner))


def framed(page: str, height: int = 480) -> str:
    """A page inside a frame, so that a notebook keeps its own style."""
    source = html.escape(page, quote=True)
    return f'<iframe srcdoc="{source}" style="width:100%;height:{height}px;border:0" sandbox></iframe>'
