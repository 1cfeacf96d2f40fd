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
