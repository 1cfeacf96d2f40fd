"""Codes of the command's words and of the jobs of marginals, exact tables and pipelines."""

from __future__ import annotations

from pathlib import Path

import disclosure
from disclosure import amounts, exact, pipeline

from .words import (
    COUNTED, ROOT, ROWS, VOTES, Case, attribute, audit, key, plan, table, text, votes,
)

NOISY = "\n[noisy]\nup_to = 1\n"
BUDGET = '[budget]\nrho = 1.0\nneighbours = "add-remove"\n'
ATTRIBUTE = '[[attribute]]\nname = "a"\nlabels = ["x", "y"]\n'


def run(sections: str, **options: object) -> Case:
    """A pipeline about one attribute."""
    job = f'data = "d.csv"\n{sections}\n{ATTRIBUTE}'
    return lambda _: pipeline.run(job, ROWS, **options)  # type: ignore[arg-type]


def private(epsilon: str) -> Case:
    """A plan whose decisions take noise of this epsilon."""
    terms = f'{{ epsilon = {epsilon}, delta = 1e-300, neighbours = "add-remove", rows_per_person = 1 }}'
    job = table(f'margins = [["religion"]]\ndecide_on = "private"\npattern = {terms}')
    return lambda _: exact.plan(job, COUNTED)


def diff(_: Path) -> object:
    return exact.diff(table(), COUNTED, votes(), VOTES)


def magnitude(more: str, replaced: tuple[str, str] = ("", "")) -> Case:
    words = (ROOT / "jobs/magnitude-firms.toml").read_text().replace(*replaced)
    return lambda _: amounts.plan(f"{more}\n{words}", ROOT / "data/firms.csv")


def answers(name: str) -> Case:
    def ask(_: Path) -> object:
        measurement = plan(marginals=[["a"], ["b"]]).release(ROWS).measurement
        return measurement.table("a", "b") if name == "table" else measurement.query(name)

    return ask


CASES: dict[str, Case] = {
    "E0200": lambda _: disclosure.Data(ROWS).learn_domain(bins={"a": [3, 2]}),
    "E0210": lambda _: disclosure.plan("marginals = [\n  oops\n"),
    "E0211": lambda _: plan(marginals=[["a"]], up_to=1),
    "E0212": lambda _: plan(privacy={"rho": 1.0, "mu": 1.0}),
    "E0213": lambda _: attribute(labels=["x", "y"], basis={"name": "prefix", "weights": [1]}),
    "E0214": lambda _: plan(noise="continuous").release(ROWS),
    "E0215": lambda _: plan(marginals=[["value"]], domain={"value": 2}),
    "E0216": lambda _: plan(objective={"norm": 100.0}),
    "E0217": lambda _: plan(strategy={"tilted": -1.0}),
    "E0219": lambda _: attribute(labels=["a", "b", "a .. b"], basis="range"),
    "E0221": lambda _: plan(marginals=[]),
    "E0222": lambda _: plan(marginals=[["nobody"]]),
    "E0223": lambda _: plan(marginals=[["a", "b"], ["b", "a"]]),
    "E0224": lambda _: plan(marginals=[{"set": ["a"], "weight": 0.0}]),
    "E0225": lambda _: plan(rho=-1.0),
    "E0226": lambda _: plan(rho=1e60),
    "E0227": answers("table"),
    "E0228": answers("a=nobody"),
    "E0229": lambda _: plan(marginals=[{"set": ["a"], "max_sd": -1.0}]),
    "E0231": audit(table('margins = [["height"]]')),
    "E0232": audit(votes().replace('{ column = "vote", value = "A" }', '{ column = "age", value = "A" }')),
    "E0233": audit(table('margins = "axial"\npublish = [{ rounded = 0 }]')),
    "E0234": audit(votes().replace("beta = 0.25", "beta = 0.75")),
    "E0235": audit(votes('[hierarchy]\nheight = "h.csv"')),
    "E0236": audit(table('margins = "axial"\ndomain = "d.toml"'), files={"d.toml": ATTRIBUTE}),
    "E0237": lambda _: exact.bounds(table(""), COUNTED),
    "E0238": lambda _: exact.plan(table('margins = "axial"\ndecide_on = "public-sizes"'), COUNTED),
    "E0239": private("1e-300"),
    "E0240": diff,
    "E0243": run('[exact]\ntitle = "x"\nmargins = [[]]\ntau = 0\nkappa = 1\n'),
    "E0244": run(NOISY),
    "E0245": lambda tmp: pipeline.run(
        f'data = "d.csv"\n{NOISY}{BUDGET}{ATTRIBUTE}', ROWS, secret_file=key(tmp)
    ),
    "E0246": magnitude("coalition = 3"),
    "E0248": lambda _: plan(person="id", count="n"),
    # The domain, as a schema has it.
    "E0201": lambda _: plan(domain="d.toml", files={"d.toml": "x ="}),
    "E0202": lambda _: plan(domain="d.json", files={"d.json": "[]"}),
    "E0203": lambda _: attribute(size=2, labels=["x", "y"]),
    "E0204": lambda _: attribute(bins=[3, 2]),
    "E0205": lambda _: attribute(size=2, other="rest"),
    "E0206": lambda _: attribute(labels=["x", "y"], missing="category", missing_values=["x"]),
    "E0207": lambda _: attribute(labels=["x", "x"]),
    "E0208": lambda _: plan(domain="d.toml", files={"d.toml": "learnt_from_data = false\nattribute = []\n"}),
    "E0209": lambda _: plan(count="a").release(ROWS),
    "E0230": lambda tmp: plan().release(disclosure.Data(text(tmp, "a\nx\n"), separator="\n")),
    "E0286": lambda _: attribute(labels=["x", "y"], names=["one"]),
    # Targets of a job.
    "E0401": lambda _: plan(
        domain="d.toml", files={"d.toml": disclosure.Data({"a": ["x", "y"]}).learn_domain()}
    ).release(ROWS),
    "E0403": lambda _: plan(marginals=[{"set": ["a"], "max_sd": 0.001}]),
    "E0411": lambda _: exact.release(votes(), VOTES),
    "E0412": lambda _: exact.plan(
        votes('decide_on = "counts"').replace("tau = 0", "tau = 5000"), VOTES
    ),
    "E0421": run(f"[targets]\nmax_rmse = 0.001\n{NOISY}{BUDGET}"),
    "E0502": run(
        f'[exact]\nresponse = {{ column = "b", value = "p" }}\nmargins = [["a"]]\ntau = 0\nbeta = 0.001\nkappa = 1\n'
        f'decide_on = "counts"\nepsilon = 4.0\n{NOISY}{BUDGET.replace("1.0", "0.4")}'
        '[[attribute]]\nname = "b"\nlabels = ["p", "q"]\n'
    ),
}
