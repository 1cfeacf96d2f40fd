"""What plans of noisy marginals have in common, however their tables are chosen."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from . import _core
from ._data import DataLike, core_data
from ._progress import Progress, watching
from ._release import Document
from .bridges import Accounted

Core = TypeVar("Core", _core.MarginalsPlan, _core.AdaptivePlan)


class PlanOfMarginals(Accounted, Generic[Core]):
    """A checked job; `release` may be called for each release."""

    def __init__(self, core: Core) -> None:
        self._core: Core = core

    @property
    def document(self) -> Document:
        """``plan.json``: promise, cost, tables, and what is known of their errors."""
        return Document(self._core.document())

    @property
    def promise(self) -> Any:
        """What a release will promise."""
        return self.document["promise"]

    @property
    def rho(self) -> float:
        """The cost of a release, in rho of zCDP, rounded up."""
        return self._core.rho()

    @property
    def marginals(self) -> list[tuple[str, ...]]:
        """The planned tables, each by its attributes."""
        return [tuple(own["attributes"]) for own in self.document["marginals"]]

    def check(self, data: DataLike, *, progress: Progress = None) -> None:
        """Refuses what a release would refuse, but the charge; draws and spends nothing."""
        with watching(progress) as callback:
            self._core.check(core_data(data), callback)

    def to_json(self) -> str:
        """``plan.json``, byte for byte."""
        return self._core.document()
