"""The adaptive job: the same bytes as the command, the same refusals, rows and tables."""

from __future__ import annotations

import hashlib
import pickle

import numpy as np
import pandas as pd
import pytest

import disclosure


def test_a_release_has_the_bytes_of_the_command(jobs, titanic, digests, fixed):
    for data in (jobs.parent / "data/titanic.csv", titanic):
        release = disclosure.adaptive.plan(jobs / "titanic-adaptive.toml").release(data)
        found = {name: hashlib.sha256(own).hexdigest() for name, own in release.files.items() if name.endswith(".csv")}
        assert found == digests["adaptive"]


def test_tables_and_rows_are_those_of_the_files(jobs, titanic):
    plan = disclosure.adaptive.plan(jobs / "titanic-adaptive.toml")
    assert plan.rho == 0.5 and plan.promise["kind"] == "guarantee" and ("Class", "Sex", "Age") in plan.marginals
    plan.check(titanic)
    release = plan.release(titanic)
    rows = release.to_pandas()
    assert list(rows.columns) == ["Class", "Sex", "Age", "Survived"] and len(rows) == release.record["rows"]
    for names in release.tables:
        table, counts = release.table(*names), titanic.groupby(list(names))["n"].sum()
        index = pd.MultiIndex.from_product(table.labels.values()) if len(names) > 1 else list(table.labels.values())[0]
        truth = counts.reindex(index, fill_value=0).to_numpy()
        assert np.abs(table.values.reshape(-1) - truth).max() < 7 * table.sds.max()
        assert np.isnan(table.low).all() or np.all(table.low <= table.values)
        assert "<iframe" in table._repr_html_()
    with pytest.raises(KeyError):
        release.table("Class", "Nobody")
    assert release.rounds[0]["epsilon"] is None and "rows of a model" in release._repr_html_()
    assert pickle.loads(pickle.dumps(plan)).to_json() == plan.to_json()
    assert pickle.loads(pickle.dumps(release)).files == release.files


def test_refusals_and_charges_are_those_of_marginals(titanic, tmp_path):
    domain = {"Class": ["1st", "2nd", "3rd", "Crew"], "Sex": ["Male", "Female"]}
    plan = disclosure.adaptive.plan(up_to=2, rho=0.75, neighbours="add-remove", domain=domain, count="n")
    with disclosure.Ledger(tmp_path / "l", rho=1.0) as ledger:
        plan.release(titanic, ledger=ledger)
        assert ledger.spent == 0.75
        with pytest.raises(disclosure.BudgetError):
            plan.release(titanic, ledger=ledger)
    with pytest.raises(disclosure.DataError):
        plan.check(titanic.assign(Class="4th"))
    with pytest.raises(disclosure.LimitError):
        disclosure.adaptive.plan(up_to=2, rho=1.0, neighbours="add-remove", domain={"a": 9000, "b": 9000}, max_memory=1)
    with pytest.raises(TypeError):
        disclosure.adaptive.plan("up_to = 1\n", rho=1.0)


def test_a_callback_that_raises_stops_between_rounds():
    # Many tables and many rounds: a release of the Titanic is over before anybody is told.
    names = [f"a{number}" for number in range(10)]
    people = pd.DataFrame(np.random.default_rng(1).integers(0, 8, (20_000, 10)), columns=names)
    domain = dict.fromkeys(names, 8)
    plan = disclosure.adaptive.plan(up_to=3, rho=1.0, rounds=100_000, neighbours="add-remove", domain=domain)

    class Enough(Exception):
        pass

    def stop(stage, share):
        raise Enough

    with pytest.raises(Enough):
        plan.release(people, progress=stop)
