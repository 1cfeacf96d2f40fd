"""Plans, releases, tables: against pandas as the oracle."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import disclosure

DOMAIN = {"Class": ["1st", "2nd", "3rd", "Crew"], "Sex": ["Male", "Female"], "Survived": ["No", "Yes"]}


def people(titanic: pd.DataFrame) -> pd.DataFrame:
    return titanic.loc[titanic.index.repeat(titanic["n"])].drop(columns="n")


def test_a_plan_says_its_errors_before_the_data():
    plan = disclosure.plan(marginals=[["Class"], ["Class", "Sex"]], rho=1.0, neighbours="add-remove", domain=DOMAIN)
    assert plan.marginals == [("Class",), ("Class", "Sex")] and plan.promise["kind"] == "guarantee"
    mean = (4 * plan.variances["Class",] + 8 * plan.variances["Class", "Sex"]) / 12
    assert plan.rmse == pytest.approx(np.sqrt(mean))
    rho = plan.target_rmse(plan.rmse / 3)
    assert rho == pytest.approx(9 * plan.rho)
    assert plan.target_sd(100.0) < plan.rho
    assert json.loads(plan.to_json())["rmse"] == plan.rmse


def test_without_much_noise_tables_are_those_of_pandas(titanic):
    rows = people(titanic)
    plan = disclosure.plan(marginals=[["Class", "Sex", "Survived"]], rho=1e6, neighbours="add-remove", domain=DOMAIN)
    release = plan.release(rows)
    for names in (["Class"], ["Sex", "Survived"], ["Class", "Sex", "Survived"], []):
        table = release.table(*names)
        if names:
            expected = rows.groupby(names).size().reindex(pd.MultiIndex.from_product([DOMAIN[n] for n in names]) if len(names) > 1 else DOMAIN[names[0]], fill_value=0)
            assert np.array_equal(table.values.reshape(-1).round(), expected.to_numpy())
            assert table.attributes == names and table.labels == {name: DOMAIN[name] for name in names}
        else:
            assert round(float(table.values)) == len(rows)


def test_intervals_cover_and_errors_are_as_predicted(titanic):
    rows = people(titanic)
    names = ["Class", "Survived"]
    truth = pd.crosstab(rows["Class"], rows["Survived"]).reindex(index=DOMAIN["Class"], columns=DOMAIN["Survived"])
    plan = disclosure.plan(marginals=[names], rho=0.05, neighbours="add-remove", domain=DOMAIN)
    data = disclosure.Data(rows)
    tables = [plan.release(data).table(*names) for _ in range(200)]
    errors = np.stack([table.values - truth.to_numpy() for table in tables])
    inside = np.mean([(t.low <= truth.to_numpy()) & (truth.to_numpy() <= t.high) for t in tables])
    # 1600 numbers, 95 % intervals: six standard deviations of a mean of dependent numbers.
    assert 0.90 < inside < 0.99
    measured, predicted = np.sqrt((errors**2).mean()), tables[0].sds.mean()
    assert measured == pytest.approx(predicted, rel=0.15)
    covariance = tables[0].covariance
    assert covariance.shape == (8, 8) and np.allclose(np.sqrt(np.diag(covariance)), tables[0].sds.reshape(-1))
    assert np.linalg.eigvalsh(covariance).min() > -1e-9


def test_tables_leave_as_arrow_pandas_polars_and_numpy(titanic):
    plan = disclosure.plan(marginals=[["Class", "Sex"]], rho=1.0, neighbours="add-remove", domain=DOMAIN)
    table = plan.release(people(titanic)).table("Sex", "Class")
    frame = table.to_pandas()
    assert list(frame.columns) == ["Class", "Sex", "value", "sd", "ci95_low", "ci95_high", "status"]
    pivot = frame.pivot(index="Class", columns="Sex", values="value").to_numpy()
    assert np.array_equal(pivot, table.values) and np.array_equal(np.asarray(table), table.values)
    arrow = pytest.importorskip("pyarrow").table(table)
    assert arrow.equals(table.to_arrow()) and arrow["value"].to_pylist() == table.values.reshape(-1).tolist()
    assert pytest.importorskip("polars").DataFrame(table).equals(table.to_polars())
    assert table.to_polars()["Class"].to_list() == frame["Class"].astype(str).tolist()
    assert "iframe" in table._repr_html_() and "1st" in table._repr_html_()
    assert not table.values.flags.writeable


def test_one_measurement_is_consistent(titanic):
    plan = disclosure.plan(marginals=[["Class", "Sex"], ["Sex", "Survived"]], rho=0.1, neighbours="add-remove", domain=DOMAIN)
    release = plan.release(people(titanic))
    one, other = release.table("Class", "Sex"), release.table("Sex", "Survived")
    assert np.allclose(one.values.sum(axis=0), other.values.sum(axis=1))
    assert np.allclose(one.values.sum(axis=0), release.table("Sex").values)
    answer = release.measurement.query("Class=1st,Sex=Female")["marginals"][0]["answers"][0]
    assert answer["value"] == one.values[0, 1]
    with pytest.raises(disclosure.SpecError) as refused:
        release.table("Class", "Survived")
    assert refused.value.code == "E0227"


def test_a_directory_is_written_once_and_read_back(titanic, tmp_path):
    plan = disclosure.plan(marginals=[["Class"]], rho=1.0, neighbours="add-remove", domain=DOMAIN)
    release = plan.release(people(titanic))
    release.write(tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == dict(release.files)
    assert disclosure.Measurement(tmp_path / "out/measurement.bin").table("Class").values.tolist() == release.table("Class").values.tolist()
    assert disclosure.report(tmp_path / "out", public=True) == release.report()
    with pytest.raises(disclosure.Error) as refused:
        release.write(tmp_path / "out")
    assert refused.value.code == "E0111"


def test_plans_results_and_tables_are_pickled(titanic):
    plan = disclosure.plan(marginals=[["Class"]], rho=1.0, neighbours="add-remove", domain=DOMAIN)
    again = pickle.loads(pickle.dumps(plan))
    assert again.to_json() == plan.to_json()
    release = again.release(people(titanic))
    copy = pickle.loads(pickle.dumps(release))
    assert copy.files == release.files and copy.to_json() == release.to_json()
    table = pickle.loads(pickle.dumps(release.table("Class")))
    assert np.array_equal(table.values, copy.table("Class").values)
    stored = disclosure.plan(plan.store())
    assert stored.rmse == plan.rmse


def test_a_ledger_refuses_what_it_does_not_cover(titanic, tmp_path):
    plan = disclosure.plan(marginals=[["Class"]], rho=0.4, neighbours="add-remove", domain=DOMAIN)
    rows = disclosure.Data(people(titanic))
    with disclosure.Ledger.open(tmp_path / "ledger", rho=1.0, neighbours="add-remove") as ledger:
        plan.release(rows, ledger=ledger)
        plan.release(rows, ledger=ledger)
        assert ledger.spent == pytest.approx(0.8) and len(ledger.charges) == 2
        with pytest.raises(disclosure.BudgetError) as refused:
            plan.release(rows, ledger=ledger)
        assert refused.value.code == "E0501" and refused.value.exit_code == 5
    with pytest.raises(ValueError):
        plan.release(rows, ledger=ledger)
    new = disclosure.Ledger(tmp_path / "new", rho=0.5)
    plan.release(rows, ledger=new)
    assert new.left == pytest.approx(0.1)


def test_simulation_and_check_draw_nothing(titanic):
    plan = disclosure.plan(marginals=[["Class"]], rho=0.4, neighbours="add-remove", domain=DOMAIN)
    rows = people(titanic)
    plan.check(rows)
    one, other = (plan.simulate(rows, trials=3, seed=5) for _ in range(2))
    assert one.to_json() == other.to_json()


def test_synthetic_rows_have_the_labels_of_the_domain(titanic):
    plan = disclosure.plan(marginals=[["Class", "Sex"]], rho=1.0, neighbours="add-remove", domain={k: DOMAIN[k] for k in ("Class", "Sex")})
    synthesis = plan.release(people(titanic)).synthesise(500)
    frame = synthesis.to_pandas()
    assert len(frame) == 500 and set(frame["Class"]) <= set(DOMAIN["Class"])


def test_rounded_tables_are_whole_numbers(jobs, anes):
    release = disclosure.plan(jobs / "voters.toml").release(anes)
    rounded = release.adjusted("rounded", "age", "PID")
    assert (rounded["value"] >= 0).all() and (rounded["value"] % 1 == 0).all()
    with pytest.raises(KeyError):
        release.adjusted("consistent", "age")
