"""What all tests use: fixtures of the project, and data frames of them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import disclosure

ROOT = Path(__file__).resolve().parents[3] / "fixtures"
SEED = bytes([7] * 32)


@pytest.fixture
def jobs() -> Path:
    return ROOT / "jobs"


@pytest.fixture
def anes() -> pd.DataFrame:
    return pd.read_csv(ROOT / "data/anes96.csv")


@pytest.fixture
def titanic() -> pd.DataFrame:
    return pd.read_csv(ROOT / "data/titanic.csv")


@pytest.fixture
def digests() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for line in (ROOT / "jobs/DIGESTS.toml").read_text().splitlines():
        if section := re.fullmatch(r"\[(\w+)\]", line):
            found[section[1]] = {}
        elif entry := re.fullmatch(r'"?([^"=]+?)"? = "([0-9a-f]{64})"', line):
            list(found.values())[-1][entry[1]] = entry[2]
    return found


@pytest.fixture
def fixed() -> Iterator[None]:
    """Releases from the generator of the golden files."""
    if not disclosure._core.FIXED_GENERATOR:
        pytest.skip("this wheel draws from the operating system alone")
    disclosure._core.set_generator(SEED)
    yield
    disclosure._core.set_generator(None)


@pytest.fixture
def quiet() -> Iterator[None]:
    """Calibrations warn; these tests are about something else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", disclosure.CalibrationWarning)
        yield
