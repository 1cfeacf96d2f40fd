"""Bridges to accountants of other packages: dp-accounting and OpenDP.

Both count zero-concentrated differential privacy as this package does, so costs go there and back
without a loss. Neither package is needed but for what bears its name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["Accounted", "Cost", "rho_of"]


@dataclass(frozen=True)
class Cost:
    """What one release costs.

    Attributes
    ----------
    rho : float
        Rho of zCDP, rounded up.
    gaussian_cost : float or None
        ``mu ** 2`` of the Gaussian mechanism that tells more of a person than the release does,
        together with ``pure_epsilons``; ``None`` where no such mechanism is known.
    pure_epsilons : tuple of float
        Randomised responses beside that mechanism.
    """

    rho: float
    gaussian_cost: float | None = None
    pure_epsilons: tuple[float, ...] = ()

    @property
    def noise_multiplier(self) -> float:
        """Standard deviation of that Gaussian mechanism over its sensitivity, rounded down."""
        return math.nextafter(1.0 / math.sqrt(self.gaussian_cost or 0.0), 0.0)


class Accounted:
    """What has a cost: a plan, a release, a ledger."""

    def _costs(self) -> Sequence[Cost]:
        raise NotImplementedError

    def to_dp_accounting(self) -> Any:
        """The cost as a ``DpEvent`` of `dp_accounting`, for its accountants.

        Returns
        -------
        dp_accounting.DpEvent
            ``GaussianDpEvent`` where a Gaussian mechanism dominates the release, ``ZCDpEvent``
            elsewhere; of a ledger one for each charge, composed. The relation of neighbours is
            that of the job: give the accountant the same.
        """
        import dp_accounting

        events = [_event(dp_accounting, cost) for cost in self._costs()]
        return events[0] if len(events) == 1 else dp_accounting.ComposedDpEvent(events)

    def to_pld(self, **options: Any) -> Any:
        """The privacy loss distribution of what dominates the release: tight in epsilon and delta.

        Parameters
        ----------
        **options
            As ``privacy_loss_distribution.from_gaussian_mechanism`` takes them, such as
            ``value_discretization_interval``.

        Returns
        -------
        dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution

        Raises
        ------
        ValueError
            Where a cost is known in rho alone: `to_dp_accounting` has it.
        """
        from dp_accounting.pld import common
        from dp_accounting.pld import privacy_loss_distribution as distributions

        costs = self._costs()
        gaussian = [cost for cost in costs if cost.gaussian_cost]
        if any(cost.gaussian_cost is None for cost in costs):
            raise ValueError("a cost is known in rho of zCDP alone: to_dp_accounting() has it")
        parts = [distributions.from_gaussian_mechanism(cost.noise_multiplier, **options) for cost in gaussian]
        grid = {name: own for name, own in options.items() if name == "value_discretization_interval"}
        for epsilon in (epsilon for cost in costs for epsilon in cost.pure_epsilons):
            pure = common.DifferentialPrivacyParameters(epsilon, 0)
            parts.append(distributions.from_privacy_parameters(pure, **grid))
        if not parts:
            return distributions.identity(**grid)
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.compose(part)
        return whole


def _event(dp_accounting: Any, cost: Cost) -> Any:
    if cost.gaussian_cost and not cost.pure_epsilons:
        return dp_accounting.GaussianDpEvent(cost.noise_multiplier)
    return dp_accounting.ZCDpEvent(cost.rho) if cost.rho > 0 else dp_accounting.NoOpDpEvent()


def rho_of(spent: Any, *, distance: int = 1) -> float:
    """What something of another package costs, in rho of zCDP, rounded up.

    The rest of a budget, for `marginals.plan` or a `Ledger`, is the budget less this.

    Parameters
    ----------
    spent : DpEvent or Measurement
        An event of `dp_accounting` made of Gaussian, zCDP and empty events, or a measurement of
        OpenDP whose privacy is a ``zero_concentrated_divergence``.
    distance : int
        For a measurement: how far neighbouring data are in its input metric.

    Raises
    ------
    ValueError
        For an event or a measure that has no rho, such as a sampled one, whose cost in rho would
        be too high to be of use.
    """
    if hasattr(spent, "output_measure") and callable(getattr(spent, "map", None)):
        if "ZeroConcentrated" not in str(spent.output_measure):
            raise ValueError(f"the measurement is private in {spent.output_measure}, which has no rho")
        return float(spent.map(distance))
    return _rho_of_event(spent)


def _rho_of_event(event: Any) -> float:
    kind = type(event).__name__
    if kind == "GaussianDpEvent":
        sigma = float(event.noise_multiplier)
        return _up(0.5 / (sigma * sigma)) if sigma > 0 else math.inf
    if kind == "ZCDpEvent" and event.xi == 0:
        return float(event.rho)
    if kind == "NoOpDpEvent":
        return 0.0
    if kind == "ComposedDpEvent":
        total = 0.0
        for own in event.events:
            total = _up(total + _rho_of_event(own))
        return total
    if kind == "SelfComposedDpEvent":
        return _up(event.count * _rho_of_event(event.event))
    raise ValueError(f"{kind} has no rho of zCDP")


def _up(value: float) -> float:
    """At least the exact result, for a result that was rounded to nearest a few times."""
    return value if value == 0.0 else math.nextafter(math.nextafter(value, math.inf), math.inf)


def opendp_measurement(release: Any, rho: float, neighbours: str) -> Any:
    """A measurement of OpenDP that makes a release: data in, the release out."""
    dp: Any = import_module("opendp.prelude")

    def cost(distance: int) -> float:
        # So many rows are of so many people at most, and zCDP of a group of k costs k^2 as much.
        return rho if distance == 1 else _up(rho * distance * distance)

    metric = dp.change_one_distance() if neighbours == "replace" else dp.symmetric_distance()
    domain = dp.user_domain("disclosure.Data", lambda _: True)
    return dp.m.make_user_measurement(domain, metric, dp.zero_concentrated_divergence(), release, cost)
