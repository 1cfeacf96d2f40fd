"""Decide what may be published about people, publish it, and let attackers check it.

Jobs of the command ``disclosure`` in Python: the same core, the same documents, the same bytes.

>>> import disclosure
>>> plan = disclosure.plan(marginals=[["age", "smoker"]], rho=0.5, neighbours="add-remove",
...                        domain={"age": ["young", "old"], "smoker": ["no", "yes"]})
>>> release = plan.release({"age": ["young", "old", "old"], "smoker": ["no", "no", "yes"]})
>>> release.table("age", "smoker").values.shape
(2, 2)
>>> release.promise["kind"]
'guarantee'
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Union

from . import _core, adaptive, amounts, bridges, exact, filter, ledger, marginals, pipeline, reports, screening
from ._data import Data
from ._errors import (
    BudgetError,
    CalibrationWarning,
    DataError,
    DisclosureWarning,
    Error,
    LimitError,
    RefusedError,
    SpecError,
)
from ._release import Document, Release
from ._table import Table
from .ledger import Ledger
from .marginals import Measurement, Plan, plan
from .pipeline import run

__version__ = _core.VERSION

__all__ = [
    "BudgetError",
    "CalibrationWarning",
    "Data",
    "DataError",
    "DisclosureWarning",
    "Document",
    "Error",
    "Ledger",
    "LimitError",
    "Measurement",
    "Plan",
    "RefusedError",
    "Release",
    "SpecError",
    "Table",
    "adaptive",
    "amounts",
    "bridges",
    "codes",
    "exact",
    "explain",
    "filter",
    "ledger",
    "marginals",
    "pipeline",
    "plan",
    "report",
    "reports",
    "run",
    "screening",
]


def explain(code: str) -> str:
    """The paragraph that explains a code, as ``disclosure explain`` prints it.

    Examples
    --------
    >>> import disclosure
    >>> "label" in disclosure.explain("E0316")
    True
    """
    text = _core.explain(code)
    if text is None:
        raise KeyError(code)
    return text


def codes() -> list[str]:
    """Every code of the product, in order.

    Examples
    --------
    >>> import disclosure
    >>> "E0316" in disclosure.codes()
    True
    """
    return _core.codes()


def report(
    directory: Union[str, os.PathLike[str], Mapping[str, bytes]], *, public: bool = False, max_lines: int = 200
) -> str:
    """The account of a stored release as one page of HTML; every digest is checked.

    Parameters
    ----------
    directory : path or mapping
        Where `Release.write` or the command wrote it, or its files by their names.
    public : bool
        Leave out what is for the owner of the data alone.
    """
    if isinstance(directory, Mapping):
        return _core.page({str(name): bytes(data) for name, data in directory.items()}, public, max_lines)
    return _core.page_of_directory(os.fspath(directory), public, max_lines)
