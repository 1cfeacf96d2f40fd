"""The bridge to mbi (private-pgm): independent measurements behind all tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def measurements(text: str) -> list[Any]:
    """Every residual as a ``LinearMeasurement`` with the query that maps a marginal to it."""
    import jax.numpy as jnp
    from mbi import LinearMeasurement

    file = json.loads(text)
    queries: dict[str, Any] = {name: jnp.array(rows) for name, rows in file["queries"].items()}

    def query(own: dict[str, Any]) -> Callable[[Any], Any]:
        if "queries" in own:  # about all cells of the clique at once
            matrix = jnp.array(own["queries"])
            return lambda factor: matrix @ factor.values.ravel()

        def apply(factor: Any) -> Any:
            cells = factor.values
            for axis, name in enumerate(own["clique"]):
                cells = jnp.moveaxis(jnp.tensordot(queries[name], cells, (1, axis)), 0, axis)
            return cells.ravel()

        return apply

    return [
        LinearMeasurement(jnp.array(own["noisy_measurement"]), tuple(own["clique"]), own["stddev"], query(own))
        for own in file["measurements"]
    ]


def domain(text: str) -> Any:
    """The ``Domain`` of the measurements."""
    from mbi import Domain

    return Domain.fromdict(json.loads(text)["domain"])


def known_total(text: str) -> float:
    """The noisy total, at least 1: what ``estimate`` takes as ``known_total``."""
    return max(1.0, float(json.loads(text)["known_total"]))
