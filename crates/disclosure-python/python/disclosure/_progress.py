"""Progress: a callback, or a bar of tqdm where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

Progress = Union[bool, Callable[[Union[str, None], Union[float, None]], object], None]
"""``True`` for a bar, or a function of the stage's name and the share that is done."""


class _Bar:
    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._tqdm: Any = None
        else:
            self._tqdm = tqdm
        self._bar: Any = None
        self._stage: str | None = None

    def __call__(self, stage: str | None, share: float | None) -> None:
        if self._tqdm is None or stage is None:
            return
        if self._bar is None or stage != self._stage:
            self.close()
            self._bar, self._stage = self._tqdm(total=100, desc=stage, leave=False), stage
        if share is not None:
            self._bar.n = int(100 * share)
            self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class watching:
    """Gives a core call its callback, and closes the bar behind it."""

    def __init__(self, progress: Progress) -> None:
        self._bar = _Bar() if progress is True else None
        self._callback = progress if callable(progress) else self._bar

    def __enter__(self) -> Any:
        return self._callback

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
