"""Ledgers: what all releases from one data set have spent."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Union

from . import _core
from ._release import Document
from .bridges import Accounted, Cost

__all__ = ["Ledger"]


class Ledger(Accounted):
    """A ledger in a file, which refuses what its budget does not cover.

    Parameters
    ----------
    path : path
        The file, made by `open`, by ``disclosure ledger open``, or by its first charge.
    rho : float, optional
        The whole budget, in rho of zCDP, where the first charge may make the file; never raised
        afterwards.

    Examples
    --------
    >>> import disclosure, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "people.ledger")
    >>> plan = disclosure.marginals.plan(marginals=[["a"]], rho=0.4, neighbours="add-remove", domain={"a": 2})
    >>> with disclosure.Ledger.open(path, rho=1.0, neighbours="add-remove") as ledger:
    ...     release = plan.release({"a": [0, 1]}, ledger=ledger)
    ...     round(ledger.spent, 6), round(ledger.left, 6)
    (0.4, 0.6)
    """

    def __init__(self, path: Union[str, os.PathLike[str]], *, rho: float | None = None) -> None:
        self.path = os.fspath(path)
        self._new = rho
        self._is_closed = False

    @classmethod
    def open(
        cls, path: Union[str, os.PathLike[str]], *, rho: float, neighbours: str, rows_per_person: int = 1
    ) -> Ledger:
        """Makes a new ledger with a budget, in rho of zCDP.

        Raises
        ------
        Error
            For a file that is there, or a budget that is none.
        """
        _core.ledger_open(os.fspath(path), rho, neighbours, rows_per_person)
        return cls(path)

    @property
    def document(self) -> Document:
        """The ledger, every line checked."""
        return Document(_core.ledger_read(self.path))

    @property
    def budget(self) -> float:
        """The whole budget, in rho of zCDP."""
        return float(self.document["budget_rho"])

    @property
    def spent(self) -> float:
        """What is spent, in rho of zCDP, rounded up."""
        return float(self.document["spent_rho"])

    @property
    def left(self) -> float:
        """What is left, in rho of zCDP, rounded down."""
        return float(self.document["left_rho"])

    @property
    def charges(self) -> list[Any]:
        """Every release that was charged, in order."""
        return list(self.document["releases"])

    def _costs(self) -> list[Cost]:
        return [_cost(charge) for charge in self.charges]

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_closed = True

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"


def _cost(charge: Any) -> Cost:
    pair = charge.get("dominated_by")
    if pair is None:
        return Cost(charge["rho"])
    return Cost(charge["rho"], pair["gaussian_cost"], tuple(pair.get("pure_epsilons", ())))


LedgerLike = Union[Ledger, str, "os.PathLike[str]", None]


def core_ledger(ledger: LedgerLike) -> tuple[str, float | None] | None:
    """The path of a ledger, and the budget of one that may be new."""
    if ledger is None:
        return None
    if isinstance(ledger, Ledger):
        if ledger._is_closed:
            raise ValueError("the ledger was closed at the end of its with statement")
        return (ledger.path, ledger._new)
    return (os.fspath(ledger), None)
