"""Every code of the product: reached from Python, or in a table of those that Python cannot."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import disclosure

from .reached import data, records, refusals, tables
from .reached.unreached import UNREACHED
from .reached.words import Case

PARTS = (tables.CASES, data.CASES, records.CASES, refusals.CASES)
CASES: dict[str, Case] = {code: case for part in PARTS for code, case in part.items()}


@pytest.mark.parametrize("code", sorted(CASES))
def test_the_code_is_reached(code: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", disclosure.DisclosureWarning)
        with pytest.raises(disclosure.Error) as raised:
            CASES[code](tmp_path)
    assert raised.value.code == code, str(raised.value)
    assert disclosure.explain(code) and raised.value.message


def test_no_code_of_the_product_is_forgotten() -> None:
    assert sum(map(len, PARTS)) == len(CASES), "a case stands once"
    assert not CASES.keys() & UNREACHED.keys()
    # A new code fails here until somebody reaches it, or says why nobody can.
    assert set(disclosure.codes()) == CASES.keys() | UNREACHED.keys()


def test_the_list_is_that_of_the_sources() -> None:
    import re

    crates = Path(__file__).resolve().parents[2]
    sources = [*crates.glob("*/src/**/explanations/*.rs"), crates / "privacy-data/src/explain.rs"]
    written = {code for path in sources for code in re.findall(r'\(\s*"(E0\d{3})",', path.read_text())}
    assert written == set(disclosure.codes())
