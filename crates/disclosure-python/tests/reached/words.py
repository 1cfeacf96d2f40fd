"""What the calls of this folder have in common."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import disclosure
from disclosure import exact, filter, marginals

Case = Callable[[Path], object]
DOMAIN: dict[str, Any] = {"a": ["x", "y"], "b": ["p", "q"]}
ROWS = {"a": ["x", "y", "x"], "b": ["p", "q", "q"]}
ROOT = Path(__file__).resolve().parents[4] / "fixtures"


def plan(**fields: Any) -> marginals.Plan:
    """A plan about `DOMAIN`, where nothing else is said."""
    job: dict[str, Any] = {"neighbours": "add-remove", "domain": DOMAIN, **fields}
    if not {"rho", "mu", "pcost", "epsilon", "privacy"} & set(job):
        job["rho"] = 1.0
    if not {"marginals", "up_to"} & set(job):
        job["marginals"] = [["a"]]
    limits = {name: job.pop(name) for name in ("max_memory", "max_answers", "files") if name in job}
    return disclosure.plan(**job, **limits)


def text(tmp: Path, words: Any, name: str = "file.csv") -> Path:
    """A file with these words."""
    path = tmp / name
    path.write_bytes(words if isinstance(words, bytes) else words.encode())
    return path


def one(**fields: Any) -> marginals.Plan:
    """A plan about the attribute a alone."""
    return plan(**{"domain": {"a": ["x", "y"]}, **fields})


def read(tmp: Path, words: Any, **fields: Any) -> object:
    """A release of a file with these words."""
    return one(**fields).release(text(tmp, words))


def attribute(**fields: Any) -> marginals.Plan:
    """A plan about one attribute with these fields."""
    return plan(domain={"a": fields})


def basis(kind: str, words: Any) -> Case:
    """An attribute with four labels and a basis in a file with these words."""
    own = {"labels": ["a", "b", "c", "d"], "basis": {kind: "f.csv"}}
    return lambda _: plan(domain={"a": own}, files={"f.csv": words})


def key(tmp: Path, words: bytes = bytes(range(32)), mode: int = 0o600, name: str = "key") -> Path:
    """The file of a secret."""
    path = text(tmp, words, name)
    os.chmod(path, mode)
    return path


LAW = "always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n"
FILTER = 'group_by = ["town", "clinic"]\naid = ["patient"]\n' + LAW
STORED = FILTER.replace('["patient"]', '[{ column = "patient", form = "integer" }]')
VISITS = {"town": ["Bonn"] * 40, "clinic": ["eye"] * 40, "patient": list(range(40))}


def filtered(job: str, data: Any = None, **options: Any) -> Case:
    """A filter under a new secret."""
    return lambda tmp: filter.filter(
        job, VISITS if data is None else data, secret_file=key(tmp), register=True, **options
    )


PEOPLE = {
    "religion": ["a", "a", "b", "b"], "age": ["young", "old"] * 2, "n": [500, 500, 1000, 1100],
    "yes": [0, 500, 0, 1100],
}
TABLE = (
    'data = "d.csv"\ncount = "n"\ntau = 0\nkappa = 20\n%s\n'
    '[[attribute]]\nname = "religion"\nlabels = ["a", "b"]\n'
    '[[attribute]]\nname = "age"\nlabels = ["young", "old"]\n'
)
COUNTED = {name: PEOPLE[name] for name in ("religion", "age", "n")}


def table(more: str = 'margins = "axial"') -> str:
    """A job about exact tables of people."""
    return TABLE % more


VOTES: dict[str, list[Any]] = {
    "religion": ["a", "a", "b", "b", "b"], "age": ["young", "old", "young", "old", "old"],
    "vote": ["B", "A", "B", "A", "B"], "n": [1100, 500, 500, 500, 500],
}


def votes(more: str = "") -> str:
    """A job about the people who voted A."""
    return table(f'margins = "axial"\nbeta = 0.25\nvote = {{ column = "vote", value = "A" }}\n{more}')


def audit(job: str, data: Any = None, **options: Any) -> Case:
    """An audit of exact tables."""
    return lambda _: exact.audit(job, (VOTES if "vote =" in job else COUNTED) if data is None else data, **options)


def raised(code: str) -> object:
    """For what a result says instead of raising."""
    raise disclosure.Error("", code=code)
