"""Bridges to other packages: with the real ones, where they are installed."""

from __future__ import annotations

import json

import numpy as np
import pytest

import disclosure


@pytest.fixture
def release(titanic):
    domain = {"Class": ["1st", "2nd", "3rd", "Crew"], "Sex": ["Male", "Female"], "Survived": ["No", "Yes"]}
    plan = disclosure.plan(marginals=[["Class", "Sex"], ["Sex", "Survived"]], rho=1.0, neighbours="add-remove",
                           domain=domain, count="n")
    return plan.release(titanic)


def test_measurements_for_mbi_are_those_of_the_command(release):
    file = json.loads(release.measurement.mbi_json())
    assert file["schema"] == "disclosure.resplan-mbi/1" and file["domain"] == {"Class": 4, "Sex": 2, "Survived": 2}
    # What is measured about a clique is what its queries make of its table.
    for own in file["measurements"]:
        table = release.table(*own["clique"]).values
        for axis, name in enumerate(own["clique"]):
            table = np.moveaxis(np.tensordot(np.array(file["queries"][name]), table, (1, axis)), 0, axis)
        assert np.allclose(table.reshape(-1), own["noisy_measurement"], atol=1e-3)


def test_mbi_fits_the_measurements(release):
    mbi = pytest.importorskip("mbi")
    measurements = release.to_mbi()
    text = release.measurement.mbi_json()
    from disclosure import _mbi

    model = mbi.estimation.MirrorDescent().estimate(
        _mbi.domain(text), measurements, known_total=_mbi.known_total(text)
    )
    fitted = np.asarray(model.project(("Class", "Sex")).datavector()).reshape(4, 2)
    table = release.table("Class", "Sex")
    assert np.abs(fitted - table.values).max() < 6 * table.sds.max()


def test_a_release_costs_the_same_in_dp_accounting(release, tmp_path):
    dp_accounting = pytest.importorskip("dp_accounting")
    from dp_accounting.pld import pld_privacy_accountant
    from dp_accounting.rdp import rdp_privacy_accountant

    event = release.to_dp_accounting()
    assert isinstance(event, dp_accounting.GaussianDpEvent)
    # The Gaussian mechanism above a discrete one costs a little more.
    assert 1.0 <= disclosure.bridges.rho_of(event) / release.record["cost"]["rho"] < 1.1
    for own in release.record["cost"]["epsilon_at_delta"]:
        pld = pld_privacy_accountant.PLDAccountant().compose(event).get_epsilon(own["delta"])
        # Ours is the exact curve, rounded up; theirs is on a grid.
        assert own["epsilon"] == pytest.approx(pld, rel=1e-5)
        assert release.to_pld().get_epsilon_for_delta(own["delta"]) == pytest.approx(pld, rel=1e-5)
        rdp = rdp_privacy_accountant.RdpAccountant().compose(event).get_epsilon(own["delta"])
        assert own["epsilon"] <= rdp * 1.001


def test_a_ledger_is_an_event_for_each_charge(release, titanic, tmp_path):
    dp_accounting = pytest.importorskip("dp_accounting")
    plan = disclosure.plan(marginals=[["Sex"]], rho=0.25, neighbours="add-remove", domain={"Sex": ["Male", "Female"]})
    chosen = disclosure.adaptive.plan(up_to=1, rho=0.125, neighbours="add-remove", domain={"Sex": ["Male", "Female"]})
    with disclosure.Ledger.open(tmp_path / "l", rho=2.0, neighbours="add-remove") as ledger:
        assert isinstance(ledger.to_dp_accounting(), dp_accounting.ComposedDpEvent)
        assert disclosure.bridges.rho_of(ledger.to_dp_accounting()) == 0.0
        for _ in range(2):
            plan.release(titanic, ledger=ledger)
        for own in ledger.document["epsilon_at_delta"]:
            theirs = ledger.to_pld().get_epsilon_for_delta(own["delta"])
            assert own["epsilon"] == pytest.approx(theirs, rel=1e-3)
        chosen.release(titanic, ledger=ledger)
        event = ledger.to_dp_accounting()
        assert [type(own).__name__ for own in event.events] == ["GaussianDpEvent", "GaussianDpEvent", "ZCDpEvent"]
        assert 1.0 <= disclosure.bridges.rho_of(event) / ledger.spent < 1.1
        with pytest.raises(ValueError, match="rho of zCDP alone"):
            ledger.to_pld()


def test_what_another_package_spent_is_taken_off_a_budget():
    dp_accounting = pytest.importorskip("dp_accounting")
    rho_of = disclosure.bridges.rho_of
    gaussian = dp_accounting.GaussianDpEvent(2.0)
    assert rho_of(gaussian) == pytest.approx(0.125) and rho_of(gaussian) >= 0.125
    assert rho_of(dp_accounting.SelfComposedDpEvent(gaussian, 4)) == pytest.approx(0.5)
    plan = disclosure.plan(marginals=[["a"]], rho=1.0 - rho_of(gaussian), neighbours="add-remove", domain={"a": 2})
    assert plan.rho == pytest.approx(0.875)
    with pytest.raises(ValueError, match="LaplaceDpEvent"):
        rho_of(dp_accounting.LaplaceDpEvent(1.0))


def test_a_plan_is_a_measurement_of_opendp(titanic):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib", "honest-but-curious")
    domain = {"Sex": ["Male", "Female"]}
    for neighbours, metric in [("add-remove", "SymmetricDistance"), ("replace", "ChangeOneDistance")]:
        plan = disclosure.plan(marginals=[["Sex"]], rho=0.25, neighbours=neighbours, domain=domain, count="n")
        measurement = plan.to_opendp()
        assert metric in str(measurement.input_metric) and measurement.map(1) == plan.rho
        assert measurement.map(2) >= 4 * plan.rho
        assert disclosure.bridges.rho_of(measurement) == plan.rho
        assert measurement(titanic).table("Sex").shape == (2,)
    both = dp.c.make_composition([measurement, measurement])
    assert both.map(1) == pytest.approx(2 * plan.rho)
    gaussian = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64"), 2.0)
    assert disclosure.bridges.rho_of(gaussian, distance=1) == pytest.approx(0.125)
    with pytest.raises(ValueError, match="has no rho"):
        laplace = dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), 1.0)
        disclosure.bridges.rho_of(laplace)
