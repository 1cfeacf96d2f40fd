"""Laws of the other jobs that hold for any table, with pandas as the oracle."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import disclosure

from .reached.words import key
from .test_properties import QUIET, tables, truth

# Of 400 intervals that hold with probability 0.95 each, fewer than 340 hold with probability below 1e-12.
TRIALS, LEAST = 400, 340


def job(domain: dict[str, list[str]], margins: list[list[str]], **fields: Any) -> dict[str, Any]:
    attributes = [{"name": name, "labels": labels} for name, labels in domain.items()]
    return {"data": "d.csv", "margins": margins, "min_interval_width": 0, "min_frequency": 1, "attribute": attributes, **fields}


@given(tables(), st.sampled_from([0.01, 0.5, 8.0]), st.integers(0, 2**32))
@settings(QUIET, max_examples=8)
def test_intervals_cover_the_counts_of_pandas(table, rho, seed):
    domain, frame = table
    names = list(domain)
    plan = disclosure.plan(marginals=[names], rho=rho, neighbours="add-remove", domain=domain)
    rows, exact = disclosure.Data(frame), truth(frame, domain, names)
    place = tuple(seed % size for size in exact.shape)
    inside = 0
    for trial in range(TRIALS):
        if disclosure._core.FIXED_GENERATOR:
            disclosure._core.set_generator(seed.to_bytes(8, "little") + trial.to_bytes(24, "little"))
        own = plan.release(rows).table(*names)
        # One number of each release: noise of one release is shared by its numbers.
        inside += bool(own.low[place] <= exact[place] <= own.high[place])
    if disclosure._core.FIXED_GENERATOR:
        disclosure._core.set_generator(None)
    assert inside >= LEAST, inside


@given(tables(), st.data())
@QUIET
def test_bounds_of_exact_tables_contain_the_counts_of_pandas(table, data):
    domain, frame = table
    names = list(domain)
    subsets = [list(own) for size in range(1, len(names) + 1) for own in itertools.combinations(names, size)]
    margins = data.draw(st.lists(st.sampled_from(subsets), min_size=1, max_size=3, unique_by=tuple))
    bounds = disclosure.exact.bounds(job(domain, margins), frame, certificates=True)
    exact = truth(frame, domain, names)
    for cell in bounds["cells"]:
        place = tuple(domain[name].index(cell["cell"][name]) for name in names)
        assert cell["lower"] <= exact[place] <= cell["upper"]
    if names in margins:
        assert all(cell["lower"] == cell["upper"] for cell in bounds["cells"])
    assert disclosure.exact.verify(bounds)["bounds"] > 0


@given(tables(), st.integers(2, 9))
@QUIET
def test_rounded_tables_are_consistent_and_close(table, base):
    domain, frame = table
    names = list(domain)
    try:
        release = disclosure.exact.round(job(domain, [names]), frame, base=base)
    except disclosure.RefusedError:
        assume(False)
    whole = release.table(*names)
    for size in range(len(names) + 1):
        for subset in itertools.combinations(names, size):
            own, exact = release.table(*subset), truth(frame, domain, list(subset))
            others = tuple(axis for axis, name in enumerate(names) if name not in subset)
            assert np.array_equal(whole.values.sum(axis=others), own.values)
            assert np.all((own.low <= exact) & (exact <= own.high) & (own.values % base == 0))


@given(tables(most=2), st.binary(min_size=32, max_size=32))
@settings(QUIET, max_examples=25)
def test_perturbed_tables_are_sticky_and_close(table, secret):
    domain, frame = table
    names = list(domain)
    design = {"max_deviation": 4, "variance": 2.0, "smallest_published": 2}
    with tempfile.TemporaryDirectory() as folder:
        path = key(Path(folder), secret)
        try:
            release, again = (
                disclosure.exact.perturb(job(domain, [names], cell_key=design), rows, secret_file=path, register=True)
                for rows in (frame, frame.sample(frac=1, random_state=len(frame)))
            )
        except disclosure.RefusedError as refused:
            assert refused.code == "E0445"
            return
    assert {name: own for name, own in release.files.items() if name != "release.json"} == {
        name: own for name, own in again.files.items() if name != "release.json"
    }
    for subset in release.tables:
        own, exact = release.table(*subset), truth(frame, domain, list(subset))
        assert np.all((own.low <= exact) & (exact <= own.high))
        assert np.all((own.values != 1) & ((exact > 0) | (own.values == 0)))


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 30)), min_size=1, max_size=120))
@QUIET
def test_no_group_at_or_below_the_hard_bound_is_reported_and_every_large_one_is(rows):
    frame = pd.DataFrame(rows, columns=["town", "patient"])
    words = 'group_by = ["town"]\naid = ["patient"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n'
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", disclosure.CalibrationWarning)
        groups = disclosure.filter.filter(words, frame, secret_file=key(Path(folder)), register=True)
    shown, people = set(groups.to_pandas()["town"]), frame.groupby("town")["patient"].nunique()
    assert all(people[town] > 2 for town in shown)
    assert {town for town, n in people.items() if n > 14} <= shown


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("pq")), min_size=2, max_size=60))
@QUIET
@pytest.mark.filterwarnings("ignore::disclosure.DisclosureWarning")
def test_answers_that_are_hardly_randomised_are_counted_as_pandas_counts_them(rows):
    frame = pd.DataFrame(rows, columns=["a", "b"])
    features = [{"name": "a", "values": ["x", "y", "z"], "protocol": "grr", "epsilon": 40.0},
                {"name": "b", "values": ["p", "q"], "protocol": "rr", "epsilon": 40.0}]
    schema = disclosure.reports.Schema({"order": 2, "feature": features})
    counted = schema.aggregator()
    counted.add(schema.client().encode(frame))
    estimate = counted.estimate([["a=x"], ["b"], ["a=x", "b"]])
    is_x, is_q = frame["a"] == "x", frame["b"] == "q"
    assert counted.n == len(frame) and estimate.counts.round().tolist() == [is_x.sum(), is_q.sum(), (is_x & is_q).sum()]
