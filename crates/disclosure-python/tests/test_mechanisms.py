"""Exact tables, filter, reports, screening, amounts, pipeline: as the command finds them."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import disclosure


def test_an_exact_audit_finds_that_four_tables_are_the_whole_table(jobs, titanic):
    audit = disclosure.exact.audit(jobs / "frechet-titanic.toml", titanic, certificates=True)
    assert audit.schema == "disclosure.frechet-audit/1" and not audit.target_met
    checked = disclosure.exact.verify(audit.certificates)
    assert checked["bounds"] > 0
    assert pickle.loads(pickle.dumps(audit)).to_json() == audit.to_json()
    with pytest.raises(disclosure.Error):
        disclosure.exact.verify(str(audit.certificates).replace("1", "2", 40))


def test_bounds_contain_the_counts_of_pandas(jobs, titanic):
    bounds = disclosure.exact.bounds(jobs / "frechet-titanic.toml", titanic)
    truth = titanic.set_index(["Class", "Sex", "Age", "Survived"])["n"]
    for cell in bounds["cells"]:
        labels = cell["cell"]
        count = truth[tuple(labels[name] for name in ("Class", "Sex", "Age", "Survived"))]
        assert cell["lower"] <= count <= cell["upper"]
    assert len(bounds["cells"]) == 32


def test_an_exact_plan_withholds_and_its_release_is_a_directory(jobs, titanic, tmp_path):
    plan = disclosure.exact.plan(jobs / "frechet-titanic.toml", titanic)
    assert plan.schema == "disclosure.frechet-plan/1"
    release = disclosure.exact.release(jobs / "frechet-titanic.toml", titanic)
    release.write(tmp_path / "out")
    assert release.promise is not None and "<html" in disclosure.report(tmp_path / "out")


def test_two_periods_and_rounding(jobs, titanic):
    job = {"count": "n", "margins": [["Class", "Sex"]], "tau": 0, "kappa": 3,
           "attribute": [{"name": "Class", "labels": ["1st", "2nd", "3rd", "Crew"]},
                         {"name": "Sex", "labels": ["Male", "Female"]}]}
    diff = disclosure.exact.diff({**job, "margins": [["Class"], ["Sex"]]}, titanic, job, titanic)
    assert diff.schema == "disclosure.frechet-diff/1"
    rounded = disclosure.exact.round({**job, "kappa": 1}, titanic, base=5)
    assert all(name.endswith((".csv", ".json")) for name in rounded.files)


def test_the_filter_reports_groups_that_are_large_enough(jobs, tmp_path, quiet):
    visits = pd.read_csv(jobs.parent / "data/visits.csv", dtype=str)
    secret = tmp_path / "key"
    disclosure.filter.new_secret(secret)
    groups = disclosure.filter.filter(jobs / "lcf-visits.toml", visits, secret_file=secret, register=True)
    frame = groups.to_pandas()
    people = visits.groupby(["town", "clinic"])["patient"].nunique()
    shown = {(row.town, row.clinic) for row in frame.itertuples()}
    assert shown and all(people[group] > 2 for group in shown)
    assert {group for group, n in people.items() if n >= 20} <= shown
    again = disclosure.filter.filter(jobs / "lcf-visits.toml", jobs.parent / "data/visits.csv", secret_file=secret)
    assert again.csv == groups.csv, "sticky: the same answer from a file and from a data frame"
    why = disclosure.filter.explain(jobs / "lcf-visits.toml", visits, list(next(iter(shown))), secret_file=secret)
    assert why.schema.startswith("disclosure.lcf-explain")
    groups.write(tmp_path / "groups.csv")
    with pytest.raises(FileExistsError):
        groups.write(tmp_path / "groups.csv")


def test_calibrations_warn():
    with pytest.warns(disclosure.CalibrationWarning):
        odds = disclosure.filter.odds(mean=8, sd=1.5, floor=2)
    by_size = {row["n"]: row["p"] for row in odds["report_probability"]}
    assert by_size[2] == 0 and by_size[3] == pytest.approx(0.00043, rel=0.02) and by_size[8] == 0.5
    with pytest.warns(disclosure.CalibrationWarning), pytest.raises(disclosure.SpecError) as refused:
        disclosure.filter.odds("hard", mean=8)
    assert refused.value.code == "E0276"


def test_advice_is_that_of_the_command(jobs, quiet):
    advice = disclosure.filter.advise(jobs / "lcf-advise.toml")
    assert advice.schema == "disclosure.lcf-advise/1"


def test_reports_are_encoded_counted_merged_and_estimated(jobs, anes):
    schema = disclosure.reports.Schema(jobs / "ldp-voters.toml")
    assert schema.features == ["vote", "educ", "party"]
    client = schema.client()
    north, south = schema.aggregator(), schema.aggregator()
    north.add(client.encode(anes.iloc[:400]))
    south.add(client.encode(anes.iloc[400:]))
    merged = north + pickle.loads(pickle.dumps(south))
    assert (north.n, south.n, merged.n) == (400, 544, 944)
    estimate = merged.estimate([["vote"], ["vote", "educ=7"]], covariance=True)
    truth = [(anes["vote"] == 1).sum(), ((anes["vote"] == 1) & (anes["educ"] == 7)).sum()]
    # Eight standard errors: the data are fixed, the reports are drawn anew.
    assert np.all(np.abs(estimate.counts - truth) < 8 * estimate.sds) and estimate.sets == [("vote",), ("vote", "educ=7")]
    assert estimate.covariance.shape == (2, 2)
    again = disclosure.reports.Aggregator.from_bytes(schema, merged.to_bytes())
    assert again.estimate([["vote"]])["sets"] == merged.estimate([["vote"]])["sets"]
    with pytest.raises(disclosure.Error):
        north._merge([north.to_bytes()])


def test_reports_stay_within_their_schema(anes):
    one = disclosure.reports.Schema({"order": 1, "feature": [{"name": "vote", "values": ["0", "1"], "protocol": "rr", "epsilon": 1.0}]})
    other = disclosure.reports.Schema({"order": 1, "feature": [{"name": "vote", "values": ["0", "1"], "protocol": "rr", "epsilon": 2.0}]})
    with pytest.raises(ValueError):
        _ = one.aggregator() + other.aggregator()
    aggregator = other.aggregator()
    with pytest.raises(disclosure.DataError):
        aggregator.add(one.client().encode(anes))
    with pytest.raises(ValueError):
        aggregator.to_bytes()
    plan = disclosure.reports.plan("epsilon = 4.0\nfeatures = 8\nfrequency = 0.3\npair_frequency = 0.09\nreports = 100000\n")
    assert plan.schema == "disclosure.ldp-plan/1"


def test_screening_predicts_and_attacks(jobs, anes):
    with pytest.warns(disclosure.CalibrationWarning):
        model = disclosure.screening.screen(jobs / "screen-model.toml")
    assert 0.5 < model["expected_accuracy"] < 1 and model.target_met == (model.missed is None)
    with pytest.warns(disclosure.CalibrationWarning):
        table = disclosure.screening.screen(jobs / "screen-voters.toml", anes)
    assert table.schema.startswith("disclosure.screen-table")
    one, other = (disclosure.screening.attack(jobs / "screen-model.toml", trials=2, seed=1) for _ in range(2))
    assert one.to_json() == other.to_json() and one.schema.startswith("disclosure.screen-simulate")


def test_amounts_withhold_cells_that_disclose_a_firm(jobs, tmp_path):
    firms = pd.read_csv(jobs.parent / "data/firms.csv")
    release = disclosure.amounts.release(jobs / "magnitude-firms.toml", firms, certificates=True)
    same = disclosure.amounts.release(jobs / "magnitude-firms.toml", jobs.parent / "data/firms.csv")
    assert release.files["table.csv"] == same.files["table.csv"]
    assert release.plan.schema == "disclosure.magnitude-plan/1" and release.certificates
    assert pickle.loads(pickle.dumps(release)).plan.to_json() == release.plan.to_json()


def test_a_pipeline_is_judged_before_it_is_released(jobs, anes, tmp_path):
    secret = tmp_path / "key"
    disclosure.filter.new_secret(secret)
    job = (jobs / "survey.toml").read_text()
    # Without the attack on labels, which takes a minute; and a target that no noise can meet.
    job = re.sub(r"(?s)\[screen\].*?(?=\n\[)", "", job)
    files = {"../data/anes96.domain.toml": (jobs.parent / "data/anes96.domain.toml").read_text()}
    findings = disclosure.pipeline.plan(job, anes, files=files, secret_file=secret)
    assert findings.schema == "disclosure.run/1" and findings.targets_met
    missed = disclosure.pipeline.plan(re.sub(r"max_rmse = \S+", "max_rmse = 0.001", job), anes, files=files, secret_file=secret)
    assert not missed.targets_met and missed.missed and missed.missed[0] == "E0421"
    release = disclosure.run(job, anes, files=files, secret_file=secret, register=True)
    release.write(tmp_path / "out")
    assert (tmp_path / "out/manifest.json").stat().st_mode & 0o077 == 0
    copy = pickle.loads(pickle.dumps(release))
    assert copy.files == release.files and len(copy.promise) >= 3
    with pytest.raises(disclosure.Error) as refused:
        disclosure.run(jobs / "survey.toml", anes)
    assert refused.value.code == "E0407" or refused.value.exit_code in (2, 4)
