"""Rows from every source are the same rows, and refused alike."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import disclosure

EXACT: dict[str, Any] = dict(rho=1e7, neighbours="add-remove")


def counts(data, domain, *names, **fields):
    plan = disclosure.plan(marginals=[list(names)], domain=domain, **EXACT, **fields)
    return plan.release(data).table(*names).values.round().tolist()


def sources(columns):
    pa, pl, duckdb = (pytest.importorskip(name) for name in ("pyarrow", "polars", "duckdb"))
    frame = pd.DataFrame(columns)
    arrow = pa.table(columns)
    yield "pandas", frame
    yield "categories", frame.astype("category")
    yield "arrow", arrow
    yield "dictionaries", pa.table({name: arrow[name].dictionary_encode() for name in arrow.column_names})
    yield "chunks", pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)])
    yield "reader", pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches(max_chunksize=2))
    yield "polars", pl.DataFrame(columns)
    yield "duckdb", duckdb.sql("select * from arrow")
    yield "lists", columns
    yield "numpy", {name: np.asarray(values) for name, values in columns.items()}


def test_every_source_gives_the_same_counts():
    columns = {"a": ["x", "y", "x", "x"], "n": [3, 0, 3, 7], "f": [0.5, 2.0, 11.5, 2.0]}
    domain = {"a": ["x", "y"], "n": 8, "f": [0, 2, 5, 12]}
    for name, data in sources(columns):
        assert counts(data, domain, "a", "f") == [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0]], name
    for name, data in sources(columns):
        assert counts(data, domain, "n") == [1, 0, 0, 2, 0, 0, 0, 1], name


def test_missing_values_are_a_category_where_the_job_says_so():
    domain = {"a": {"labels": ["x"], "missing": "category"}, "f": {"bins": [0, 10], "missing": "category"}}
    columns = {"a": ["x", None, "x"], "f": [1.0, None, None]}
    for name, data in sources(columns):
        if name == "numpy":
            data = {"a": np.asarray(columns["a"], dtype=object), "f": np.asarray([1.0, np.nan, np.nan])}
        assert counts(data, domain, "a", "f") == [[1.0, 1.0], [0.0, 1.0]], name


def test_types_are_spelt_as_a_file_spells_them():
    pa = pytest.importorskip("pyarrow")
    day = datetime.date(2024, 2, 29)
    table = pa.table({"b": [True, False], "d": [day, day], "w": pa.array(["é", "ß"], pa.large_string()),
                      "u": pa.array([2**63, 5], pa.uint64()), "s": pa.array(["p", "q"], pa.string_view())})
    domain = {"b": ["false", "true"], "d": ["2024-02-29"], "w": ["é", "ß"], "u": [str(2**63), "5"], "s": ["q", "p"]}
    assert counts(table, domain, "b", "w") == [[0, 1], [1, 0]]
    assert counts(table, domain, "d", "u") == [[1, 1]]
    assert counts(table, domain, "s") == [1, 1]
    with pytest.raises(disclosure.Error) as refused:
        counts(pa.table({"t": pa.array([datetime.datetime(2024, 1, 1)])}), {"t": ["x"]}, "t")
    assert refused.value.code == "E0673" and "Timestamp" in refused.value.message


def test_what_does_not_fit_is_refused_with_its_row_and_without_its_value():
    columns = {"a": ["x", "y", "secret"], "n": [1, 1, 1]}
    plan = disclosure.plan(marginals=[["a"]], domain={"a": ["x", "y"]}, **EXACT)
    for name, data in sources(columns):
        with pytest.raises(disclosure.DataError) as refused:
            plan.release(data)
        error = refused.value
        assert (error.code, error.row, error.line) == ("E0316", 2, None), name
        assert "secret" not in str(error) and "'a'" not in str(error) and error.hint is not None


def test_a_file_names_its_line(tmp_path):
    (tmp_path / "t.csv").write_text("a\nx\nz\n")
    plan = disclosure.plan(marginals=[["a"]], domain={"a": ["x", "y"]}, **EXACT)
    with pytest.raises(disclosure.DataError) as refused:
        plan.release(tmp_path / "t.csv")
    assert (refused.value.code, refused.value.line, refused.value.row) == ("E0316", 3, None)
    (tmp_path / "s.csv").write_text("a|b\nx|1\n")
    assert disclosure.Data(tmp_path / "s.csv", separator="|").learn_domain().count("[[attribute]]") == 2


def test_a_count_column_and_the_index_of_pandas(titanic):
    indexed = titanic[titanic["n"] > 0]
    names = disclosure.Data(indexed).columns
    assert names == list(titanic.columns)
    domain = {"Sex": ["Male", "Female"]}
    by_sex = titanic.groupby("Sex")["n"].sum()
    assert counts(indexed, domain, "Sex", count="n") == [by_sex["Male"], by_sex["Female"]]


def test_a_learnt_domain_is_that_of_the_file(anes, jobs):
    path = jobs.parent / "data/anes96.csv"
    assert disclosure.Data(anes).learn_domain() == disclosure.Data(path).learn_domain()
    options: dict[str, Any] = dict(bins={"age": [0, 30, 60]}, quantiles={"income": 4})
    assert disclosure.Data(anes).learn_domain(**options) == disclosure.Data(path).learn_domain(**options)
    learnt = disclosure.Data(anes).learn_domain()
    plan = disclosure.plan({"marginals": [["vote"]], "privacy": {"rho": 1.0}, "neighbours": "add-remove", "domain": "d.toml"},
                           files={"d.toml": learnt})
    assert plan.domain_is_learnt
    with pytest.raises(disclosure.RefusedError) as refused:
        plan.release(anes)
    assert refused.value.code == "E0401"


def test_what_is_no_table_is_refused():
    for wrong in (None, 3, [1, 2], object()):
        with pytest.raises(TypeError):
            disclosure.Data(wrong)
    with pytest.raises(ValueError):
        disclosure.Data({"a": [1, 2], "b": [1]})
    with pytest.raises(TypeError):
        disclosure.Data({"a": [1]}, separator=";")
    plan = disclosure.plan(marginals=[["a"]], domain={"a": 2}, **EXACT)
    for data, code in [({"b": [1]}, "E0308"), ({"a": []}, "E0302"), ({"a": ["-1"]}, "E0317"), ({"a": [2]}, "E0318"),
                       ({"a": [None]}, "E0315"), ({}, "E0301")]:
        with pytest.raises(disclosure.DataError) as refused:
            plan.release(data)
        assert refused.value.code == code


def test_frames_that_are_odd_are_taken_or_refused_without_a_value():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    domain, frame = {"a": ["x", "y"], "n": 5}, pd.DataFrame({"a": ["x", "y", "x"], "n": [0, 1, 4]})
    expected = counts(frame, domain, "a", "n")
    structured = np.array(list(frame.itertuples(index=False, name=None)), dtype=[("a", "U1"), ("n", "i4")])
    odd = {
        "mixed": frame.astype({"n": object}).assign(n=[0, "1", 4.0]),
        "nullable": frame.astype({"n": "Int64", "a": "string"}),
        "unused category": frame.assign(a=pd.Categorical(frame["a"], categories=["z", "y", "x"])),
        "others besides": frame.assign(when=pd.Timestamp("2024-01-01"), lists=[[1], [2], [3]], mixed=["1", 2, b"3"]),
        "lazy": pl.LazyFrame(frame.to_dict("list")),
        "structured": structured,
        "decimal": pa.table({"a": ["x", "y", "x"], "n": pa.array([0, 1, 4], pa.decimal128(38, 0))}),
        "scaled": pa.table({"a": ["x", "y", "x"], "n": pa.array([0, 1, 4], pa.decimal128(20, 3))}),
    }
    for name, data in odd.items():
        assert counts(data, domain, "a", "n") == expected, name
    with pytest.raises(disclosure.DataError) as twice:
        counts(pd.DataFrame([["x", 0, "x"]], columns=["a", "n", "a"]), domain, "a")
    assert twice.value.code == "E0307"
    with pytest.raises(disclosure.DataError) as mixed:
        counts(odd["mixed"].assign(n=[0, "secret", 4]), domain, "a", "n")
    assert (mixed.value.code, mixed.value.row) == ("E0317", 1)
    assert "secret" not in str(mixed.value) and mixed.value.__context__ is None
    for none in (frame["a"], pl.Series([1]), None, 3, np.zeros((2, 2)), [{"a": "x"}]):
        with pytest.raises(TypeError):
            disclosure.Data(none)
    assert disclosure.plan(marginals=[["a"]], rho=np.float64(0.5), neighbours="add-remove",
                           domain={"a": np.int64(3)}).rho == pytest.approx(0.5)


def test_decimals_fall_into_bins_as_the_numbers_that_they_are():
    pa = pytest.importorskip("pyarrow")
    numbers = ["-0.50", "0.25", "1.00", "12.75", "0.00"]
    decimals = pa.array([decimal.Decimal(number) for number in numbers], pa.decimal128(10, 2))
    edges = {"f": [-1, 0, 0.5, 2, 20]}
    assert counts(pa.table({"f": decimals}), edges, "f") == counts({"f": list(map(float, numbers))}, edges, "f")
