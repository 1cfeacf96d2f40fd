"""A secret key is in its file alone: no answer, message or traceback shows it, and a crash leaves no image of it."""

from __future__ import annotations

import secrets
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import disclosure
import pytest

from .reached.words import key

ROWS = {"town": ["Bonn", "Rome"] * 60, "clinic": ["eye"] * 120, "patient": list(range(120)), "n": list(range(120))}
ANONYMOUS = {"group_by": ["town"], "aid": ["patient"], "always_suppress_upper_bound": 2, "mean": 8.0, "sd": 1.5}


def spelled(secret: bytes) -> list[bytes]:
    """The ways in which 32 bytes may be written out."""
    numbers = [str(byte) for byte in secret]
    texts = [secret.hex(), secret.hex().upper(), ", ".join(numbers), ",".join(numbers), repr(secret)[2:-1]]
    return [secret[:16], secret[16:], *(text.encode() for text in texts)]


def shows(found: bytes | str, secret: bytes) -> bool:
    found = found.encode("utf-8", "surrogateescape") if isinstance(found, str) else found
    return any(way in found for way in spelled(secret))


def shown(answer: Any) -> Iterator[bytes | str]:
    """All that an answer says of itself."""
    yield from (repr(answer), str(answer))
    for name in ("to_json", "_repr_html_", "report", "to_bytes"):
        say: Any = getattr(answer, name, None)
        if say is not None:
            yield say()
    for name in ("csv", "files", "owner_files"):
        files: Any = getattr(answer, name, None)
        if isinstance(files, (bytes, str)):
            yield files
        elif files is not None:
            yield from dict(files).values()


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(disclosure.Error) as error:
        call()
    return "".join(traceback.format_exception(error.value)) + repr(vars(error.value)) + repr(error.value.args)


@pytest.mark.filterwarnings("ignore::disclosure.CalibrationWarning")
def test_no_answer_and_no_refusal_shows_the_key(tmp_path):
    secret = secrets.token_bytes(32)
    assert shows(repr(secret), secret) and shows(str(list(secret)), secret) and not shows(bytes(200), secret)
    path = key(tmp_path, secret)
    options: dict[str, Any] = {"secret_file": path, "register": True}
    groups = disclosure.filter.filter(ANONYMOUS, ROWS, **options)
    why = disclosure.filter.explain(ANONYMOUS, ROWS, ["Bonn"], **options)
    for said in [*shown(groups), *shown(why)]:
        assert not shows(said, secret)
    others = {**ANONYMOUS, "mean": 9.0}
    said = refusal(lambda: disclosure.filter.filter(others, ROWS, **options))
    assert "E0408" in said and not shows(said, secret)
    for length, mode, code in ((31, 0o600, "E0407"), (33, 0o600, "E0407"), (32, 0o644, "E0407")):
        wrong = key(tmp_path, secret[:31] + bytes(length - 31), mode, name=f"wrong{length}{mode}")
        said = refusal(lambda: disclosure.filter.filter(ANONYMOUS, ROWS, secret_file=wrong, register=True))
        assert code in said and not shows(said, secret[:31] + bytes(length - 31))
    (tmp_path / "key.registry").chmod(0o644)
    said = refusal(lambda: disclosure.filter.filter(ANONYMOUS, ROWS, **options))
    assert "E0419" in said and not shows(said, secret)


def test_a_ledger_that_everybody_can_change_is_refused(tmp_path):
    ledger = disclosure.Ledger.open(tmp_path / "ledger", rho=1.0, neighbours="add-remove")
    plan = disclosure.plan(marginals=[["a"]], rho=0.1, neighbours="add-remove", domain={"a": 2})
    before = (tmp_path / "ledger").read_bytes()
    (tmp_path / "ledger").chmod(0o666)
    said = refusal(lambda: plan.release({"a": [0, 1]}, ledger=ledger))
    assert "E0419" in said and "chmod o-w" in said and (tmp_path / "ledger").read_bytes() == before
    (tmp_path / "ledger").chmod(0o644)
    plan.release({"a": [0, 1]}, ledger=ledger)
    assert (tmp_path / "ledger").read_bytes() != before


CRASH = """
import ctypes, os, resource, sys
import disclosure
before = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)
try:
    disclosure.filter.filter({"group_by": ["a"], "aid": ["a"], "always_suppress_upper_bound": 2, "mean": 8.0,
                              "sd": 1.5}, {"a": ["x"]}, secret_file=sys.argv[1], register=True)
except disclosure.Error:
    pass
print(before, ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE)[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such flag")
def test_who_has_read_a_key_leaves_no_image_of_the_memory(tmp_path):
    path = key(tmp_path)
    ran = subprocess.run([sys.executable, "-c", CRASH, str(path)], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["1", "0", "0"], ran
