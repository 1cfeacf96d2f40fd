"""Notes go to the logger ``disclosure``, warnings to `warnings`; nothing is printed."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable

from ._errors import CalibrationWarning, DisclosureWarning

_LOGGER = logging.getLogger("disclosure")
_LOGGER.addHandler(logging.NullHandler())


def note(notes: Iterable[str]) -> None:
    """Says what a job assumed or found out about the form of its data."""
    for text in notes:
        _LOGGER.info("%s", text)


def warn(texts: Iterable[str]) -> None:
    """Warns of parameters that protect little."""
    for text in texts:
        warnings.warn(text, DisclosureWarning, stacklevel=4)


def warn_of_calibration(text: str, stacklevel: int = 3) -> None:
    """Warns that a result is no guarantee."""
    warnings.warn(text, CalibrationWarning, stacklevel=stacklevel)
