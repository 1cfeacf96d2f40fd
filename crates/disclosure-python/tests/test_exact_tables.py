"""Exact tables that leave: released, rounded, under the cell-key method, of amounts."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import disclosure
from disclosure._tables import _laplace_half_width_95

from .reached.words import key

DESIGN: dict[str, Any] = {"max_deviation": 5, "variance": 3.0, "smallest_published": 3}
JOB: dict[str, Any] = {
    "data": "d.csv", "count": "n", "margins": [["Class", "Survived"]], "min_interval_width": 1, "min_frequency": 1,
    "attribute": [{"name": "Class", "labels": ["1st", "2nd", "3rd", "Crew"]},
                  {"name": "Survived", "labels": ["No", "Yes"]}],
}
PERTURBED: dict[str, Any] = {**JOB, "cell_key": DESIGN}


def truth(titanic: pd.DataFrame) -> pd.DataFrame:
    """Counts by class and survival."""
    by = titanic.groupby(["Class", "Survived"])["n"].sum().unstack()
    return by.loc[["1st", "2nd", "3rd", "Crew"], ["No", "Yes"]]


def test_every_perturbed_number_is_as_close_as_it_says(titanic, tmp_path):
    secret = tmp_path / "cells.key"
    release = disclosure.exact.perturb(PERTURBED, titanic, secret_file=secret, new_secret=True)
    assert release.record.schema == "disclosure.frechet-perturbation/1" and release.promise["kind"] == "guarantee"
    assert (release.max_deviation, release.variance, release.smallest_published) == (5, 3.0, 3)
    counts = truth(titanic)
    expected = {("Class", "Survived"): counts, ("Class",): counts.sum(axis=1), ("Survived",): counts.sum(), (): counts.sum().sum()}
    assert set(release.tables) == set(expected)
    for names, own in expected.items():
        table = release.table(*names)
        exact = np.asarray(own)
        assert np.all((table.low <= exact) & (exact <= table.high)), names
        assert np.all(np.abs(table.values - exact) <= 5) and np.allclose(table.sds, 3.0**0.5)
    frame = release.table("Survived", "Class").to_pandas()
    assert list(frame.columns[:2]) == ["Class", "Survived"] and set(frame["status"]) == {"perturbed"}
    for count, law in release.perturbation.items():
        moments = [sum(p * v**power for v, p in law.items()) for power in (0, 1, 2)]
        assert moments == pytest.approx([1.0, 0.0, 3.0 if count else 0.0], abs=1e-9)
    with pytest.raises(KeyError):
        release.table("Sex")
    assert pickle.loads(pickle.dumps(release)).table("Class").values.tolist() == release.table("Class").values.tolist()
    release.write(tmp_path / "out")
    assert "Guarantee: no class" in release._repr_html_() and "Crew" in release._repr_html_() and secret.stat().st_mode & 0o777 == 0o600


def test_the_same_people_have_the_same_number_from_every_source(titanic, jobs, tmp_path):
    pl, secret = pytest.importorskip("polars"), key(tmp_path)
    path = jobs.parent / "data/titanic.csv"
    sources = [titanic, pl.DataFrame(titanic.to_dict("list")), path, titanic.sample(frac=1, random_state=1)]
    found = [dict(disclosure.exact.perturb(jobs / "frechet-cell-key.toml", data, secret_file=secret, register=True).files) for data in sources]
    assert all(files == found[0] for files in found[1:]) and len(found[0]) == 6


def test_a_secret_is_for_one_design_and_nothing_is_given_under_another(titanic, tmp_path):
    with pytest.raises(disclosure.Error) as missing:
        disclosure.exact.perturb(PERTURBED, titanic, secret_file=tmp_path / "nowhere")
    assert missing.value.code == "E0104"
    secret = key(tmp_path)
    with pytest.raises(disclosure.RefusedError) as unregistered:
        disclosure.exact.perturb(PERTURBED, titanic, secret_file=secret)
    assert unregistered.value.code == "E0408"
    disclosure.exact.perturb(PERTURBED, titanic, secret_file=secret, register=True)
    other = {**PERTURBED, "cell_key": {**DESIGN, "max_deviation": 6}}
    with pytest.raises(disclosure.RefusedError) as refused:
        disclosure.exact.perturb(other, titanic, secret_file=secret)
    assert refused.value.code == "E0408" and refused.value.exit_code == 4
    with pytest.raises(disclosure.RefusedError) as close:
        disclosure.exact.perturb({**PERTURBED, "min_interval_width": 5}, titanic, secret_file=secret)
    assert close.value.code == "E0445"
    with pytest.raises(disclosure.SpecError) as plain:
        disclosure.exact.perturb(JOB, titanic, secret_file=secret)
    assert plain.value.code == "E0234"


def test_rounded_tables_say_how_far_their_counts_are(titanic):
    release = disclosure.exact.round({**JOB, "min_interval_width": 3}, titanic, base=10)
    table, exact = release.table("Class", "Survived"), truth(titanic).to_numpy()
    assert release.base == 10 and np.all(table.values % 10 == 0) and np.isnan(table.sds).all()
    assert np.all((table.low <= exact) & (exact <= table.high)) and np.all(table.high - table.low <= 18)
    assert table.values.sum() == float(release.table().values)
    assert "iframe" in table._repr_html_() and type(pickle.loads(pickle.dumps(release))) is type(release)


def test_a_release_of_exact_tables_has_its_counts_and_gaps(titanic):
    sexes = {"name": "Sex", "labels": ["Male", "Female"]}
    job = {**JOB, "margins": [["Class", "Sex"], ["Class", "Survived"]], "attribute": [*JOB["attribute"], sexes],
           "min_interval_width": 3, "min_frequency": 30}
    release = disclosure.exact.release(job, titanic)
    assert set(release.tables) == {("Class", "Sex"), ("Class", "Survived")} and "withheld" in release._repr_html_()
    seen = set()
    for names in release.tables:
        exact = titanic.groupby(list(names))["n"].sum()
        for row in release.table(*names).to_pandas().itertuples(index=False):
            seen.add(row.status)
            if row.status == "exact":
                assert row.value == exact[tuple(row[: len(names)])] and row.sd == 0
                assert row.ci95_low == row.value == row.ci95_high
            else:
                assert np.isnan(row.value) and np.isnan(row.ci95_low)
    assert seen == {"exact", "suppressed"}


def test_noise_of_exact_tables_has_intervals(titanic):
    job = {**JOB, "min_interval_width": 2, "epsilon": 1.0, "min_frequency": 130}
    tables = [disclosure.exact.release(job, titanic).table("Class", "Survived") for _ in range(40)]
    frame, exact = tables[0].to_pandas(), truth(titanic).to_numpy()
    assert set(frame["status"]) == {"noised"} and (frame["sd"] > 0).all()
    inside = sum(int(((t.low <= exact) & (exact <= t.high)).sum()) for t in tables)
    # Each of 320 independent numbers is inside with probability 0.95 or more: fewer than 272 are rarer than 1e-9.
    assert inside >= 272


def test_half_widths_are_those_of_the_discrete_laplace_law():
    for epsilon in (0.01, 0.3, 1.0, 2.5, 9.0):
        a = np.exp(-epsilon)
        tail = np.arange(0, int(40 / epsilon) + 9)
        beyond = 2 * a ** (tail + 1) / (1 + a)
        least = tail[beyond <= 0.05][0]
        sd = np.sqrt(2 * a) / (1 - a)
        assert _laplace_half_width_95(np.array([sd, 0.0, np.nan])).tolist()[:2] == [least, 0.0]


def test_amounts_are_sums_or_withheld(jobs):
    firms = pd.read_csv(jobs.parent / "data/firms.csv")
    release = disclosure.amounts.release(jobs / "magnitude-firms.toml", firms)
    frame = release.table("region", "branch").to_pandas()
    sums = firms.groupby(["region", "branch"])["turnover"].sum().round(1)
    totals = (frame["region"] == "Total") | (frame["branch"] == "Total")
    shown = frame[(frame["status"] == "published") & ~totals]
    for row in shown.itertuples():
        assert row.value == pytest.approx(sums[(row.region, row.branch)])
    withheld = frame[frame["status"] == "withheld"]
    assert len(withheld) and withheld["value"].isna().all() and frame["value"].isna().sum() == len(withheld)
    assert "withheld" in release._repr_html_() and release.tables == [("region", "branch")]
    assert np.isnan(pickle.loads(pickle.dumps(release)).table("branch", "region").values).sum() == len(withheld)
