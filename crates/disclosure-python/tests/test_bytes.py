"""A job run from Python writes what the command writes, digest by digest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest

import disclosure


def sha(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


@pytest.mark.parametrize("job, data", [("voters", "anes96"), ("titanic", "titanic")])
@pytest.mark.parametrize("how", ["path", "pandas", "polars", "arrow", "columns"])
def test_marginals_have_the_bytes_of_the_command(job, data, how, jobs, digests, fixed):
    path = jobs.parent / f"data/{data}.csv"
    release = disclosure.plan(jobs / f"{job}.toml").release(as_table(path, how))
    found = sha(dict(release.files))
    expected = {name: digest for name, digest in digests[job].items() if "." in name}
    # A job without a date gets the day of the release.
    record = json.loads(release.files["release.json"])
    assert "date" in record and found.pop("release.json") != expected.pop("release.json")
    assert found == expected


def as_table(path: Path, how: str):
    if how == "path":
        return path
    if how == "polars":
        return pytest.importorskip("polars").read_csv(path)
    if how == "arrow":
        return pytest.importorskip("pyarrow.csv").read_csv(path)
    frame = pd.read_csv(path)
    return frame if how == "pandas" else {name: frame[name].tolist() for name in frame.columns}


@pytest.mark.parametrize("how", ["pandas"])
def test_the_pipeline_has_the_bytes_of_the_command(how, jobs, digests, fixed, tmp_path):
    secret = tmp_path / "key"
    secret.write_bytes(bytes([7] * 32))
    secret.chmod(0o600)
    data = as_table(jobs.parent / "data/anes96.csv", how)
    release = disclosure.run(jobs / "survey.toml", data, secret_file=secret, register=True)
    found = {name: digest for name, digest in sha(dict(release.files)).items() if not name.endswith(".json")}
    assert found == digests["survey"]
    assert "<h1" in release.report(public=False) and "review" in release.owner_files


def test_a_wheel_that_leaves_has_no_fixed_generator():
    if not disclosure._core.FIXED_GENERATOR:
        assert not hasattr(disclosure._core, "set_generator")
