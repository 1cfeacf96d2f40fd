"""Jobs as they are written: a file, a text, or tables of Python."""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from . import _core

JobLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""The path of a job, its text in TOML, or the same as a mapping. A string with a line break or
``=`` is a text."""

Files = Union[Mapping[str, Union[str, bytes]], None]


def core_job(job: JobLike, files: Files = None, default_title: str = "release") -> _core.JobText:
    """The text of a job with the files that it names: those given, then those beside its path."""
    given = {name: data.encode() if isinstance(data, str) else bytes(data) for name, data in (files or {}).items()}
    if isinstance(job, Mapping):
        return _core.JobText(toml_of(job), default_title, None, given)
    text = os.fspath(job)
    if isinstance(job, str) and ("\n" in text or "=" in text):
        return _core.JobText(text, default_title, None, given)
    path = Path(text)
    return _core.JobText(_read(path), path.stem, str(path.parent), given)


def _read(path: Path) -> str:
    from ._errors import Error

    try:
        return path.read_text(encoding="utf-8")
    except OSError as failed:
        raise Error(f"{path}: {failed.strerror}", code="E0104") from None
    except UnicodeDecodeError:
        raise Error(f"{path}: not a text in UTF-8", code="E0104") from None


def toml_of(table: Mapping[str, Any]) -> str:
    """A mapping as the text of a job; entries that are ``None`` are left out.

    Examples
    --------
    >>> print(toml_of({"privacy": {"rho": 1.0}, "attribute": [{"name": "age", "bins": [0, 18, float("inf")]}]}), end="")
    privacy = { rho = 1.0 }
    attribute = [{ name = "age", bins = [0, 18, inf] }]
    """
    return "".join(f"{_key(name)} = {_value(value)}\n" for name, value in table.items() if value is not None)


def _key(name: Any) -> str:
    return _value(str(name)) if re.fullmatch(r"[A-Za-z0-9_-]+", str(name)) is None else str(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        # Those of numpy are floats that write themselves in another way.
        return repr(float(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(own) for own in value) + "]"
    own = getattr(value, "tolist", None)
    if callable(own):
        return _value(own())
    raise TypeError(f"{type(value).__name__} is no value of a job")


def today() -> str:
    """The day in UTC, which dates a release whose job does not."""
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
