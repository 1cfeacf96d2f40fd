"""Conventions of Python: keywords, seeds, documents, pages, pickles, silence, memory."""

from __future__ import annotations

import inspect
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import disclosure
from disclosure import adaptive, amounts, exact, filter, pipeline, reports, screening

from .conftest import ROOT
from .reached.records import MODEL
from .reached.words import COUNTED, ROWS, key, plan, table

PACKAGE = Path(disclosure.__file__).parent
SEEDED = {
    "Plan.simulate", "Plan.simulated_measurement", "reports.simulate", "screening.attack", "screening.search",
}


def functions() -> Iterator[tuple[str, Any]]:
    """Every public function and method of the package, by its name."""
    modules = [disclosure, adaptive, amounts, disclosure.bridges, exact, filter, disclosure.ledger,
               disclosure.marginals, pipeline, reports, screening]
    for module in modules:
        for name in getattr(module, "__all__", []):
            own = getattr(module, name)
            if inspect.isclass(own):
                yield name, own
                for method, found in vars(own).items():
                    if inspect.isfunction(found) and not method.startswith("_"):
                        yield f"{name}.{method}", found
            elif inspect.isfunction(own):
                yield f"{own.__module__.split('.')[-1]}.{own.__name__}", own


def test_release_functions_take_no_seed_and_simulations_do() -> None:
    takes = {name for name, own in functions() if inspect.isfunction(own) and "seed" in inspect.signature(own).parameters}
    assert takes == SEEDED - {"screening.search"} or takes == SEEDED, takes
    assert not any("release" in name or "perturb" in name or "encode" in name for name in takes)


def test_everything_public_is_documented_and_options_are_keywords() -> None:
    for name, own in functions():
        assert own.__doc__ and own.__doc__.strip(), name
        if inspect.isfunction(own):
            places = [p for p in inspect.signature(own).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
            optional = [p.name for p in places if p.default is not p.empty and p.name not in ("job", "data", "rows")]
            # What may be left out and stands without its name is the subject of the call.
            assert set(optional) <= {"law", "sets", "population", "spec", "order", "before_data", "after_data"}, (name, optional)


def test_nothing_prints() -> None:
    for path in PACKAGE.glob("*.py"):
        code = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith((">>>", "...")))
        assert not re.search(r"(?<![\w.])print\(|sys\.std(out|err)", code), path
    for path in (PACKAGE.parents[1] / "src").glob("*.rs"):
        assert "println!" not in path.read_text(), path
    script = f"import disclosure; p = disclosure.plan({str(ROOT / 'jobs/voters.toml')!r}); p.release({str(ROOT / 'data/anes96.csv')!r})"
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def counted() -> reports.Aggregator:
    schema = reports.Schema(ROOT / "jobs/ldp-voters.toml")
    own = schema.aggregator()
    own.add(schema.client().encode(pd.read_csv(ROOT / "data/anes96.csv")))
    return own


def small(**fields: Any) -> dict[str, Any]:
    attributes = [{"name": "a", "labels": ["x", "y"]}, {"name": "b", "labels": ["p", "q"]}]
    return {"data": "d.csv", "margins": [["a", "b"]], "min_interval_width": 0, "min_frequency": 1,
            "attribute": attributes, **fields}


DESIGN = {"max_deviation": 5, "variance": 3.0, "smallest_published": 3}
MANY = {name: own * 30 for name, own in ROWS.items()}
VISITED = 'group_by = ["b"]\naid = ["n"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n'
RESULTS: dict[str, Callable[[Path], Any]] = {
    "plan": lambda _: plan().document,
    "marginals": lambda _: plan().release(ROWS),
    "table": lambda _: plan().release(ROWS).table("a"),
    "synthesis": lambda _: plan().release(ROWS).synthesise(5),
    "adaptive": lambda _: adaptive.plan(up_to=2, rho=1.0, neighbours="add-remove", domain={"a": ["x", "y"], "b": ["p", "q"]}).release(ROWS),
    "audit": lambda _: exact.audit(table(), COUNTED),
    "bounds": lambda _: exact.bounds(table(), COUNTED),
    "exact plan": lambda _: exact.plan(table(), COUNTED),
    "exact": lambda _: exact.release(small(), MANY),
    "rounded": lambda _: exact.round(small(), MANY, base=3),
    "perturbed": lambda tmp: exact.perturb(small(cell_key=DESIGN), MANY, secret_file=key(tmp), register=True),
    "amounts plan": lambda _: amounts.plan(ROOT / "jobs/magnitude-firms.toml", ROOT / "data/firms.csv"),
    "amounts": lambda _: amounts.release(ROOT / "jobs/magnitude-firms.toml", ROOT / "data/firms.csv"),
    "groups": lambda tmp: filter.filter(VISITED, {**MANY, "n": list(range(90))}, secret_file=key(tmp), register=True),
    "odds": lambda _: filter.odds(mean=8, sd=1.5, floor=2),
    "estimate": lambda _: counted().estimate([["vote"], ["educ=7"]]),
    "screen": lambda _: screening.screen(MODEL.replace("150", "40")),
    "pipeline": lambda _: disclosure.run(
        'data = "d"\n[budget]\nrho = 1.0\nneighbours = "add-remove"\n[noisy]\nup_to = 1\n'
        '[[attribute]]\nname = "a"\nlabels = ["x", "y"]\n', ROWS),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore::disclosure.DisclosureWarning")
def test_every_result_has_a_page_and_is_pickled(name: str, tmp_path: Path) -> None:
    made = RESULTS[name](tmp_path)
    assert "<iframe" in made._repr_html_() or "<table" in made._repr_html_()
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made) and again._repr_html_() == made._repr_html_()
    if name != "table":
        assert again.to_json() == made.to_json() and made.to_json().startswith("{")
    if hasattr(made, "promise") and name not in ("table",):
        assert made.promise, name
    assert len(repr(made)) < 300


GROWN = """
import os, numpy as np, pyarrow as pa, disclosure
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
rows = np.random.default_rng(1).integers(0, 9, (4, 4_000_000)).astype(np.int32)
table = pa.table({f"a{i}": own for i, own in enumerate(rows)})
before = resident()
data = disclosure.Data(table)
print(resident() - before, table.nbytes, data.rows)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory as Linux tells it")
def test_columns_are_not_copied_out_of_arrow() -> None:
    pytest.importorskip("pyarrow")
    ended = subprocess.run([sys.executable, "-c", GROWN], capture_output=True, text=True, timeout=60)
    grown, size, rows = map(int, ended.stdout.split())
    assert rows == 4_000_000 and size >= 64_000_000 and grown < size / 4, (grown, ended.stderr)


WITHOUT = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "polars", "pyarrow", "duckdb", "tqdm", "mbi", "opendp", "dp_accounting"):
            raise ImportError(name)
sys.meta_path.insert(0, Hidden())
import numpy, disclosure
plan = disclosure.plan(marginals=[["a"]], rho=1.0, neighbours="add-remove", domain={"a": 2})
release = plan.release({"a": numpy.array([0, 1, 1])}, progress=True)
print(release.table("a").shape, "iframe" in release._repr_html_())
"""


def test_numpy_is_the_one_requirement() -> None:
    ended = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=60)
    assert ended.stdout.strip() == "(2,) True", ended.stderr
