"""Laws that hold for any table, with pandas as the oracle."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import disclosure

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
QUIET = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=SLOW)
LABELS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), min_size=1, max_size=6)


@st.composite
def tables(draw, most=4):
    """A domain of at most so many attributes with labels, and rows in it."""
    names = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=most, unique=True))
    domain = {name: draw(st.lists(LABELS, min_size=1, max_size=4, unique=True)) for name in names}
    rows = draw(st.lists(st.tuples(*(st.sampled_from(labels) for labels in domain.values())), min_size=1, max_size=60))
    return domain, pd.DataFrame(rows, columns=names)


def truth(frame: pd.DataFrame, domain: dict[str, list[str]], names: list[str]) -> np.ndarray:
    counts: dict[tuple[str, ...], int] = dict(frame.value_counts(names)) if names else {(): len(frame)}
    cells = itertools.product(*(domain[name] for name in names))
    return np.array([counts.get(cell, 0) for cell in cells]).reshape([len(domain[name]) for name in names])


@given(tables(), st.sampled_from(["pandas", "category", "lists", "arrow"]))
@QUIET
def test_counts_are_those_of_pandas(table, how):
    domain, frame = table
    import pyarrow as pa

    forms = {"pandas": frame, "category": frame.astype("category"), "lists": frame.to_dict("list"),
             "arrow": pa.Table.from_pandas(frame, preserve_index=False)}
    plan = disclosure.plan(marginals=[list(domain)], rho=1e7, neighbours="add-remove", domain=domain)
    release = plan.release(forms[how])
    names = list(domain)
    for size in range(len(names) + 1):
        for subset in itertools.combinations(names, size):
            assert np.array_equal(release.table(*subset).values.round(), truth(frame, domain, list(subset)))


@given(tables(), st.floats(0.01, 10))
@QUIET
def test_tables_agree_and_errors_are_as_planned(table, rho):
    domain, frame = table
    names = list(domain)
    plan = disclosure.plan(marginals=[[name] for name in names if len(names) > 1] + [names], rho=rho, neighbours="add-remove", domain=domain)
    release = plan.release(frame)
    whole = release.table(*names)
    for place, name in enumerate(names):
        others = tuple(axis for axis in range(len(names)) if axis != place)
        assert np.allclose(whole.values.sum(axis=others), release.table(name).values, atol=1e-4 * whole.sds.max() * len(whole))
    assert np.isclose((whole.sds**2).mean(), plan.variances[tuple(names)])
    assert np.all(whole.low <= whole.values) and np.all(whole.values <= whole.high)
    assert np.allclose(np.diag(whole.covariance).reshape(whole.shape), whole.sds**2)


@given(st.lists(st.one_of(st.none(), st.integers(-50, 50), st.floats(-40, 40, width=32)), min_size=1, max_size=50))
@QUIET
def test_numbers_fall_into_the_bins_of_pandas(numbers):
    edges = [-50, -10, 0, 0.5, 25, 50]
    plan = disclosure.plan(marginals=[["x"]], rho=1e7, neighbours="add-remove",
                           domain={"x": {"bins": edges, "missing": "category"}})
    values = plan.release({"x": numbers}).table("x").values.round()
    series = pd.Series(numbers, dtype="float64")
    cut = pd.cut(series, edges, right=False, include_lowest=True).value_counts(sort=False).to_numpy().astype(float)
    cut[-1] += (series == edges[-1]).sum()
    assert values.tolist() == [*cut, float(series.isna().sum())]


@given(st.binary(max_size=300))
@QUIET
def test_bytes_that_are_no_measurement_are_refused(data):
    try:
        disclosure.Measurement(data)
    except disclosure.Error as error:
        assert error.code in {"E0361", "E0362", "E0363", "E0104"}
    else:
        raise AssertionError("it was taken")


@given(st.text(max_size=120))
@QUIET
def test_words_that_are_no_job_are_refused(text):
    for call in (disclosure.plan, disclosure.reports.Schema, disclosure.filter.advise):
        try:
            call(text + "\n")
        except disclosure.Error as error:
            assert error.exit_code in (2, 6) and text.strip() == "" or text.strip() not in error.message or len(text.strip()) < 12
