"""Every command has its function here, and every option of one that is about the job."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import disclosure

from .reached.words import COUNTED, STORED, VISITS, key, table

SOURCES = Path(__file__).resolve().parents[2] / "disclosure-cli/src"
FUNCTIONS = {
    "run": "disclosure.run", "resplan plan": "disclosure.plan", "resplan release": "disclosure.Plan.release",
    "resplan simulate": "disclosure.Plan.simulate", "resplan answer": "disclosure.Measurement.table",
    "adaptive plan": "disclosure.adaptive.plan", "adaptive release": "disclosure.adaptive.AdaptivePlan.release",
    "synth": "disclosure.Measurement.synthesise", "frechet bounds": "disclosure.exact.bounds",
    "frechet audit": "disclosure.exact.audit", "frechet diff": "disclosure.exact.diff",
    "frechet plan": "disclosure.exact.plan", "frechet release": "disclosure.exact.release",
    "frechet round": "disclosure.exact.round", "frechet perturb": "disclosure.exact.perturb", "frechet verify": "disclosure.exact.verify",
    "magnitude plan": "disclosure.amounts.plan", "magnitude release": "disclosure.amounts.release",
    "magnitude audit": "disclosure.amounts.audit_pattern", "lcf filter": "disclosure.filter.filter",
    "lcf group": "disclosure.filter.group", "lcf explain": "disclosure.filter.explain",
    "lcf odds": "disclosure.filter.odds", "lcf advise": "disclosure.filter.advise",
    "ldp encode": "disclosure.reports.Client.encode", "ldp aggregate": "disclosure.reports.Aggregator.add",
    "ldp merge": "disclosure.reports.Aggregator.__add__", "ldp estimate": "disclosure.reports.Aggregator.estimate",
    "ldp plan": "disclosure.reports.plan", "ldp simulate": "disclosure.reports.simulate",
    "screen model": "disclosure.screening.screen", "screen table": "disclosure.screening.screen",
    "screen search": "disclosure.screening.search", "screen simulate": "disclosure.screening.attack",
    "report": "disclosure.report", "init": "disclosure.Data.start", "ledger open": "disclosure.Ledger.open",
    "ledger show": "disclosure.Ledger.document", "explain": "disclosure.explain",
}
OF_A_SHELL = {"serve", "completions", "man"}
"""A workbench in the browser, completions and a manual page are of a shell."""


def commands() -> set[str]:
    """The commands and subcommands of the program, from its sources."""
    sources = "\n".join(path.read_text() for path in SOURCES.rglob("*.rs"))
    enums = dict(re.findall(r"enum (\w*Command)\s*\{(.*?)\n\}", sources, re.DOTALL))
    variants = {name: re.findall(r"^    ([A-Z]\w*)(?:\((\S*?)\))?(?=[,\s{])", body, re.MULTILINE) for name, body in enums.items()}
    found = set()
    for name, held in variants["Command"]:
        inner = held.split("::")[-1]
        own = [child.lower() for child, _ in variants.get(inner, [])]
        found |= {f"{name.lower()} {child}" for child in own} or {name.lower()}
    return found


def test_every_command_has_a_function():
    assert commands() == set(FUNCTIONS) | OF_A_SHELL
    for path in FUNCTIONS.values():
        found = disclosure
        for part in path.split(".")[1:]:
            found = getattr(found, part)
        assert found.__doc__ or path.endswith("__add__"), path


def test_groups_of_parts_are_decided_about_as_one_table(tmp_path):
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({"town": rng.choice(["Bonn", "Rome"], 400), "clinic": rng.choice(["eye", "ear"], 400),
                         "patient": rng.integers(0, 60, 400)})
    secret = key(tmp_path)
    options: dict[str, Any] = {"secret_file": secret, "register": True}
    first = disclosure.filter.group(STORED, rows[:150], **options)
    first.write(tmp_path / "first.groups")
    assert (tmp_path / "first.groups").stat().st_mode & 0o777 == 0o600
    both = disclosure.filter.group(STORED, rows[150:], tmp_path / "first.groups", **options)
    for stored in (both, disclosure.filter.StoredGroups(both.to_bytes())):
        with pytest.warns(disclosure.CalibrationWarning):
            decided, whole = (disclosure.filter.filter(STORED, data, **options) for data in (stored, rows))
        assert decided.csv == whole.csv and decided.to_json() == whole.to_json()
    why = disclosure.filter.explain(STORED, both, ["Bonn", "eye"], **options)
    assert why.to_json() == disclosure.filter.explain(STORED, rows, ["Bonn", "eye"], **options).to_json()
    with pytest.raises(disclosure.DataError) as other:
        disclosure.filter.group(STORED.replace('"town", "clinic"', '"clinic", "town"'), both, **options)
    assert other.value.code == "E0375"


def test_answers_are_written_and_simulated_measurements_answer(tmp_path):
    plan = disclosure.plan(marginals=[["a", "b"]], rho=1.0, neighbours="add-remove", domain={"a": 2, "b": 3})
    measurement = plan.release({"a": [0, 1], "b": [2, 0]}).measurement
    record = measurement.write(tmp_path / "out", ["a"], [])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["0-a.csv", "1-total.csv", "answers.json"]
    assert record.to_json() == (tmp_path / "out/answers.json").read_text()
    assert len(measurement.document(["b"])["marginals"][0]["answers"]) == 3
    simulated = plan.simulated_measurement({"a": [0, 1], "b": [2, 0]}, seed=1)
    assert simulated.header.get("promise") is None and simulated.table("a").shape == (2,)


def test_contradictions_are_measured_and_targets_raise():
    job = table('margins = "axial"\nknown = [{ where = { religion = "a" }, at_most = 900 }]')
    unknown = job.replace('data = "d.csv"\ncount = "n"\n', "")
    with pytest.raises(disclosure.DataError):
        disclosure.exact.bounds(job, COUNTED)
    assert unknown != job
    pattern = Path(__file__).resolve().parents[3] / "fixtures/frechet/wp22_two_in_every_line.jj"
    found = disclosure.exact.audit_pattern(pattern.read_text(), certificates=True)
    assert not found.target_met and found.missed and found.missed[0] == "E0414"
    assert disclosure.exact.verify(found)["bounds"] > 0
    few = disclosure.exact.audit_pattern(pattern.read_text(), all_steps=1)
    assert few["primary"]["unknown"] > 0


def test_a_first_job_is_written_beside_its_domain(tmp_path):
    disclosure.Data(VISITS).start(tmp_path / "start", title="Visits", data="../visits.csv")
    job = (tmp_path / "start/job.toml").read_text()
    assert '"../visits.csv"' in job and "Visits" in job and "domain.toml" in job
    assert "learnt_from_data = true" in (tmp_path / "start/domain.toml").read_text()
    latin = tmp_path / "l.csv"
    latin.write_bytes("a\né\né\n".encode("latin1"))
    assert '"é"' in disclosure.Data(latin).learn_domain(encoding="latin1")
    with pytest.raises(disclosure.SpecError):
        disclosure.Data(latin).learn_domain(encoding="ebcdic")


LARGE = """
import resource, sys
import disclosure
plan = disclosure.plan(marginals=[["a", "b"], ["a", "c"], ["b", "c"]], rho=1.0, neighbours="add-remove",
                       domain={"a": 200, "b": 200, "c": 200})
release = plan.release({"a": [0, 1], "b": [2, 0], "c": [5, 7]}, keep=int(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
release.write(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, sum(map(len, release.files.values())) >> 10)
"""


def test_a_large_release_is_written_piece_by_piece(tmp_path):
    ended = subprocess.run([sys.executable, "-c", LARGE, "1", str(tmp_path / "out")], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    grown, written = map(int, ended.stdout.split())
    assert written > 4000 and grown < written / 2, (grown, written)
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"0-a_by_b.csv", "measurement.bin", "plan.json", "release.json"} <= files


def test_a_large_release_has_the_files_of_a_small_one(fixed, tmp_path):
    import pickle

    plan = disclosure.plan(up_to=2, rho=1.0, neighbours="add-remove", domain={"a": 40, "b": 40})
    small, large = (plan.release({"a": [0, 1], "b": [2, 0]}, keep=keep) for keep in (64, 0))
    assert "LargeFiles" in repr(large.files) and dict(large.files) == dict(small.files)
    assert large.table("a").values.tolist() == small.table("a").values.tolist()
    assert pickle.loads(pickle.dumps(large)).files == small.files
    large.write(tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == dict(small.files)
    with pytest.raises(KeyError):
        large.files["nowhere.csv"]
    with pytest.raises(disclosure.Error) as there:
        large.write(tmp_path / "out")
    assert there.value.code == "E0111"
