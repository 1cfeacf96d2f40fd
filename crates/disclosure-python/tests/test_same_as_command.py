"""Jobs without chance, or under one secret or seed: the bytes that the command writes.

`DISCLOSURE_BIN` names the command, as CI has built it from these sources (see `.ci/run`);
without it the digests of `test_bytes` are what is compared.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import disclosure
from disclosure import adaptive, amounts, exact, filter, reports, screening

from .conftest import ROOT
from .reached.records import MODEL
from .reached.words import key

COMMAND = os.environ.get("DISCLOSURE_BIN")
JOBS, DATA = ROOT / "jobs", ROOT / "data"
pytestmark = [
    pytest.mark.skipif(COMMAND is None, reason="DISCLOSURE_BIN names no command"),
    pytest.mark.filterwarnings("ignore::disclosure.DisclosureWarning"),
]


def command(*words: object) -> bytes:
    """What the command prints; a missed target (exit code 4) is an answer as well."""
    ended = subprocess.run([str(COMMAND), *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    assert ended.returncode in (0, 4), ended.stderr.decode()
    return ended.stdout


def frame(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / f"{name}.csv")


VOTERS = JOBS / "voters.toml"
TITANIC = JOBS / "frechet-titanic.toml"
FIRMS = JOBS / "magnitude-firms.toml"
SMALL = f"""
data = {str(DATA / "titanic.csv")!r}
count = "n"
margins = [["Class", "Survived"], ["Class", "Sex"]]
min_interval_width = 3
min_frequency = 30
[[attribute]]
name = "Class"
labels = ["1st", "2nd", "3rd", "Crew"]
[[attribute]]
name = "Survived"
labels = ["No", "Yes"]
[[attribute]]
name = "Sex"
labels = ["Male", "Female"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Jobs and rows that are small enough for a wheel that is not optimised."""
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "model.toml").write_text(MODEL.replace("150", "60"))
    (tmp_path / "few.csv").write_text("".join((DATA / "anes96.csv").read_text().splitlines(keepends=True)[:81]))
    return tmp_path


def here(word: object, folder: Path) -> object:
    return str(word).replace("FOLDER", str(folder))


DOCUMENTS: dict[str, tuple[list[object], Callable[[Path], str]]] = {
    "plan": (["resplan", "plan", VOTERS], lambda folder: disclosure.plan(VOTERS).to_json()),
    "weights": (
        ["resplan", "plan", VOTERS, "--weights", "by-cells"],
        lambda folder: disclosure.plan(VOTERS, weights="by-cells").to_json(),
    ),
    "simulate": (
        ["resplan", "simulate", VOTERS, DATA / "anes96.csv", "--seed", 5, "--trials", 3],
        lambda folder: disclosure.plan(VOTERS).simulate(frame("anes96"), trials=3, seed=5).to_json(),
    ),
    "adaptive": (
        ["adaptive", "plan", JOBS / "titanic-adaptive.toml"],
        lambda folder: adaptive.plan(JOBS / "titanic-adaptive.toml").to_json(),
    ),
    "audit": (["frechet", "audit", TITANIC], lambda folder: exact.audit(TITANIC, frame("titanic")).to_json()),
    "draws": (
        ["frechet", "audit", TITANIC, "--draws", 100],
        lambda folder: exact.audit(TITANIC, frame("titanic"), draws=100).to_json(),
    ),
    "bounds": (["frechet", "bounds", TITANIC], lambda folder: exact.bounds(TITANIC, frame("titanic")).to_json()),
    "exact plan": (["frechet", "plan", "FOLDER/small.toml"], lambda folder: exact.plan(folder / "small.toml", frame("titanic")).to_json()),
    "amounts plan": (["magnitude", "plan", FIRMS], lambda folder: amounts.plan(FIRMS, frame("firms")).to_json()),
    "advice": (["lcf", "advise", JOBS / "lcf-advise.toml"], lambda folder: filter.advise(JOBS / "lcf-advise.toml").to_json()),
    "odds": (
        ["lcf", "odds", "--mean", 8, "--sd", 1.5, "--floor", 2],
        lambda folder: filter.odds(mean=8, sd=1.5, floor=2).to_json(),
    ),
    "reports plan": (["ldp", "plan", JOBS / "ldp-plan.toml"], lambda folder: reports.plan(JOBS / "ldp-plan.toml").to_json()),
    "reports simulate": (
        ["ldp", "simulate", JOBS / "ldp-voters.toml", DATA / "anes96.csv", "--trials", 3, "--seed", 2],
        lambda folder: reports.simulate(reports.Schema(JOBS / "ldp-voters.toml"), frame("anes96"), trials=3, seed=2).to_json(),
    ),
    "screen model": (
        ["screen", "model", JOBS / "screen-model.toml"], lambda folder: screening.screen(JOBS / "screen-model.toml").to_json()
    ),
    "screen table": (
        ["screen", "table", JOBS / "screen-voters.toml", "FOLDER/few.csv"],
        lambda folder: screening.screen(JOBS / "screen-voters.toml", pd.read_csv(folder / "few.csv")).to_json(),
    ),
    "screen simulate": (
        ["screen", "simulate", "FOLDER/model.toml", "--trials", 2, "--seed", 1],
        lambda folder: screening.attack(folder / "model.toml", trials=2, seed=1).to_json(),
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_document_has_the_bytes_of_the_command(name: str, folder: Path) -> None:
    words, call = DOCUMENTS[name]
    assert call(folder).encode().rstrip() == command(*(here(word, folder) for word in words), "--json").rstrip()


def undated(files: dict[str, bytes]) -> dict[str, bytes]:
    """Both are dated today, unless midnight came between them."""
    return {name: own for name, own in files.items() if name != "release.json"}


RELEASES: dict[str, tuple[list[object], Callable[[Path], Any]]] = {
    "exact": (
        ["frechet", "release", "FOLDER/small.toml"],
        lambda folder: exact.release(folder / "small.toml", frame("titanic")),
    ),
    "perturbed": (
        ["frechet", "perturb", JOBS / "frechet-cell-key.toml", "--secret-file", "FOLDER/key", "--register"],
        lambda folder: exact.perturb(
            JOBS / "frechet-cell-key.toml", frame("titanic"), secret_file=folder / "key", register=True
        ),
    ),
    "amounts": (["magnitude", "release", FIRMS], lambda folder: amounts.release(FIRMS, frame("firms"))),
}


@pytest.mark.parametrize("name", RELEASES)
def test_the_release_has_the_bytes_of_the_command(name: str, folder: Path) -> None:
    words, call = RELEASES[name]
    key(folder)
    command(*(here(word, folder) for word in words), "-o", folder / "out")
    release = call(folder)
    written = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    assert written.keys() == release.files.keys() and len(undated(written)) > 0
    assert undated(written) == undated(dict(release.files))
    assert written["release.json"].split(b'"date"')[0] == release.files["release.json"].split(b'"date"')[0]


def test_groups_and_pages_and_answers_have_the_bytes_of_the_command(tmp_path: Path) -> None:
    secret, visits, job = key(tmp_path), pd.read_csv(DATA / "visits.csv", dtype=str), JOBS / "lcf-visits.toml"
    groups = filter.filter(job, visits, secret_file=secret, register=True)
    words = ["lcf", "filter", job, DATA / "visits.csv", "--secret-file", secret]
    assert command(*words, "--json").rstrip() == groups.to_json().encode().rstrip()
    command(*words, "-o", tmp_path / "groups.csv")
    assert (tmp_path / "groups.csv").read_bytes() == groups.csv

    release = disclosure.plan(VOTERS).release(frame("anes96"))
    release.write(tmp_path / "out")
    command("report", tmp_path / "out", "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == disclosure.report(tmp_path / "out")
    measurement = tmp_path / "out/measurement.bin"
    own = release.measurement
    assert command("resplan", "answer", measurement, "--marginal", "PID", "--json").rstrip() == own.document(["PID"]).to_json().encode().rstrip()
    command("resplan", "answer", measurement, "--marginal", "PID", "-o", tmp_path / "answers")
    own.write(tmp_path / "again", ["PID"])
    for path in (tmp_path / "answers").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def test_estimates_and_ledgers_have_the_bytes_of_the_command(tmp_path: Path) -> None:
    schema = reports.Schema(JOBS / "ldp-voters.toml")
    counted = schema.aggregator()
    counted.add(schema.client().encode(frame("anes96")))
    (tmp_path / "state").write_bytes(counted.to_bytes())
    words = ["ldp", "estimate", JOBS / "ldp-voters.toml", tmp_path / "state", "--sets", "vote;educ=7", "--covariance", "--json"]
    assert command(*words).rstrip() == counted.estimate([["vote"], ["educ=7"]], covariance=True).to_json().encode().rstrip()

    with disclosure.Ledger.open(tmp_path / "ledger", rho=50.0, neighbours="add-remove") as ledger:
        disclosure.plan(marginals=[["PID"]], rho=1.0, neighbours="add-remove", domain={"PID": 7}).release(
            frame("anes96"), ledger=ledger
        )
        assert command("ledger", "show", tmp_path / "ledger", "--json").rstrip() == ledger.document.to_json().encode().rstrip()

    command("init", DATA / "anes96.csv", "-o", tmp_path / "init")
    disclosure.Data(DATA / "anes96.csv").start(tmp_path / "start", data="../../data.csv")
    assert (tmp_path / "init/domain.toml").read_bytes() == (tmp_path / "start/domain.toml").read_bytes()
