"""Failures and warnings."""

from __future__ import annotations

import re
from typing import Any


class Error(Exception):
    """A job was refused or failed.

    Messages name places and parameters, and never carry a value of the data, a count of people,
    an identifier or a secret.

    Attributes
    ----------
    code : str
        The stable code, such as ``"E0316"``; `explain` has a paragraph on it.
    hint : str or None
        What to do next.
    line : int or None
        The line of the file that is meant, from 1.
    row : int or None
        The row of the table in memory that is meant, from 0.
    exit_code : int
        The exit code of the command for the same failure.
    spent : bool
        Whether a budget was charged before the failure.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "E0000",
        hint: str | None = None,
        exit_code: int = 1,
        spent: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.exit_code = exit_code
        self.spent = spent
        self.line = _number(r"\bline (\d+)", message)
        self.row = _number(r"\brow (\d+)[,:]", message)

    @property
    def message(self) -> str:
        """What is wrong, and where."""
        return str(self.args[0])

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        return text if self.hint is None else f"{text}\n  next: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self.message, self.code, self.hint, self.exit_code, self.spent))

    @staticmethod
    def _made(message: str, code: str, hint: str | None, exit_code: int, spent: bool) -> Error:
        kind = DataError if code in _OF_COLUMNS else _KINDS.get(exit_code, Error)
        return kind(message, code=code, hint=hint, exit_code=exit_code, spent=spent)


class SpecError(Error):
    """A job or a call is invalid (exit code 2)."""


class DataError(Error):
    """The data cannot be read, or do not fit the job (exit code 3)."""


class RefusedError(Error):
    """The user's own target or a rule about publication refuses (exit code 4)."""


class BudgetError(Error):
    """The budget does not cover a release (exit code 5)."""


class LimitError(Error):
    """A limit on work or memory (exit code 6)."""


class DisclosureWarning(UserWarning):
    """What a job says about its own parameters."""


class CalibrationWarning(DisclosureWarning):
    """The result is a calibration or a proxy: it is no guarantee of privacy."""


_KINDS: dict[int, type[Error]] = {
    2: SpecError,
    3: DataError,
    4: RefusedError,
    5: BudgetError,
    6: LimitError,
}


_OF_COLUMNS = frozenset({"E0672", "E0673", "E0674"})
"""Codes of columns in memory, which the command never sees."""


def _again(message: str, code: str, hint: str | None, exit_code: int, spent: bool) -> Error:
    return Error._made(message, code, hint, exit_code, spent)


def _number(pattern: str, message: str) -> int | None:
    found = re.search(pattern, message)
    return None if found is None else int(found.group(1))
